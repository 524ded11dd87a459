//! The report of an incident for people who were not there: what happened, why, what to do, and how to repeat the
//! analysis.

mod counterfactual;
mod document;
mod facts;
mod paths_figure;
mod pauses_figure;
mod words;

use model::diagnosis::Known;
use model::{Diagnosis, FlowKey, PortRef, Topology};
use store::{Incident, NewNote, Note, Occurrence};

use counterfactual::counterfactual;
use document::Block;
pub(crate) use document::Document;
use facts::facts;
use paths_figure::paths_figure;
use pauses_figure::pauses_figure;
use words::{duration, flow_name, name};

use crate::headline::Headline;
use crate::wall_clock::rfc3339;
use crate::what_if::WhatIf;

/// Occurrences in a report, the latest.
const OCCURRENCES: usize = 20;

/// What a report is made from.
pub(crate) struct Subject<'a> {
    pub incident: &'a Incident,
    /// The one that represents the incident.
    pub diagnosis: &'a Diagnosis,
    pub headline: &'a Headline,
    pub topology: Option<&'a Topology>,
    /// What people said about the incident, oldest first.
    pub notes: &'a [Note],
    /// The run without the root cause.
    pub what_if: &'a WhatIf,
}

/// Writes the report. `time` returns a switch time on the wall clock, or in seconds without one; the second argument is the
/// wall clock that is stored with it.
pub(crate) fn report(subject: &Subject, time: &dyn Fn(u64, u64) -> String) -> Document {
    let &Subject { incident, diagnosis, headline, topology, notes, what_if } = subject;
    let flow = |flow: &FlowKey| flow_name(topology, *flow);
    let mut blocks = vec![Block::Paragraph(diagnosis.summary.clone()), facts(incident, diagnosis, time)];
    let mut section = |heading: &str, content: Vec<Block>| {
        if !content.is_empty() {
            blocks.push(Block::Heading(heading.to_string()));
            blocks.extend(content);
        }
    };
    section("What to do", list(diagnosis.advice.clone()));
    section("Root cause", root_cause(diagnosis, &flow));
    section("Without the root cause", counterfactual(diagnosis, what_if));
    section("Pause path", ports(&diagnosis.pause_path));
    section("Loop", ports(&diagnosis.pause_loop));
    section("Pauses", pauses_figure(diagnosis).into_iter().collect());
    section("Paths", paths(diagnosis, topology, &flow));
    section("Affected flows", list(affected(incident, diagnosis, &flow)));
    section("Evidence", evidence(diagnosis));
    section("Missing data", list(diagnosis.missing.clone()));
    section("Limits of the verdict", list(diagnosis.notes.clone()));
    section("What was done", handled(notes));
    section("When", occurrences(&incident.occurrences, time));
    let id = &diagnosis.id;
    let repeat = format!(
        "curl -s \"$HARRIER_SERVER/api/v1/diagnoses/{id}/snapshot\" > event.json\n\
         curl -s \"$HARRIER_SERVER/api/v1/topology\" > topology.json\n\
         harrier analyze event.json --topology topology.json"
    );
    section("Repeat the analysis", vec![Block::Code(repeat)]);
    Document { title: format!("Incident {}: {}", incident.id, headline.with_place()), blocks }
}

fn root_cause(diagnosis: &Diagnosis, flow: &dyn Fn(&FlowKey) -> String) -> Vec<Block> {
    let root = &diagnosis.root_cause;
    let mut causes: Vec<String> =
        root.config.iter().map(|finding| format!("configuration: {finding}")).collect();
    causes.extend(root.host.iter().map(|host| format!("host {host}")));
    causes.extend(root.port.iter().map(|port| format!("port {port}")));
    // A setting is the culprit, not the flows that it lets delay others.
    let role = if root.config.is_empty() { "" } else { " (at the root port, no culprit)" };
    causes.extend(root.flows.iter().map(|culprit| format!("flow {}{role}", flow(culprit))));
    list(causes)
}

fn list(items: Vec<String>) -> Vec<Block> {
    if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
}

fn table(head: &[&str], rows: Vec<Vec<String>>) -> Vec<Block> {
    let head = head.iter().map(ToString::to_string).collect();
    if rows.is_empty() { Vec::new() } else { vec![Block::Table(head, rows)] }
}

fn ports(ports: &[PortRef]) -> Vec<Block> {
    let text: Vec<String> = ports.iter().map(ToString::to_string).collect();
    if text.is_empty() { Vec::new() } else { vec![Block::Paragraph(text.join(" → "))] }
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
    let how = if diagnosis.trigger().is_some() { "that was measured" } else { "that was asked about" };
    let measured = diagnosis.victim.iter().map(|victim| format!("{} (the victim {how})", flow(victim)));
    let mut affected: Vec<String> = measured.chain(others(incident, diagnosis).map(flow)).collect();
    let more = affected_count(incident, diagnosis) - affected.len() as u64;
    if more > 0 {
        affected.push(format!("and {more} more"));
    }
    affected
}

fn paths(
    diagnosis: &Diagnosis,
    topology: Option<&Topology>,
    flow: &dyn Fn(&FlowKey) -> String,
) -> Vec<Block> {
    let rows = diagnosis.paths.iter().map(|path| {
        let hops = path.hops.iter().map(|hop| match hop.known {
            Known::Recorded => hop.port.to_string(),
            Known::Derived => format!("{} (derived)", hop.port),
            Known::Assumed => format!("{} (assumed)", hop.port),
        });
        vec![name(&path.role), flow(&path.flow), hops.collect::<Vec<_>>().join(" → ")]
    });
    let mut blocks: Vec<Block> = paths_figure(diagnosis, topology).into_iter().collect();
    blocks.extend(table(&["role", "flow", "egress ports"], rows.collect()));
    blocks
}

fn evidence(diagnosis: &Diagnosis) -> Vec<Block> {
    let rows = diagnosis.evidence.iter().enumerate().map(|(at, claim)| {
        let place = claim.port.as_ref().map(ToString::to_string).or_else(|| claim.switch.clone());
        vec![
            (at + 1).to_string(),
            claim.claim.clone(),
            place.unwrap_or_default(),
            claim.records.len().to_string(),
        ]
    });
    table(&["number", "claim", "place", "records"], rows.collect())
}

fn occurrences(all: &[Occurrence], time: &dyn Fn(u64, u64) -> String) -> Vec<Block> {
    let latest = &all[all.len().saturating_sub(OCCURRENCES)..];
    let rows = latest.iter().map(|each| {
        let lasted =
            each.end_ns.map_or("lasts".into(), |end_ns| duration(end_ns.saturating_sub(each.start_ns)));
        vec![time(each.start_ns, each.start_wall_ns), lasted]
    });
    table(&["began", "lasted"], rows.collect())
}

/// What people did and said.
fn handled(notes: &[Note]) -> Vec<Block> {
    let rows = notes.iter().map(|Note { wall_ns, note, .. }| {
        let NewNote { author, handling, feedback, text, .. } = note;
        let done = [
            handling.map(|handling| name(&handling)),
            feedback.map(|feedback| format!("verdict {}", name(&feedback))),
        ];
        let done: Vec<String> = done.into_iter().flatten().collect();
        vec![rfc3339(*wall_ns), author.clone(), done.join(", "), text.clone()]
    });
    table(&["time", "by", "set to", "note"], rows.collect())
}
