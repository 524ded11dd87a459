//! Ports that differ from all others of the switch.

use super::{Found, lossless_ports};
use crate::device::{Device, Repair};
use crate::rules::siblings::usual;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    let up = || lossless_ports(device).filter(|port| !port.is_shut());
    let Some(common) = usual(up().filter_map(|port| Some(port.mtu_bytes?.value))) else { return };
    for port in up() {
        if let Some(mtu) = port.mtu_bytes.filter(|mtu| mtu.value != common) {
            let message = format!("has MTU {}, most ports {common}", mtu.value);
            out.port("LINK010", port, (mtu.span, "mtu"), message).repair(Repair::Mtu { bytes: common });
        }
    }
}
