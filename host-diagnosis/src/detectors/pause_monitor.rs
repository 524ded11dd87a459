//! How much of the time an RNIC pauses its switch, and since when, on the ladder of [`crate::pause_ratio`].
//!
//! It states a symptom; other detectors find the cause. Source: Guo et al., "RDMA over Commodity Ethernet at Scale",
//! SIGCOMM 2016, section 5.2: the time in the paused state tells more about severity than the number of frames.

use model::{Cause, HostReport};

use crate::pause_ratio::{HOST_TEST_RATIO, Step, ratio, step};
use crate::pauses::{self, SentPauses};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

pub(super) const DETECTOR: Detector = Detector {
    name: "pause_monitor",
    source: "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 5.2; Collie, NSDI 2022, section 5",
    needs: &[Section::Counters],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for row in pauses::sent(report) {
        match row.step() {
            None if row.pauses.frames > 0 => missing.push(format!(
                "the time that {} pauses priority {}: the number of frames does not show it",
                row.nic.nic, row.pauses.priority
            )),
            None | Some(Step::Normal) => {}
            Some(step) => findings.push(finding(report, &row, step)),
        }
    }
    if findings.is_empty() && !missing.is_empty() { Outcome::Missing(missing) } else { Outcome::of(findings) }
}

fn finding(report: &HostReport, row: &SentPauses<'_>, step: Step) -> HostFinding {
    let advice = match step {
        Step::Storm => {
            "isolate the host: it stops its switch port for longer than a watchdog tolerates".to_string()
        }
        Step::HostTest => {
            format!(
                "run loopback tests: more than {:.0} % has its cause inside the host",
                HOST_TEST_RATIO * 100.0
            )
        }
        Step::Anomaly | Step::Normal => {
            "compare the RDMA workload with the RNIC's known anomalies".to_string()
        }
    };
    let mut summary = row.text();
    if step == Step::Storm {
        summary.push_str(&format!(", {} ms of it without a break", row.longest_ns() / 1_000_000));
    }
    let mut evidence = vec![Claim::new(summary.clone(), [row.pointer()])];
    evidence.extend(since(row));
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(row.nic.nic.clone()),
        cause: Cause::Undetermined,
        summary,
        confidence: 1.0,
        evidence,
        missing: Vec::new(),
        advice: vec![advice],
    }
}

/// When the pauses of the last samples began: the first sample of the run of samples above normal that lasts until
/// the end.
fn since(row: &SentPauses<'_>) -> Option<Claim> {
    let samples = row.nic.pause_samples.iter().enumerate().filter(|(_, s)| s.priority == row.pauses.priority);
    let is_paused = |at: &(usize, &model::host::counters::PauseSample)| {
        step(ratio(at.1.paused_ns, at.1.interval_ns), 0) > Step::Normal
    };
    let samples: Vec<_> = samples.collect();
    let (at, first) = samples.iter().rev().take_while(|s| is_paused(s)).last()?;
    let nic = &row.nic.nic;
    let claim = if *at == samples[0].0 {
        format!("{nic} paused in every sample")
    } else {
        format!("{nic} has paused since {:.3} s", first.start_ns as f64 / 1e9)
    };
    Some(Claim::new(claim, [format!("{}/pause_samples/{at}", row.nic_pointer())]))
}
