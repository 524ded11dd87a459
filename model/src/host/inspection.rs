//! What the inspection of a host found: settings of its NICs, PCIe functions, memory and processes.
//!
//! All fields are optional: absent means that no input states the value. A file with the desired settings of hosts has
//! the same form, with the fields that matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Settings of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostInspection {
    /// Network interfaces, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub interfaces: BTreeMap<String, HostInterface>,
    /// RDMA devices, by name, e.g. `mlx5_0`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rdma: BTreeMap<String, RdmaDevice>,
    /// PCIe functions, by address, e.g. `0000:17:00.0`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pci: BTreeMap<String, PciFunction>,
    /// NUMA nodes, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub numa: BTreeMap<String, NumaNode>,
    /// Memory and page sizes.
    #[serde(skip_serializing_if = "HostMemory::is_empty")]
    pub memory: HostMemory,
    /// Processor and virtualisation.
    #[serde(skip_serializing_if = "HostPlatform::is_empty")]
    pub platform: HostPlatform,
    /// Processes that use RDMA devices or GPUs, by process id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub processes: BTreeMap<String, HostProcess>,
    /// Kernel parameters (`sysctl`), by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctl: BTreeMap<String, String>,
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostInterface {
    /// Address of its PCIe function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// Driver, e.g. `mlx5_core`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Version of the driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver_version: Option<String>,
    /// Version of the firmware, with the board in parentheses if the driver adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// MTU in bytes, without the Ethernet header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu_bytes: Option<u32>,
    /// Speed of the link in Mbit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_mbps: Option<u32>,
    /// NUMA node of its NIC; -1 if the platform does not state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<i32>,
    /// Pause frames of the whole link (IEEE 802.3, annex 31B).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<LinkPause>,
    /// Offloads (`ethtool -k`), by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub offloads: BTreeMap<String, bool>,
    /// Quality of service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qos: Option<HostQos>,
    /// DCQCN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dcqcn: Option<HostDcqcn>,
    /// Switch and port at the other end of the link (LLDP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbour: Option<LinkNeighbour>,
    /// Statistics of the driver (`ethtool -S`), by name. Not a setting.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub statistics: BTreeMap<String, u64>,
}

/// Pause frames of the whole link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LinkPause {
    /// Whether pause is negotiated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonegotiate: Option<bool>,
    /// Whether received pause frames stop the transmitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rx: Option<bool>,
    /// Whether the NIC sends pause frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx: Option<bool>,
}

/// Quality of service of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostQos {
    /// The header field that selects the priority of a packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<PriorityTrust>,
    /// Priorities with PFC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pfc_priorities: Option<Vec<u8>>,
    /// Priority of each of the 64 DSCPs; empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub priority_of_dscp: Vec<u8>,
}

/// The header field that selects the priority of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PriorityTrust {
    /// The DSCP of the IP header.
    Dscp,
    /// The PCP of the VLAN tag; untagged packets have priority 0.
    Pcp,
}

impl PriorityTrust {
    /// Returns its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dscp => "dscp",
            Self::Pcp => "pcp",
        }
    }
}

/// DCQCN of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostDcqcn {
    /// Priorities for which the receiver sends CNPs (notification point).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notification_priorities: Option<Vec<u8>>,
    /// Priorities for which the sender reacts to CNPs (reaction point).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction_priorities: Option<Vec<u8>>,
    /// Further parameters, by the driver's names: `roce_np/cnp_dscp`, `roce_rp/rpg_ai_rate`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, u64>,
}

/// The port at the other end of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkNeighbour {
    /// Name of the switch.
    pub switch: String,
    /// Name or alias of the port.
    pub port: String,
}

/// An RDMA device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RdmaDevice {
    /// Address of its PCIe function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// The network interface of its first port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// Version of the firmware, e.g. `22.39.1002`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Type of the board (PSID), e.g. `MT_0000000359`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Path MTU that the port permits, bytes of payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_mtu_bytes: Option<u32>,
    /// Default type of service of connections of the RDMA connection manager (`cma_roce_tos`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_tos: Option<u8>,
    /// Traffic class that the driver forces on all connections (`tc/1/traffic_class`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced_traffic_class: Option<u8>,
    /// Settings of the firmware (`mlxconfig query`), by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub firmware_settings: BTreeMap<String, String>,
}

/// A PCIe function: a NIC, a GPU, or a port of a bridge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PciFunction {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<PciKind>,
    /// Name of the product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Millions of transfers per second and lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_mtps: Option<u32>,
    /// Maximum of `speed_mtps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_speed_mtps: Option<u32>,
    /// Lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u32>,
    /// Maximum of `lanes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lanes: Option<u32>,
    /// Access control services that are on, by the names of `lspci` (`SrcValid`, `ReqRedir`); absent without the
    /// capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acs: Option<Vec<String>>,
    /// Whether address translation services are on; absent without the capability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ats: Option<bool>,
    /// Whether the function may set the relaxed ordering attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relaxed_ordering: Option<bool>,
    /// NUMA node; -1 if the platform does not state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<i32>,
    /// First and last bus below a bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buses: Option<(u8, u8)>,
    /// Type of its IOMMU group: `identity`, `DMA` or `DMA-FQ`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iommu: Option<String>,
}

/// The kind of a PCIe function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PciKind {
    /// A network controller.
    Nic,
    /// A GPU or another accelerator.
    Gpu,
    /// A root port, or a port of a switch.
    Bridge,
}

/// A NUMA node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NumaNode {
    /// Its processors, as a list of the kernel: `0-15,32-47`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
    /// Distances to all nodes, by number; 10 is local.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<u32>,
}

/// Memory and page sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostMemory {
    /// Size of a base page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_bytes: Option<u64>,
    /// Default size of a huge page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_page_bytes: Option<u64>,
    /// Memory in huge pages of all kinds, free or used: reserved and transparent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_huge_pages_bytes: Option<u64>,
    /// `always`, `madvise` or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent_huge_pages: Option<String>,
    /// Entries of the NIC's memory translation table, if the vendor states them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtt_entries: Option<u64>,
}

impl HostMemory {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Processor and virtualisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostPlatform {
    /// Vendor of the processor, e.g. `AuthenticAMD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_vendor: Option<String>,
    /// Whether the host is a virtual machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_virtual: Option<bool>,
    /// Command line of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_command_line: Option<String>,
}

impl HostPlatform {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A process that uses RDMA devices or GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostProcess {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Processors on which it may run, as a list of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
    /// Bytes of memory that it registered, by RDMA device.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub registered_bytes: BTreeMap<String, u64>,
    /// Addresses of the GPUs that it uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<String>,
}
