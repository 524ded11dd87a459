//! # LINK022 hash-without-ports
//!
//! Severity: warning.
//!
//! SWITCH_HASH distributes packets over equal paths or members of port channels without the UDP source port.
//!
//! ## Why it matters
//!
//! RoCEv2 senders give each queue pair its own UDP source port, so that its packets take one path and different queue
//! pairs take different ones. Without the port in the hash, all traffic between two hosts takes one path: links are
//! congested and paused while others are idle.
//!
//! ## Example
//!
//! ```json
//! {"SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["DST_IP", "SRC_IP", "IP_PROTOCOL"]}}}
//! ```
//!
//! ## Fix
//!
//! Add L4_SRC_PORT and L4_DST_PORT.
//!
//! ## Source
//!
//! [sonic-hash.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-hash.yang);
//! the UDP source port of RoCEv2 is for ECMP ([InfiniBand
//! Architecture](https://www.infinibandta.org/ibta-specification/), annex A17).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "LINK022",
    name: "hash-without-ports",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.rows("SWITCH_HASH").is_empty() || cx.sw.ports.iter().all(|port| port.pfc_priorities == 0) {
        return;
    }
    for (name, what) in [("ecmp_hash", "equal paths"), ("lag_hash", "members of port channels")] {
        let Some(fields) = cx.value("SWITCH_HASH", "GLOBAL", name) else { continue };
        if !fields.split(',').any(|field| field.trim().eq_ignore_ascii_case("L4_SRC_PORT")) {
            let message = format!(
                "`{name}` has no L4_SRC_PORT: all RoCEv2 traffic between two hosts takes one of the {what}"
            );
            cx.report(out, &META, field("SWITCH_HASH", "GLOBAL", name), message);
        }
    }
}
