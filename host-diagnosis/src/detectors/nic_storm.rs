//! A broken RNIC: its receive pipeline has stopped, so that it pauses its switch continuously and never drains.
//!
//! Three facts together: a pause that continues for hundreds of milliseconds, a receive pipeline that passes nothing,
//! and no other server with the same symptom. A watchdog that fires proves none of them, because slow receivers
//! trigger it too. An RNIC that pauses while its receive buffer is empty is broken however long its pauses last, because a
//! receiver pauses for lack of buffer only. Sources: Guo et al., SIGCOMM 2016, section 4.3; Bai et al., NSDI 2023, section 8.

use model::{Cause, HostReport};

use crate::pause_ratio::{STORM_NS, Step};
use crate::pauses::{self, SentPauses};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Confidence with all facts.
const CERTAIN: f64 = 0.95;
/// Confidence if the RNIC pauses with an empty receive buffer. Choice: one counter, and no packet that shows it.
const EMPTY_BUFFER: f64 = 0.9;
/// Confidence if it is unknown how many servers pause.
const SCOPE_UNKNOWN: f64 = 0.85;

pub(super) const DETECTOR: Detector = Detector {
    name: "nic_storm",
    source: "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.3",
    needs: &[Section::Counters],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    let without_need: Vec<HostFinding> = pauses::sent(report)
        .filter(|row| {
            row.step().is_some_and(|step| step > Step::Normal) && row.has_full_buffer() == Some(false)
        })
        .map(|row| without_need(report, &row))
        .collect();
    // Many NICs do not break at the same moment (Bai et al., section 8).
    if !without_need.is_empty() || fabric.pausing_servers.is_some_and(|servers| servers > 1) {
        return Outcome::of(without_need);
    }
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for row in pauses::sent(report) {
        match row.step() {
            Some(Step::Storm) => match pauses::is_stopped(row.nic) {
                Some(true) => findings.push(stopped(report, fabric, &row)),
                Some(false) => {}
                None => missing.push(format!(
                    "whether packets pass the receive pipeline of {} while it pauses",
                    row.nic.nic
                )),
            },
            Some(_) => {}
            None if row.pauses.frames > 0 => {
                missing.push(format!("the time that {} pauses priority {}", row.nic.nic, row.pauses.priority))
            }
            None => {}
        }
    }
    if findings.is_empty() && !missing.is_empty() { Outcome::Missing(missing) } else { Outcome::of(findings) }
}

/// An RNIC that pauses although its receive buffer has room.
fn without_need(report: &HostReport, row: &SentPauses<'_>) -> HostFinding {
    let nic = &row.nic.nic;
    let full_us = row.nic.receive_full_ns.unwrap_or(0) / 1_000;
    let buffer = Claim::new(
        format!("the receive buffer of {nic} was full for {full_us} us of that"),
        [format!("{}/receive_full_ns", row.nic_pointer())],
    );
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(nic.clone()),
        cause: Cause::NicStorm,
        summary: format!(
            "the RNIC {nic} of {} is broken: it pauses its switch although its receive buffer has room",
            report.host
        ),
        confidence: EMPTY_BUFFER,
        evidence: vec![Claim::new(row.text(), [row.pointer()]), buffer],
        missing: Vec::new(),
        advice: advice(report, nic),
    }
}

fn advice(report: &HostReport, nic: &str) -> Vec<String> {
    vec![
        format!("reboot {}, and replace {nic} if the storm returns", report.host),
        format!(
            "enable the NIC watchdog ({} ms) and the switch's PFC watchdog ({} ms)",
            pauses::STOPPED_NS / 1_000_000,
            STORM_NS / 1_000_000
        ),
    ]
}

/// An RNIC whose receive pipeline has stopped.
fn stopped(report: &HostReport, fabric: &Fabric, row: &SentPauses<'_>) -> HostFinding {
    let nic = &row.nic.nic;
    let pipeline = match row.nic.receive_stopped_ns {
        Some(stopped) => Claim::new(
            format!("the receive pipeline of {nic} has been stopped for {} ms", stopped / 1_000_000),
            [format!("{}/receive_stopped_ns", row.nic_pointer())],
        ),
        None => Claim::new(
            format!("{nic} received no packet in the interval"),
            [format!("{}/wire/received_packets", row.nic_pointer())],
        ),
    };
    let storm = Claim::new(
        format!("{nic} paused for {} ms without a break", row.longest_ns() / 1_000_000),
        [row.pointer()],
    );
    let mut evidence = vec![storm, pipeline];
    let mut missing = Vec::new();
    if fabric.pausing_servers.is_some() {
        evidence.push(Claim::of_fabric("no other server pauses its switch"));
    } else {
        missing.push("whether other servers pause their switches at the same time".to_string());
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(nic.clone()),
        cause: Cause::NicStorm,
        summary: format!(
            "the RNIC {nic} of {} is broken: it pauses its switch without a break and receives nothing",
            report.host
        ),
        confidence: if missing.is_empty() { CERTAIN } else { SCOPE_UNKNOWN },
        evidence,
        missing,
        advice: advice(report, nic),
    }
}
