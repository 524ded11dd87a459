//! Doubtful accusations: a verdict that would name flows and is not likely enough to be right names the port alone.
//!
//! The records of a busy port show which flows used it, and not which of them were ahead of one packet. Naming a dozen
//! flows at a confidence of a third convicts innocent ones and helps no operator, so the flows are listed as what the records
//! leave open.

use model::{Anomaly, Diagnosis, FlowKey};

use crate::facts::gap::Gap;
use crate::facts::wording::flow_names;
use crate::findings::contention::Contention;
use crate::findings::signatures::{Caveat, Finding};
use crate::graph::context::Context;
use crate::settings::Tuning;
use crate::thresholds as t;
use crate::verdict::confidence::{self, Features};

/// Number of flows that the text lists; more are counted.
const LISTED: usize = 3;

/// Returns how likely a verdict that accuses flows is right; absent for verdicts that accuse no flow, and for those whose
/// evidence is of another kind. Telemetry that is missing lowers the confidence, but does not make it less clear which
/// flows of a recorded queue were ahead.
pub(crate) fn probability(
    context: &Context<'_, '_>,
    finding: &Finding,
    verdict: &Diagnosis,
    features: &Features,
) -> Option<f64> {
    let settings = context.settings;
    let root = &verdict.root_cause;
    let names_flows = !root.flows.is_empty() && root.host.is_none();
    let is_uncertain = match verdict.anomaly {
        // The setting stays named unless only losses of these flows are attributed to it.
        Anomaly::FlowContention | Anomaly::PfcBackpressureFlowContention => {
            root.config.is_empty() || settings.applies("verdict.doubtful_beside_settings")
        }
        // The queue at which packets were discarded for lack of buffer.
        Anomaly::PacketLoss if root.config.is_empty() => settings.applies("verdict.doubtful_losses"),
        Anomaly::PacketLoss => settings.applies("verdict.doubtful_beside_settings"),
        Anomaly::ClassContention => settings.applies("verdict.doubtful_classes"),
        _ => false,
    };
    let applies = names_flows
        && is_uncertain
        && !features.is_unlike_fit
        && verdict.pause_loop.is_empty()
        && settings.applies("verdict.doubtful");
    applies.then(|| features.if_complete(confidence::kind(finding), verdict.cause))
}

/// Whether verdicts about one delay, each with the delay that its cause accounts for and its probability, are less likely
/// right than [`t::LEAST_TO_ACCUSE`]. They explain the delay together, so that they accuse together: culprits at one of two
/// queues would explain a part of it only.
pub(crate) fn are_doubtful(settings: &Tuning, verdicts: impl Iterator<Item = (f64, f64)>) -> bool {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (delay_ns, probability) in verdicts {
        let weight = delay_ns.max(1.0);
        sum += weight * probability;
        weights += weight;
    }
    weights > 0.0 && sum < weights * settings.value(&t::LEAST_TO_ACCUSE)
}

/// Returns the finding without culprits.
pub(crate) fn without_culprits(context: &Context<'_, '_>, finding: &Finding) -> Finding {
    let mut open = finding.clone();
    let Some(queue) = open.contention.take() else { return open };
    let is_loss = finding.anomaly == Anomaly::PacketLoss;
    let gap = Gap::of_switch(context.view.switch_of(queue.port).name, left_open(context, &queue, is_loss));
    open.caveats.push(Caveat::new(context.settings.value(&t::PORT_ONLY), gap));
    open
}

fn left_open(context: &Context<'_, '_>, queue: &Contention, is_loss: bool) -> String {
    let mut flows: Vec<(f64, FlowKey)> = queue.flows.iter().map(|part| (part.packets, part.flow)).collect();
    flows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let port = context.view.port_ref(queue.port);
    let largest: Vec<FlowKey> = flows.iter().take(LISTED).map(|(_, flow)| *flow).collect();
    format!(
        "does not record which of the {} flows in the queue of {port} {}; most packets are of {}",
        flows.len(),
        if is_loss { "filled its buffer" } else { "were ahead of the slow packet" },
        flow_names(context.view.index, &largest)
    )
}
