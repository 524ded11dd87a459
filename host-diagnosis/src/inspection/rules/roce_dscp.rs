//! The DSCP of RDMA connections.

use model::host::inspection::RdmaDevice;

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::{InspectionRule, pfc};

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC010",
    name: "roce-dscp",
    severity: InspectionSeverity::Error,
    summary: "The DSCP of RDMA connections belongs to a priority without PFC in the NIC, or to a class without PFC at the switch, or to different priorities in both.",
    why: "RDMA traffic runs in a lossy class and is dropped under load, or the pauses of the switch name a priority in which the NIC does not send it.",
    fix: "Use a DSCP that NIC and switch map to the same lossless class: type of service 4 x DSCP + 2 for ECN, `cma_roce_tos -d DEV -t 106` for DSCP 26, and `tc/1/traffic_class` for applications that set none.",
    source: "SONiC, qos_config.j2 (DSCP to class); cma_roce_tos and mlnx_qos (mlnx-tools)",
    input: "`cma_roce_tos -d DEV` or sysfs (`tc/1/traffic_class`); `mlnx_qos -i DEV`, or the configuration of the switch",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (device, record) in &context.host.rdma {
        let Some((item, tos)) = type_of_service(record) else { continue };
        let Some(interface) = record.interface.as_deref() else { continue };
        let dscp = tos >> 2;
        let item = format!("rdma/{device}/{item}");
        let qos = context.host.interfaces.get(interface).and_then(|interface| interface.qos.as_ref());
        let own_pfc = qos.and_then(|qos| qos.pfc_priorities.as_ref()).filter(|own| !own.is_empty());
        let priority = qos.and_then(|qos| qos.priority_of_dscp.get(usize::from(dscp)).copied());
        if let (Some(own), Some(priority)) = (own_pfc, priority) {
            is_compared = true;
            if !own.contains(&priority) {
                let message = format!(
                    "RDMA device {device} uses DSCP {dscp}, which is priority {priority} of {interface}; PFC is on {}",
                    pfc::list(own)
                );
                out.report(InspectionSeverity::Error, item.clone(), message);
            }
        }
        let port = connected(context.host, context.ports).find(|(name, ..)| *name == interface);
        let Some((_, _, port)) = port.filter(|(_, _, port)| !port.pfc_priorities.is_empty()) else {
            continue;
        };
        let Some(class) = port.class_of_dscp.get(usize::from(dscp)).copied() else { continue };
        is_compared = true;
        if !port.pfc_priorities.contains(&class) {
            let message = format!(
                "RDMA device {device} uses DSCP {dscp}, which is class {class} of {}; PFC is on {}",
                port.name(),
                pfc::list(&port.pfc_priorities)
            );
            out.report(InspectionSeverity::Error, item, message);
        } else if let Some(priority) = priority.filter(|priority| *priority != class && own_pfc.is_some()) {
            let message = format!(
                "RDMA device {device} uses DSCP {dscp}, which is priority {priority} of {interface}, but class {class} of {}",
                port.name()
            );
            out.report(InspectionSeverity::Error, item, message);
        }
    }
    if !is_compared {
        out.needs("type of service of connections (`cma_roce_tos`) with `mlnx_qos` or the switch port");
    }
}

/// The type of service of connections: what the driver forces, or the default of the connection manager.
fn type_of_service(device: &RdmaDevice) -> Option<(&'static str, u8)> {
    let forced = device.forced_traffic_class.map(|tos| ("forced_traffic_class", tos));
    forced.or(device.default_tos.map(|tos| ("default_tos", tos)))
}
