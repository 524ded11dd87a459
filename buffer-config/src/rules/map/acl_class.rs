//! # MAP013 acl-on-lossless-class
//!
//! Severity: warning.
//!
//! A rule of an access list drops packets of a lossless class, also by a policer or together with all others, gives
//! them the DSCP of another class, or gives the DSCP of a lossless class to other packets. On EOS, NX-OS and NVUE: the
//! access list of a port with lossless classes drops all of RoCEv2, or a DSCP of a lossless class.
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
//! Exclude lossless DSCPs from the rule, use a DSCP of the same class, or forward them by a rule with a higher
//! priority. Tables for the control plane, and those that are bound to no port that is up, are not judged.
//!
//! ## Source
//!
//! `DSCP_ACTION`, `PACKET_ACTION`, `POLICER_ACTION` and `DSCP`, with or without a mask, in
//! [aclorch.h](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/aclorch.h); the UDP port of RoCEv2 is 4791
//! (InfiniBand Architecture, annex A17).

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use super::acl_traffic::{
    self, ROCE_PORT, is_bound, is_matched, is_permitted_above, is_roce, is_unconditional, number,
};
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

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rules = cx.db.rows("ACL_RULE");
    let is_lossless = |port: &&ResolvedPort| port.is_up && cx.lossless_classes(port).next().is_some();
    let Some(port) = cx.sw.ports.iter().find(|port| !rules.is_empty() && is_lossless(port)) else { return };
    for entry in rules.iter().filter(|entry| is_bound(cx, entry)) {
        if let Some(message) = defect(cx, port, entry) {
            cx.report(out, &META, row("ACL_RULE", &entry.key), format!("{}: {message}", entry.key));
        }
    }
}

fn defect(cx: &Context<'_, '_>, port: &ResolvedPort, entry: &Entry<'_>) -> Option<String> {
    let value = |name: &str| acl_traffic::value(cx, entry, name);
    let is_lossless = |class: usize| cx.lossless_classes(port).any(|lossless| lossless == class);
    let class_of = |dscp: usize| port.dscp_to_tc.0.get(dscp).map(|class| usize::from(*class));
    let matched: Vec<usize> = match (value("DSCP"), value("TC").and_then(number)) {
        (Some(dscps), _) => (0..64).filter(|dscp| is_matched(dscps, *dscp)).filter_map(class_of).collect(),
        (None, class) => class.map(usize::from).into_iter().collect(),
    };
    let lossless = matched.iter().copied().find(|class| is_lossless(*class));
    if let Some(dscp) = value("DSCP_ACTION") {
        let class = class_of(usize::from(number(dscp)?))?;
        if let Some(from) = matched.iter().find(|from| is_lossless(**from) && **from != class) {
            return Some(format!(
                "packets of lossless class {from} get DSCP {dscp}, which is in class {class}"
            ));
        }
        let from = match matched.iter().find(|from| !is_lossless(**from)) {
            _ if !is_lossless(class) => return None,
            Some(from) => format!("class {from}"),
            None if value("DSCP").is_none() && value("TC").is_none() => "all classes".to_string(),
            None => return None,
        };
        return Some(format!("packets of {from} get DSCP {dscp}, which is in lossless class {class}"));
    }
    let is_drop = |action: &str| ["drop", "deny"].iter().any(|drop| action.eq_ignore_ascii_case(drop));
    let drops = match (value("PACKET_ACTION"), value("POLICER_ACTION")) {
        (Some(action), _) if is_drop(action) => "dropped".to_string(),
        (_, Some(policer)) => {
            let action = ["red_packet_action", "yellow_packet_action"]
                .into_iter()
                .filter_map(|name| cx.value("POLICER", policer, name));
            let mut dropping = action.filter(|action| is_drop(action.trim()));
            dropping.next().map(|_| format!("dropped above the rate of policer {policer}"))?
        }
        _ => return None,
    };
    if is_permitted_above(cx, port, entry) {
        return None;
    }
    match lossless {
        Some(class) => Some(format!("packets of lossless class {class} are {drops}")),
        None if is_roce(value("L4_DST_PORT"), value("L4_DST_PORT_RANGE")) => {
            Some(format!("packets of RoCEv2 (UDP port {ROCE_PORT}) are {drops}"))
        }
        None if is_unconditional(cx, entry) => {
            let is_udp = value("IP_PROTOCOL").or(value("NEXT_HEADER")).is_some();
            let what = if is_udp { "packets of UDP" } else { "all packets" };
            Some(format!("{what}, and so those of RoCEv2, are {drops}"))
        }
        None if value("BTH_OPCODE").is_some() => Some(format!("packets of RDMA (BTH_OPCODE) are {drops}")),
        None => None,
    }
}
