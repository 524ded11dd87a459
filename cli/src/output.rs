//! Output of diagnoses and reports, as JSON for programs and as text for people.

use std::collections::BTreeSet;

use analyzer::incident::{VerdictGroup, incidents, is_ordinary};
use analyzer::{TopologyIndex, flow_name};
use eval::GroundTruth;
use model::diagnosis::Evidence;
use model::job::StepRole;
use model::plain::plain;
use model::{Diagnosis, FlowKey, RootCause, Topology};

use crate::report::RunReport;
use serde::Serialize;

use crate::units::{bytes, count, time};

/// Flows of a list that the text names.
const LISTED_FLOWS: usize = 12;

/// Missing data that the text lists. A host that reports few sections lacks something for most detectors.
const MISSING_LINES: usize = 4;

/// Writes `value` as indented JSON with a final newline to stdout.
pub(crate) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    stdout_line!("{}", serde_json::to_string_pretty(value)?).map(|_| ())
}

/// Returns a report as text for people. The topology names the hosts of flows. Snapshots have names that switches chose, so
/// control characters are shown as their numbers.
pub(crate) fn describe(report: &RunReport, topology: &Topology) -> String {
    plain(&described(report, topology)).into_owned()
}

fn described(report: &RunReport, topology: &Topology) -> String {
    let index = TopologyIndex::new(topology);
    let mut text = describe_groups(&report.diagnoses, &index);
    for missing in &report.missing {
        text.push_str(&format!("{:>12}  {missing}\n", "no verdict"));
    }
    if let Some(ordinary) = report.ordinary.filter(|ordinary| ordinary.measurements > 0) {
        text.push_str(&format!(
            "{:>12}  {}, up to {} above the base: queues that congestion control tolerates (--ordinary lists them)\n",
            "ordinary",
            count(ordinary.measurements, "slow round trip"),
            time(ordinary.longest_delay_ns)
        ));
    }
    if text.is_empty() {
        text = format!("{}: no slow flow was detected\n", report.scenario);
    }
    if let Some(traffic) = &report.traffic {
        text.push_str(&crate::traffic::describe(traffic));
    }
    text
}

/// Returns verdicts as text. Of several with the same root cause, the one with the highest confidence is described, and the
/// others are counted: dozens of victims of one incast are one incident. Verdicts that were verified are all described.
fn describe_groups(diagnoses: &[Diagnosis], index: &TopologyIndex<'_>) -> String {
    let groups = incidents(diagnoses);
    let alone = diagnoses.iter().filter(|diagnosis| is_ordinary(diagnosis));
    let mut blocks = Vec::new();
    for group in &groups {
        let is_verified = group.verdicts.iter().any(|verdict| verdict.verification.is_some());
        if is_verified {
            blocks.extend(group.verdicts.iter().map(|verdict| describe_diagnosis(verdict, index)));
        } else {
            blocks.push(describe_diagnosis(group.best, index) + &describe_others(group, index));
        }
    }
    blocks.extend(alone.map(|diagnosis| describe_diagnosis(diagnosis, index)));
    blocks.join("\n")
}

/// The verdicts of a group beside its best one, in one line; empty if there are none.
fn describe_others(group: &VerdictGroup<'_>, index: &TopologyIndex<'_>) -> String {
    let others: Vec<&Diagnosis> =
        group.verdicts.iter().copied().filter(|verdict| !std::ptr::eq(*verdict, group.best)).collect();
    let percent = |diagnosis: &&Diagnosis| (diagnosis.confidence * 100.0).round() as u64;
    let (Some(least), Some(most)) = (others.iter().map(percent).min(), others.iter().map(percent).max())
    else {
        return String::new();
    };
    let confidence = if least == most { format!("{most} %") } else { format!("{least} to {most} %") };
    let kind = |diagnosis: &Diagnosis| format!("{} ({})", name(&diagnosis.anomaly), name(&diagnosis.cause));
    let own = kind(group.best);
    let kinds: BTreeSet<String> =
        others.iter().map(|other| kind(other)).filter(|other| *other != own).collect();
    let kinds = match kinds.len() {
        0 => String::new(),
        _ => format!(", some as {}", join(&kinds.into_iter().collect::<Vec<_>>(), ", ")),
    };
    let victims: BTreeSet<FlowKey> = others.iter().filter_map(|other| other.victim).collect();
    let victims: Vec<FlowKey> = victims.into_iter().collect();
    let victims = listed(&victims, |flow| flow_name(index, *flow));
    let number = count(others.len() as u64, "more verdict");
    format!("{:>12}  {number} with this root cause{kinds}, confidence {confidence}: {victims}\n", "also")
}

