//! # LINK014 no-fec
//!
//! Severity: warning.
//!
//! A port whose lanes have 50 Gb/s or more has `fec` none or fc, a port with 100 Gb/s on four lanes has fc, or
//! one whose lanes have less than 25 Gb/s has rs.
//!
//! ## Why it matters
//!
//! These lanes use PAM4, whose bit error rate is too high without RS-FEC: the link stays down, or frames are lost on
//! the wire. PFC does not protect from that. FC-FEC (BASE-R) is not defined for 100 Gb/s on four lanes, so the other
//! end does not decode it. RS-FEC is not defined for lanes with less than 25 Gb/s: orchagent refuses it, or the link
//! stays down. Ports inside a switch, whose `role` is not Ext, are left out.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2", "speed": "100000", "mtu": "9100", "admin_status": "up", "fec": "none"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `fec` to rs for lanes with 25 Gb/s or more, and to none or fc for slower ones.
//!
//! ## Source
//!
//! IEEE 802.3 clauses 116 to 138: RS-FEC is mandatory for 50 Gb/s and more for each lane; clause 91: the FEC of 100
//! Gb/s on four lanes is RS-FEC; clauses 74 and 107: slower lanes have FC-FEC, or none.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK014", name: "no-fec", severity: Severity::Warning, effect: effect::LINK };

/// The slowest lane with PAM4, Mb/s.
const PAM4_LANE_MBPS: u32 = 50_000;

/// The slowest lane with RS-FEC, Mb/s.
const RS_LANE_MBPS: u32 = 25_000;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port_entry(out, &META, |port, entry| {
        // Ports inside the switch have no connector.
        if cx.db.field(entry, "role").is_some_and(|f| f.value != "Ext") {
            return None;
        }
        let lane_mbps = port.speed_mbps.checked_div(port.lanes)?;
        if port.is_up && port.fec == "rs" && lane_mbps > 0 && lane_mbps < RS_LANE_MBPS {
            let message = format!("fec is rs, but lanes with {lane_mbps} Mb/s have no RS-FEC");
            return hit("PORT", &port.name, "fec", message);
        }
        let is_without = matches!(port.fec.as_str(), "none" | "fc");
        if !port.is_up || !is_without {
            return None;
        }
        if port.fec == "fc" && (port.speed_mbps, lane_mbps) == (100_000, 25_000) {
            let message = "fec is fc, but 100 Gb/s on four lanes have rs only".to_string();
            return hit("PORT", &port.name, "fec", message);
        }
        if lane_mbps < PAM4_LANE_MBPS {
            return None;
        }
        let message = format!("fec is {}, but lanes with {lane_mbps} Mb/s require rs", port.fec);
        hit("PORT", &port.name, "fec", message)
    });
}
