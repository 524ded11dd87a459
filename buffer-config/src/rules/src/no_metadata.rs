//! # SRC016 no-metadata
//!
//! Severity: warning.
//!
//! The file has ports, but no entry `localhost` in DEVICE_METADATA. A note if the file has neither that table nor six
//! others: it is then a part of a configuration.
//!
//! ## Why it matters
//!
//! SONiC reads the SKU, the platform, the role and the buffer model of the switch from this entry, and its daemons do
//! not start without it. Keys are case-sensitive. Harrier does not know the ASIC either, so that pools and headroom are
//! not checked against its memory.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"Localhost": {"hostname": "s1", "platform": "x86_64-dell_s6000_s1220-r0"}},
//!   "PORT": {"Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Add the entry, or name it `localhost`.
//!
//! ## Source
//!
//! [sonic-device_metadata.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-device_metadata.yang).

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC016", name: "no-metadata", severity: Severity::Warning, effect: effect::FILE };

/// The number of tables, beside DEVICE_METADATA, from which on a file is taken for a whole configuration. Those that
/// SONiC generates have seven or more.
const WHOLE_TABLES: usize = 6;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.sw.ports.is_empty() || cx.db.row("DEVICE_METADATA", "localhost").is_some() {
        return;
    }
    let similar =
        cx.db.rows("DEVICE_METADATA").iter().find(|e| e.key.trim().eq_ignore_ascii_case("localhost"));
    let port = cx.sw.ports.first().map_or("", |port| port.name.as_str());
    let (at, message) = match similar {
        Some(entry) => (
            row("DEVICE_METADATA", &entry.key),
            format!("DEVICE_METADATA has the key `{}` instead of `localhost`", entry.key),
        ),
        None => {
            (row("PORT", port), "there are ports, but DEVICE_METADATA has no entry `localhost`".to_string())
        }
    };
    let reported = cx.report(out, &META, at, message).about("DEVICE_METADATA", "localhost", None);
    if cx.db.table("DEVICE_METADATA").is_none() && cx.db.loaded_tables().count() < WHOLE_TABLES {
        reported.severity(Severity::Info);
    }
}
