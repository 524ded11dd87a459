//! # LINK017 down-by-default
//!
//! Severity: warning.
//!
//! A port with PFC and a neighbour has no `admin_status`.
//!
//! ## Why it matters
//!
//! SONiC's default is down. The link stays down, and the traffic of its flows takes the other links.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {"Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100"}},
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "spine1", "port": "Ethernet8"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Set `admin_status` to up.
//!
//! ## Source
//!
//! `DEFAULT_ADMIN_STATUS_STR` in
//! [portmgr.h](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/portmgr.h).

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK017", name: "down-by-default", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port_entry(out, &META, |port, entry| {
        let is_used = port.pfc_priorities != 0 && port.neighbour.is_some();
        let is_down = is_used && cx.db.field(entry, "admin_status").is_none();
        let message = "PFC and a neighbour, but no admin_status: the port is down".to_string();
        is_down.then(|| hit("PORT", &port.name, "admin_status", message)).flatten()
    });
}
