//! A PCIe link below its maximum.

use model::host::inspection::PciFunction;

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::{InspectionRule, nics};

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC001",
    name: "pcie-link",
    severity: InspectionSeverity::Error,
    summary: "The PCIe link of a NIC or GPU is slower or narrower than the device permits. It is an error if the link is slower than the port of the NIC, and else a warning. Speed is not compared for GPUs, which reduce it while they are idle.",
    why: "A NIC that receives faster than its PCIe link transfers fills its buffer and pauses the switch.",
    fix: "Reseat the card, check riser and slot, and compare the settings of the BIOS; a slot with fewer lanes explains a narrow link.",
    source: "Hostping (NSDI 2023), bottlenecks 1 and 2; PCI Express Base Specification, Link Capabilities and Link Status",
    input: "sysfs (`current_link_speed`, `max_link_width`, ...) or `lspci -vv`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let nics = nics::functions(context.host);
    if !nics.iter().any(|(_, function)| function.max_lanes.is_some() || function.max_speed_mtps.is_some()) {
        out.needs("PCIe links (sysfs or `lspci -vv`)");
    }
    for (address, function) in nics {
        let name = nics::name_of(context.host, address);
        let port_mbps = context.host.interfaces.get(name).and_then(|interface| interface.speed_mbps);
        let is_slow = port_mbps.zip(rate_mbps(function)).is_some_and(|(port, link)| link < u64::from(port));
        let severity = if is_slow { InspectionSeverity::Error } else { InspectionSeverity::Warning };
        let consequence = match port_mbps.filter(|_| is_slow) {
            Some(port) => format!("; that is less than the {} Gb/s of its port", port / 1000),
            None => String::new(),
        };
        for (item, difference) in [slower(function), narrower(function)].into_iter().flatten() {
            let message = format!("NIC {name}: the PCIe link {difference}{consequence}");
            out.report(severity, format!("pci/{address}/{item}"), message);
        }
    }
    for (address, function) in nics::gpus(context.host) {
        if let Some((item, difference)) = narrower(function) {
            let message = format!("GPU {address}: the PCIe link {difference}");
            out.report(InspectionSeverity::Warning, format!("pci/{address}/{item}"), message);
        }
    }
}

fn slower(function: &PciFunction) -> Option<(&'static str, String)> {
    let (now, most) = function.speed_mtps.zip(function.max_speed_mtps).filter(|(now, most)| now < most)?;
    let of = |speed: u32| f64::from(speed) / 1000.0;
    Some(("speed_mtps", format!("runs at {} GT/s instead of {}", of(now), of(most))))
}

fn narrower(function: &PciFunction) -> Option<(&'static str, String)> {
    let (now, most) = function.lanes.zip(function.max_lanes).filter(|(now, most)| now < most)?;
    Some(("lanes", format!("has {now} lanes instead of {most}")))
}

fn rate_mbps(function: &PciFunction) -> Option<u64> {
    let (speed, lanes) = function.speed_mtps.zip(function.lanes)?;
    data_rate_mbps(speed, lanes)
}

/// The data rate of a link in Mbit/s, without the headers of its packets: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s,
/// 242 of 256 bytes of a FLIT above (PCI Express Base Specification 6.0). `None` for a link without lanes or speed.
pub(crate) fn data_rate_mbps(speed_mtps: u32, lanes: u32) -> Option<u64> {
    let raw = u64::from(speed_mtps) * u64::from(lanes);
    let rate = match speed_mtps {
        0..=5_000 => raw * 8 / 10,
        5_001..=32_000 => raw * 128 / 130,
        _ => raw * 242 / 256,
    };
    (rate > 0).then_some(rate)
}
