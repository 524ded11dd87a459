//! PFC priorities of a NIC against its switch port.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC007",
    name: "pfc",
    severity: InspectionSeverity::Error,
    summary: "A NIC has PFC on a priority without PFC at its switch port, or on none although the port has PFC. Fewer priorities than the port are permitted.",
    why: "The peer ignores pauses of a priority without PFC: the switch drops what the NIC should hold, or the NIC drops what the switch should hold.",
    fix: "Configure the same priorities at both ends (`mlnx_qos -i DEV --pfc 0,0,0,1,0,0,0,0`).",
    source: "RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 5.1; IEEE 802.1Q, clause 36",
    input: "`mlnx_qos -i DEV`; configuration of the switch, and LLDP or `--port`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (name, interface, port) in connected(context.host, context.ports) {
        let Some(own) = interface.qos.as_ref().and_then(|qos| qos.pfc_priorities.as_ref()) else { continue };
        is_compared = true;
        let is_foreign = own.iter().any(|priority| !port.pfc_priorities.contains(priority));
        if is_foreign || own.is_empty() != port.pfc_priorities.is_empty() {
            let message = format!(
                "interface {name} has PFC on {}, but {} has PFC on {}",
                list(own),
                port.name(),
                list(&port.pfc_priorities)
            );
            out.report(InspectionSeverity::Error, format!("interfaces/{name}/qos/pfc_priorities"), message);
        }
    }
    if !is_compared {
        out.needs(
            "PFC priorities (`mlnx_qos`), or switch port of an interface (`--switches` and LLDP or `--port`)",
        );
    }
}

/// A list of priorities for messages.
pub(super) fn list(priorities: &[u8]) -> String {
    match priorities {
        [] => "no priority".to_string(),
        [one] => format!("priority {one}"),
        many => {
            let names: Vec<String> = many.iter().map(u8::to_string).collect();
            format!("priorities {}", names.join(", "))
        }
    }
}
