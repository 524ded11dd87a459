//! Ports that differ from all others of the switch.

use super::{Found, lossless_ports};
use crate::device::{Device, DevicePort, Fec, Repair};
use crate::rules::siblings::{usual, usual_by_kind};

/// The speed from which on lanes have 50 Gb/s or more with four levels (PAM4), which needs Reed-Solomon FEC (IEEE 802.3 clauses 119
/// and 134).
const PAM4_MBPS: u32 = 200_000;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    mtu(device, out);
    fec(device, out);
}

/// Ports whose FEC cannot correct the errors of their lanes, or is weaker than that of nearly all others of their speed.
fn fec<'d>(device: &'d Device, out: &mut Found<'d>) {
    let up = || lossless_ports(device).filter(|port| !port.is_shut());
    let speed = |port: &DevicePort| port.speed_mbps.map(|speed| speed.value);
    let usual = usual_by_kind(up().filter_map(|port| Some((speed(port), port.fec?.value))));
    for port in up() {
        let Some(fec) = port.fec.filter(|fec| fec.value != Fec::Rs) else { continue };
        let own = fec.value.name();
        let rs = || Repair::Fec { name: Fec::Rs.name().to_string() };
        if let Some(speed) = speed(port).filter(|speed| *speed >= PAM4_MBPS) {
            let message = format!("has FEC {own}, but {} Gb/s need rs", speed / 1_000);
            out.port("LINK014", port, (fec.span, "link/fec"), message).repair(rs());
            continue;
        }
        if let Some(others) = usual.get(&speed(port)).filter(|others| **others < fec.value) {
            let message = format!("has FEC {own}, most ports of the speed {}", others.name());
            let name = others.name().to_string();
            out.port("LINK023", port, (fec.span, "link/fec"), message).repair(Repair::Fec { name });
        }
    }
}

fn mtu<'d>(device: &'d Device, out: &mut Found<'d>) {
    let up = || lossless_ports(device).filter(|port| !port.is_shut());
    let Some(common) = usual(up().filter_map(|port| Some(port.mtu_bytes?.value))) else { return };
    for port in up() {
        if let Some(mtu) = port.mtu_bytes.filter(|mtu| mtu.value != common) {
            let message = format!("has MTU {}, most ports {common}", mtu.value);
            out.port("LINK010", port, (mtu.span, "mtu"), message).repair(Repair::Mtu { bytes: common });
        }
    }
}
