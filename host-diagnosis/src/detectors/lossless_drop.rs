//! Drops of packets that must not be dropped: one on a lossless priority is an alarm, any number on a lossy one is not.
//!
//! Source: Guo et al., SIGCOMM 2016, section 5.2.

use model::{Cause, HostReport};

use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

pub(super) const DETECTOR: Detector = Detector {
    name: "lossless_drop",
    source: "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 5.2",
    needs: &[Section::Counters],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let nics = report.counters.iter().flat_map(|counters| &counters.nics).enumerate();
    let drops = nics.flat_map(|(at, nic)| nic.drops.iter().enumerate().map(move |row| (at, nic, row)));
    let lossless = drops.filter(|(_, _, (_, drops))| drops.is_lossless && drops.packets > 0);
    let findings = lossless.map(|(at, nic, (row, drops))| {
        let priority = drops.priority;
        let claim = format!("{} dropped {} packets of lossless priority {priority}", nic.nic, drops.packets);
        HostFinding {
            detector: DETECTOR.name.to_string(),
            host: report.host.clone(),
            part: HostPart::Nic(nic.nic.clone()),
            cause: Cause::Undetermined,
            summary: claim.clone(),
            confidence: 1.0,
            evidence: vec![Claim::new(claim, [format!("/counters/nics/{at}/drops/{row}")])],
            missing: Vec::new(),
            advice: vec![format!(
                "compare the PFC priorities and the headroom of {} and its switch port: priority {priority} must not lose packets",
                nic.nic
            )],
        }
    });
    Outcome::of(findings.collect())
}
