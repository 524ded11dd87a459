//! Stage 4: verdicts. A place where pauses end is a congested port or a host; a loop in which packets stay is a
//! deadlock; a drop in a lossless priority is an alarm.

mod confidence;
mod configuration;
mod deadlock;
mod first_of_loop;
mod flows;
mod host_cause;
mod loss;
mod place;
mod ring;
mod severity;
mod unread;

use model::diagnosis::CounterInterval;
use model::{Anomaly, Diagnosis};

use crate::case::Case;
use crate::interval::Span;

/// Returns the verdicts of a window, the gravest first.
pub(crate) fn verdicts(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut verdicts: Vec<Diagnosis> =
        case.loops.iter().map(|found| deadlock::verdict(case, found)).collect();
    for cluster in case.clusters {
        // The pauses of a deadlock end nowhere; its verdict names where they began.
        let is_deadlock = case.loops.iter().any(|found| {
            found.priority == cluster.priority && found.ports.iter().any(|port| cluster.paused.contains(port))
        });
        if !is_deadlock {
            verdicts.extend(place::verdicts(case, cluster));
        }
    }
    verdicts.extend(loss::verdicts(case));
    let mut verdicts = united(verdicts);
    for verdict in &mut verdicts {
        verdict.time_ns = case.window.span.to_ns;
        verdict.collected.switches = case.window.switches.len() as u64;
        let Span { from_ns, to_ns, .. } = case.window.span;
        verdict.counters = Some(CounterInterval { from_ns, to_ns, watcher: None });
        verdict.id = id(verdict, case.window.span);
    }
    order(&mut verdicts);
    verdicts
}

/// Sorts verdicts: the gravest first, then the most certain.
pub(crate) fn order(verdicts: &mut [Diagnosis]) {
    verdicts.sort_by(|a, b| {
        let grave = b.severity.cmp(&a.severity).then(b.confidence.total_cmp(&a.confidence));
        grave.then_with(|| a.time_ns.cmp(&b.time_ns)).then_with(|| a.id.cmp(&b.id))
    });
}

/// The switch that a verdict is about: that of its root port or, without one, of its first evidence.
fn switch_of(verdict: &Diagnosis) -> Option<&str> {
    let named = verdict.root_cause.port.as_ref().map(|port| port.switch.as_str());
    named.or_else(|| verdict.evidence.first()?.switch.as_deref())
}

/// Whether two verdicts are about the same root cause. A deadlock that began in its loop is one, although its later intervals do
/// not show where.
pub(crate) fn is_same(a: &Diagnosis, b: &Diagnosis) -> bool {
    let is_loop = a.anomaly == Anomaly::DeadlockInLoopContention && !a.pause_loop.is_empty();
    if is_loop && a.anomaly == b.anomaly && a.pause_loop == b.pause_loop {
        return true;
    }
    a.anomaly == b.anomaly
        && switch_of(a) == switch_of(b)
        && a.root_cause.port == b.root_cause.port
        && a.root_cause.host == b.root_cause.host
        && a.pause_loop == b.pause_loop
}

/// One verdict for the same root cause at several priorities: a host that pauses all of them has one problem.
fn united(verdicts: Vec<Diagnosis>) -> Vec<Diagnosis> {
    let mut united: Vec<Diagnosis> = Vec::new();
    for verdict in verdicts {
        match united.iter_mut().find(|known| is_same(known, &verdict)) {
            Some(known) => {
                let (mut best, other) = match verdict.confidence > known.confidence {
                    true => (verdict, std::mem::replace(known, Diagnosis::undetermined(None))),
                    false => (std::mem::replace(known, Diagnosis::undetermined(None)), verdict),
                };
                best.severity = best.severity.max(other.severity);
                for evidence in other.evidence {
                    if !best.evidence.iter().any(|known| known.claim == evidence.claim) {
                        best.evidence.push(evidence);
                    }
                }
                for line in other.missing {
                    if !best.missing.contains(&line) {
                        best.missing.push(line);
                    }
                }
                *known = best;
            }
            None => united.push(verdict),
        }
    }
    united
}

/// A name that the same readings give again, fit for URLs. Intervals that begin at the same reading have different ones: the
/// first round of a monitor has one interval, the second one that and the next.
fn id(verdict: &Diagnosis, span: Span) -> String {
    let place = verdict.root_cause.port.as_ref().map(ToString::to_string);
    let place = place.or_else(|| verdict.pause_loop.first().map(ToString::to_string)).unwrap_or_default();
    let anomaly = format!("{:?}", verdict.anomaly);
    let duration_ms = span.to_ns.saturating_sub(span.from_ns) / 1_000_000;
    let text = format!("counters-{}-{duration_ms}-{place}-{anomaly}", span.from_ns);
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}
