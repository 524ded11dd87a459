//! Classifies missed events: whether the verdicts report missing data, and whether any collection has the root cause.
//!
//! The records of a switch that does not respond are lost. A miss is harmless if the verdicts report the missing data.

use model::{Diagnosis, GroundTruth, Snapshot, Trigger};

use super::score::{AFTERMATH_NS, names_event};

/// Maximum confidence of a verdict that counts as uncertain.
const UNSURE: f64 = 0.5;

/// Missed events by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// A victim's agent sent a polling packet in the event's time, every snapshot of it lacks data, and no verdict on
    /// it has more than 50 % confidence.
    pub said_missing: u64,
    /// No collection has the switch of the root port.
    pub root_uncollected: u64,
}

/// Classifies the events that `diagnoses` do not name. `polls` are all snapshots of a run with their verdicts, of which
/// `diagnoses` are the ones that were kept.
pub fn missed(polls: &[(&Snapshot, Vec<Diagnosis>)], diagnoses: &[Diagnosis], truth: &GroundTruth) -> Missed {
    let mut missed = Missed::default();
    let truths = std::iter::once(truth).chain(&truth.others).filter(|t| t.anomaly.is_some());
    for truth in truths.filter(|truth| !diagnoses.iter().any(|d| names_event(d, truth))) {
        let mut about = polls
            .iter()
            .filter(|(snapshot, _)| snapshot.trigger.as_ref().is_some_and(|t| is_about(t, truth)))
            .peekable();
        let is_unsure = |(snapshot, verdicts): &(&Snapshot, Vec<Diagnosis>)| {
            !snapshot.missing.is_empty() && verdicts.iter().all(|d| d.confidence <= UNSURE)
        };
        missed.said_missing += u64::from(about.peek().is_some() && about.all(is_unsure));
        let root = truth.root_cause.port.as_ref();
        let is_collected = |switch: &str| polls.iter().any(|(snapshot, _)| snapshot.switch(switch).is_some());
        missed.root_uncollected += u64::from(root.is_some_and(|port| !is_collected(&port.switch)));
    }
    missed
}

/// Whether a trigger is about a victim of an event, in one of the event's periods.
fn is_about(trigger: &Trigger, truth: &GroundTruth) -> bool {
    std::iter::once(truth).chain(&truth.again).any(|t| {
        t.victims.contains(&trigger.flow)
            && t.time_ns.is_none_or(|(from, to)| {
                from <= trigger.time_ns && trigger.time_ns <= to.saturating_add(AFTERMATH_NS)
            })
    })
}
