//! `flow_contention`: no pause explains the delay, and flows contend at a port of the victim's path; `self_inflicted`
//! where the queue of such a port is the victim's own.

use std::collections::BTreeSet;

use model::snapshot::Source;
use model::{Anomaly, FlowKey};

use super::path_change::slow_span;
use super::{Caveat, Finding};
use crate::facts::queue_episode::{Bounds, QueueScope};
use crate::facts::span::Span;
use crate::facts::view::PortIx;
use crate::findings::accounting::extra_ns;
use crate::findings::contention::{Contention, contention};
use crate::graph::context::Context;
use crate::thresholds as t;

/// Returns the queues of the victim's path that explain its delay, the largest part of it first; a flow can be queued at several
/// ports. Further queues count only if another flow exceeds its entitlement there and is not named already.
pub(super) fn find(context: &Context<'_, '_>) -> Vec<Finding> {
    let Some(victim) = context.victim else { return Vec::new() };
    let mut queues: Vec<(f64, Contention)> = Vec::new();
    let in_flight = context.trigger.map(slow_span);
    // How much later the slow packet arrived at a port, because of the queues before it. An ACK arrived by the time of the
    // measurement, after the queues of its packet.
    let mut late_ns = if context.is_reverse_path { extra_ns(context) } else { 0.0 };
    for port in &context.path.ports {
        let scope = QueueScope {
            victim: Some(victim),
            paused_upstream: &[],
            waiting_upstream: &[],
            near: context.analysed,
            ahead: ahead(context, late_ns as u64),
            bounds: Bounds::default(),
        };
        let Some(found) = contention(context.view, context.settings, *port, scope) else { continue };
        late_ns += found.part(victim).map_or(found.depth, |part| part.depth) * context.view.packet_ns(*port);
        if !found.is_attributed() || !existed_in_flight(context, &found) || found.is_of_unknown_others() {
            continue;
        }
        let waited = found.part(victim).map_or(found.depth, |part| part.depth);
        // Of a queue that the victim and others made together, the others account for their part.
        let part = if found.self_made { 1.0 } else { found.share_of_contributors(victim) };
        let delay_ns = waited * context.view.packet_ns(*port) * part;
        let least = if found.self_made {
            context.settings.value(&t::SELF_EXPLAINED_SHARE)
        } else {
            context.settings.explained_share
        };
        // At a slow link, a single packet ahead can be most of the delay.
        let is_queue = waited >= context.settings.min_wait_packets
            || context.trigger.is_some()
                && waited >= context.settings.value(&t::SINGLE_PACKET)
                && explains(context, delay_ns, context.settings.value(&t::LEAST_EXPLAINED));
        if is_queue && explains(context, delay_ns, least) {
            // The mean of a queue that grew while the packet was in flight is half of its peak.
            let is_growing = found.when.zip(in_flight).is_some_and(|(when, slow)| when.from >= slow.from);
            queues.push((if is_growing { 2.0 * delay_ns } else { delay_ns }, found));
        }
    }
    // Stable: of equal delays the first one of the path.
    queues.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Beside a queue of the victim's own, another one must account for a part of the delay itself.
    let least_ns = match queues.first() {
        Some((longest_ns, longest)) if longest.self_made => longest_ns.max(extra_ns(context)),
        Some((longest_ns, _)) => *longest_ns,
        None => 0.0,
    } * context.settings.branch_share;
    let all_ns: f64 = queues.iter().map(|(delay_ns, _)| delay_ns).sum();
    let mut named_ns = 0.0;
    let mut named: BTreeSet<FlowKey> = BTreeSet::new();
    let mut is_longest = true;
    queues.retain(|(delay_ns, found)| {
        let is_other = found.contributors().any(|part| !named.contains(&part.flow));
        let is_minor =
            *delay_ns < least_ns || named_ns >= context.settings.value(&t::QUEUES_EXPLAIN) * all_ns;
        let counts = is_longest || !is_minor && found.changed && is_other;
        if counts {
            named_ns += *delay_ns;
            named.extend(found.contributors().map(|part| part.flow));
        }
        is_longest = false;
        counts
    });
    queues.into_iter().map(|(_, found)| on_path(context, victim, found)).collect()
}

