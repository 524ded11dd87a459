//! Processes on another NUMA node than their NIC.

use model::host::inspection::HostInspection;

use super::super::cpu_list;
use super::super::finding::{Context, Findings, InspectionSeverity};
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC014",
    name: "process-numa",
    severity: InspectionSeverity::Warning,
    summary: "A process with memory registered on an RDMA device may run only on processors of another NUMA node.",
    why: "Its memory and its polls cross the link between the sockets, which adds latency and is shared with everything else that crosses it.",
    fix: "Bind the process to the node of its NIC (`numactl --cpunodebind=N --membind=N`), or use the NIC of its own node.",
    source: "Hostping (NSDI 2023), bottlenecks 4 and 11; Collie (NSDI 2022), anomaly 11",
    input: "`rdma resource show mr`; `/proc/PID/status`; `numa_node` and `/sys/devices/system/node`, or `numactl -H`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let host = context.host;
    let mut is_compared = false;
    for (pid, process) in &host.processes {
        for device in process.registered_bytes.keys() {
            let node = node_of_device(host, device).filter(|node| *node >= 0);
            let (Some(node), Some(cpus)) = (node, &process.cpus) else { continue };
            let Some(local) = host.numa.get(&node.to_string()).and_then(|node| node.cpus.as_ref()) else {
                continue;
            };
            let Some(overlaps) = cpu_list::overlap(cpus, local) else { continue };
            is_compared = true;
            if !overlaps {
                let name = process.name.as_deref().unwrap_or("process");
                let message = format!(
                    "{name} ({pid}) may run on processors {cpus}, but its RDMA device {device} is at node {node} ({local})"
                );
                out.report(InspectionSeverity::Warning, format!("processes/{pid}/cpus"), message);
            }
        }
    }
    if !is_compared {
        out.needs(
            "processes of RDMA devices with their processors (`rdma resource show mr`, `/proc/PID/status`)",
        );
    }
}

/// The NUMA node of an RDMA device.
pub(super) fn node_of_device(host: &HostInspection, device: &str) -> Option<i32> {
    let device = host.rdma.get(device)?;
    let of_function = device.pci.as_ref().and_then(|address| host.pci.get(address)?.numa_node);
    let interface = device.interface.as_ref().and_then(|name| host.interfaces.get(name));
    of_function.or(interface.and_then(|interface| interface.numa_node))
}
