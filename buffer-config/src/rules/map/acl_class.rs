//! # MAP013 acl-on-lossless-class
//!
//! Severity: warning.
//!
//! A rule of an access list drops packets of a lossless class, gives them the DSCP of another class, or gives the DSCP of a
//! lossless class to other packets.
//!
//! ## Why it matters
//!
//! The next switch puts the packet into the class of its new DSCP: lossless packets become lossy, or lossy packets fill
//! lossless queues. A dropped packet of RDMA makes the sender go back and send all later packets again.
//!
//! ## Example
//!
//! ```json
//! {"ACL_RULE": {"MARK|RULE_1": {"PRIORITY": "10", "DSCP": "3", "DSCP_ACTION": "0"}}}
//! ```
//!
//! ## Fix
//!
//! Exclude lossless DSCPs from the rule, or use a DSCP of the same class.
//!
//! ## Source
//!
//! `DSCP_ACTION` and `PACKET_ACTION` in
//! [aclorch.h](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/aclorch.h); the UDP port of RoCEv2 is 4791
//! (InfiniBand Architecture, annex A17).

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::db::Entry;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP013",
    name: "acl-on-lossless-class",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// The UDP port of RoCEv2.
const ROCE_PORT: &str = "4791";

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let is_lossless = |port: &&ResolvedPort| port.is_up && cx.lossless_priorities(port).next().is_some();
    let Some(port) = cx.sw.ports.iter().find(is_lossless) else { return };
    for entry in cx.db.rows("ACL_RULE") {
        if let Some(message) = defect(cx, port, entry) {
            cx.report(out, &META, row("ACL_RULE", &entry.key), format!("{}: {message}", entry.key));
        }
    }
}

fn defect(cx: &Context<'_, '_>, port: &ResolvedPort, entry: &Entry<'_>) -> Option<String> {
    let value = |name: &str| cx.db.field(entry, name).map(|field| field.value.trim());
    let class_of = |dscp: &str| {
        let class = usize::from(*port.dscp_to_tc.0.get(dscp.parse::<usize>().ok()?)?);
        let is_lossless = cx.lossless_priorities(port).any(|(lossless, _)| lossless == class);
        Some((class, is_lossless))
    };
    // A range or a mask of DSCPs is not read.
    let matched = value("DSCP").and_then(class_of);
    if let Some(dscp) = value("DSCP_ACTION") {
        let (class, is_lossless) = class_of(dscp)?;
        return match matched {
            Some((from, true)) if from != class => {
                Some(format!("packets of lossless class {from} get DSCP {dscp}, which is in class {class}"))
            }
            Some((from, false)) if is_lossless => {
                Some(format!("packets of class {from} get DSCP {dscp}, which is in lossless class {class}"))
            }
            None if is_lossless && value("DSCP").is_none() => {
                Some(format!("packets of all classes get DSCP {dscp}, which is in lossless class {class}"))
            }
            _ => None,
        };
    }
    let drops = value("PACKET_ACTION").is_some_and(|action| action.eq_ignore_ascii_case("drop"));
    match matched {
        _ if !drops => None,
        Some((class, true)) => Some(format!("packets of lossless class {class} are dropped")),
        _ if value("L4_DST_PORT") == Some(ROCE_PORT) => {
            Some(format!("packets of RoCEv2 (UDP port {ROCE_PORT}) are dropped"))
        }
        _ => None,
    }
}
