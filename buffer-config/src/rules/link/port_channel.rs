//! # LINK012 port-channel-members
//!
//! Severity: error (a warning where only some members are lossless).
//!
//! A port channel with members is invalid or down, or its members do not exist, belong to two port channels, have different
//! speeds, are routed ports, are fewer than `min_links`, or have PFC for different priorities.
//!
//! ## Why it matters
//!
//! A hash distributes flows over the members. Lossless packets that leave on a member without PFC are dropped when its
//! peer is congested. A member of another speed, or one that does not exist, never joins; below `min_links`, the whole
//! port channel is down. Without `admin_status`, teammgrd leaves it down, and another `min_links` than a number stops
//! teammgrd.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORTCHANNEL": {"PortChannel1": {"admin_status": "up", "min_links": "1"}},
//!   "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}, "PortChannel1|Ethernet99": {}}
//! }
//! ```
//!
//! ## Fix
//!
//! Give all members the same speed and PFC priorities, and remove members that do not exist.
//!
//! ## Source
//!
//! [teammgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/teammgr.cpp); IEEE 802.1AX, where the links
//! of an aggregate have one speed.

use std::collections::{BTreeMap, BTreeSet};

use super::super::context::{Context, Findings, field, list, names, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK012", name: "port-channel-members", severity: Severity::Error, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut members: BTreeMap<&str, Vec<&ResolvedPort>> = BTreeMap::new();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let mut missing = BTreeSet::new();
    let known = cx.db.rows("PORT");
    for entry in cx.db.rows("PORTCHANNEL_MEMBER") {
        let Some((channel, name)) = entry.key.split_once('|') else { continue };
        let at = row("PORTCHANNEL_MEMBER", &entry.key);
        if !known.is_empty() && cx.db.row("PORT", name).is_none() {
            cx.report(out, &META, at, format!("{name}, a member of {channel}, is not in PORT"));
            continue;
        }
        if cx.db.row("INTERFACE", name).is_some() {
            let message =
                format!("{name} is a member of {channel}, but has an entry in INTERFACE: it is routed");
            cx.report(out, &META, at, message);
            continue;
        }
        match owners.insert(name, channel) {
            Some(other) if other != channel => {
                cx.report(out, &META, at, format!("{name} is a member of both {other} and {channel}"));
            }
            _ if cx.db.row("PORTCHANNEL", channel).is_none() => {
                if missing.insert(channel) {
                    let message = format!("{channel}, of which {name} is a member, is not in PORTCHANNEL");
                    cx.report(out, &META, at, message);
                }
            }
            _ => {
                members.entry(channel).or_default().extend(cx.sw.ports.iter().find(|port| port.name == name))
            }
        }
    }
    for (channel, ports) in members {
        invalid(cx, out, channel);
        few_links(cx, out, channel, &ports);
        unlike(cx, out, channel, &ports);
    }
}

/// Reports a port channel that teammgrd does not set up.
fn invalid(cx: &Context<'_, '_>, out: &mut Findings, channel: &str) {
    let digits = channel.strip_prefix("PortChannel").unwrap_or_default();
    if !(1..=4).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let message = format!("{channel} is no name of a port channel, such as PortChannel1");
        cx.report(out, &META, row("PORTCHANNEL", channel), message);
    }
    if cx.value("PORTCHANNEL", channel, "admin_status").is_none() {
        let message = format!("{channel} has no admin_status: it is down");
        cx.report(out, &META, row("PORTCHANNEL", channel), message).add("admin_status", "up");
    }
    let minimum = cx.value("PORTCHANNEL", channel, "min_links");
    if let Some(text) = minimum.filter(|n| !n.trim().parse::<u16>().is_ok_and(|n| n <= 1024)) {
        let message = format!("{channel}: `min_links` is `{text}`; expected 0 to 1024");
        cx.report(out, &META, field("PORTCHANNEL", channel, "min_links"), message).remove();
    }
}

fn few_links(cx: &Context<'_, '_>, out: &mut Findings, channel: &str, ports: &[&ResolvedPort]) {
    let minimum = cx.value("PORTCHANNEL", channel, "min_links").and_then(|n| n.trim().parse::<usize>().ok());
    if let Some(minimum) = minimum.filter(|minimum| *minimum > ports.len()) {
        let count = counted(ports.len() as u64, "member");
        let message = format!("{channel} requires {minimum} links, but has {count}: it stays down");
        cx.report(out, &META, field("PORTCHANNEL", channel, "min_links"), message);
    }
}

/// Reports members of another speed, or with PFC for other priorities.
fn unlike(cx: &Context<'_, '_>, out: &mut Findings, channel: &str, ports: &[&ResolvedPort]) {
    let up: Vec<&&ResolvedPort> = ports.iter().filter(|port| port.is_up).collect();
    let Some(first) = up.first() else { return };
    if let Some(other) = up.iter().find(|port| port.speed_mbps != first.speed_mbps) {
        let message = format!(
            "{channel} has members with {} and {} Mb/s: {} and {}",
            first.speed_mbps, other.speed_mbps, first.name, other.name
        );
        cx.report(out, &META, row("PORTCHANNEL", channel), message);
    }
    if let Some(other) = up.iter().find(|port| port.pfc_priorities != first.pfc_priorities) {
        let message = format!(
            "{channel} distributes flows over {} with PFC on {} and {} with PFC on {}",
            first.name,
            list(first.pfc_priorities),
            names(&[other.name.as_str()]),
            list(other.pfc_priorities)
        );
        cx.report(out, &META, row("PORTCHANNEL", channel), message).severity(Severity::Warning);
    }
}
