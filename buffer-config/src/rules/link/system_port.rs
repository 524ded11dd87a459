//! # LINK015 system-port
//!
//! Severity: error.
//!
//! On a chassis, entries of SYSTEM_PORT have the same `system_port_id`, different numbers of VOQs or fewer than
//! lossless traffic needs, different `switch_id` for one chip or another one than the device, no value for a field that
//! other entries have, a value that is no number, or a speed or core that differs from that of the port; ports of one
//! core have the same `core_port_id`; `max_cores` of the switch is 0; or only one of SYSTEM_PORT and `switch_type` says
//! that the switch has virtual output queues.
//!
//! ## Why it matters
//!
//! All chips create these ports at start: with a duplicate number, or one that it cannot read, orchagent stops. Without
//! cores, it reads no system port. A chip sends to a port of another one with the credits of its system port's speed:
//! at a higher speed it overruns the port, at a lower one the port idles while the source fills its VOQs and pauses its
//! senders. Without `switch_type` voq, entries of queues that name host and chip are rejected.
//!
//! ## Example
//!
//! ```json
//! {
//!   "SYSTEM_PORT": {
//!     "s1|asic0|Ethernet0": {"system_port_id": "1", "speed": "100000", "num_voq": "8"},
//!     "s1|asic0|Ethernet4": {"system_port_id": "1", "speed": "100000", "num_voq": "8"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use one number for each system port, and the speed of the port.
//!
//! ## Source
//!
//! `SAI_SWITCH_ATTR_SYSTEM_PORT_CONFIG_LIST` in [orchagent
//! main.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/main.cpp); the [VOQ
//! HLD](https://github.com/sonic-net/SONiC/blob/master/doc/voq/voq_hld.md);
//! [sonic-system-port.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-system-port.yang).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, names, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK015", name: "system-port", severity: Severity::Error, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = cx.db.rows("SYSTEM_PORT");
    // Most switches have no system ports.
    let kind = cx.value("DEVICE_METADATA", "localhost", "switch_type").unwrap_or_default();
    let at = field("DEVICE_METADATA", "localhost", "switch_type");
    // The file of the whole line card has no ports of a chip.
    if kind == "voq" && rows.is_empty() && !cx.sw.ports.is_empty() && !cx.sw.chip.is_empty() {
        cx.report(out, &META, at, "switch_type is voq, but SYSTEM_PORT has no entries".to_string());
    } else if kind != "voq" && !rows.is_empty() {
        let stated = if kind.is_empty() { "not stated" } else { kind };
        let message = format!("there are system ports, but switch_type is {stated} instead of voq");
        cx.report(out, &META, at, message);
    }
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queues: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut chips: BTreeMap<&str, &str> = BTreeMap::new();
    let mut speeds: Vec<(&str, &str, u32, u32)> = Vec::new();
    for entry in rows {
        let value = |name: &str| cx.db.field(entry, name).map(|field| field.value.trim());
        if let Some(id) = value("system_port_id")
            && let Some(owner) = owners.insert(id, &entry.key)
        {
            let message = format!("{} and {owner} both have system_port_id {id}", entry.key);
            cx.report(out, &META, field("SYSTEM_PORT", &entry.key, "system_port_id"), message);
        }
        // All ports of a chip have its number.
        if let Some(((chip, _), id)) = entry.key.rsplit_once('|').zip(value("switch_id"))
            && *chips.entry(chip).or_insert(id) != id
        {
            let message = format!("{} has switch_id {id}, but other ports of {chip} do not", entry.key);
            cx.report(out, &META, field("SYSTEM_PORT", &entry.key, "switch_id"), message);
        }
        if let Some(count) = value("num_voq") {
            queues.entry(count).or_insert((0, &entry.key)).0 += 1;
        }
        // Only the ports of this chip are in PORT.
        let mut parts = entry.key.rsplit('|');
        let (Some(name), Some(chip)) = (parts.next(), parts.next()) else { continue };
        let is_here = (cx.sw.chip.is_empty() || cx.sw.chip.eq_ignore_ascii_case(chip))
            && parts.next().is_none_or(|host| cx.sw.hostname.is_empty() || host == cx.sw.hostname);
        let port = cx.sw.ports.iter().find(|port| is_here && port.name == name);
        let speed = value("speed").and_then(|speed| speed.parse::<u32>().ok());
        if let (Some(port), Some(speed)) = (port, speed)
            && port.speed_mbps != speed
        {
            speeds.push((&entry.key, &port.name, speed, port.speed_mbps));
        }
    }
    if rows.is_empty() {
        return;
    }
    no_cores(cx, out);
    values(cx, out);
    other_speeds(cx, out, &speeds);
    few_queues(cx, out);
    missing_fields(cx, out);
    other_chip(cx, out);
    other_core(cx, out);
    if queues.len() > 1 {
        let (usual, _) =
            queues.iter().max_by_key(|(_, (count, _))| *count).map_or(("", 0), |(n, (c, _))| (*n, *c));
        for (count, (_, key)) in queues.iter().filter(|(count, _)| **count != usual) {
            let message = format!("{key} has {count} VOQs, but other system ports have {usual}");
            cx.report(out, &META, field("SYSTEM_PORT", key, "num_voq"), message);
        }
    }
}

