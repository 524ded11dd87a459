//! Compares verdicts with ground truth.

use std::collections::BTreeSet;

use model::{Anomaly, Cause, Diagnosis, FlowKey, GroundTruth};

use crate::incident::incidents;

/// Queues may drain for this long after an event: a verdict in this time still refers to it.
pub(super) const AFTERMATH_NS: u64 = 100_000;

/// The score of a run's verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Events that were named.
    pub true_positive: u64,
    /// Incidents that were named and did not happen.
    pub false_positive: u64,
    /// Events that were not named.
    pub false_negative: u64,
}

impl Score {
    /// Whether all events were named and no other incident.
    pub fn is_perfect(&self) -> bool {
        self.false_positive == 0 && self.false_negative == 0
    }
}

/// Whether anomaly and root cause match exactly: port, host, flows and configuration, and the cause if the truth has
/// one. Flows with a minor contribution may be named or not. The victim's own contribution does not count. If the
/// culprits changed during the event, the set at the time of the trigger or any later set is right.
pub fn names_truth(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let others = |flows: &[FlowKey]| {
        flows.iter().copied().filter(|flow| *flow != diagnosis.victim).collect::<BTreeSet<_>>()
    };
    let named = others(&diagnosis.root_cause.flows);
    let names = |flows: &[FlowKey], minor: &[FlowKey]| {
        let culprits = others(flows);
        culprits.is_subset(&named) && named.iter().all(|flow| culprits.contains(flow) || minor.contains(flow))
    };
    let phases = truth.phases.iter().filter(|phase| diagnosis.time_ns <= phase.until_ns);
    let (found, real) = (&diagnosis.root_cause, &truth.root_cause);
    Some(diagnosis.anomaly) == truth.anomaly
        && found.port == real.port
        && found.host == real.host
        && (names(&real.flows, &truth.minor)
            || phases.into_iter().any(|phase| names(&phase.flows, &phase.minor)))
        && real.config.iter().cloned().collect::<BTreeSet<_>>() == diagnosis.blamed_settings()
        && truth.cause.is_none_or(|cause| cause == Cause::Undetermined || cause == diagnosis.cause)
}

/// Whether a verdict names an event or one of its recurrences.
pub fn names_event(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    names_truth(diagnosis, truth) || truth.again.iter().any(|again| names_truth(diagnosis, again))
}

/// Whether a verdict names any event of a run.
pub fn is_right(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let intended = std::iter::once(truth).chain(&truth.others).filter(|t| t.anomaly.is_some());
    intended.chain(&truth.beside).any(|t| names_event(diagnosis, t))
}

/// Whether a verdict is about a queue that only the victim built. That queue has no other culprit, so any named flow
/// is a bystander.
fn is_victims_own_queue(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let events = std::iter::once(truth).chain(&truth.others);
    let mut all = events.flat_map(|t| std::iter::once(t).chain(&t.again)).chain(&truth.beside);
    all.any(|t| {
        Some(diagnosis.anomaly) == t.anomaly
            && diagnosis.root_cause.port == t.root_cause.port
            && t.root_cause.flows == [diagnosis.victim]
            && t.time_ns.is_none_or(|(from, to)| from <= diagnosis.time_ns && diagnosis.time_ns <= to)
    })
}

/// Whether a verdict names a root cause: a flow, a host, a setting or, with more than 50 % confidence, a port.
/// `host_only` and a pause path that ends at a switch without telemetry name none.
fn names_root_cause(diagnosis: &Diagnosis) -> bool {
    let root = &diagnosis.root_cause;
    let named = !root.flows.is_empty() || root.host.is_some() || !root.config.is_empty();
    diagnosis.anomaly != Anomaly::HostOnly && (named || root.port.is_some() && diagnosis.confidence > 0.5)
}

/// Scores the verdicts of one run. Verdicts of one incident count once, by the incident's best verdict; each event
/// counts once, independently of the number of verdicts and recurrences. A wrong verdict counts if it is about the time
/// of an event; one that names another event that delayed the victim's packets is neither right nor wrong.
pub fn score(diagnoses: &[Diagnosis], truth: &GroundTruth) -> Score {
    let truths: Vec<&GroundTruth> =
        std::iter::once(truth).chain(&truth.others).filter(|t| t.anomaly.is_some()).collect();
    let mut score = Score::default();
    for truth in &truths {
        let named = diagnoses.iter().any(|d| names_event(d, truth));
        *(if named { &mut score.true_positive } else { &mut score.false_negative }) += 1;
    }
    // Ground truth covers only the times of the events.
    let in_time = |d: &Diagnosis| {
        truths.is_empty()
            || truths.iter().flat_map(|t| std::iter::once(*t).chain(&t.again)).any(|t| {
                // A flow that is not a victim of the event was triggered for another reason.
                t.victims.contains(&d.victim)
                    && t.time_ns.is_none_or(|(from, to)| {
                        from <= d.time_ns && d.time_ns <= to.saturating_add(AFTERMATH_NS)
                    })
            })
    };
    for incident in incidents(diagnoses) {
        let is_true = incident.verdicts.iter().any(|d| is_right(d, truth) || is_victims_own_queue(d, truth));
        let is_judged = incident.verdicts.iter().any(|d| in_time(d));
        // A verdict without a root cause is no false positive; its event is already counted as missed.
        if !is_true && is_judged && names_root_cause(incident.best) {
            score.false_positive += 1;
        }
    }
    score
}
