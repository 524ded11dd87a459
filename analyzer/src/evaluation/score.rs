//! Whether verdicts name what really happened.

use std::collections::BTreeSet;

use model::{Anomaly, Cause, Diagnosis, FlowKey, GroundTruth};

use crate::incident::incidents;

/// So long after it ended its queues may still drain: a verdict then is a verdict about it.
pub(super) const AFTERMATH_NS: u64 = 100_000;

/// What a run's verdicts are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Things that happened and were named.
    pub true_positive: u64,
    /// Incidents that were named and did not happen.
    pub false_positive: u64,
    /// Things that happened and were not named.
    pub false_negative: u64,
}

impl Score {
    /// Whether nothing was missed and nothing made up.
    pub fn is_perfect(&self) -> bool {
        self.false_positive == 0 && self.false_negative == 0
    }
}

/// The anomaly and the root cause are exactly the true ones: port, host, flows and configuration, and the name of the
/// cause where the truth has one. Flows with a small part may be named or not. The flow that is asked about is no answer to
/// who slows it down, so its own part does not count. Where others were to blame before the end, the blame is right that stood
/// when the question was asked or at any time after it.
pub fn names_truth(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let others = |flows: &[FlowKey]| {
        flows.iter().copied().filter(|flow| *flow != diagnosis.victim).collect::<BTreeSet<_>>()
    };
    let named = others(&diagnosis.root_cause.flows);
    let blames = |flows: &[FlowKey], minor: &[FlowKey]| {
        let culprits = others(flows);
        culprits.is_subset(&named) && named.iter().all(|flow| culprits.contains(flow) || minor.contains(flow))
    };
    let stood = truth.phases.iter().filter(|phase| diagnosis.time_ns <= phase.until_ns);
    let (found, real) = (&diagnosis.root_cause, &truth.root_cause);
    Some(diagnosis.anomaly) == truth.anomaly
        && found.port == real.port
        && found.host == real.host
        && (blames(&real.flows, &truth.minor)
            || stood.into_iter().any(|phase| blames(&phase.flows, &phase.minor)))
        && real.config.iter().cloned().collect::<BTreeSet<_>>() == diagnosis.blamed_settings()
        && truth.cause.is_none_or(|cause| cause == Cause::Undetermined || cause == diagnosis.cause)
}

/// Whether a verdict names what really happened, at one of the times at which it did.
pub fn names_event(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    names_truth(diagnosis, truth) || truth.again.iter().any(|again| names_truth(diagnosis, again))
}

/// Whether a verdict names anything that really happened in a run.
pub fn is_right(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let meant = std::iter::once(truth).chain(&truth.others).filter(|t| t.anomaly.is_some());
    meant.chain(&truth.beside).any(|t| names_event(diagnosis, t))
}

/// Whether a verdict speaks of a queue that nobody but the flow that was asked about made. Who slowed it down has no answer then:
/// whoever is named for it was only there.
fn is_own_doing(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let events = std::iter::once(truth).chain(&truth.others);
    let mut all = events.flat_map(|t| std::iter::once(t).chain(&t.again)).chain(&truth.beside);
    all.any(|t| {
        Some(diagnosis.anomaly) == t.anomaly
            && diagnosis.root_cause.port == t.root_cause.port
            && t.root_cause.flows == [diagnosis.victim]
            && t.time_ns.is_none_or(|(from, to)| from <= diagnosis.time_ns && diagnosis.time_ns <= to)
    })
}

/// Whether a verdict says who is to blame: a flow, a host, a setting, or, more certain than not, a port. That a flow is slow and the
/// fabric clean, or that the trail is lost at a switch that did not answer, blames nobody.
fn blames(diagnosis: &Diagnosis) -> bool {
    let root = &diagnosis.root_cause;
    let named = !root.flows.is_empty() || root.host.is_some() || !root.config.is_empty();
    diagnosis.anomaly != Anomaly::HostOnly && (named || root.port.is_some() && diagnosis.confidence > 0.5)
}

/// Judges the verdicts of one run. Verdicts about one incident count once, by the incident's best verdict; each truth
/// counts once, however many verdicts name it and however often it happened. A wrong verdict counts if it speaks of the time
/// of what happened; one that names something else that really held up the victim's packets is neither right nor wrong.
pub fn score(diagnoses: &[Diagnosis], truth: &GroundTruth) -> Score {
    let truths: Vec<&GroundTruth> =
        std::iter::once(truth).chain(&truth.others).filter(|t| t.anomaly.is_some()).collect();
    let mut score = Score::default();
    for truth in &truths {
        let named = diagnoses.iter().any(|d| names_event(d, truth));
        *(if named { &mut score.true_positive } else { &mut score.false_negative }) += 1;
    }
    // Of other times than that of what is known to have happened, nothing is known.
    let in_time = |d: &Diagnosis| {
        truths.is_empty()
            || truths.iter().flat_map(|t| std::iter::once(*t).chain(&t.again)).any(|t| {
                // Whoever did not suffer from it was asked about for another reason.
                t.victims.contains(&d.victim)
                    && t.time_ns.is_none_or(|(from, to)| {
                        from <= d.time_ns && d.time_ns <= to.saturating_add(AFTERMATH_NS)
                    })
            })
    };
    for incident in incidents(diagnoses) {
        let is_true = incident.verdicts.iter().any(|d| is_right(d, truth) || is_own_doing(d, truth));
        let is_judged = incident.verdicts.iter().any(|d| in_time(d));
        // What a verdict that blames nobody fails to name is counted as missed above.
        if !is_true && is_judged && blames(incident.best) {
            score.false_positive += 1;
        }
    }
    score
}
