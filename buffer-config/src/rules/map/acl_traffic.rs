//! Which packets a rule of an access list matches, and whether its table is bound to traffic, for
//! [`super::acl_class`].
//!
//! Source: sonic-swss orchagent/aclorch.cpp; YANG sonic-acl.

use super::super::context::Context;
use crate::db::Entry;
use crate::resolved::ResolvedPort;

/// The UDP port of RoCEv2.
pub(super) const ROCE_PORT: u16 = 4791;
/// The protocol number of UDP.
const UDP: u16 = 17;
/// IPv4 and IPv6 as Ethernet types.
const IP_ETHER_TYPES: [u16; 2] = [0x0800, 0x86dd];
/// Values of `IP_TYPE` that match every packet of RoCEv2 over at least one version of IP.
const ALL_IP_TYPES: [&str; 4] = ["ANY", "IP", "IPV4ANY", "IPV6ANY"];

/// The value of a field of a rule.
pub(super) fn value<'d>(cx: &'d Context<'_, '_>, entry: &Entry<'_>, name: &str) -> Option<&'d str> {
    cx.value("ACL_RULE", &entry.key, name).map(str::trim)
}

/// Whether the table of a rule filters packets of at least one port that is up. One for the control plane, or without
/// ports, does not.
pub(super) fn is_bound(cx: &Context<'_, '_>, rule: &Entry<'_>) -> bool {
    let name = rule.key.split('|').next().unwrap_or_default();
    let Some(table) = cx.db.row("ACL_TABLE", name) else { return true };
    if cx.db.field(table, "type").is_some_and(|kind| kind.value.eq_ignore_ascii_case("CTRLPLANE")) {
        return false;
    }
    let Some(ports) = cx.db.field(table, "ports") else { return true };
    ports.value.split(',').map(str::trim).any(|port| !port.is_empty() && is_up(cx, port))
}

/// Whether a port is up, or a port channel with a member that is. Anything else, such as a VLAN, may be.
fn is_up(cx: &Context<'_, '_>, name: &str) -> bool {
    if let Some(port) = cx.sw.ports.iter().find(|port| port.name == name) {
        return port.is_up;
    }
    let is_down = cx.value("PORTCHANNEL", name, "admin_status") == Some("down");
    let mut members = cx.sw.ports.iter().filter(|port| port.port_channel == name).peekable();
    !is_down && (members.peek().is_none() || members.any(|port| port.is_up))
}

/// Whether a rule matches all packets of UDP, or all of IP: it has no other condition.
pub(super) fn is_unconditional(cx: &Context<'_, '_>, rule: &Entry<'_>) -> bool {
    let mut conditions = 0;
    for field in cx.db.fields_of(rule) {
        let value = field.value.trim();
        let matches_all = match field.name {
            "PRIORITY" | "PACKET_ACTION" | "POLICER_ACTION" | "RULE_DESCRIPTION" => continue,
            "IP_PROTOCOL" | "NEXT_HEADER" => number(value) == Some(UDP),
            "IP_TYPE" => ALL_IP_TYPES.iter().any(|all| value.eq_ignore_ascii_case(all)),
            "ETHER_TYPE" => number(value).is_some_and(|kind| IP_ETHER_TYPES.contains(&kind)),
            "SRC_IP" | "DST_IP" | "SRC_IPV6" | "DST_IPV6" => value.ends_with("/0"),
            _ => false,
        };
        if !matches_all {
            return false;
        }
        conditions += 1;
    }
    conditions > 0
}

/// Whether a rule of the same table with a higher priority forwards packets of a lossless class that this one matches.
pub(super) fn is_permitted_above(cx: &Context<'_, '_>, port: &ResolvedPort, rule: &Entry<'_>) -> bool {
    let table = |entry: &Entry<'_>| entry.key.split('|').next().map(str::to_string);
    let priority = |entry: &Entry<'_>| value(cx, entry, "PRIORITY").and_then(|text| text.parse::<i64>().ok());
    let is_permit = |entry: &Entry<'_>| {
        let action = value(cx, entry, "PACKET_ACTION").unwrap_or_default();
        ["FORWARD", "ACCEPT", "PERMIT"].iter().any(|word| action.eq_ignore_ascii_case(word))
    };
    cx.db.rows("ACL_RULE").iter().any(|other| {
        table(other) == table(rule)
            && priority(other).zip(priority(rule)).is_some_and(|(higher, own)| higher > own)
            && is_permit(other)
            && may_match_roce(cx, other)
            && shares_lossless_dscp(cx, port, rule, other)
    })
}

/// Whether a rule forwards a DSCP of a lossless class of the port that the rule below it drops. A rule without a
/// condition on it forwards all.
fn shares_lossless_dscp(
    cx: &Context<'_, '_>,
    port: &ResolvedPort,
    one: &Entry<'_>,
    other: &Entry<'_>,
) -> bool {
    if value(cx, other, "DSCP").is_none() && value(cx, other, "TC").is_none() {
        return true;
    }
    let class_of = |dscp: usize| port.dscp_to_tc.0.get(dscp).map(|class| usize::from(*class));
    let matches = |entry: &Entry<'_>, dscp: usize| match (value(cx, entry, "DSCP"), value(cx, entry, "TC")) {
        (Some(dscps), _) => is_matched(dscps, dscp),
        (None, Some(class)) => number(class).map(usize::from) == class_of(dscp),
        (None, None) => true,
    };
    let is_lossless = |dscp: usize| cx.lossless_classes(port).any(|class| Some(class) == class_of(dscp));
    (0..64).any(|dscp| is_lossless(dscp) && matches(one, dscp) && matches(other, dscp))
}

/// Whether a rule may match packets of RoCEv2.
fn may_match_roce(cx: &Context<'_, '_>, rule: &Entry<'_>) -> bool {
    let value = |name: &str| value(cx, rule, name);
    let is_udp =
        ["IP_PROTOCOL", "NEXT_HEADER"].iter().all(|name| value(name).is_none_or(|n| number(n) == Some(UDP)));
    let is_ip = value("ETHER_TYPE").and_then(number).is_none_or(|kind| IP_ETHER_TYPES.contains(&kind));
    let ports = (value("L4_DST_PORT"), value("L4_DST_PORT_RANGE"));
    let is_port = ports == (None, None) || is_roce(ports.0, ports.1);
    is_udp && is_ip && is_port && value("TCP_FLAGS").is_none() && value("ICMP_TYPE").is_none()
}

/// A decimal or hexadecimal number.
pub(super) fn number(text: &str) -> Option<u16> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Whether a DSCP, or a DSCP and a mask, match a DSCP.
pub(super) fn is_matched(text: &str, dscp: usize) -> bool {
    let (value, mask) = text.split_once('/').unwrap_or((text, "63"));
    match (number(value), number(mask)) {
        (Some(value), Some(mask)) => dscp & usize::from(mask) == usize::from(value & mask),
        _ => false,
    }
}

/// Whether a destination port or a range of them, such as `4000-5000`, contains that of RoCEv2.
pub(super) fn is_roce(port: Option<&str>, range: Option<&str>) -> bool {
    let ends = range.and_then(|range| range.split_once('-'));
    let in_range = ends.is_some_and(|(low, high)| match (number(low), number(high)) {
        (Some(low), Some(high)) => (low..=high).contains(&ROCE_PORT),
        _ => false,
    });
    in_range || port.and_then(number) == Some(ROCE_PORT)
}
