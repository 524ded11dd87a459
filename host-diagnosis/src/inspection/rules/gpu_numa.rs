//! Processes whose GPU is on another NUMA node than their NIC.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::{InspectionRule, process_numa};

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC015",
    name: "gpu-numa",
    severity: InspectionSeverity::Warning,
    summary: "A process uses a GPU, and none of its RDMA devices is on the GPU's NUMA node.",
    why: "GPU-direct traffic crosses the link between the sockets: the source measured 116 Gb/s instead of nearly 200, and one such host slows a whole collective operation down.",
    fix: "Use the NIC that is closest to each GPU (`nvidia-smi topo -m`; `NCCL_IB_HCA`).",
    source: "Hostping (NSDI 2023), sections 3.1 and 3.2",
    input: "`nvidia-smi --query-compute-apps=pid,gpu_bus_id --format=csv,noheader`; `rdma resource show mr`; `numa_node` in sysfs or `lspci -vv`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let host = context.host;
    let mut is_compared = false;
    for (pid, process) in &host.processes {
        let nodes: Vec<i32> = process
            .registered_bytes
            .keys()
            .filter_map(|device| process_numa::node_of_device(host, device))
            .filter(|node| *node >= 0)
            .collect();
        for gpu in &process.gpus {
            let node = host.pci.get(gpu).and_then(|function| function.numa_node).filter(|node| *node >= 0);
            let Some(node) = node.filter(|_| !nodes.is_empty()) else { continue };
            is_compared = true;
            if !nodes.contains(&node) {
                let name = process.name.as_deref().unwrap_or("process");
                let devices: Vec<&str> = process.registered_bytes.keys().map(String::as_str).collect();
                let message = format!(
                    "{name} ({pid}) uses GPU {gpu} of node {node} with {}, which is on another node",
                    devices.join(", ")
                );
                out.report(InspectionSeverity::Warning, format!("processes/{pid}/gpus"), message);
            }
        }
    }
    if !is_compared {
        out.needs("processes with GPU and RDMA device (`nvidia-smi`, `rdma resource show mr`)");
    }
}
