//! Settings of the host that its inspection rejects: the rules of [`crate::inspection`] without a switch.

use model::host::inspection::HostInspection;
use model::{Cause, HostReport};

use crate::inspection::{InspectionFinding, InspectionSeverity, check as inspect, rule};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Why nothing can be judged without anything that the rules are about.
const NO_DEVICE: &str =
    "the inspection has neither a network interface nor an RDMA device nor a PCIe function";

pub(super) const DETECTOR: Detector = Detector {
    name: "inspection",
    source: "the sources of the rules (`harrier host inspect --list-rules`)",
    needs: &[Section::Inspection],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _: &Fabric) -> Outcome {
    let Some(inspection) = &report.inspection else { return Outcome::Clean };
    // A switch is not in a host's report; rules that need one state so and are left out.
    let found = inspect(inspection, &[]);
    let found = found.iter().filter(|finding| finding.severity > InspectionSeverity::Info);
    let findings: Vec<HostFinding> = found.map(|found| finding(report, found)).collect();
    if findings.is_empty() && !has_device(inspection) {
        return Outcome::Missing(vec![NO_DEVICE.to_string()]);
    }
    Outcome::of(findings)
}

/// Whether there is anything that the rules are about.
fn has_device(inspection: &HostInspection) -> bool {
    !(inspection.interfaces.is_empty() && inspection.rdma.is_empty() && inspection.pci.is_empty())
}

fn finding(report: &HostReport, found: &InspectionFinding) -> HostFinding {
    let advice = rule(found.code).map(|rule| rule.fix.to_string());
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Setting(found.item.clone()),
        // A setting that is wrong need not be what delays a flow.
        cause: Cause::Undetermined,
        summary: format!("{} ({})", found.message, found.code),
        confidence: 1.0,
        evidence: vec![Claim::new(found.message.clone(), [format!("/inspection/{}", pointer(&found.item))])],
        missing: Vec::new(),
        advice: advice.into_iter().collect(),
    }
}

/// The item as a JSON pointer. Its names have no slash, except for parameters of DCQCN, which are the last part.
fn pointer(item: &str) -> String {
    match item.split_once("/parameters/") {
        Some((above, name)) => format!("{above}/parameters/{}", name.replace('/', "~1")),
        None => item.to_string(),
    }
}
