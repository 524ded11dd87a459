//! Access control services between a NIC and a GPU.

use std::collections::BTreeSet;

use model::host::inspection::PciFunction;

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::{InspectionRule, nics};

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC002",
    name: "acs",
    severity: InspectionSeverity::Error,
    summary: "Access control services (ACS) redirect peer-to-peer requests at a bridge between a NIC and a GPU that share a PCIe switch. At bridges above other NICs it is a note.",
    why: "GPU-direct traffic takes the way through the root complex instead of the switch: more latency, much less bandwidth, and a NIC that pauses the fabric.",
    fix: "Turn ACS off at these bridges (`setpci` on the ACS control register) after every boot, because the BIOS and the kernel turn it on again; not on hosts that pass devices to virtual machines.",
    source: "Hostping (NSDI 2023), bottleneck 7; Collie (NSDI 2022), anomaly 12; PCI Express Base Specification, Access Control Services",
    input: "`lspci -vv`, run as root",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let host = context.host;
    if !host.pci.values().any(|function| function.buses.is_some()) {
        out.needs("bridges (`lspci -vv`)");
        return;
    }
    if !host.pci.values().any(|function| function.acs.is_some()) {
        out.needs("access control services (`lspci -vv` as root)");
        return;
    }
    let mut reported = BTreeSet::new();
    for (nic, _) in nics::functions(host) {
        let above_nic = nics::bridges_above(host, nic);
        for (gpu, _) in nics::gpus(host) {
            let above_gpu = nics::bridges_above(host, gpu);
            let is_common = |bridge: &str| {
                let in_path = |path: &[(&str, &PciFunction)]| path.iter().any(|(other, _)| *other == bridge);
                in_path(&above_nic) && in_path(&above_gpu)
            };
            if !above_nic.iter().any(|(bridge, _)| is_common(bridge)) {
                continue;
            }
            for (bridge, function) in
                above_nic.iter().chain(&above_gpu).filter(|(bridge, _)| !is_common(bridge))
            {
                let Some(services) = redirects(function).filter(|_| reported.insert(*bridge)) else {
                    continue;
                };
                let name = nics::name_of(host, nic);
                let message = format!(
                    "bridge {bridge} redirects traffic between NIC {name} and GPU {gpu} ({services})"
                );
                out.report(InspectionSeverity::Error, format!("pci/{bridge}/acs"), message);
            }
        }
        for (bridge, function) in above_nic {
            let Some(services) = redirects(function).filter(|_| reported.insert(bridge)) else { continue };
            let name = nics::name_of(host, nic);
            let message =
                format!("bridge {bridge} above NIC {name} redirects peer-to-peer traffic ({services})");
            out.report(InspectionSeverity::Info, format!("pci/{bridge}/acs"), message);
        }
    }
}

/// The services that redirect peer-to-peer traffic and are on.
fn redirects(function: &PciFunction) -> Option<String> {
    let services = function
        .acs
        .as_ref()?
        .iter()
        .filter(|service| ["ReqRedir", "CmpltRedir"].contains(&service.as_str()));
    let on: Vec<&str> = services.map(String::as_str).collect();
    (!on.is_empty()).then(|| on.join(", "))
}