/// Fields of system ports, and the least and the largest number of each.
const NUMBERS: [(&str, u32, u32); 6] = [
    ("system_port_id", 0, u32::MAX),
    ("switch_id", 0, 65_535),
    ("speed", 1, 1_600_000),
    ("num_voq", 1, 8),
    ("core_index", 0, 7),
    ("core_port_index", 0, 65_535),
];

/// The same of the ports of this chip.
const OF_PORTS: [(&str, u32, u32); 3] = [("core_id", 0, 7), ("core_port_id", 0, 65_535), ("num_voq", 1, 8)];

/// Reports values that are no numbers.
fn values(cx: &Context<'_, '_>, out: &mut Findings) {
    for (table, fields) in [("SYSTEM_PORT", NUMBERS.as_slice()), ("PORT", OF_PORTS.as_slice())] {
        for (name, least, most) in fields {
            let is_wrong = |entry: &&crate::db::Entry<'_>| {
                let value = cx.db.field(entry, name).map(|field| field.value.trim());
                value.is_some_and(|text| !text.parse().is_ok_and(|n: u32| (*least..=*most).contains(&n)))
            };
            let keys: Vec<&str> = cx.db.rows(table).iter().filter(is_wrong).map(|e| e.key.as_ref()).collect();
            let Some(first) = keys.first() else { continue };
            let value = cx.value(table, first, name).unwrap_or_default();
            let message = format!(
                "{table}|{}: `{name}` is `{value}`; expected a number in {least}..={most}",
                names(&keys)
            );
            cx.report(out, &META, field(table, first, name), message).also(keys.iter().skip(1).copied());
        }
    }
}

/// Reports a chip without cores: orchagent then reads no system port.
fn no_cores(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.value("DEVICE_METADATA", "localhost", "max_cores").map(str::trim) == Some("0") {
        let at = field("DEVICE_METADATA", "localhost", "max_cores");
        cx.report(out, &META, at, "`max_cores` is 0: orchagent creates no system port".into());
    }
}

/// Reports fields that only some system ports have. orchagent reads the ports one after the other into one variable: a
/// port without a field has the value of the port before it.
fn missing_fields(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = cx.db.rows("SYSTEM_PORT");
    for name in ["system_port_id", "switch_id", "speed", "num_voq", "core_index", "core_port_index"] {
        let without: Vec<&str> = rows
            .iter()
            .filter(|entry| cx.db.field(entry, name).is_none())
            .map(|entry| entry.key.as_ref())
            .collect();
        let Some(first) = without.first().filter(|_| without.len() < rows.len()) else { continue };
        let message = format!(
            "{} have no `{name}`, unlike other system ports: they get that of the system port before",
            names(&without)
        );
        cx.report(out, &META, row("SYSTEM_PORT", first), message);
    }
}

