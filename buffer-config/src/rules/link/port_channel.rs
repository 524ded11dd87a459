//! # LINK012 port-channel-members
//!
//! Severity: error (a warning where members differ in PFC, lossless DSCPs, FEC or neighbour).
//!
//! A port channel with members is invalid or down, a member's key names no port, or its members do not exist, belong to
//! two port channels or to a VLAN, have different speeds, are routed ports, are fewer than `min_links`, have different
//! FEC, have PFC for different priorities or DSCPs, or lead to different switches.
//!
//! ## Why it matters
//!
//! A hash distributes flows over the members. Lossless packets that leave on a member without PFC are dropped when its
//! peer is congested. A member of another speed, or one that does not exist, never joins; below `min_links`, the whole
//! port channel is down. LACP uses the members that lead to one system: links to a second switch stay idle and the
//! others carry all traffic, unless both switches are an MCLAG pair. Two port channels to the same switches are taken
//! as such a pair. Without `admin_status`, teammgrd leaves it down, and another `min_links` than a number stops
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
//! Give all members the same speed, FEC, PFC priorities and DSCP map, and remove members that do not exist or that lead
//! to another switch.
//!
//! ## Source
//!
//! [teammgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/teammgr.cpp); IEEE 802.1AX, where the links
//! of an aggregate have one speed and lead to one system;
//! [sonic-vlan.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-vlan.yang),
//! which refuses members of port channels.

use std::collections::{BTreeMap, BTreeSet};

use super::super::context::{Context, Findings, field, list, names, row};
use super::super::{Meta, effect, siblings};
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
    let in_vlan: BTreeMap<&str, &str> = match cx.db.rows("PORTCHANNEL_MEMBER") {
        [] => return,
        _ => {
            cx.db.rows("VLAN_MEMBER").iter().filter_map(|entry| entry.key.split_once('|')).map(swap).collect()
        }
    };
    for entry in cx.db.rows("PORTCHANNEL_MEMBER") {
        let at = row("PORTCHANNEL_MEMBER", &entry.key);
        let Some((channel, name)) = entry.key.split_once('|').filter(|(_, name)| !name.is_empty()) else {
            let message =
                format!("`{}` names no port; expected a key such as PortChannel1|Ethernet0", entry.key);
            cx.report(out, &META, at, message);
            continue;
        };
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
        if let Some(vlan) = in_vlan.get(name) {
            let message = format!("{name} is a member of {channel}, but also of {vlan}");
            cx.report(out, &META, at, message);
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
    other_switches(cx, out, &members);
    for (channel, ports) in members {
        invalid(cx, out, channel);
        few_links(cx, out, channel, &ports);
        unlike(cx, out, channel, &ports);
    }
}

fn swap<A, B>((one, other): (A, B)) -> (B, A) {
    (other, one)
}

/// Reports port channels to several switches. Two port channels to the same switches show that these are an MCLAG pair.
fn other_switches(cx: &Context<'_, '_>, out: &mut Findings, members: &BTreeMap<&str, Vec<&ResolvedPort>>) {
    let mut channels: BTreeMap<BTreeSet<&str>, Vec<(&str, &[&ResolvedPort])>> = BTreeMap::new();
    for (channel, ports) in members {
        let names = ports.iter().filter(|port| port.is_up).filter_map(|port| port.neighbour.as_ref());
        let switches: BTreeSet<&str> = names.map(|(name, _)| name.as_str()).collect();
        channels.entry(switches).or_default().push((*channel, ports.as_slice()));
    }
    for (switches, of_switches) in channels.into_iter().filter(|(switches, _)| switches.len() > 1) {
        let [(channel, ports)] = of_switches.as_slice() else { continue };
        let ends = switches.iter().filter_map(|switch| {
            let leads =
                |port: &&&ResolvedPort| port.neighbour.as_ref().is_some_and(|(name, _)| name == switch);
            Some(format!("{switch} ({})", ports.iter().find(leads)?.name))
        });
        let ends: Vec<String> = ends.collect();
        let message = format!(
            "{channel} has members to {} and {}, which LACP combines only if they are an MCLAG pair",
            ends.first().map_or("", String::as_str),
            ends.get(1).map_or("", String::as_str)
        );
        let ports: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
        cx.report(out, &META, row("PORTCHANNEL", channel), message)
            .severity(Severity::Warning)
            .of_ports(&ports);
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

/// Reports members of another speed or FEC, or with PFC for other priorities or DSCPs.
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
    } else if siblings::usual_classes(cx).is_empty()
        && let Some(other) =
            up.iter().find(|p| siblings::lossless_classes(p) != siblings::lossless_classes(first))
    {
        // A port that differs from nearly all others has its own rule (MAP014).
        let message = format!(
            "{channel} distributes flows over {} and {}, which have different DSCPs in lossless classes",
            first.name, other.name
        );
        cx.report(out, &META, row("PORTCHANNEL", channel), message)
            .severity(Severity::Warning)
            .of_ports(&[&first.name, &other.name]);
    }
    let is_stated = |port: &&&&ResolvedPort| !matches!(port.fec.as_str(), "" | "auto");
    let Some(first) = up.iter().find(is_stated) else { return };
    if let Some(other) = up.iter().filter(is_stated).find(|port| port.fec != first.fec) {
        let message = format!(
            "{channel} has members with FEC {} and {}: {} and {}",
            first.fec, other.fec, first.name, other.name
        );
        cx.report(out, &META, row("PORTCHANNEL", channel), message)
            .severity(Severity::Warning)
            .of_ports(&[&first.name, &other.name]);
    }
}