/// When the packets arrived that can be ahead of the slow packet in a queue: it arrived within a base round trip of its
/// departure and what it lost in the queues before, and what arrived behind it did not delay it. `None` without a
/// measurement.
fn ahead(context: &Context<'_, '_>, late_ns: u64) -> Option<Span> {
    let trigger = context.trigger.filter(|_| context.settings.applies("contention.ahead"))?;
    let departed = trigger.time_ns.saturating_sub(trigger.rtt_ns);
    Some(Span { from: 0, to: departed.saturating_add(trigger.base_rtt_ns).saturating_add(late_ns) })
}

fn on_path(context: &Context<'_, '_>, victim: FlowKey, found: Contention) -> Finding {
    let mut caveats = Vec::new();
    if context.path.switches > context.path.reported {
        // The switch without telemetry may hold another queue or send the pauses.
        caveats.push(Caveat { factor: context.settings.value(&t::SILENT_ON_PATH), missing: None });
    }
    // ACKs have no flow records.
    if found.part(victim).is_none() && !context.is_reverse_path {
        caveats.push(Caveat::new(
            context.settings.value(&t::NO_VICTIM_RECORD),
            "the congested port has no record of the victim's own packets",
        ));
    }
    finding(context, found, caveats)
}

/// Returns findings for ports with a deep queue that no other finding explains, for a snapshot without a victim.
pub(super) fn everywhere(context: &Context<'_, '_>, known: &[Finding]) -> Vec<Finding> {
    // The depth of an input queue alone does not show a congested egress port.
    if context.view.source() == Source::HawkeyeNs3 {
        return Vec::new();
    }
    let explained: BTreeSet<PortIx> =
        known.iter().flat_map(|f| f.path.iter().chain(&f.pause_loop)).copied().collect();
    context
        .view
        .ports()
        .filter(|p| !explained.contains(p) && !context.view.is_paused(*p, None))
        .filter(|p| context.view.waiting_depth(*p, None) >= incident_packets(context, *p))
        .filter_map(|p| contention(context.view, context.settings, p, QueueScope::default()))
        .filter(|c| c.depth >= incident_packets(context, c.port) && c.contributors().next().is_some())
        .map(|c| finding(context, c, Vec::new()))
        .collect()
}

/// Returns the mean depth of a queue that is an event of its own, in packets of the port.
fn incident_packets(context: &Context<'_, '_>, port: PortIx) -> f64 {
    let (view, settings) = (context.view, context.settings);
    let rate_bps = view.topo(port).map_or(0, |port| view.index.info(port).rate.0);
    let packet_bytes = view.packet_ns(port) * rate_bps as f64 / 8e9;
    let packets = settings.bytes(&t::INCIDENT_PACKETS, rate_bps) / packet_bytes.max(1.0);
    packets.max(settings.min_wait_packets)
}

fn finding(context: &Context<'_, '_>, found: Contention, caveats: Vec<Caveat>) -> Finding {
    Finding {
        anomaly: if found.self_made { Anomaly::SelfInflicted } else { Anomaly::FlowContention },
        root: Some(context.view.port_ref(found.port)),
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        when: found.when,
        contention: Some(found),
        caveats,
    }
}

/// Whether a queue existed while the slow packet was in flight, as far as times are known.
fn existed_in_flight(context: &Context<'_, '_>, found: &Contention) -> bool {
    found.when.zip(context.analysed).is_none_or(|(when, analysed)| when.overlaps(analysed))
}

/// Whether a delay accounts for at least this share of what the agent measured.
fn explains(context: &Context<'_, '_>, delay_ns: f64, least: f64) -> bool {
    delay_ns >= extra_ns(context) * least
}
