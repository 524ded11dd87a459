//! The section `inspection` of the report of a simulated host whose PCIe bus keeps writes in order: what `lspci -vv` and
//! `/proc/cpuinfo` show of it.
//!
//! The model is that of servers with AMD processors (Kong et al., Collie, NSDI 2022, appendix A, anomaly 9). Other hosts have no
//! such section, because the model has none of their settings.

use model::host::HostInspection;
use model::host::inspection::{HostPlatform, PciFunction, PciKind, RdmaDevice};

use crate::host_loopback::NIC;

/// The address of the NIC's function.
const ADDRESS: &str = "0000:01:00.0";

/// The settings of a host whose NIC may not use relaxed ordering.
pub(crate) fn inspection() -> HostInspection {
    let function =
        PciFunction { kind: Some(PciKind::Nic), relaxed_ordering: Some(false), ..PciFunction::default() };
    let device = RdmaDevice { pci: Some(ADDRESS.to_string()), ..RdmaDevice::default() };
    HostInspection {
        rdma: [(NIC.to_string(), device)].into(),
        pci: [(ADDRESS.to_string(), function)].into(),
        platform: HostPlatform { cpu_vendor: Some("AuthenticAMD".to_string()), ..HostPlatform::default() },
        ..HostInspection::default()
    }
}
