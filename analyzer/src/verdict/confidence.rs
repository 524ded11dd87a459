//! Confidence: the probability that a verdict is right.
//!
//! Caveats alone state how complete the records are, not how often such a verdict holds: a queue of thirty flows in a
//! busy network has complete records, and they do not show which of the thirty were ahead of one packet. So the
//! product of the caveats is one of several features of a logistic model that was fitted to verdicts whose truth is
//! known (docs/evaluation/calibration.md).

use model::diagnosis::RootCause;
use model::snapshot::Source;
use model::{Anomaly, Cause, FlowKey};
use serde::{Deserialize, Serialize};

use crate::facts::span::Span;
use crate::findings::accounting;
use crate::findings::contention::Contention;
use crate::findings::signatures::Finding;
use crate::graph::context::Context;
use crate::thresholds as t;

/// Returns the product of the caveats: how complete and how clear the records are, 0 to 1.
pub(crate) fn of_records(context: &Context<'_, '_>, finding: &Finding) -> f64 {
    let mut confidence = context.settings.value(&t::BEST);
    for caveat in &finding.caveats {
        confidence *= caveat.factor;
    }
    if context.view.source() == Source::HawkeyeNs3 {
        confidence *= context.settings.value(&t::INGRESS_DEPTHS);
    } else if !context.view.missing().is_empty() {
        confidence *= context.settings.value(&t::INCOMPLETE);
    }
    if context.victim.is_some_and(|victim| !is_recorded(context, victim)) {
        confidence *= context.settings.value(&t::VICTIM_UNSEEN);
    }
    if let Some(c) = &finding.contention {
        if !c.history {
            confidence *= context.settings.value(&t::WITHOUT_HISTORY);
        }
        if !c.changed && !c.self_made {
            confidence *= context.settings.value(&t::UNCHANGED);
        }
        if c.unaccounted > context.settings.value(&t::UNACCOUNTED_SHARE) {
            confidence *= 1.0 - context.settings.value(&t::UNACCOUNTED_PENALTY) * c.unaccounted;
        }
        let weakest = c.contributors().map(|p| p.excess).fold(f64::INFINITY, f64::min);
        let next = c.flows.iter().filter(|p| !p.contributes && context.victim != Some(p.flow));
        let strongest = next.map(|p| p.excess).fold(0.0, f64::max);
        if weakest.is_finite() && strongest > weakest * context.settings.value(&t::CLOSE_SHARE) {
            confidence *= context.settings.value(&t::CLOSE_CALL);
        }
    }
    confidence
}

fn is_recorded(context: &Context<'_, '_>, flow: FlowKey) -> bool {
    context.view.is_recorded(flow)
}

/// What the confidence of a verdict depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// The product of the caveats, 0 to 1.
    pub caveats: f64,
    /// Number of accused flows, hosts and settings.
    pub accused: f64,
    /// The share of the accused flows in the packets of the root queue, 0 to 1.
    pub named_share: f64,
    /// Number of flows in the root queue.
    pub flows: f64,
    /// The packets of the largest flow that is not accused, relative to those of the smallest accused one, 0 to 1.
    pub close: f64,
    /// The length of the queue episode relative to the records of the accused flows, 0 to 1: how well the records
    /// resolve it.
    pub resolution: f64,
    /// The share of the delay that the queues and pauses of the path can have caused, at most 2.
    pub explained: f64,
    /// The delay in base round trips.
    pub delay_rtts: f64,
    /// The share of the delay that the verdict is about, 0 to 1.
    pub share: f64,
    /// 1 if the ACKs of the victim are delayed, 0 if its packets are.
    pub reverse: f64,
    /// Whether telemetry is missing: the model was fitted to complete snapshots.
    #[serde(skip)]
    pub is_incomplete: bool,
    /// Whether another port of the path can account for the delay as well: the model does not have this input.
    #[serde(skip)]
    pub has_rival: bool,
    /// Whether the model does not apply: no agent measured a delay, or the records have no times.
    #[serde(skip)]
    pub is_unlike_fit: bool,
}

