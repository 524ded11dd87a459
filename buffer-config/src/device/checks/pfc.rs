//! PFC of a port: whether it is on where classes are lossless, in both directions, and without 802.3x pause.

use super::{Found, lossless_ports};
use crate::device::{Device, DevicePort, PfcMode, Repair, System};
use crate::finding::Severity;
use crate::rules::list;
use crate::rules::siblings::usual;

/// More lossless priorities than this need much headroom (as PFC013).
const USUAL_PRIORITIES: u32 = 2;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in device.ports.iter().filter(|port| !port.is_shut() && !port.qos.lossless.is_empty()) {
        is_off(device, port, out);
    }
    for port in device.ports.iter().filter(|port| !port.is_shut() && port.qos.lossless.is_empty()) {
        nothing_lossless(device.system, port, out);
    }
    for port in lossless_ports(device) {
        one_direction(port, out);
        link_pause(port, out);
        let mask = port.qos.pfc_priorities().unwrap_or_default();
        if mask.count_ones() > USUAL_PRIORITIES {
            let span = port.qos.lossless.values().last().map_or(port.span, |p| p.span);
            let message = format!("{} priorities have PFC: {}", mask.count_ones(), list(mask));
            out.port("PFC013", port, (span, "priority-flow-control"), message);
        }
    }
    odd_ports(device, out);
}

fn is_off<'d>(device: &Device, port: &'d DevicePort, out: &mut Found<'d>) {
    let qos = &port.qos;
    let priorities: Vec<u8> = qos.lossless.values().map(|p| p.value).collect();
    let mask = priorities.iter().filter(|p| **p < 8).fold(0u8, |mask, p| mask | 1 << p);
    let first = qos.lossless.values().next().map_or(port.span, |p| p.span);
    let repair = Repair::UsePfc { priorities, not: Vec::new() };
    match (qos.pfc.map(|mode| mode.value), device.system) {
        // The lossless classes belong to the whole switch; a management or legacy port may do without.
        (Some(PfcMode::Off), System::Nxos) if qos.class_of_dscp.is_empty() => {}
        (Some(PfcMode::Off), _) | (None, System::Eos) => {
            let span = qos.pfc.map_or(first, |mode| mode.span);
            let message = format!("priority {} is lossless, but PFC is off", list(mask));
            out.port("PFC016", port, (span, "priority-flow-control"), message).repair(repair);
        }
        (Some(PfcMode::Negotiated), _) => {
            let span = qos.pfc.map_or(first, |mode| mode.span);
            let message = format!(
                "PFC for priority {} depends on DCBX: without an answer of the neighbour, it is off",
                list(mask)
            );
            out.port("PFC016", port, (span, "priority-flow-control"), message)
                .severity(Severity::Warning)
                .repair(repair);
        }
        _ => {}
    }
}

/// PFC that is on without a lossless priority. NVUE has priorities in the same profile.
fn nothing_lossless<'d>(system: System, port: &'d DevicePort, out: &mut Found<'d>) {
    let Some(on) = port.qos.pfc.filter(|mode| mode.value == PfcMode::On && system != System::Nvue) else {
        return;
    };
    let missing = match system {
        System::Nxos => "pause pfc-cos",
        _ => "priority-flow-control priority N no-drop",
    };
    let message = format!(
        "PFC is on, but no priority is lossless (`{missing}`): all traffic is dropped as without PFC"
    );
    out.port("PFC016", port, (on.span, "priority-flow-control"), message);
}

/// 802.3x pause in one direction or both.
fn link_pause<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    let on = |pause: Option<crate::device::Placed<bool>>| pause.filter(|pause| pause.value);
    let (at, what) = match (on(port.qos.sends_link_pause), on(port.qos.obeys_link_pause)) {
        (Some(at), Some(_)) => (at, "802.3x pause is on together with PFC: pause frames stop all classes"),
        (Some(at), None) => (at, "802.3x pause frames are sent: they stop all classes of the neighbour"),
        (None, Some(at)) => (at, "802.3x pause frames are obeyed: they stop all classes of this port"),
        (None, None) => return,
    };
    out.port("PFC017", port, (at.span, "flowcontrol"), what.to_string()).repair(Repair::NoLinkPause);
}

fn one_direction<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    let priorities = port.qos.lossless.values().map(|p| p.value).collect();
    let off = |way: Option<crate::device::Placed<bool>>| way.filter(|on| !on.value);
    let (sends, receives) = (off(port.qos.sends_pfc), off(port.qos.receives_pfc));
    let (at, what) = match (sends, receives) {
        (Some(at), _) => {
            (at, "PFC frames are not sent: the neighbour is never paused, and packets are dropped")
        }
        (None, Some(at)) => (at, "received PFC frames are ignored: the neighbour drops packets"),
        (None, None) => return,
    };
    out.port("PFC012", port, (at.span, "qos/pfc"), what.to_string())
        .severity(Severity::Error)
        .repair(Repair::UsePfc { priorities, not: Vec::new() });
}

/// Ports without PFC, or with other priorities, where nearly all ports have the same.
fn odd_ports<'d>(device: &'d Device, out: &mut Found<'d>) {
    let used = || device.ports.iter().filter(|port| !port.is_shut() && is_configured(port));
    // A port without any statement has no PFC.
    let mask = |port: &DevicePort| match port.qos.pfc.map(|mode| mode.value) {
        Some(PfcMode::Negotiated) => None,
        None if device.system == System::Nxos => None,
        _ => Some(port.qos.pfc_priorities().unwrap_or(0)),
    };
    let Some(common) = usual(used().filter_map(mask)).filter(|mask| *mask != 0) else { return };
    let expected = (0..8).filter(|p| common >> p & 1 == 1).collect::<Vec<u8>>();
    for port in used() {
        let Some(own) = mask(port).filter(|own| *own != common) else { continue };
        if !port.qos.lossless.is_empty() && !port.qos.has_pfc() {
            // PFC016 reports it.
            continue;
        }
        let span = port.qos.lossless.values().next().map_or(port.span, |p| p.span);
        let message = match own {
            0 => format!("has no PFC; most ports have it for priority {}", list(common)),
            _ => format!("has PFC for priority {}, most ports for {}", list(own), list(common)),
        };
        let not = (0..8).filter(|p| own & !common & 1 << p != 0).collect();
        let repair = Repair::UsePfc { priorities: expected.clone(), not };
        out.port("PFC010", port, (span, "priority-flow-control"), message)
            .severity(Severity::Warning)
            .repair(repair);
    }
}

/// Whether the file says more about a port than its name.
fn is_configured(port: &DevicePort) -> bool {
    port.mtu_bytes.is_some()
        || port.speed_mbps.is_some()
        || port.neighbour.is_some()
        || port.qos.pfc.is_some()
}
