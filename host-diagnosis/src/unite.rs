//! The fabric's verdict and the hosts' reports, judged together.
//!
//! A verdict that ends at a host (it pauses its port, or every hop was clean) continues inside it and names the part.
//! A verdict that the fabric explains stays as it is, whatever the reports contain, and one that the fabric was clean is
//! withdrawn if its switch paused a host.

use std::collections::BTreeSet;

use model::diagnosis::{Evidence, Record};
use model::{Cause, Diagnosis, HostReport};
use serde::Serialize;

use crate::detector::NO_SECTION;
use crate::pause_ratio::Step;
use crate::{
    CheckResult, Explains, Fabric, FabricState, HostDiagnosis, HostFinding, all, diagnose, held, pauses,
};

/// A verdict with what the reports of hosts add to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct United {
    /// The verdict.
    pub diagnosis: Diagnosis,
    /// What the detectors found in each report, in the order of the reports.
    pub hosts: Vec<HostDiagnosis>,
}

/// Judges reports of hosts together with the fabric's verdict about a victim.
///
/// Reports of other hosts than the pausing one are used to count how many servers pause at the same time. For a verdict
/// without a pausing host, all reports count: pass those of the victim's sender and receiver. `watchdog_fired` is
/// whether a PFC watchdog fired at the host's port; `None` if unknown.
pub fn unite(verdict: &Diagnosis, reports: &[HostReport], watchdog_fired: Option<bool>) -> United {
    let withdrawn = held::withdrawn(verdict, reports);
    let verdict = withdrawn.as_ref().unwrap_or(verdict);
    let fabric =
        Fabric { watchdog_fired, pausing_servers: pausing(reports), ..Fabric::of_diagnosis(verdict) };
    let hosts: Vec<HostDiagnosis> = reports.iter().map(|report| diagnose(report, &fabric)).collect();
    let ends_at_host = matches!(fabric.state, FabricState::Clean | FabricState::PausedBy(_));
    let mut diagnosis = verdict.clone();
    if ends_at_host {
        match best(&hosts) {
            Some((at, finding)) => name_part(&mut diagnosis, &fabric.state, &reports[at], finding),
            None => diagnosis.missing.extend(missing(&fabric.state, &hosts)),
        }
    }
    United { diagnosis, hosts }
}

/// Counts the hosts that pause their switches; `None` for a single report, which says nothing about other servers.
fn pausing(reports: &[HostReport]) -> Option<u32> {
    let is_pausing =
        |report: &&HostReport| pauses::sent(report).any(|row| row.step().is_some_and(|s| s > Step::Normal));
    // A host may have several reports: a file and its present state.
    let hosts = |reports: &mut dyn Iterator<Item = &HostReport>| {
        reports.map(|report| report.host.as_str()).collect::<BTreeSet<&str>>().len()
    };
    let count = hosts(&mut reports.iter().filter(is_pausing));
    (hosts(&mut reports.iter()) > 1).then(|| u32::try_from(count).unwrap_or(u32::MAX))
}

/// The most certain finding that explains a delay and has a cause, with the index of its report; the first one of equal
/// certainty. A wrong setting that is certain does not displace what explains the delay.
fn best(hosts: &[HostDiagnosis]) -> Option<(usize, &HostFinding)> {
    let explains_delay = |finding: &HostFinding| {
        let mut detectors = all();
        detectors.any(|detector| detector.name == finding.detector && detector.explains == Explains::Delay)
    };
    let causes = hosts.iter().enumerate().filter_map(|(at, host)| {
        let mut with_cause = host.findings.iter().filter(|finding| finding.cause != Cause::Undetermined);
        let finding = with_cause.find(|finding| explains_delay(finding))?;
        Some((at, finding))
    });
    causes.reduce(|best, next| if next.1.confidence > best.1.confidence { next } else { best })
}

