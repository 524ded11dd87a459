//! The report of an incident for people who were not there: what happened, why, what to do, and how to repeat the
//! analysis.

mod document;

use model::diagnosis::Known;
use model::{Diagnosis, FlowKey, PortRef, Topology, TriggerReason};
use serde::Serialize;
use store::{Incident, Occurrence};

use document::Block;
pub(crate) use document::Document;

use crate::headline::Headline;

/// Occurrences in a report, the latest.
const OCCURRENCES: usize = 20;

/// Writes the report. `time` returns a switch time on the wall clock, or in seconds without one.
pub(crate) fn report(
    incident: &Incident,
    diagnosis: &Diagnosis,
    headline: &Headline,
    topology: Option<&Topology>,
    time: &dyn Fn(u64, u64) -> String,
) -> Document {
    let flow = |flow: &FlowKey| flow_name(topology, *flow);
    let flows = |all: &[FlowKey]| all.iter().map(flow).collect::<Vec<_>>();
    let mut blocks = vec![Block::Paragraph(diagnosis.summary.clone()), facts(incident, diagnosis, time)];
    let mut section = |heading: &str, block: Option<Block>| {
        if let Some(block) = block {
            blocks.extend([Block::Heading(heading.to_string()), block]);
        }
    };
    section("What to do", list(diagnosis.advice.clone()));
    let root = &diagnosis.root_cause;
    let mut causes: Vec<String> =
        root.config.iter().map(|finding| format!("configuration: {finding}")).collect();
    causes.extend(root.host.iter().map(|host| format!("host {host}")));
    causes.extend(root.port.iter().map(|port| format!("port {port}")));
    // A setting is the culprit, not the flows that it lets delay others.
    let role = if root.config.is_empty() { "" } else { " (at the root port, no culprit)" };
    causes.extend(flows(&root.flows).into_iter().map(|flow| format!("flow {flow}{role}")));
    section("Root cause", list(causes));
    section("Pause path", ports(&diagnosis.pause_path));
    section("Loop", ports(&diagnosis.pause_loop));
    section("Affected flows", list(affected(incident, diagnosis, &flow)));
    section("Paths", paths(diagnosis, &flow));
    section("Evidence", evidence(diagnosis));
    section("Missing data", list(diagnosis.missing.clone()));
    section("Notes", list(diagnosis.notes.clone()));
    section("When", occurrences(&incident.occurrences, time));
    let id = &diagnosis.id;
    let repeat = format!(
        "curl -s \"$HARRIER_SERVER/api/v1/diagnoses/{id}/snapshot\" > event.json\n\
         curl -s \"$HARRIER_SERVER/api/v1/topology\" > topology.json\n\
         harrier analyze event.json --topology topology.json"
    );
    section("Repeat the analysis", Some(Block::Code(repeat)));
    Document { title: format!("Incident {}: {}", incident.id, headline.with_place()), blocks }
}

fn facts(incident: &Incident, diagnosis: &Diagnosis, time: &dyn Fn(u64, u64) -> String) -> Block {
    let ended = match incident.end_ns {
        Some(end_ns) => time(end_ns, incident.update_wall_ns),
        None => "it lasts".to_string(),
    };
    let cost = &diagnosis.cost;
    let rows = [
        ("anomaly", name(&incident.anomaly)),
        ("cause", name(&incident.cause)),
        ("severity", name(&incident.severity)),
        ("confidence", format!("{:.0} %", incident.confidence * 100.0)),
        ("began", time(incident.start_ns, incident.start_wall_ns)),
        ("ended", ended),
        ("occurrences", incident.recurrences.to_string()),
        ("diagnoses", incident.count.to_string()),
        (delayed(diagnosis), duration(cost.delay_ns)),
        (
            "slow-down of the victim",
            slowdown(diagnosis).map_or("not measured".into(), |factor| format!("{factor:.1} times")),
        ),
        ("lost packets", cost.lost_packets.to_string()),
        ("affected flows", affected_count(incident, diagnosis).to_string()),
        ("affected collective operations", cost.jobs.to_string()),
    ];
    let rows = rows.into_iter().map(|(what, value)| vec![what.to_string(), value]).collect();
    Block::Table(vec!["fact".into(), "value".into()], rows)
}

/// What the delay is above, by what the agent measured.
fn delayed(diagnosis: &Diagnosis) -> &'static str {
    match diagnosis.trigger().map(|trigger| trigger.reason) {
        Some(TriggerReason::SlowOperation) => "delay of the victim's operations above the expected time",
        Some(TriggerReason::SlowJob) => "delay of the job's iterations above the expected time",
        Some(TriggerReason::SlowRtt | TriggerReason::Silence) | None => {
            "delay of the victim above its base round trip"
        }
    }
}

/// How many times as long as it should it took. An operation is never compared with a round trip.
fn slowdown(diagnosis: &Diagnosis) -> Option<f64> {
    match diagnosis.trigger().filter(|trigger| trigger.reason.is_about_operation()) {
        Some(trigger) => trigger.expected_ns.and(trigger.slowdown()),
        None => diagnosis.cost.slowdown(),
    }
}

fn list(items: Vec<String>) -> Option<Block> {
    (!items.is_empty()).then_some(Block::List(items))
}

fn ports(ports: &[PortRef]) -> Option<Block> {
    let text: Vec<String> = ports.iter().map(ToString::to_string).collect();
    (!ports.is_empty()).then(|| Block::Paragraph(text.join(" → ")))
}

