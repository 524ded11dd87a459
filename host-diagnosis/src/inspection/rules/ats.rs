//! Address translation services of a NIC behind an IOMMU.

use model::host::inspection::{HostInspection, PciFunction};

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::{InspectionRule, nics};

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC003",
    name: "ats",
    severity: InspectionSeverity::Warning,
    summary: "Address translation services (ATS) of a NIC are off while an IOMMU translates its addresses, or in a virtual machine.",
    why: "Without ATS each GPU-direct request is translated in the root complex instead of the NIC's cache, and cannot take the direct way through the PCIe switch.",
    fix: "Turn ATS on (`ATS_ENABLED=1` with `mlxconfig`, and in the hypervisor), or let the IOMMU pass addresses through (`iommu=pt`).",
    source: "Hostping (NSDI 2023), bottleneck 8; PCI Express Base Specification, Address Translation Services",
    input: "`lspci -vv`, run as root; `iommu_group/type` in sysfs or `/proc/cmdline`, `/proc/cpuinfo`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let nics = nics::functions(context.host);
    if !nics.iter().any(|(_, function)| function.ats.is_some()) {
        out.needs("address translation services (`lspci -vv` as root)");
        return;
    }
    for (address, function) in nics.into_iter().filter(|(_, function)| function.ats == Some(false)) {
        let Some(translation) = translation(context.host, function) else {
            out.needs("state of the IOMMU (`iommu_group/type`, `/proc/cmdline`)");
            continue;
        };
        if let Some(reason) = translation {
            let name = nics::name_of(context.host, address);
            let message = format!("NIC {name}: ATS is off, and {reason}");
            out.report(InspectionSeverity::Warning, format!("pci/{address}/ats"), message);
        }
    }
}

/// Why addresses are translated; `Some(None)` if they are not, `None` if unknown.
fn translation(host: &HostInspection, function: &PciFunction) -> Option<Option<&'static str>> {
    if host.platform.is_virtual == Some(true) {
        return Some(Some(
            "the host is a virtual machine, whose addresses the hypervisor's IOMMU translates",
        ));
    }
    match function.iommu.as_deref() {
        Some("identity") => return Some(None),
        Some(_) => return Some(Some("its IOMMU group translates addresses")),
        None => {}
    }
    let words = || host.platform.kernel_command_line.as_deref().map(|line| line.split_whitespace());
    let has = |wanted: &[&str]| words().is_some_and(|mut words| words.any(|word| wanted.contains(&word)));
    words()?;
    if has(&["iommu=pt", "iommu.passthrough=1", "intel_iommu=off", "amd_iommu=off", "iommu=off"]) {
        Some(None)
    } else if has(&["intel_iommu=on", "amd_iommu=on", "iommu=nopt", "iommu.passthrough=0", "iommu=force"]) {
        Some(Some("the kernel's command line turns the IOMMU on without pass-through"))
    } else {
        None
    }
}
