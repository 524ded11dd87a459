//! Records without times within an epoch, as in imported dumps: the epoch with the deepest queueing is the episode, and
//! the epochs before it show the previous rate of each flow.

use model::FlowKey;
use model::telemetry::FlowRecord;

use super::Queueing;
use super::entitlement::Activity;
use super::measurement::Measured;
use crate::facts::queue_episode::waited_share;
use crate::facts::span::Span;
use crate::facts::view::{PortIx, View};
use crate::settings::Tuning;

/// Measures the queueing at `port` by epoch. `None` if a record has times of its own, or if the source does not have
/// those of its epochs. `records` are ordered by flow.
pub(super) fn measure(
    view: &View<'_>,
    settings: &Tuning,
    port: PortIx,
    records: &[&FlowRecord],
) -> Option<Queueing> {
    let has_times = |r: &&FlowRecord| r.seen_ns.is_some() || r.queued_ns.is_some();
    if records.iter().any(has_times) {
        return None;
    }
    let switch = view.switch_of(port);
    let (episode, when) = deepest(records).and_then(|id| Some((id, view.epoch_span(switch, id)?)))?;
    let earlier = epochs_before(view, port, episode);
    let active_ns: f64 = earlier.iter().map(|(_, span)| span.length_ns()).sum();
    let mut flows = Vec::new();
    let mut excess = Vec::new();
    for of_flow in records.chunk_by(|a, b| a.flow == b.flow) {
        let in_episode: Vec<&FlowRecord> = of_flow.iter().copied().filter(|r| r.epoch == episode).collect();
        let Some(m) = measured(&in_episode, when) else { continue };
        let before = of_flow.iter().filter(|r| earlier.iter().any(|(id, _)| *id == r.epoch));
        let before: f64 = before.map(|r| r.packets as f64).sum();
        let is_new = before == 0.0;
        let activity = Activity {
            before,
            inside: m.inside,
            active_ns: if is_new { 0.0 } else { active_ns },
            episode_ns: when.length_ns(),
            held_ns: 0.0,
            recorded: m.recorded,
            recorded_ns: when.length_ns(),
        };
        excess.push(activity.excess(settings));
        flows.push(m);
    }
    let history = active_ns >= settings.established_ns as f64;
    (!flows.is_empty()).then_some(Queueing { when: Some(when), flows, excess, history })
}

/// Returns the epoch in which unpaused packets met the deepest queue: the sum of depths over all of them counts, so that
/// a few packets of a short epoch decide nothing. Of equal ones it is the earliest.
fn deepest(records: &[&FlowRecord]) -> Option<u64> {
    let mut ids: Vec<u64> = records.iter().filter(|r| waited_share(r) > 0.0).map(|r| r.epoch).collect();
    ids.sort_unstable();
    ids.dedup();
    let depth = |id: u64| -> f64 {
        let of_epoch = records.iter().filter(|r| r.epoch == id);
        of_epoch.map(|r| r.depth_sum as f64).sum()
    };
    ids.into_iter().rev().max_by(|a, b| depth(*a).total_cmp(&depth(*b)))
}

/// Returns the epochs before `episode` in which the port has records.
fn epochs_before(view: &View<'_>, port: PortIx, episode: u64) -> Vec<(u64, Span)> {
    let switch = view.switch_of(port);
    let mut ids: Vec<u64> = view.flows(port).iter().map(|f| f.epoch).collect();
    ids.extend(view.slots(port).iter().map(|s| s.epoch));
    ids.retain(|id| *id < episode);
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().filter_map(|id| Some((id, view.epoch_span(switch, id)?))).collect()
}

/// Returns the unpaused packets of a flow in one epoch.
fn measured(records: &[&FlowRecord], when: Span) -> Option<Measured> {
    let flow: FlowKey = records.first()?.flow;
    let inside: f64 = records.iter().map(|r| r.packets as f64 * waited_share(r)).sum();
    // The paper's prototype adds the depth of unpaused packets only.
    let depth_sum = records.iter().map(|r| r.depth_sum as f64).sum();
    (inside > 0.0).then_some(Measured {
        flow,
        inside,
        before: 0.0,
        first_ns: None,
        span: Some(when),
        depth_sum,
        waited: inside,
        held: Vec::new(),
        recorded: inside,
        recorded_span: None,
    })
}
