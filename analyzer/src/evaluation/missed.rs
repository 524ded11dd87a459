//! What is known of what was missed: whether the answer said that it lacks something, and whether anybody could have known.
//!
//! A switch that does not answer takes its records with it. What counts then is that nobody is misled.

use model::{Diagnosis, GroundTruth, Snapshot, Trigger};

use super::score::{AFTERMATH_NS, names_event};

/// A verdict up to this confidence says itself that it is a guess.
const UNSURE: f64 = 0.5;

/// Of what happened and was not named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// A victim was asked about in its time, each such answer names what the collection lacks, and none is more certain
    /// than not.
    pub said_missing: u64,
    /// No collection holds the switch that it began at.
    pub root_uncollected: u64,
}

/// Judges what `diagnoses`, all that holds of the `answers` to a run's snapshots, do not name.
pub fn missed(
    answers: &[(&Snapshot, Vec<Diagnosis>)],
    diagnoses: &[Diagnosis],
    truth: &GroundTruth,
) -> Missed {
    let mut missed = Missed::default();
    let truths = std::iter::once(truth).chain(&truth.others).filter(|t| t.anomaly.is_some());
    for truth in truths.filter(|truth| !diagnoses.iter().any(|d| names_event(d, truth))) {
        let mut about = answers
            .iter()
            .filter(|(snapshot, _)| snapshot.trigger.as_ref().is_some_and(|t| is_about(t, truth)))
            .peekable();
        let is_unsure = |(snapshot, verdicts): &(&Snapshot, Vec<Diagnosis>)| {
            !snapshot.missing.is_empty() && verdicts.iter().all(|d| d.confidence <= UNSURE)
        };
        missed.said_missing += u64::from(about.peek().is_some() && about.all(is_unsure));
        let root = truth.root_cause.port.as_ref();
        let is_held = |switch: &str| answers.iter().any(|(snapshot, _)| snapshot.switch(switch).is_some());
        missed.root_uncollected += u64::from(root.is_some_and(|port| !is_held(&port.switch)));
    }
    missed
}

/// Whether a question is about a victim of what happened, at one of the times at which it did.
fn is_about(trigger: &Trigger, truth: &GroundTruth) -> bool {
    std::iter::once(truth).chain(&truth.again).any(|t| {
        t.victims.contains(&trigger.flow)
            && t.time_ns.is_none_or(|(from, to)| {
                from <= trigger.time_ns && trigger.time_ns <= to.saturating_add(AFTERMATH_NS)
            })
    })
}