/// Number of inputs of the model.
const INPUTS: usize = 26;

/// The fitted weights, in the order of [`Features::inputs`]: `scripts/calibrate.py` prints them.
const WEIGHTS: [f64; INPUTS] = [
    -0.775, 0.347, -0.273, 2.382, -0.619, 0.029, -0.520, 0.448, -0.157, 1.003, -0.537, -0.001, -0.485, 0.191,
    0.587, -0.998, -0.065, -0.065, -1.074, -1.448, -0.367, 0.107, -0.098, 1.922, -1.173, -0.928,
];

/// No verdict is certain, however well the model fits.
const LIMITS: (f64, f64) = (0.02, 0.98);

impl Features {
    /// Returns the confidence of a verdict with these features: the share of such verdicts that were right.
    pub(crate) fn confidence(&self, anomaly: Anomaly, cause: Cause) -> f64 {
        // Verdicts that claim nothing cannot be wrong.
        if self.is_unlike_fit || anomaly == Anomaly::Undetermined {
            return self.caveats;
        }
        let fitted = self.fitted(anomaly, cause);
        if self.is_incomplete || self.has_rival { fitted.min(self.caveats) } else { fitted }
    }

    /// Returns the confidence that the verdict would have with complete telemetry.
    pub(crate) fn if_complete(&self, anomaly: Anomaly, cause: Cause) -> f64 {
        let caveats = if self.is_incomplete { LIMITS.1 } else { self.caveats };
        Features { caveats, is_incomplete: false, ..*self }.confidence(anomaly, cause)
    }

    /// Returns the share of verdicts with these features that were right in the fit.
    fn fitted(&self, anomaly: Anomaly, cause: Cause) -> f64 {
        let sum: f64 =
            self.inputs(anomaly, cause).iter().zip(WEIGHTS).map(|(input, weight)| input * weight).sum();
        (1.0 / (1.0 + (-sum).exp())).clamp(LIMITS.0, LIMITS.1)
    }

    /// Returns the inputs of the model.
    fn inputs(&self, anomaly: Anomaly, cause: Cause) -> [f64; INPUTS] {
        let caveats = self.caveats.clamp(0.01, 0.99);
        let is = |kinds: &[Anomaly]| f64::from(u8::from(kinds.contains(&anomaly)));
        let gives = |kind: Cause| f64::from(u8::from(cause == kind));
        [
            1.0,
            (caveats / (1.0 - caveats)).ln(),
            self.accused.max(1.0).ln(),
            self.named_share,
            self.flows.ln_1p(),
            self.close,
            self.resolution,
            self.explained,
            self.delay_rtts.ln_1p(),
            self.share,
            self.reverse,
            is(&[Anomaly::FlowContention]),
            is(&[Anomaly::PfcBackpressureFlowContention]),
            is(&[Anomaly::PfcStormHostInjection]),
            is(&[Anomaly::SelfInflicted]),
            is(&[Anomaly::PacketLoss]),
            is(&[Anomaly::PathChange]),
            is(&[Anomaly::ClassContention]),
            is(&[Anomaly::HostOnly]),
            is(&[Anomaly::DeadlockInLoopContention, Anomaly::DeadlockOutOfLoopContention]),
            gives(Cause::Misconfiguration),
            gives(Cause::Incast),
            gives(Cause::ElephantCollision),
            gives(Cause::EcmpImbalance),
            gives(Cause::CollectiveStep),
            gives(Cause::SlowReceiver),
        ]
    }

