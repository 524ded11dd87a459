//! The selected incident as lines: label and text.

use super::answers::Incident;
use super::state::State;
use super::words::{duration, flow, seconds_since, wrap};

/// Columns of a label and the space after it.
pub(crate) const LABEL: usize = 11;
/// Flows of one list that are shown one by one.
const FLOWS: usize = 50;

/// A line: a label or none, and a text that fits next to it.
pub(crate) type Row = (&'static str, String);

/// Returns everything about the selected incident, for its page.
pub(crate) fn lines(state: &State) -> Vec<Row> {
    let Some(incident) = state.selected() else { return Vec::new() };
    let mut rows = Rows::new(state);
    rows.add("verdict", &incident.summary);
    rows.add("severity", &severity(incident, state));
    rows.add("culprit", &culprit(incident, state));
    rows.flows("", incident.root_cause.flows.get(1..).unwrap_or_default(), 0);
    rows.add("place", &place(incident));
    rows.add("pause path", &incident.pause_path.join(" -> "));
    rows.add("loop", &incident.pause_loop.join(" -> "));
    let unlisted = incident.victim_count.saturating_sub(incident.victims.len() as u64);
    rows.flows("victims", &incident.victims, unlisted);
    match state.selected_verdict() {
        Some(verdict) => {
            verdict.advice.iter().for_each(|advice| rows.add("advice", advice));
            verdict.notes.iter().for_each(|note| rows.add("note", note));
            verdict.missing.iter().for_each(|missing| rows.add("missing", missing));
        }
        None => rows.add("advice", "is being read"),
    }
    rows.add("incident", &incident.id);
    rows.rows
}

/// Returns what to know about the selected incident at a glance, for the panel below the list.
pub(crate) fn summary(state: &State) -> Vec<Row> {
    let Some(incident) = state.selected() else { return Vec::new() };
    let mut rows = Rows::new(state);
    rows.line("culprit", &culprit(incident, state));
    rows.line("place", &place(incident));
    rows.line("victims", &victims(incident, state));
    rows.add("verdict", &incident.summary);
    let advice = match state.selected_verdict() {
        Some(verdict) => verdict.advice.first().map_or("none", String::as_str),
        None => "is being read",
    };
    rows.add("advice", advice);
    rows.rows
}

fn severity(incident: &Incident, state: &State) -> String {
    let mut parts = vec![format!("{}, confidence {:.0} %", incident.severity, incident.confidence * 100.0)];
    parts.extend(age_s(incident, state.now_s).map(|age_s| format!("for {}", duration(age_s))));
    if incident.recurrences > 1 {
        parts.push(format!("{} times so far", incident.recurrences));
    }
    if !incident.handling.is_empty() {
        parts.push(incident.handling.clone());
    }
    parts.join(", ")
}

/// Returns for how long the latest occurrence has lasted.
pub(crate) fn age_s(incident: &Incident, now_s: u64) -> Option<u64> {
    seconds_since(incident.occurrences.last()?.start_time.as_deref()?, now_s)
}

/// Returns how long ago an incident has ended.
pub(crate) fn ended_s(incident: &Incident, now_s: u64) -> Option<u64> {
    seconds_since(incident.end_time.as_deref()?, now_s)
}

fn culprit(incident: &Incident, state: &State) -> String {
    let root = &incident.root_cause;
    let host = root.host.iter().map(|host| format!("host {host}"));
    let config = root.config.iter().map(|finding| format!("configuration {finding}"));
    let first = root.flows.first().map(|first| match root.flows.len() {
        1 => flow(first, &state.hosts),
        count => format!("{count} flows, most from {}", flow(first, &state.hosts)),
    });
    let parts: Vec<String> = host.chain(config).chain(first).collect();
    if parts.is_empty() { "not known".to_owned() } else { parts.join("; ") }
}

fn place(incident: &Incident) -> String {
    let loops =
        (!incident.pause_loop.is_empty()).then(|| format!("loop {}", incident.pause_loop.join(" -> ")));
    incident.root_cause.port.clone().or(loops).unwrap_or_else(|| "not known".to_owned())
}

fn victims(incident: &Incident, state: &State) -> String {
    let Some(first) = incident.victims.first() else { return "none".to_owned() };
    match incident.victim_count {
        0 | 1 => flow(first, &state.hosts),
        count => format!("{count} flows, e.g. {}", flow(first, &state.hosts)),
    }
}

/// Collects lines of the terminal's width.
struct Rows<'s> {
    state: &'s State,
    width: usize,
    rows: Vec<Row>,
}

impl<'s> Rows<'s> {
    fn new(state: &'s State) -> Rows<'s> {
        let width = usize::from(state.size.0).saturating_sub(LABEL + 2);
        Rows { state, width, rows: Vec::new() }
    }

    /// Adds a text, in several lines if needed. An empty one is left out.
    fn add(&mut self, label: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        for (at, line) in wrap(text, self.width).into_iter().enumerate() {
            self.rows.push((if at == 0 { label } else { "" }, line));
        }
    }

    /// Adds a text in one line.
    fn line(&mut self, label: &'static str, text: &str) {
        self.rows.push((label, super::words::cut(text, self.width)));
    }

    fn flows(&mut self, label: &'static str, flows: &[String], unlisted: u64) {
        for (at, each) in flows.iter().take(FLOWS).enumerate() {
            let text = flow(each, &self.state.hosts);
            self.add(if at == 0 { label } else { "" }, &text);
        }
        let more = unlisted + flows.len().saturating_sub(FLOWS) as u64;
        if more > 0 {
            self.add("", &format!("and {more} more"));
        }
    }
}
