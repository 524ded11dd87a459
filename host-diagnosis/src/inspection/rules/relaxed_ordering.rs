//! Relaxed ordering of PCIe writes.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::{InspectionRule, nics};

/// Vendor of processors on which the source found the need.
const AMD: &str = "AuthenticAMD";

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC004",
    name: "relaxed-ordering",
    severity: InspectionSeverity::Warning,
    summary: "A NIC may not use relaxed ordering on a host with AMD processors.",
    why: "Strictly ordered writes of small and large messages in both directions limit the PCIe bandwidth of some of these servers: 60 instead of 200 Gb/s, and pauses for a quarter of the time.",
    fix: "Permit relaxed ordering in the BIOS and the device control register, and force it with `PCI_WR_ORDERING=force_relax` (`mlxconfig`) if the application does not request it.",
    source: "Collie (NSDI 2022), anomaly 9; PCI Express Base Specification, Device Control Register",
    input: "`lspci -vv`; `/proc/cpuinfo`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let host = context.host;
    let nics = nics::functions(host);
    if !nics.iter().any(|(_, function)| function.relaxed_ordering.is_some()) {
        out.needs("device control register (`lspci -vv`)");
        return;
    }
    let Some(vendor) = &host.platform.cpu_vendor else {
        out.needs("processor (`/proc/cpuinfo`)");
        return;
    };
    if vendor != AMD {
        return;
    }
    for (address, function) in nics {
        if function.relaxed_ordering == Some(false) {
            let name = nics::name_of(host, address);
            let message =
                format!("NIC {name}: relaxed ordering is off (RlxdOrd-) on a host with AMD processors");
            out.report(InspectionSeverity::Warning, format!("pci/{address}/relaxed_ordering"), message);
        }
    }
}
