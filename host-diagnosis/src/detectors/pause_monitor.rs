//! The pause monitor: how much of the time an RNIC pauses its switch, on the ladder of [`crate::pause_ratio`].
//!
//! It states a symptom; other detectors find the cause. Source: Guo et al., "RDMA over Commodity Ethernet at Scale",
//! SIGCOMM 2016, section 5.2: the time in the paused state tells more about severity than the number of frames.

use model::host::RnicCounters;
use model::{Cause, HostReport};

use crate::pause_ratio::{Step, ratio, step};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, Outcome, HostPart, Section};

pub(super) const DETECTOR: Detector = Detector {
    name: "pause_monitor",
    source: "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 5.2; Collie, NSDI 2022, section 5",
    needs: &[Section::Counters],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let empty = RnicCounters::default();
    let nics = &report.counters.as_ref().unwrap_or(&empty).nics;
    let mut findings = Vec::new();
    for (at, nic) in nics.iter().enumerate() {
        for (row, pauses) in nic.sent_pauses.iter().enumerate() {
            let Some(paused_ns) = pauses.paused_ns else { continue };
            let share = ratio(paused_ns, report.interval_ns);
            let step = step(share, pauses.longest_ns.unwrap_or(0));
            if step == Step::Normal {
                continue;
            }
            let claim = format!(
                "{} paused priority {} for {:.2} % of the time",
                nic.nic,
                pauses.priority,
                share * 100.0
            );
            findings.push(HostFinding {
                detector: DETECTOR.name,
                host: report.host.clone(),
                part: HostPart::Nic(nic.nic.clone()),
                cause: Cause::Undetermined,
                summary: claim.clone(),
                confidence: 1.0,
                evidence: vec![Claim::new(
                    claim,
                    [format!("/counters/nics/{at}/sent_pauses/{row}/paused_ns")],
                )],
                missing: Vec::new(),
                advice: Vec::new(),
            });
        }
    }
    Outcome::of(findings)
}