/// Reports system ports of this chip with another `switch_id` than that of the device, and ports of one core that have
/// the same number.
fn other_chip(cx: &Context<'_, '_>, out: &mut Findings) {
    let own = cx.value("DEVICE_METADATA", "localhost", "switch_id").map(str::trim);
    let here = format!("{}|{}|", cx.sw.hostname, cx.sw.chip);
    let of_here = cx.db.rows("SYSTEM_PORT").iter().find(|entry| entry.key.starts_with(&here));
    if let (Some(own), Some(entry)) = (own, of_here)
        && let Some(id) = cx.db.field(entry, "switch_id").filter(|id| id.value.trim() != own)
    {
        let message =
            format!("{} has switch_id {}, but the switch has {own} in DEVICE_METADATA", entry.key, id.value);
        let at = field("DEVICE_METADATA", "localhost", "switch_id");
        cx.report(out, &META, at, message).replace(id.value.trim());
    }
    let mut owners: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (port, entry) in cx.sw.ports.iter().zip(cx.db.rows("PORT")).filter(|(port, _)| port.is_up) {
        let value = |name| cx.db.field(entry, name).map(|field| field.value.trim());
        let Some(place) = value("core_id").zip(value("core_port_id")) else { continue };
        if let Some(other) = owners.insert(place, &port.name) {
            let message =
                format!("{other} and {} have core_port_id {} of core {}", port.name, place.1, place.0);
            cx.report(out, &META, field("PORT", &port.name, "core_port_id"), message)
                .of_ports(&[other, &port.name]);
        }
    }
}

/// Reports system ports of this chip with another core, or another number in it, than their ports.
fn other_core(cx: &Context<'_, '_>, out: &mut Findings) {
    let here = format!("{}|{}|", cx.sw.hostname, cx.sw.chip);
    for entry in cx.db.rows("SYSTEM_PORT") {
        let Some(port) = entry.key.strip_prefix(&here).and_then(|name| cx.db.row("PORT", name)) else {
            continue;
        };
        for (name, of_port) in [("core_index", "core_id"), ("core_port_index", "core_port_id")] {
            let number = |entry, name| cx.db.field(entry, name).map(|field| field.value.trim());
            let Some((own, other)) = number(entry, name).zip(number(port, of_port)) else { continue };
            if own != other {
                let message =
                    format!("{} has {name} {own}, but {} has {of_port} {other}", entry.key, port.key);
                cx.report(out, &META, field("SYSTEM_PORT", &entry.key, name), message)
                    .of_ports(&[port.key.as_ref()]);
            }
        }
    }
}

/// Reports system ports without the queue of a lossless priority: `num_voq` counts the queues from 0.
fn few_queues(cx: &Context<'_, '_>, out: &mut Findings) {
    let ports = cx.sw.ports.iter().flat_map(|port| {
        cx.lossless_classes(port).filter_map(move |class| port.tc_to_queue.get(class).copied())
    });
    let Some(last) = ports.max().map(u64::from) else { return };
    let is_few = |entry: &&crate::db::Entry<'_>| {
        let count = cx.db.field(entry, "num_voq").and_then(|field| crate::resolve::number(field.value));
        count.is_some_and(|count| count <= last)
    };
    let few: Vec<&str> =
        cx.db.rows("SYSTEM_PORT").iter().filter(is_few).map(|entry| entry.key.as_ref()).collect();
    if let Some(first) = few.first() {
        let message = format!("{} have no VOQ {last}, the queue of a lossless priority", names(&few));
        cx.report(out, &META, field("SYSTEM_PORT", first, "num_voq"), message);
    }
}

/// Reports system ports with another speed than their ports: key, port, and both speeds.
fn other_speeds(cx: &Context<'_, '_>, out: &mut Findings, speeds: &[(&str, &str, u32, u32)]) {
    let Some(((key, _, speed, of_port), rest)) = speeds.split_first() else { return };
    let message = match rest {
        [] => format!("{key} has {speed} Mb/s, but its port has {of_port}"),
        _ => {
            let keys: Vec<&str> = speeds.iter().map(|(key, ..)| *key).collect();
            format!("{} have other speeds than their ports: {speed} Mb/s instead of {of_port}", names(&keys))
        }
    };
    let at = field("SYSTEM_PORT", key, "speed");
    let mut reported = cx.report(out, &META, at, message).replace(of_port.to_string());
    for (key, _, _, of_port) in rest {
        if let Some(pointer) = cx.pointer_of("SYSTEM_PORT", key, "speed") {
            reported = reported.with(pointer, of_port.to_string());
        }
    }
    let ports: Vec<&str> = speeds.iter().map(|(_, port, ..)| *port).collect();
    reported.of_ports(&ports);
}