/// The victims that are listed but the measured one.
fn others<'i>(incident: &'i Incident, diagnosis: &Diagnosis) -> impl Iterator<Item = &'i FlowKey> {
    let measured = diagnosis.victim;
    incident.victims.iter().filter(move |victim| Some(**victim) != measured)
}

/// The victims of the incident, and the measured one also if it is a culprit itself.
fn affected_count(incident: &Incident, diagnosis: &Diagnosis) -> u64 {
    let root = &diagnosis.root_cause;
    let is_culprit =
        diagnosis.victim.is_some_and(|victim| root.flows.contains(&victim)) && root.config.is_empty();
    let listed = diagnosis.victim.iter().count() + others(incident, diagnosis).count();
    (incident.victim_count + u64::from(is_culprit)).max(listed as u64)
}

fn affected(incident: &Incident, diagnosis: &Diagnosis, flow: &dyn Fn(&FlowKey) -> String) -> Vec<String> {
    let measured =
        diagnosis.victim.iter().map(|victim| format!("{} (the victim that was measured)", flow(victim)));
    let mut affected: Vec<String> = measured.chain(others(incident, diagnosis).map(flow)).collect();
    let more = affected_count(incident, diagnosis) - affected.len() as u64;
    if more > 0 {
        affected.push(format!("and {more} more"));
    }
    affected
}

fn paths(diagnosis: &Diagnosis, flow: &dyn Fn(&FlowKey) -> String) -> Option<Block> {
    let rows = diagnosis.paths.iter().map(|path| {
        let hops = path.hops.iter().map(|hop| match hop.known {
            Known::Recorded => hop.port.to_string(),
            Known::Derived => format!("{} (derived)", hop.port),
            Known::Assumed => format!("{} (assumed)", hop.port),
        });
        vec![name(&path.role), flow(&path.flow), hops.collect::<Vec<_>>().join(" → ")]
    });
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then(|| Block::Table(vec!["role".into(), "flow".into(), "egress ports".into()], rows))
}

fn evidence(diagnosis: &Diagnosis) -> Option<Block> {
    let rows = diagnosis.evidence.iter().enumerate().map(|(at, claim)| {
        let place = claim.port.as_ref().map(ToString::to_string).or_else(|| claim.switch.clone());
        vec![
            (at + 1).to_string(),
            claim.claim.clone(),
            place.unwrap_or_default(),
            claim.records.len().to_string(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let head = ["", "claim", "place", "records"].map(String::from).to_vec();
    (!rows.is_empty()).then_some(Block::Table(head, rows))
}

fn occurrences(all: &[Occurrence], time: &dyn Fn(u64, u64) -> String) -> Option<Block> {
    let latest = &all[all.len().saturating_sub(OCCURRENCES)..];
    let rows: Vec<_> = latest
        .iter()
        .map(|each| {
            let lasted =
                each.end_ns.map_or("lasts".into(), |end_ns| duration(end_ns.saturating_sub(each.start_ns)));
            vec![time(each.start_ns, each.start_wall_ns), lasted]
        })
        .collect();
    (!rows.is_empty()).then(|| Block::Table(vec!["began".into(), "lasted".into()], rows))
}

/// A flow with the names of its hosts, if the topology has them.
fn flow_name(topology: Option<&Topology>, flow: FlowKey) -> String {
    let host = |address| {
        let nodes = topology.map_or(&[][..], |topology| topology.nodes.as_slice());
        nodes.iter().find(|node| node.addresses.contains(&address)).map(|node| node.name.as_str())
    };
    match (host(flow.src), host(flow.dst)) {
        (Some(src), Some(dst)) => format!("{src} → {dst} ({flow})"),
        _ => flow.to_string(),
    }
}

fn duration(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.1} s", ns as f64 / 1e9),
    }
}

/// The name of a value of an enumeration, as in JSON.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::diagnosis::{Evidence, Record};
    use model::{Cost, Trigger};

    /// What the agent measured took 60 us, and the base round trip is 10 us.
    #[track_caller]
    fn check(reason: TriggerReason, expected_ns: Option<u64>, what: &str, factor: Option<f64>) {
        let flow = "10.0.0.1:1>10.0.0.2:4791/udp".parse().unwrap();
        let trigger = Trigger {
            host: "h1".to_string(),
            flow,
            time_ns: 90_000,
            reason,
            base_rtt_ns: 10_000,
            rtt_ns: 60_000,
            expected_ns,
            follows: None,
        };
        let cost =
            Cost { delay_ns: trigger.excess_ns(), base_rtt_ns: trigger.base_rtt_ns, ..Cost::default() };
        let records = vec![Record::Trigger(trigger)];
        let evidence = vec![Evidence {
            claim: String::new(),
            template: None,
            switch: None,
            port: None,
            epoch: None,
            records,
        }];
        let diagnosis = Diagnosis { cost, evidence, ..Diagnosis::undetermined(flow) };
        assert_eq!((delayed(&diagnosis), slowdown(&diagnosis)), (what, factor));
    }

    #[test]
    fn a_delay_is_above_what_was_expected() {
        check(TriggerReason::SlowRtt, None, "delay of the victim above its base round trip", Some(6.0));
        let of_operations = "delay of the victim's operations above the expected time";
        check(TriggerReason::SlowOperation, Some(20_000), of_operations, Some(3.0));
        check(TriggerReason::SlowOperation, None, of_operations, None);
        let of_job = "delay of the job's iterations above the expected time";
        check(TriggerReason::SlowJob, Some(40_000), of_job, Some(1.5));
    }
}
