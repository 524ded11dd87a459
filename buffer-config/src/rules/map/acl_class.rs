//! # MAP013 acl-on-lossless-class
//!
//! Severity: warning.
//!
//! A rule of an access list drops packets of a lossless class, also by a policer, gives them the DSCP of another class, or
//! gives the DSCP of a lossless class to other packets.
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
//! `DSCP_ACTION`, `PACKET_ACTION`, `POLICER_ACTION` and `DSCP`, with or without a mask, in
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
const ROCE_PORT: u16 = 4791;

/// Fields of a rule that do not restrict which UDP packets it matches.
const UNCONDITIONAL: [&str; 6] =
    ["IP_PROTOCOL", "PRIORITY", "PACKET_ACTION", "POLICER_ACTION", "IP_TYPE", "ETHER_TYPE"];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rules = cx.db.rows("ACL_RULE");
    let is_lossless = |port: &&ResolvedPort| port.is_up && cx.lossless_priorities(port).next().is_some();
    let Some(port) = cx.sw.ports.iter().find(|port| !rules.is_empty() && is_lossless(port)) else { return };
    for entry in rules {
        if let Some(message) = defect(cx, port, entry) {
            cx.report(out, &META, row("ACL_RULE", &entry.key), format!("{}: {message}", entry.key));
        }
    }
}

fn defect(cx: &Context<'_, '_>, port: &ResolvedPort, entry: &Entry<'_>) -> Option<String> {
    let value = |name: &str| cx.db.field(entry, name).map(|field| field.value.trim());
    let is_lossless = |class: usize| cx.lossless_priorities(port).any(|(lossless, _)| lossless == class);
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
    match lossless {
        Some(class) => Some(format!("packets of lossless class {class} are {drops}")),
        None if is_roce(value("L4_DST_PORT"), value("L4_DST_PORT_RANGE")) => {
            Some(format!("packets of RoCEv2 (UDP port {ROCE_PORT}) are {drops}"))
        }
        None if is_all_udp(cx, entry) => Some(format!("packets of UDP, and so of RoCEv2, are {drops}")),
        None if value("BTH_OPCODE").is_some() => Some(format!("packets of RDMA (BTH_OPCODE) are {drops}")),
        None => None,
    }
}

/// Whether a rule matches all UDP packets: it has no other condition.
fn is_all_udp(cx: &Context<'_, '_>, entry: &Entry<'_>) -> bool {
    let mut fields = cx.db.fields_of(entry);
    let is_udp = fields.clone().any(|field| field.name == "IP_PROTOCOL" && number(field.value) == Some(17));
    is_udp && fields.all(|field| UNCONDITIONAL.contains(&field.name))
}

/// A decimal or hexadecimal number.
fn number(text: &str) -> Option<u16> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Whether a DSCP, or a DSCP and a mask, match a DSCP.
fn is_matched(text: &str, dscp: usize) -> bool {
    let (value, mask) = text.split_once('/').unwrap_or((text, "63"));
    match (number(value), number(mask)) {
        (Some(value), Some(mask)) => dscp & usize::from(mask) == usize::from(value & mask),
        _ => false,
    }
}

/// Whether a destination port or a range of them, such as `4000-5000`, contains that of RoCEv2.
fn is_roce(port: Option<&str>, range: Option<&str>) -> bool {
    let ends = range.and_then(|range| range.split_once('-'));
    let in_range = ends.is_some_and(|(low, high)| match (number(low), number(high)) {
        (Some(low), Some(high)) => (low..=high).contains(&ROCE_PORT),
        _ => false,
    });
    in_range || port.and_then(number) == Some(ROCE_PORT)
}
