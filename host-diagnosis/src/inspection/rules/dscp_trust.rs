//! The header field by which NIC and switch classify packets.

use model::host::inspection::PriorityTrust;

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC008",
    name: "dscp-trust",
    severity: InspectionSeverity::Error,
    summary: "A NIC selects priorities by the VLAN tag, but its switch port classifies by DSCP and has PFC.",
    why: "RoCEv2 packets without a VLAN tag have priority 0 in the NIC: it does not stop them when the switch pauses the lossless priority, and receives them into a lossy buffer.",
    fix: "`mlnx_qos -i DEV --trust dscp`, at every boot.",
    source: "RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 3; mlnx_qos (mlnx-tools)",
    input: "`mlnx_qos -i DEV`; configuration of the switch, and LLDP or `--port`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (name, interface, port) in connected(context.host, context.ports) {
        let Some(trust) = interface.qos.as_ref().and_then(|qos| qos.trust) else { continue };
        is_compared = true;
        let by_dscp = !port.class_of_dscp.is_empty() && !port.pfc_priorities.is_empty();
        if trust == PriorityTrust::Pcp && by_dscp {
            let message =
                format!("interface {name} trusts {}, but {} classifies by DSCP", trust.name(), port.name());
            out.report(InspectionSeverity::Error, format!("interfaces/{name}/qos/trust"), message);
        }
    }
    if !is_compared {
        out.needs(
            "trust state (`mlnx_qos`), or switch port of an interface (`--switches` and LLDP or `--port`)",
        );
    }
}