fn name_part(diagnosis: &mut Diagnosis, state: &FabricState, report: &HostReport, finding: &HostFinding) {
    let port = diagnosis.root_cause.port.as_ref();
    let what = match (state, port) {
        (FabricState::PausedBy(host), Some(port)) => format!("{host} pauses {port}"),
        (FabricState::PausedBy(host), None) => format!("{host} pauses its switch"),
        _ if is_about_operation(diagnosis) => "the fabric delays no packets of the victim".to_string(),
        _ => "every hop of the fabric was clean".to_string(),
    };
    diagnosis.summary = format!("{what}: {}", finding.summary);
    let is_other = diagnosis.cause != finding.cause;
    // Evidence of the host for the cause that the fabric shows does not make it less certain.
    if is_other {
        diagnosis.confidence = diagnosis.confidence.min(finding.confidence);
    }
    // A broken RNIC and a slow receiver exclude each other; every other part refines what the fabric shows.
    let is_refuted = is_other && [diagnosis.cause, finding.cause].contains(&Cause::NicStorm);
    diagnosis.cause = finding.cause;
    diagnosis.root_cause.host = Some(finding.host.clone());
    diagnosis.evidence.extend(evidence(report, finding));
    diagnosis.missing.extend(finding.missing.iter().cloned());
    let mut usual = std::mem::take(&mut diagnosis.advice);
    if is_refuted {
        usual.clear();
    }
    usual.retain(|line| !is_more_general(line, finding));
    // Where the host is to be looked at first, the switch's part is its port.
    if !finding.advice.is_empty() {
        diagnosis.advice_target = None;
    }
    diagnosis.advice = finding.advice.iter().cloned().chain(usual).collect();
}

/// Whether an agent asked because operations are slow although round trips are normal.
fn is_about_operation(diagnosis: &Diagnosis) -> bool {
    diagnosis.trigger().is_some_and(|trigger| trigger.reason.is_about_operation())
}

/// Whether a line of advice from the fabric's records says in general what that of a host's finding says in particular: what to
/// check at the host as a whole, or to enable the watchdog.
fn is_more_general(line: &str, finding: &HostFinding) -> bool {
    let names_host = line.split([' ', ',', ':']).any(|word| word == finding.host);
    let is_watchdog = |line: &str| line.contains("PFC watchdog");
    names_host || is_watchdog(line) && finding.advice.iter().any(|own| is_watchdog(own))
}

/// The claims of a finding with the values of the report that they rest on.
fn evidence(report: &HostReport, finding: &HostFinding) -> Vec<Evidence> {
    let json = serde_json::to_value(report).unwrap_or_default();
    let record = |pointer: &String| {
        let value = json.pointer(pointer)?.to_string();
        Some(Record::Host { host: report.host.clone(), pointer: pointer.clone(), value })
    };
    let claims = finding.evidence.iter();
    claims
        .map(|claim| Evidence {
            claim: claim.claim.clone(),
            template: None,
            switch: None,
            port: None,
            epoch: None,
            records: claim.records.iter().filter_map(record).collect(),
        })
        .collect()
}

/// What a report would have to contain for a cause.
fn missing(state: &FabricState, hosts: &[HostDiagnosis]) -> Vec<String> {
    let is_relevant = |host: &&HostDiagnosis| match state {
        FabricState::PausedBy(pausing) => host.host == *pausing,
        _ => true,
    };
    let relevant: Vec<&HostDiagnosis> = hosts.iter().filter(is_relevant).collect();
    if let (FabricState::PausedBy(host), []) = (state, relevant.as_slice()) {
        return vec![format!("a report of {host}: which of its parts causes the pauses")];
    }
    relevant.into_iter().filter_map(missing_of).collect()
}

/// What the detectors lack in a report, in one sentence: how many of them had no input, and each missing piece once.
fn missing_of(host: &HostDiagnosis) -> Option<String> {
    let unchecked = || host.checks.iter().filter(|check| check.result == CheckResult::MissingEvidence);
    let (mut sections, mut others) = (Vec::new(), Vec::new());
    for check in unchecked() {
        for piece in &check.missing {
            let section = piece.strip_prefix(NO_SECTION);
            let (pieces, text) = match section {
                Some(name) => (&mut sections, name),
                None => (&mut others, piece.as_str()),
            };
            if !pieces.contains(&text) {
                pieces.push(text);
            }
        }
    }
    let count = unchecked().count();
    if count == 0 {
        return None;
    }
    let mut parts = vec![format!("{}: {count} of {} detectors lack evidence", host.host, host.checks.len())];
    if !sections.is_empty() {
        parts.push(format!("{NO_SECTION}{}", sections.join(", ")));
    }
    parts.extend(others.into_iter().map(str::to_string));
    Some(parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_reports_of_one_host_are_one_server() {
        let report = |host: &str| HostReport::new(host, 1_000);
        assert_eq!(pausing(&[report("h1")]), None);
        assert_eq!(pausing(&[report("h1"), report("h1")]), None);
        assert_eq!(pausing(&[report("h1"), report("h2")]), Some(0));
    }
}
