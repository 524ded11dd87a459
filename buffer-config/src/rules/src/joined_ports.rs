//! # SRC011 joined-ports
//!
//! Severity: warning.
//!
//! One key names several ports, separated by commas.
//!
//! ## Why it matters
//!
//! orchagent accepts such keys, but the YANG models reject them, so the file cannot be patched or migrated.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "pg_lossless_100000_40m_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Write one entry per port.
//!
//! ## Source
//!
//! orchagent splits keys at commas; the YANG models' keys are single ports.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::json::scan::has;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC011", name: "joined-ports", severity: Severity::Warning, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for name in ["BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP"] {
        let joined = |e: &&crate::db::Entry<'_>| has(&e.key, b',');
        let rows = cx.db.rows(name);
        if let Some(entry) = rows.iter().find(joined) {
            let count = rows.iter().filter(joined).count();
            cx.report(
                out,
                &META,
                row(name, &entry.key),
                format!("{name}: several ports in {}", counted(count as u64, "key")),
            );
        }
    }
}