/// Returns a ground truth in one line.
pub(crate) fn describe_truth(truth: &GroundTruth) -> String {
    let Some(anomaly) = &truth.anomaly else { return "no anomaly".to_string() };
    let cause = truth.cause.as_ref().map(|cause| format!(" ({})", name(cause))).unwrap_or_default();
    let when =
        truth.time_ns.map(|(from, to)| format!(", from {} to {}", time(from), time(to))).unwrap_or_default();
    format!("{}{cause}{}{when}", name(anomaly), describe_root(&truth.root_cause))
}

/// Returns a diagnosis without its evidence in one line.
pub(crate) fn describe_verdict(diagnosis: &Diagnosis) -> String {
    format!(
        "{} ({}){}, confidence {:.0} %{} at {}",
        name(&diagnosis.anomaly),
        name(&diagnosis.cause),
        describe_root(&diagnosis.root_cause),
        diagnosis.confidence * 100.0,
        diagnosis.victim.map(|victim| format!(", victim {victim}")).unwrap_or_default(),
        time(diagnosis.time_ns)
    )
}

fn describe_root(root: &RootCause) -> String {
    let parts = [
        ("at", root.port.iter().map(ToString::to_string).collect::<String>()),
        ("host", root.host.clone().unwrap_or_default()),
        ("flows", list(&root.flows)),
        ("configuration", list(&root.config)),
    ];
    parts
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(label, value)| format!(" {label} {value}"))
        .collect()
}

/// Returns a diagnosis as text, one line for each of its parts.
pub(crate) fn describe_diagnosis(diagnosis: &Diagnosis, index: &TopologyIndex<'_>) -> String {
    let flows = |flows: &[FlowKey]| listed(flows, |flow| flow_name(index, *flow));
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        if !value.is_empty() {
            text.push_str(&format!("{label:>12}  {value}\n"));
        }
    };
    line("verdict", diagnosis.summary.clone());
    line("victim", diagnosis.victim.map(|victim| flow_name(index, victim)).unwrap_or_default());
    line("anomaly", format!("{} ({})", name(&diagnosis.anomaly), name(&diagnosis.cause)));
    line("confidence", format!("{:.0} %", diagnosis.confidence * 100.0));
    line("severity", describe_severity(diagnosis));
    line("root port", diagnosis.root_cause.port.iter().map(ToString::to_string).collect());
    line("culprits", flows(&diagnosis.root_cause.flows));
    line("host", diagnosis.root_cause.host.clone().unwrap_or_default());
    line("pause path", join(&diagnosis.pause_path, " -> "));
    line("loop", join(&diagnosis.pause_loop, " -> "));
    line("spreaders", flows(&diagnosis.spreaders));
    line("victims", flows(&diagnosis.victims));
    for evidence in &diagnosis.evidence {
        line("evidence", describe_evidence(evidence));
    }
    for step in &diagnosis.steps {
        let role = if step.role == StepRole::Victim { "victim" } else { "culprits" };
        let delays =
            if step.holds_up == Some(true) { "; it delays all other transfers of the job" } else { "" };
        line("job", format!("{}: step {} of {} ({role}){delays}", step.job, step.step, step.steps));
    }
    if let Some(verification) = &diagnosis.verification {
        let verdict = if diagnosis.verified == Some(true) { "yes" } else { "no" };
        line("verified", format!("{verdict}: {}", verification.shown));
        line("without", join(&verification.without, "; "));
    }
    for note in &diagnosis.notes {
        line("note", note.clone());
    }
    for missing in diagnosis.missing.iter().take(MISSING_LINES) {
        line("missing", missing.clone());
    }
    if let more @ 1.. = diagnosis.missing.len().saturating_sub(MISSING_LINES) {
        line("missing", format!("{more} more; --json lists them"));
    }
    for advice in &diagnosis.advice {
        line("advice", advice.clone());
    }
    let collected = diagnosis.collected;
    let switches = count(collected.switches, "switch");
    let cost = match (collected.bytes, collected.polls) {
        // Counters are read without polling packets, and their size does not depend on the event.
        (0, 0) if collected.switches > 0 => format!("counters of {switches}"),
        (size, polls) => format!("{} from {switches}, {}", bytes(size), count(polls, "polling packet")),
    };
    line("collected", cost);
    text
}

/// The names of flows, at most [`LISTED_FLOWS`].
fn listed(flows: &[FlowKey], name: impl Fn(&FlowKey) -> String) -> String {
    let names: Vec<String> = flows.iter().take(LISTED_FLOWS).map(name).collect();
    match flows.len().saturating_sub(LISTED_FLOWS) {
        0 => names.join(", "),
        more => format!("{} and {more} more; --json lists them", names.join(", ")),
    }
}

