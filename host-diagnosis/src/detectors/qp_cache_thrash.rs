//! Throughput that falls because the NIC fetches the contexts of its connections over PCIe.
//!
//! Source: SRNIC (Wang et al., NSDI 2023), section 2.2: 97 Gb/s fall to 52 Gb/s from 128 to 16,384 queue pairs, while
//! ICM cache misses and extra PCIe throughput (PCIe minus network) rise. The number of connections alone shows nothing: other
//! deployments have tens of thousands of them without a loss, because large requests hide the misses (Collie, appendix A).
//!
//! A receive pipeline that waits for contexts fills its buffer, and the RNIC pauses its switch. Then the evidence is that
//! the pipeline waits for host memory while the RNIC pauses, and that contexts, not translations, are what it reads.

use model::host::counters::{Misses, NicCounters};
use model::host::transport::ConnectionScaling;
use model::{Cause, HostReport};

use crate::cache_misses::is_harmless;
use crate::pause_ratio::{HOST_TEST_RATIO, Step, ratio};
use crate::pauses;
use crate::{Claim, Detector, Explains, Fabric, FabricState, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent, rate};

/// The fall of throughput that counts: as in [`crate::collie::monitor`].
const FALLEN_SHARE: f64 = 0.2;
/// Misses and extra PCIe throughput have risen if they are this many times the usual ones. A choice: above the variation of
/// a load that is constant.
const RISEN: f64 = 2.0;
/// Confidence with both kinds of evidence, and with misses alone.
const BOTH: f64 = 0.95;
const MISSES_ONLY: f64 = 0.7;
/// Confidence if the receive pipeline waits for contexts: as for translations (`slow_receiver`).
const WAITING: f64 = 0.9;

pub(super) const DETECTOR: Detector = Detector {
    name: "qp_cache_thrash",
    source: "SRNIC, NSDI 2023, section 2.2",
    needs: &[Section::Counters],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    let slow: Vec<HostFinding> = slow_receivers(report, fabric);
    if !slow.is_empty() {
        return Outcome::Found(slow);
    }
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let scaling = report.workload.iter().flat_map(|workload| &workload.scaling);
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let mut seen = false;
    for (at, scaling) in scaling.enumerate() {
        seen = true;
        if scaling.bits_per_s > (1.0 - FALLEN_SHARE) * scaling.usual_bits_per_s {
            continue;
        }
        let nics = report.counters.iter().flat_map(|counters| counters.nics.iter().enumerate());
        let Some((place, nic)) = nics.into_iter().find(|(_, nic)| nic.nic == scaling.nic) else {
            missing.push(format!("counters of {}", scaling.nic));
            continue;
        };
        match judge(report, (at, scaling), (place, nic)) {
            Ok(finding) => findings.extend(finding),
            Err(text) => missing.push(text),
        }
    }
    if !seen {
        missing.push("`workload.scaling`: throughput with many and with few queue pairs".to_string());
    }
    conclude(findings, missing)
}

/// RNICs whose receive pipelines wait for contexts while they pause their switches. If every hop was clean, or the host paused
/// outside the interval, those that wait for as long as pauses would have to last for a test of the host count as well: packets
/// queue below XOFF.
fn slow_receivers(report: &HostReport, fabric: &Fabric) -> Vec<HostFinding> {
    let pausing = pauses::sent(report).filter(|row| {
        row.step().is_some_and(|step| step > Step::Normal) && row.has_waited_reads() == Some(true)
    });
    let pausing = pausing.filter(|row| reads_contexts(row.nic));
    let found: Vec<HostFinding> = pausing
        .map(|row| {
            let pauses = Claim::new(row.text(), [row.pointer()]);
            slow_receiver(report, row.nic, &row.nic_pointer(), Some(pauses))
        })
        .collect();
    if !found.is_empty() || !(fabric.state == FabricState::Clean || fabric.is_paused_by(&report.host)) {
        return found;
    }
    let waits = |nic: &NicCounters| {
        nic.waited_reads_ns.is_some_and(|waited| ratio(waited, report.interval_ns) > HOST_TEST_RATIO)
    };
    let nics = report.counters.iter().flat_map(|counters| counters.nics.iter().enumerate());
    let waiting = nics.filter(|(_, nic)| waits(nic) && reads_contexts(nic));
    waiting.map(|(at, nic)| slow_receiver(report, nic, &format!("/counters/nics/{at}"), None)).collect()
}

