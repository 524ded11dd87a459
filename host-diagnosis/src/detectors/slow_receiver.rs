//! A slow receiver: the receive pipeline of the RNIC is slower than packets arrive, most often because it misses in its
//! memory translation table.
//!
//! The pauses resume in between, the pages are small against the registered memory, and MTT misses rise. Whether a
//! watchdog fires says nothing: long stalls trigger it. Without such misses, a receive buffer that was full while the RNIC
//! paused and that packets left shows that the receiver is slow, and not why. Source: Guo et al., SIGCOMM 2016, section 4.4.

use model::host::counters::{Misses, NicCounters};
use model::{Cause, HostReport};

use crate::cache_misses::have_risen;
use crate::mtt;
use crate::pause_ratio::Step;
use crate::pauses::{self, SentPauses};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Misses above the usual number by this factor are a rise. Choice: a change of load by a half is ordinary.
const RISE_FACTOR: f64 = 1.5;
/// A miss rate above this is a rise if the usual number is unknown: an RNIC with 22.9 % still reaches its line rate, and
/// with 49.1 % half of it (Husky, NSDI 2023, table 1).
const MISS_RATE: f64 = 0.36;
/// Confidence if misses rise and the memory exceeds the reach.
const CERTAIN: f64 = 0.9;
/// Confidence if misses rise and the size of the memory is unknown.
const MISSES_ONLY: f64 = 0.7;
/// Confidence if the receive buffer was full and packets left it. Choice: below every finding that names the part.
const BUFFER_ONLY: f64 = 0.8;

pub(super) const DETECTOR: Detector = Detector {
    name: "slow_receiver",
    source: "RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.4",
    needs: &[Section::Counters],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for row in pauses::sent(report) {
        if !is_slow(&row) {
            continue;
        }
        let nic = &row.nic.nic;
        match (misses_rise(row.nic), exceeds_reach(row.nic)) {
            (Some(true), Some(true) | None) => findings.push(finding(report, &row)),
            _ if has_backlog(&row) => findings.push(backlog(report, &row)),
            (Some(false), _) | (_, Some(false)) => {}
            (None, _) => missing.push(format!("MTT misses of {nic}, with their usual number or all lookups")),
        }
    }
    if findings.is_empty() && !missing.is_empty() { Outcome::Missing(missing) } else { Outcome::of(findings) }
}

/// Whether the RNIC pauses more than an uncongested one does, and receives packets in between. Long pauses need a
/// counter that shows it, because a broken RNIC looks the same otherwise.
fn is_slow(row: &SentPauses<'_>) -> bool {
    let stopped = pauses::is_stopped(row.nic);
    match row.step() {
        Some(Step::Storm) => stopped == Some(false),
        Some(Step::Anomaly | Step::HostTest) => stopped != Some(true),
        Some(Step::Normal) | None => false,
    }
}

/// Whether the receive buffer was full while the RNIC paused, and still drained: the longest time in which no packet left the
/// buffer is less than half of the time for which it was full.
fn has_backlog(row: &SentPauses<'_>) -> bool {
    let times = row.nic.receive_stopped_ns.zip(row.nic.receive_full_ns);
    row.has_full_buffer() == Some(true) && times.is_some_and(|(stopped, full)| stopped < full / 2)
}

fn misses_rise(nic: &NicCounters) -> Option<bool> {
    rises(&nic.caches?.mtt?)
}

fn rises(row: &Misses) -> Option<bool> {
    let of_all = || row.lookups.map(|lookups| row.misses as f64 > MISS_RATE * lookups as f64);
    have_risen(row, RISE_FACTOR).or_else(of_all)
}

fn exceeds_reach(nic: &NicCounters) -> Option<bool> {
    let memory = nic.memory?;
    Some(memory.bytes > mtt::reach_bytes(memory.mtt_entries?, memory.page_bytes))
}

fn finding(report: &HostReport, row: &SentPauses<'_>) -> HostFinding {
    let nic = &row.nic.nic;
    let at = row.nic_pointer();
    let mut evidence = vec![Claim::new(row.text(), [row.pointer()])];
    let misses = row.nic.caches.and_then(|caches| caches.mtt).map_or(0, |mtt| mtt.misses);
    evidence
        .push(Claim::new(format!("{misses} lookups of {nic} missed the MTT"), [format!("{at}/caches/mtt")]));
    let mut missing = Vec::new();
    let mut confidence = CERTAIN;
    match row.nic.memory.and_then(|memory| memory.mtt_entries.map(|entries| (memory, entries))) {
        Some((memory, entries)) => evidence.push(Claim::new(
            format!(
                "{} KiB are registered, and the MTT of {entries} entries reaches {} KiB with pages of {} KiB",
                memory.bytes / 1024,
                mtt::reach_bytes(entries, memory.page_bytes) / 1024,
                memory.page_bytes / 1024
            ),
            [format!("{at}/memory")],
        )),
        None => {
            confidence = MISSES_ONLY;
            missing.push("registered memory, page size and entries of the MTT".to_string());
        }
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(nic.clone()),
        cause: Cause::SlowReceiver,
        summary: format!(
            "the RNIC {nic} of {} receives too slowly, because it fetches memory translations from the host",
            report.host
        ),
        confidence,
        evidence,
        missing,
        advice: vec![
            "register memory with pages of 2 MiB instead of 4 KiB".to_string(),
            "share the switch's buffer dynamically, so that short stalls do not pause the fabric".to_string(),
        ],
    }
}

/// A receiver that is slow for a reason that its counters do not show.
fn backlog(report: &HostReport, row: &SentPauses<'_>) -> HostFinding {
    let nic = &row.nic.nic;
    let at = row.nic_pointer();
    let full_us = row.nic.receive_full_ns.unwrap_or(0) / 1_000;
    let buffer =
        format!("the receive buffer of {nic} was full for {full_us} us, and packets left it meanwhile");
    let records = ["receive_full_ns", "receive_stopped_ns"].map(|field| format!("{at}/{field}"));
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(nic.clone()),
        cause: Cause::SlowReceiver,
        summary: format!(
            "{} receives more slowly than packets arrive, so that the receive buffer of {nic} fills",
            report.host
        ),
        confidence: BUFFER_ONLY,
        evidence: vec![Claim::new(row.text(), [row.pointer()]), Claim::new(buffer, records)],
        missing: vec![format!("which part of the receive path of {nic} is slow")],
        advice: vec![format!(
            "check the receive path of {}: PCIe, IOMMU, translation caches and memory bandwidth",
            report.host
        )],
    }
}
