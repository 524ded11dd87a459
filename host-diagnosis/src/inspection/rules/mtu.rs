//! MTU of a NIC against its switch port.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::InspectionRule;

/// The most bytes around the payload of a RoCEv2 packet: IPv6, UDP, BTH, extended headers, CRC.
const ROCE_OVERHEAD: u32 = 40 + 8 + 12 + 28 + 4;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC006",
    name: "mtu",
    severity: InspectionSeverity::Error,
    summary: "The MTU of an interface exceeds that of its switch port, or the RDMA path MTU plus headers does.",
    why: "The switch drops larger frames. A connection stalls at its first large message, while small ones pass.",
    fix: "Use one MTU on hosts and switches: 9000 on hosts with 9100 on SONiC switches, or less.",
    source: "InfiniBand Architecture Specification, annex A17 (RoCEv2); IEEE 802.3",
    input: "sysfs (`mtu`), `ibv_devinfo`; configuration of the switch, and LLDP or `--port`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (name, interface, port) in connected(context.host, context.ports) {
        if let Some(mtu) = interface.mtu_bytes {
            is_compared = true;
            if mtu > port.mtu_bytes {
                let message =
                    format!("interface {name} has MTU {mtu}, but {} has {}", port.name(), port.mtu_bytes);
                out.report(InspectionSeverity::Error, format!("interfaces/{name}/mtu_bytes"), message);
            }
        }
        let devices =
            context.host.rdma.iter().filter(|(_, device)| device.interface.as_deref() == Some(name));
        for (device, record) in devices {
            let Some(mtu) = record.active_mtu_bytes else { continue };
            is_compared = true;
            let frame = mtu.saturating_add(ROCE_OVERHEAD);
            if frame > port.mtu_bytes {
                let message = format!(
                    "RDMA device {device} has MTU {mtu}, up to {frame} bytes with headers, but {} has {}",
                    port.name(),
                    port.mtu_bytes
                );
                out.report(InspectionSeverity::Error, format!("rdma/{device}/active_mtu_bytes"), message);
            }
        }
    }
    if !is_compared {
        out.needs("MTU, or switch port of an interface (`--switches` and LLDP or `--port`)");
    }
}
