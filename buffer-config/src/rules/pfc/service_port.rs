//! # PFC011 pfc-on-service-port
//!
//! Severity: warning.
//!
//! A recycle, inband or service port enables PFC.
//!
//! ## Why it matters
//!
//! These ports lead back into the chip. A pause there stops traffic that nothing drains.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet-Rec0": {"lanes": "221", "speed": "10000", "mtu": "9100", "admin_status": "up", "role": "Rec"}
//!   },
//!   "PORT_QOS_MAP": {"Ethernet-Rec0": {"pfc_enable": "3,4"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Remove `pfc_enable` from the port.
//!
//! ## Source
//!
//! sonic-buildimage PR 24085.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC011",
    name: "pfc-on-service-port",
    severity: Severity::Warning,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // An entry for the port, and one for each of its addresses.
    let inband = cx.db.rows("VOQ_INBAND_INTERFACE");
    let is_inband = |name: &str| inband.iter().any(|entry| entry.key.split('|').next() == Some(name));
    cx.by_port_entry(out, &META, |port, entry| {
        if port.pfc_priorities == 0 {
            return None;
        }
        let role =
            cx.db.field(entry, "role").map(|f| f.value).filter(|r| matches!(*r, "Rec" | "Inb" | "Dpc"));
        let message = match role {
            Some(role) => format!("PFC on a port of role {role}"),
            None if is_inband(&port.name) => "PFC on an inband port of the chassis".to_string(),
            None => return None,
        };
        hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
