//! DCQCN of a NIC against ECN marking of its switch.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC011",
    name: "dcqcn",
    severity: InspectionSeverity::Error,
    summary: "The switch marks a lossless class with ECN, but the NIC does not react to it (error); or the NIC uses DCQCN and the switch does not mark (warning).",
    why: "Without marking or without reaction, PFC is the only limit to a queue, and pauses spread through the fabric.",
    fix: "Turn on `ecn/roce_np/enable/PRIORITY` and `ecn/roce_rp/enable/PRIORITY`, and a WRED profile with ECN for the queue of the class.",
    source: "Zhu et al., Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015), section 3; NVIDIA MLNX_EN, quality of service",
    input: "sysfs (`ecn/roce_np`, `ecn/roce_rp`); configuration of the switch, and LLDP or `--port`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (name, interface, port) in connected(context.host, context.ports) {
        let Some(dcqcn) = &interface.dcqcn else { continue };
        let own = interface.qos.as_ref().and_then(|qos| qos.pfc_priorities.as_ref());
        let lossless = port.pfc_priorities.iter().filter(|class| own.is_none_or(|own| own.contains(class)));
        let sides = [
            (
                &dcqcn.notification_priorities,
                "notification_priorities",
                "does not send CNPs (notification point)",
            ),
            (&dcqcn.reaction_priorities, "reaction_priorities", "does not react to CNPs (reaction point)"),
        ];
        for class in lossless {
            let is_marked = port.marked_classes.contains(class);
            for (priorities, field, what) in sides {
                let Some(priorities) = priorities else { continue };
                is_compared = true;
                let item = format!("interfaces/{name}/dcqcn/{field}");
                match (is_marked, priorities.contains(class)) {
                    (true, false) => {
                        let message = format!(
                            "{} marks class {class} with ECN, but interface {name} {what} for it",
                            port.name()
                        );
                        out.report(InspectionSeverity::Error, item, message);
                    }
                    (false, true) if field == "reaction_priorities" => {
                        let message = format!(
                            "interface {name} uses DCQCN for priority {class}, but {} does not mark this class",
                            port.name()
                        );
                        out.report(InspectionSeverity::Warning, item, message);
                    }
                    _ => {}
                }
            }
        }
    }
    if !is_compared {
        out.needs("DCQCN settings (sysfs `ecn`), or switch port of an interface (`--switches` and LLDP or `--port`)");
    }
}