    /// Returns the features of a verdict.
    pub(crate) fn of(
        context: &Context<'_, '_>,
        finding: &Finding,
        root: &RootCause,
        caveats: f64,
    ) -> Features {
        let queue = finding.contention.as_ref();
        let accused = root.flows.len() + usize::from(root.host.is_some()) + root.config.len();
        let is_queue =
            matches!(finding.anomaly, Anomaly::FlowContention | Anomaly::PfcBackpressureFlowContention);
        let delay_rtts = context
            .trigger
            .map_or(0.0, |trigger| trigger.excess_ns() as f64 / trigger.base_rtt_ns.max(1) as f64);
        Features {
            caveats,
            accused: accused as f64,
            named_share: queue.map_or(1.0, |queue| named_share(queue, root)),
            flows: queue.map_or(0.0, |queue| queue.flows.len() as f64),
            close: queue.map_or(0.0, |queue| close(queue, root)),
            resolution: queue.map_or(1.0, |queue| resolution(context, queue, root)),
            explained: accounting::explained_share(context).unwrap_or(1.0).min(2.0),
            delay_rtts,
            share: 1.0,
            reverse: f64::from(u8::from(context.is_reverse_path)),
            is_incomplete: is_incomplete(context, queue),
            has_rival: has_rival(context, finding),
            // A queue that no flow is accused of was not in the fit either: the judge grades accusations.
            is_unlike_fit: context.trigger.is_none()
                || context.view.source() == Source::HawkeyeNs3
                || is_queue && accused == 0,
        }
    }
}

fn has_rival(context: &Context<'_, '_>, finding: &Finding) -> bool {
    let is_event = matches!(finding.anomaly, Anomaly::PathChange | Anomaly::PacketLoss);
    let root = finding.root.as_ref().filter(|_| is_event && finding.contention.is_none());
    root.is_some_and(|root| accounting::rival(context, root).is_some())
}

/// Returns the kind of verdict whose record of success applies: discards for lack of buffer accuse flows as the queue does
/// that filled it.
pub(crate) fn kind(finding: &Finding) -> Anomaly {
    match (finding.anomaly, &finding.contention) {
        (Anomaly::PacketLoss, Some(_)) => Anomaly::FlowContention,
        (anomaly, _) => anomaly,
    }
}

/// Whether a switch of the path, a part of the snapshot, the victim or flows of the root queue have no records.
fn is_incomplete(context: &Context<'_, '_>, queue: Option<&Contention>) -> bool {
    let is_lost = |queue: &Contention| queue.unaccounted > context.settings.value(&t::UNACCOUNTED_SHARE);
    context.path.reported < context.path.switches
        || !context.path.missing.is_empty()
        || !context.view.missing().is_empty()
        || context.victim.is_some_and(|victim| !is_recorded(context, victim))
        || queue.is_some_and(is_lost)
}

fn named_share(queue: &Contention, root: &RootCause) -> f64 {
    let all: f64 = queue.flows.iter().map(|part| part.packets).sum();
    let named = queue.flows.iter().filter(|part| root.flows.contains(&part.flow));
    if all > 0.0 { named.map(|part| part.packets).sum::<f64>() / all } else { 1.0 }
}

fn close(queue: &Contention, root: &RootCause) -> f64 {
    let is_named = |flow| root.flows.contains(flow);
    let named = queue.flows.iter().filter(|part| is_named(&part.flow)).map(|part| part.packets);
    let others = queue.flows.iter().filter(|part| !is_named(&part.flow)).map(|part| part.packets);
    let (smallest, largest) = (named.fold(f64::INFINITY, f64::min), others.fold(0.0, f64::max));
    if smallest.is_finite() && smallest > 0.0 { (largest / smallest).min(1.0) } else { 0.0 }
}

fn resolution(context: &Context<'_, '_>, queue: &Contention, root: &RootCause) -> f64 {
    let Some(when) = queue.when else { return 0.0 };
    let mut lengths: Vec<f64> = Vec::new();
    for record in context.view.flows(queue.port) {
        let Some((from, to)) = record.seen_ns else { continue };
        let span = Span::new(from, to);
        if root.flows.contains(&record.flow) && span.overlaps(when) {
            lengths.push(span.length_ns());
        }
    }
    let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    if mean > 0.0 { (when.length_ns() / mean).min(1.0) } else { 1.0 }
}
