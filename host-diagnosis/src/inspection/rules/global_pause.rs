//! Pause of the whole link.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::{InspectionRule, pfc};

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC009",
    name: "global-pause",
    severity: InspectionSeverity::Error,
    summary: "Pause frames of the whole link are on together with PFC. It is an error if the NIC sends them, and a warning if it only obeys them.",
    why: "A pause of the link stops all priorities, also those of TCP, storage and congestion notifications. IEEE 802.1Q forbids both on one link, and which of them a NIC uses depends on driver and firmware.",
    fix: "`ethtool -A DEV autoneg off rx off tx off`.",
    source: "IEEE 802.1Q, clause 36.1.1; IEEE 802.3, annex 31B",
    input: "`ethtool -a DEV`; `mlnx_qos -i DEV`, or the configuration of the switch",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    if !context.host.interfaces.values().any(|interface| interface.pause.is_some()) {
        out.needs("pause frames of the link (`ethtool -a`)");
    }
    for (name, interface) in &context.host.interfaces {
        let Some(pause) = &interface.pause else { continue };
        let (rx, tx) = (pause.rx == Some(true), pause.tx == Some(true));
        if !rx && !tx {
            continue;
        }
        let own = interface.qos.as_ref().and_then(|qos| qos.pfc_priorities.clone());
        let port = connected(context.host, context.ports).find(|(other, ..)| other == name);
        let priorities = own.filter(|own| !own.is_empty()).or_else(|| Some(port?.2.pfc_priorities.clone()));
        let Some(priorities) = priorities.filter(|priorities| !priorities.is_empty()) else { continue };
        let (severity, item, what) = match tx {
            true => (InspectionSeverity::Error, "tx", "sends"),
            false => (InspectionSeverity::Warning, "rx", "obeys"),
        };
        let message = format!(
            "interface {name} {what} pause frames of the whole link, with PFC on {}",
            pfc::list(&priorities)
        );
        out.report(severity, format!("interfaces/{name}/pause/{item}"), message);
    }
}
