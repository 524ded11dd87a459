//! Ports whose classes, marking or watchdog differ from those of nearly all other ports.

use std::collections::BTreeMap;

use super::{Found, lossless_ports};
use crate::device::{Amount, Device, DevicePort};
use crate::resolved::WatchdogAction;
use crate::rules::siblings;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    unmapped(device, out);
    classes(device, out);
    marking(device, out);
    watchdog(device, out);
}

fn used(device: &Device) -> impl Iterator<Item = &DevicePort> {
    lossless_ports(device).filter(|port| !port.is_shut())
}

/// Ports to which no classification is applied, although nearly all others have one: their packets get the default class.
fn unmapped<'d>(device: &'d Device, out: &mut Found<'d>) {
    let is_mapped = |port: &DevicePort| {
        let qos = &port.qos;
        !(qos.class_of_dscp.is_empty() && qos.class_of_cos.is_empty() && qos.classes_by_other.is_empty())
    };
    if siblings::usual(used(device).map(is_mapped)) != Some(true) {
        return;
    }
    // A policy that does not exist is reported by itself.
    let names_no_policy = |port: &&DevicePort| {
        device.remarks.iter().any(|r| r.code == "MAP010" && r.ports.contains(&port.name))
    };
    for port in used(device).filter(|port| !is_mapped(port) && !names_no_policy(port)) {
        let message = "no policy gives its packets a class, but most ports have one: all packets are in the default class";
        out.port("MAP014", port, (port.span, "qos/map"), message.to_string());
    }
}

/// The stated DSCPs of lossless classes.
fn lossless_dscps(port: &DevicePort) -> BTreeMap<u8, u8> {
    let stated = port.qos.class_of_dscp.iter().map(|(dscp, class)| (*dscp, class.value));
    stated.filter(|(_, class)| port.qos.lossless.contains_key(class)).collect()
}

fn classes<'d>(device: &'d Device, out: &mut Found<'d>) {
    // Without a map, the classes of the system's default.
    let mapped = || used(device).filter(|port| !port.qos.class_of_dscp.is_empty());
    let kind = |port: &DevicePort| port.qos.pfc_priorities();
    let usual = siblings::usual_by_kind(mapped().map(|port| (kind(port), lossless_dscps(port))));
    for port in mapped() {
        let own = lossless_dscps(port);
        let Some(usual) = usual.get(&kind(port)).filter(|usual| **usual != own) else { continue };
        let differs = |dscp: &u8| own.get(dscp) != usual.get(dscp);
        let Some(dscp) = (0..64).find(differs) else { continue };
        let text = |class: Option<&u8>| match class {
            Some(class) => format!("in lossless class {class}"),
            None => "lossy".to_string(),
        };
        let span = port.qos.class_of_dscp.get(&dscp).map_or(port.span, |class| class.span);
        let message =
            format!("DSCP {dscp} is {}, but {} on most ports", text(own.get(&dscp)), text(usual.get(&dscp)));
        out.port("MAP014", port, (span, "qos/map"), message);
    }
}

/// The number of a queue, its Kmin and Kmax with their units, and its Pmax.
type Marking = (u8, [Option<(u64, &'static str)>; 2], Option<u8>);

/// The marking of the lossless queues that mark.
fn thresholds(port: &DevicePort) -> Vec<Marking> {
    let amount = |amount: Amount| (amount.count, amount.unit.name());
    let of = |class: &u8| {
        let number = port.qos.queue_of(*class);
        let queue = port.qos.queues.get(&number)?;
        queue.marks.filter(|marks| marks.value)?;
        let ends = [queue.min, queue.max].map(|end| end.map(|end| amount(end.value)));
        Some((number, ends, queue.percent.map(|percent| percent.value)))
    };
    port.qos.lossless.keys().filter_map(of).collect()
}

fn marking<'d>(device: &'d Device, out: &mut Found<'d>) {
    let marking = || used(device).filter(|port| !thresholds(port).is_empty());
    let kind = |port: &DevicePort| (port.speed_mbps.map(|speed| speed.value), port.qos.pfc_priorities());
    let usual = siblings::usual_by_kind(marking().map(|port| (kind(port), thresholds(port))));
    for port in marking() {
        let own = thresholds(port);
        let Some(usual) = usual.get(&kind(port)).filter(|usual| **usual != own) else { continue };
        let (Some(own), Some(usual)) = (own.first(), usual.first()) else { continue };
        let span =
            port.qos.queues.get(&own.0).and_then(|q| q.min.or(q.max)).map_or(port.span, |end| end.span);
        let text = |ends: [Option<(u64, &str)>; 2]| {
            let ends = ends.map(|end| end.map_or("?".to_string(), |(count, unit)| format!("{count} {unit}")));
            ends.join(" and ")
        };
        let message = format!(
            "Kmin and Kmax of queue {} are {}, but {} on most ports of the speed",
            own.0,
            text(own.1),
            text(usual.1)
        );
        out.port("ECN019", port, (span, "queue/ecn"), message);
    }
}

fn watchdog<'d>(device: &'d Device, out: &mut Found<'d>) {
    type Times = (Option<u32>, Option<u32>, Option<&'static str>);
    let action = |action: WatchdogAction| match action {
        WatchdogAction::Drop => "drop",
        WatchdogAction::Forward => "forward",
        WatchdogAction::Alert => "alert",
    };
    let of = |port: &DevicePort| -> Option<Times> {
        port.qos.watchdog.filter(|on| on.value)?;
        let qos = &port.qos;
        let times = [qos.detection_ms, qos.restoration_ms].map(|time| time.map(|time| time.value));
        Some((times[0], times[1], qos.watchdog_action.map(|a| action(a.value))))
    };
    let Some(usual) = siblings::usual(used(device).filter_map(of)) else { return };
    for port in used(device) {
        let Some(own) = of(port).filter(|own| *own != usual) else { continue };
        let text = |(detection, restoration, action): Times| {
            let ms = |time: Option<u32>| time.map_or("default".to_string(), |ms| format!("{ms} ms"));
            format!(
                "detection {}, restoration {}, action {}",
                ms(detection),
                ms(restoration),
                action.unwrap_or("default")
            )
        };
        let span = port.qos.detection_ms.or(port.qos.restoration_ms).map_or(port.span, |time| time.span);
        let message = format!("watchdog with {}, but most ports have {}", text(own), text(usual));
        out.port("WD024", port, (span, "pfc-watchdog"), message);
    }
}
