//! A workload that makes the RNIC or its host anomalous, although the network is not congested.
//!
//! Source: Collie (Kong et al., NSDI 2022), sections 5.2 and 7. An anomaly needs a measurement (pause ratio above 0.1 %, or
//! bits and packets a second both 20 % below the specification); the cause needs a published anomaly with the same symptom
//! whose conditions the workload meets and that the NIC's own counters do not refute. Low throughput counts only if requests
//! were outstanding all the time.

use model::host::descriptor::{NicFamily, Workload};
use model::{Cause, HostReport};

use crate::collie::cache_evidence::{self, CacheEvidence};
use crate::collie::matching::{Match, matches};
use crate::collie::monitor::{Symptom, symptom};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent};

/// Confidence that the workload is the cause if all conditions of an anomaly are known to hold, and if properties of the
/// server are unknown. Choices: the conditions were found on one model of NIC and server.
const CERTAIN: f64 = 0.85;
const UNCERTAIN: f64 = 0.6;
/// Confidence if the counters of the NIC also show the component: as for other caches (`qp_cache_thrash`).
const COUNTED: f64 = 0.9;

pub(super) const DETECTOR: Detector = Detector {
    name: "rnic_workload",
    source: "Collie, NSDI 2022, sections 5.2 and 7.1, table 2",
    needs: &[Section::Workload],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    let descriptors = report.workload.iter().flat_map(|workload| &workload.descriptors);
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let mut seen = false;
    for (at, workload) in descriptors.enumerate() {
        seen = true;
        match judge(report, at, workload) {
            // Low throughput without pauses does not explain pauses.
            Ok(Some((Symptom::LowThroughput, _))) if is_about_pauses(fabric) => {}
            Ok(found) => findings.extend(found.map(|(_, finding)| finding)),
            Err(text) => missing.push(text),
        }
    }
    if !seen {
        missing.push("`workload.descriptors` is empty".to_string());
    }
    conclude(findings, missing)
}

fn judge(
    report: &HostReport,
    at: usize,
    workload: &Workload,
) -> Result<Option<(Symptom, HostFinding)>, String> {
    let pointer = format!("/workload/descriptors/{at}");
    let performance = workload
        .performance
        .as_ref()
        .ok_or_else(|| format!("`{pointer}/performance`: pause ratio and throughput under this workload"))?;
    let Some(seen) = symptom(performance) else { return Ok(None) };
    if seen == Symptom::LowThroughput && performance.always_backlogged != Some(true) {
        return match performance.always_backlogged {
            Some(false) => Ok(None),
            _ => Err(format!(
                "`{pointer}/performance/always_backlogged`: low throughput is normal for an application that sends little"
            )),
        };
    }
    if workload.nic == NicFamily::Other {
        return Err(format!("anomalies of this NIC are not published (`{pointer}/nic`)"));
    }
    let found: Vec<Match> = matches(workload).into_iter().filter(|found| found.symptom == seen).collect();
    if found.is_empty() {
        return Err(format!(
            "the NIC is anomalous ({}), and the workload meets the conditions of no published anomaly",
            seen.text()
        ));
    }
    let found: Vec<(Match, CacheEvidence)> = found
        .into_iter()
        .map(|found| {
            let counted = cache_evidence::of(report, workload, &found);
            (found, counted)
        })
        .filter(|(_, counted)| *counted != CacheEvidence::Refuted)
        .collect();
    if found.is_empty() {
        return Ok(None);
    }
    let measured = match seen {
        Symptom::PauseFrames => {
            format!("the NIC pauses its switch {} of the time", percent(performance.pause_ratio))
        }
        Symptom::LowThroughput => format!(
            "throughput is {} of the specification in bits and {} in packets",
            percent(performance.bits_per_s / performance.specified_bits_per_s),
            percent(performance.packets_per_s / performance.specified_packets_per_s)
        ),
    };
    Ok(Some((seen, finding(report, &pointer, workload, &found, measured))))
}

fn finding(
    report: &HostReport,
    pointer: &str,
    workload: &Workload,
    found: &[(Match, CacheEvidence)],
    measured: String,
) -> HostFinding {
    let is_certain = found.iter().any(|(found, _)| found.is_certain());
    let names: Vec<String> = found.iter().map(|(found, _)| format!("#{}", found.anomaly)).collect();
    let mut evidence = vec![Claim::new(measured.clone(), [format!("{pointer}/performance")])];
    for (found, _) in found {
        evidence.push(Claim::new(
            format!(
                "the workload meets all conditions of anomaly #{}: {}",
                found.anomaly,
                found.conditions.join(", ")
            ),
            [pointer.to_string()],
        ));
    }
    let counted = found.iter().find_map(|(found, counted)| match counted {
        CacheEvidence::Confirmed(claims) if found.is_certain() => Some(claims),
        _ => None,
    });
    evidence.extend(counted.into_iter().flatten().cloned());
    let mut missing: Vec<String> = Vec::new();
    if !is_certain {
        let unknown = found.iter().flat_map(|(found, _)| &found.unknown);
        missing.extend(unknown.map(|condition| format!("whether the host has {condition}")));
        missing.dedup();
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: workload.device.clone().map_or(HostPart::Host, HostPart::Nic),
        cause: Cause::RnicWorkload,
        summary: format!("{measured}: the workload triggers Collie's anomaly {}", names.join(" or ")),
        confidence: match (counted, is_certain) {
            (Some(_), _) => COUNTED,
            (None, true) => CERTAIN,
            (None, false) => UNCERTAIN,
        },
        evidence,
        missing,
        advice: found.iter().map(|(found, _)| found.advice()).collect(),
    }
}
