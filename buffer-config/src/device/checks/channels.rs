//! Members of one port channel that differ.

use std::collections::{BTreeMap, BTreeSet};

use super::Found;
use crate::device::{Device, DevicePort, Repair};
use crate::finding::Severity;
use crate::rules::list;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    let mut channels: BTreeMap<&str, Vec<&DevicePort>> = BTreeMap::new();
    for port in device.ports.iter().filter(|port| !port.is_shut()) {
        if let Some(channel) = &port.port_channel {
            channels.entry(&channel.value.name).or_default().push(port);
        }
    }
    for (channel, ports) in &channels {
        let Some((first, others)) = ports.split_first() else { continue };
        out.hits.extend(others.iter().find_map(|other| unlike(channel, first, other)));
    }
    other_switches(&channels, out);
}

/// The first difference of two members.
fn unlike<'d>(channel: &str, first: &'d DevicePort, other: &'d DevicePort) -> Option<super::Hit<'d>> {
    let span = other.port_channel.as_ref().map_or(other.span, |channel| channel.span);
    let hit = |severity, span, message: String| super::Hit {
        code: "LINK012",
        severity: Some(severity),
        span,
        place: "port-channel",
        message: format!("port channel {channel} has {message} on {}", first.name),
        repair: None,
        ports: vec![other],
    };
    if let (Some(a), Some(b)) = (first.speed_mbps, other.speed_mbps)
        && a.value != b.value
    {
        let message = format!("{} Mb/s here, but {} Mb/s", b.value, a.value);
        return Some(hit(Severity::Error, b.span, message));
    }
    if let (Some(a), Some(b)) = (first.qos.pfc_priorities(), other.qos.pfc_priorities())
        && a != b
    {
        let message = format!("PFC for priority {} here, but {}", list(b), list(a));
        return Some(hit(Severity::Warning, other.qos.pfc.map_or(span, |pfc| pfc.span), message));
    }
    if let (Some(a), Some(b)) = (first.fec, other.fec)
        && a.value != b.value
    {
        let message = format!("FEC {} here, but {}", b.value.name(), a.value.name());
        let repair = Some(Repair::Fec { name: a.value.name().to_string() });
        return Some(super::Hit { repair, ..hit(Severity::Warning, b.span, message) });
    }
    None
}

/// Port channels to several switches. Two port channels to the same switches show that these are an MLAG pair.
fn other_switches<'d>(channels: &BTreeMap<&str, Vec<&'d DevicePort>>, out: &mut Found<'d>) {
    let mut by_switches: BTreeMap<BTreeSet<&str>, Vec<&Vec<&'d DevicePort>>> = BTreeMap::new();
    for ports in channels.values() {
        let names = ports.iter().filter_map(|port| port.neighbour.as_ref());
        by_switches.entry(names.map(|(name, _)| name.as_str()).collect()).or_default().push(ports);
    }
    for (switches, of_switches) in by_switches.iter().filter(|(switches, _)| switches.len() > 1) {
        let [ports] = of_switches.as_slice() else { continue };
        let Some(port) = ports.last() else { continue };
        let names: Vec<&str> = switches.iter().copied().collect();
        let span = port.port_channel.as_ref().map_or(port.span, |channel| channel.span);
        let message = format!(
            "its port channel leads to {}, which LACP combines only if they are an MLAG pair",
            crate::rules::names(&names)
        );
        out.port("LINK012", port, (span, "port-channel"), message).severity(Severity::Warning);
    }
}
