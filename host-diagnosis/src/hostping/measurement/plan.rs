//! Which paths are tested, and from where.

use model::host::loopback::{HostNode, HostNodeKind, HostTopology};

use super::Rnic;
use crate::perftest::Buffer;

/// A path to test: an RNIC and an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPath {
    /// The RNIC.
    pub nic: String,
    /// Its port.
    pub rdma_port: u32,
    /// The memory or GPU, by its name in the topology.
    pub endpoint: String,
    /// Where the program allocates its memory.
    pub buffer: Buffer,
    /// The NUMA node that the processes are bound to; absent for GPUs.
    pub numa_node: Option<u32>,
}

/// The paths to test, RNIC by RNIC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The paths.
    pub paths: Vec<PlannedPath>,
    /// What is not tested, and why.
    pub left_out: Vec<String>,
}

/// Plans the tests of `rnics` with each memory of the topology, and with its GPUs if they are `wanted`.
///
/// Names are those of `harrier host topology`: `memoryN` is NUMA node N, `nvmlN` and `rsmiN` are GPUs by number, and
/// `gpu ADDRESS` is a GPU of CUDA by its PCI address.
pub fn plan(topology: &HostTopology, rnics: &[Rnic], gpus: bool) -> Plan {
    let mut plan = Plan::default();
    let kind = |name: &str| topology.nodes.iter().find(|node| node.name == name).map(|node| node.kind);
    let endpoints: Vec<(&HostNode, Buffer, Option<u32>)> =
        topology.nodes.iter().filter_map(|node| endpoint(node, gpus, &mut plan.left_out)).collect();
    for rnic in rnics {
        if kind(&rnic.name) != Some(HostNodeKind::Nic) {
            plan.left_out.push(format!("{}: the topology has no such RNIC", rnic.name));
            continue;
        }
        plan.paths.extend(endpoints.iter().map(|(node, buffer, numa_node)| PlannedPath {
            nic: rnic.name.clone(),
            rdma_port: rnic.port,
            endpoint: node.name.clone(),
            buffer: buffer.clone(),
            numa_node: *numa_node,
        }));
    }
    plan
}

/// The node as an endpoint, with its memory and NUMA node. `None` if it is none, or cannot be tested.
fn endpoint<'n>(
    node: &'n HostNode,
    gpus: bool,
    left_out: &mut Vec<String>,
) -> Option<(&'n HostNode, Buffer, Option<u32>)> {
    let name = node.name.as_str();
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
    let found = match node.kind {
        HostNodeKind::Memory => number("memory").map(|node| (Buffer::Host, Some(node))),
        HostNodeKind::Gpu if gpus => gpu(name).map(|buffer| (buffer, None)),
        _ => return None,
    };
    if found.is_none() {
        let expected = match node.kind {
            HostNodeKind::Memory => "`memory` and the number of its NUMA node",
            _ => "`nvml` or `rsmi` and its number, or `gpu` and its PCI address",
        };
        left_out.push(format!("{name}: expected {expected} as name in the topology"));
    }
    found.map(|(buffer, numa_node)| (node, buffer, numa_node))
}

fn gpu(name: &str) -> Option<Buffer> {
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse().ok();
    number("nvml")
        .map(Buffer::Cuda)
        .or_else(|| number("rsmi").map(Buffer::Rocm))
        .or_else(|| name.strip_prefix("gpu ").map(|address| Buffer::CudaAddress(address.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(nodes: &[(&str, HostNodeKind)]) -> HostTopology {
        let node = |(name, kind): &(&str, HostNodeKind)| HostNode { name: (*name).to_string(), kind: *kind };
        HostTopology { nodes: nodes.iter().map(node).collect(), links: Vec::new() }
    }

    #[test]
    fn each_rnic_is_tested_with_each_memory_and_with_gpus_on_request() {
        let host = topology(&[
            ("socket0", HostNodeKind::Socket),
            ("mlx5_0", HostNodeKind::Nic),
            ("mlx5_1", HostNodeKind::Nic),
            ("memory0", HostNodeKind::Memory),
            ("memory1", HostNodeKind::Memory),
            ("dram", HostNodeKind::Memory),
            ("nvml2", HostNodeKind::Gpu),
            ("gpu 0000:04:00.0", HostNodeKind::Gpu),
            ("accelerator", HostNodeKind::Gpu),
        ]);
        let rnic = |name: &str| Rnic { name: name.to_string(), port: 1, ..Rnic::default() };
        let rnics = [rnic("mlx5_0"), rnic("mlx5_1"), rnic("bnxt_re0")];
        let names = |plan: &Plan| -> Vec<String> {
            plan.paths
                .iter()
                .map(|path| format!("{} {} {:?}", path.nic, path.endpoint, path.numa_node))
                .collect()
        };
        let memory = plan(&host, &rnics, false);
        let expected = [
            "mlx5_0 memory0 Some(0)",
            "mlx5_0 memory1 Some(1)",
            "mlx5_1 memory0 Some(0)",
            "mlx5_1 memory1 Some(1)",
        ];
        assert_eq!(names(&memory), expected);
        assert_eq!(memory.left_out.len(), 2, "{:?}", memory.left_out);
        assert_eq!(memory.left_out[1], "bnxt_re0: the topology has no such RNIC");
        let all = plan(&host, &rnics[..1], true);
        assert_eq!(
            all.paths.iter().map(|path| path.buffer.clone()).collect::<Vec<_>>(),
            [Buffer::Host, Buffer::Host, Buffer::Cuda(2), Buffer::CudaAddress("0000:04:00.0".to_string()),]
        );
        assert!(
            all.left_out.iter().any(|line| line.starts_with("accelerator: expected `nvml`")),
            "{:?}",
            all.left_out
        );
    }
}