/// The claim, after the port that it is about if it does not name that port itself.
fn describe_evidence(evidence: &Evidence) -> String {
    let claim = &evidence.claim;
    let names = |port: &str| {
        let mut after = claim.match_indices(port).map(|(at, _)| &claim[at + port.len()..]);
        after.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    match evidence.port.as_ref().map(ToString::to_string) {
        Some(port) if !names(&port) => format!("{port}: {claim}"),
        _ => claim.clone(),
    }
}

/// The severity with the cost, e.g. `major, costs 120.0 us (13 times its base RTT, 1.5 MB of its link); affects 2 flows; 7
/// packets lost`.
fn describe_severity(diagnosis: &Diagnosis) -> String {
    let cost = diagnosis.cost;
    let mut text = name(&diagnosis.severity);
    if cost.delay_ns > 0 {
        let factor =
            cost.slowdown().map_or(String::new(), |factor| format!("{} times its base RTT, ", times(factor)));
        let (delay, carried) = (time(cost.delay_ns), bytes(cost.bytes));
        text += &format!(
            ", costs {delay} ({factor}{carried} of its link); affects {}",
            count(cost.flows, "flow")
        );
        if cost.jobs > 0 {
            text += &format!(", {}", count(cost.jobs, "job"));
        }
    }
    if cost.lost_packets > 0 {
        text += &format!("; {} lost", count(cost.lost_packets, "packet"));
    }
    text
}

/// A factor with one decimal below ten.
fn times(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}

fn list<T: ToString>(items: &[T]) -> String {
    join(items, ", ")
}

fn join<T: ToString>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// Returns the JSON name of an enum value, e.g. `flow_contention`.
pub(crate) fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use model::{Anomaly, PortRef, Severity};

    use super::*;

    #[test]
    fn long_lists_of_flows_end_with_their_number() {
        let flow = |port| FlowKey::udp([10, 0, 0, 1].into(), port, [10, 0, 0, 2].into(), 4791);
        let flows: Vec<FlowKey> = (1..=14).map(flow).collect();
        let names = |flows: &[FlowKey]| listed(flows, |flow| flow.sport.to_string());
        assert_eq!(names(&flows[..2]), "1, 2");
        assert!(names(&flows).ends_with("11, 12 and 2 more; --json lists them"), "{}", names(&flows));
    }

    #[test]
    fn verdicts_with_one_root_cause_are_one_block() {
        let flow = |port| FlowKey::udp([10, 0, 0, 1].into(), port, [10, 0, 0, 2].into(), 4791);
        let verdict = |port: u16, root: &str, confidence: f64| {
            let mut verdict = Diagnosis::undetermined(flow(port));
            (verdict.summary, verdict.confidence) = (format!("summary of {port}"), confidence);
            (verdict.anomaly, verdict.severity) = (Anomaly::FlowContention, Severity::Minor);
            verdict.root_cause.port = Some(root.parse().expect("a port"));
            verdict
        };
        let mut diagnoses = vec![
            verdict(1, "sw1:1", 0.6),
            verdict(2, "sw1:1", 0.9),
            verdict(3, "sw2:1", 0.8),
            verdict(4, "sw1:1", 0.7),
        ];
        diagnoses[3].anomaly = Anomaly::SelfInflicted;
        let topology = Topology::default();
        let index = TopologyIndex::new(&topology);
        let text = describe_groups(&diagnoses, &index);
        let summaries: Vec<&str> = text.lines().filter(|line| line.contains("summary of")).collect();
        assert_eq!(summaries, ["     verdict  summary of 2", "     verdict  summary of 3"]);
        let also = "2 more verdicts with this root cause, some as self_inflicted (undetermined), confidence 60 to 70 %: ";
        assert!(text.contains(also), "{text}");
        let verification = serde_json::json!({"without": [], "shown": "", "window_ns": [0, 1], "rtt_before_ns": 1, "paused_before_ns": 0, "paused_after_ns": 0});
        diagnoses[0].verification = Some(serde_json::from_value(verification).expect("a verification"));
        assert_eq!(describe_groups(&diagnoses, &index).matches("summary of").count(), 4);
    }

    #[test]
    fn evidence_says_which_port_it_is_about() {
        let about = |claim: &str| {
            let port = Some(PortRef::new("sw1", 2));
            let claim = claim.to_string();
            describe_evidence(&Evidence {
                claim,
                template: None,
                switch: None,
                port,
                epoch: None,
                records: Vec::new(),
            })
        };
        assert_eq!(about("the port was paused"), "sw1:2: the port was paused");
        assert_eq!(about("sw1:2 was paused"), "sw1:2 was paused");
        assert_eq!(about("sw1:21 waits for it"), "sw1:2: sw1:21 waits for it");
    }
}