/// Whether most of what the RNIC reads from host memory are contexts.
fn reads_contexts(nic: &NicCounters) -> bool {
    let Some(caches) = nic.caches else { return false };
    let misses = |row: Option<Misses>| row.map_or(0, |row| row.misses);
    misses(caches.icm) > misses(caches.mtt)
}

fn slow_receiver(report: &HostReport, nic: &NicCounters, at: &str, pauses: Option<Claim>) -> HostFinding {
    let misses = nic.caches.and_then(|caches| caches.icm).map_or(0, |icm| icm.misses);
    let waited_us = nic.waited_reads_ns.unwrap_or(0) / 1_000;
    let waits = format!("the receive pipeline of {} waited for host memory for {waited_us} us", nic.nic);
    let mut evidence: Vec<Claim> = pauses.into_iter().collect();
    evidence.push(Claim::new(waits, [format!("{at}/waited_reads_ns")]));
    evidence.push(Claim::new(format!("{misses} ICM cache misses"), [format!("{at}/caches/icm")]));
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(nic.nic.clone()),
        cause: Cause::QpCacheThrash,
        summary: format!(
            "the RNIC {} of {} receives too slowly, because it fetches connection contexts from the host",
            nic.nic, report.host
        ),
        confidence: WAITING,
        evidence,
        missing: Vec::new(),
        advice: advice(),
    }
}

fn advice() -> Vec<String> {
    vec![
        "share queue pairs between threads, or use fewer of them at a time".to_string(),
        "send larger requests: they hide cache misses".to_string(),
    ]
}

fn judge(
    report: &HostReport,
    (at, scaling): (usize, &ConnectionScaling),
    (place, nic): (usize, &NicCounters),
) -> Result<Option<HostFinding>, String> {
    let icm = nic.caches.and_then(|caches| caches.icm);
    let icm = icm
        .ok_or_else(|| format!("ICM cache misses of {}: a number of queue pairs is no evidence", nic.nic))?;
    let usual = icm
        .usual_misses
        .ok_or_else(|| format!("the usual ICM cache misses of {} at this load (`usual_misses`)", nic.nic))?;
    if (icm.misses as f64) < RISEN * usual.max(1) as f64 || is_harmless(&icm) {
        return Ok(None);
    }
    let extra = extra_pcie(report, nic).zip(scaling.usual_extra_pcie_bits_per_s);
    if extra.is_some_and(|(extra, usual)| extra < RISEN * usual.max(1.0)) {
        // Misses that cost no PCIe throughput do not slow the NIC down.
        return Ok(None);
    }
    let mut evidence = vec![
        Claim::new(
            format!(
                "throughput is {} with {} queue pairs and {} with few",
                rate(scaling.bits_per_s),
                scaling.queue_pairs,
                rate(scaling.usual_bits_per_s)
            ),
            [format!("/workload/scaling/{at}")],
        ),
        Claim::new(
            format!("{} ICM cache misses instead of {usual}", icm.misses),
            [format!("/counters/nics/{place}/caches/icm")],
        ),
    ];
    let mut missing = Vec::new();
    match extra {
        Some((extra, usual)) => evidence.push(Claim::new(
            format!("PCIe carries {} more than the network, instead of {}", rate(extra), rate(usual)),
            [format!("/counters/nics/{place}/pcie"), format!("/counters/nics/{place}/wire")],
        )),
        None => {
            missing.push("PCIe throughput above network throughput, now and with few queue pairs".to_string())
        }
    }
    Ok(Some(HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(nic.nic.clone()),
        cause: Cause::QpCacheThrash,
        summary: format!(
            "{} fetches connection contexts over PCIe: throughput is {} below that with few queue pairs",
            nic.nic,
            percent(1.0 - scaling.bits_per_s / scaling.usual_bits_per_s)
        ),
        confidence: if missing.is_empty() { BOTH } else { MISSES_ONLY },
        evidence,
        missing,
        advice: advice(),
    }))
}

/// PCIe throughput towards the NIC above what it sends, in bits a second (SRNIC, section 2.2, footnote 2).
fn extra_pcie(report: &HostReport, nic: &NicCounters) -> Option<f64> {
    let (pcie, wire) = nic.pcie.zip(nic.wire)?;
    if report.interval_ns == 0 {
        return None;
    }
    let extra = pcie.to_nic_bytes.saturating_sub(wire.sent_bytes);
    Some(extra as f64 * 8.0 * 1e9 / report.interval_ns as f64)
}
