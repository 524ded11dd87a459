//! Queue episodes: the time in which queueing at a port was densest.
//!
//! A record holds the first and last time at which packets of a flow were queued in an epoch, not whether the packets
//! in between were. If few of those packets were queued, the queueing happened somewhere in between, or at both ends:
//! such a record is *scattered*. Where other records show a queue of the same depth, they determine its time.

use std::collections::{BTreeMap, BTreeSet};

use model::FlowKey;
use model::telemetry::FlowRecord;

use crate::facts::span::Span;
use crate::settings::Tuning;
use crate::thresholds as t;

/// What is known about the queue to analyse.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueScope<'q> {
    /// The flow asked about.
    pub(crate) victim: Option<FlowKey>,
    /// Flows that were paused further upstream, and so may only spread the congestion; ascending.
    pub(crate) paused_upstream: &'q [FlowKey],
    /// Packets that pauses hold one hop upstream and that continue to the queue, by flow, ascending.
    pub(crate) waiting_upstream: &'q [(FlowKey, f64)],
    /// The approximate time of the queueing.
    pub(crate) near: Option<Span>,
    /// When the packets arrived that can be ahead of the slow one.
    pub(crate) ahead: Option<Span>,
    /// The limits of that time.
    pub(crate) bounds: Bounds,
}

/// The limits within which queueing counts, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// Queueing before this time belongs to an earlier event.
    pub(crate) since: Option<u64>,
    /// The port itself was paused from this time on.
    pub(crate) until: Option<u64>,
}

impl Bounds {
    /// Returns the part of a span within the limits.
    pub(crate) fn of(self, span: Span) -> Option<Span> {
        let (from, to) =
            (span.from.max(self.since.unwrap_or(0)), span.to.min(self.until.unwrap_or(u64::MAX)));
        let inside = self.until.is_none_or(|until| span.from < until)
            && self.since.is_none_or(|since| since < span.to);
        inside.then_some(Span { from, to })
    }
}

/// A period in which the same records are queued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) span: Span,
    /// Depth per nanosecond, over all records.
    density: f64,
    /// Number of queued flows.
    pub(crate) flows: usize,
    /// The mean depth of the record with the deepest queueing.
    depth: f64,
}

/// Returns the time in which queueing at a port was densest, near the time under analysis; `None` without any.
pub(crate) fn event_span(records: &[&FlowRecord], settings: &Tuning, scope: QueueScope<'_>) -> Option<Span> {
    let near = scope.near.map(|n| n.widened(settings.event_gap_ns));
    let waits = determining(settings, waits(records, scope, near, settings));
    let pieces = pieces(&waits);
    let counts = |span: &Span| near.is_none_or(|n| n.overlaps(*span));
    let peak = pieces.iter().filter(|p| counts(&p.span)).map(|p| p.density).fold(0.0, f64::max);
    let at = pieces.iter().position(|p| counts(&p.span) && p.density >= peak)?;
    let peak = pieces[at];
    let dense = |piece: &&Piece| piece.density >= peak.density * settings.value(&t::DENSITY_SHARE);
    let after = extended(peak, pieces[at..].iter().filter(dense), settings);
    let before = extended(peak, pieces[..at].iter().rev().filter(dense), settings);
    Some(before.hull(after))
}

/// Returns the queueing that determines the time of the episode: scattered records are left out if the others suffice.
fn determining(settings: &Tuning, mut waits: Vec<Wait>) -> Vec<Wait> {
    let deepest = |scattered: bool| {
        let of_kind = waits.iter().filter(|wait| wait.scattered == scattered);
        of_kind.map(|wait| wait.depth).fold(0.0, f64::max)
    };
    if settings.applies("queue_episode.scattered")
        && deepest(false) >= settings.value(&t::DETERMINING_SHARE) * deepest(true)
    {
        waits.retain(|wait| !wait.scattered);
    }
    waits
}

/// Whether most packets of a record between its first and last queued packet were not queued.
pub(crate) fn is_scattered(r: &FlowRecord, settings: &Tuning) -> bool {
    let (Some((from, to)), Some((first, last)), Some(queued)) = (r.queued_ns, r.seen_ns, r.queued_packets)
    else {
        return false;
    };
    let (waiting, seen) = (Span::new(from, to), Span::new(first, last));
    let meanwhile = r.packets as f64 * waiting.shared_ns(seen) / seen.length_ns();
    waiting.length_ns() > settings.event_gap_ns as f64
        && (queued as f64) < settings.value(&t::SCATTERED_SHARE) * meanwhile
}

/// The queueing of one record: its time, density, depth and flow.
pub(crate) struct Wait {
    span: Span,
    density: f64,
    depth: f64,
    scattered: bool,
    flow: FlowKey,
}

/// Returns the queueing near the time under analysis, one entry for each record, in the order of the flows.
pub(crate) fn waits(
    records: &[&FlowRecord],
    scope: QueueScope<'_>,
    near: Option<Span>,
    settings: &Tuning,
) -> Vec<Wait> {
    let floor_ns = settings.ns(&t::DENSITY_FLOOR);
    let mut waits = Vec::new();
    for r in records {
        let (Some((from, to)), waited) = (r.queued_ns, waited_share(r)) else { continue };
        let mut span = Span::new(from, to);
        let whole_ns = span.to.max(span.from.saturating_add(floor_ns)) - span.from;
        match scope.bounds.of(span) {
            Some(inside) => span = inside,
            None => continue,
        }
        if waited <= 0.0 || near.is_some_and(|n| !n.overlaps(span)) {
            continue;
        }
        span.to = span.to.max(span.from.saturating_add(floor_ns));
        let density = r.depth_sum.max(1) as f64 * waited / whole_ns as f64;
        let depth = r.depth_sum as f64 / r.queued_packets.unwrap_or(r.packets).max(1) as f64;
        let scattered = is_scattered(r, settings);
        waits.push(Wait { span, density, depth, scattered, flow: r.flow });
    }
    waits
}

/// Splits time wherever the queueing of a record begins or ends; periods without queueing are left out.
///
/// The function sweeps over these times and keeps the current depths in a sorted set.
pub(crate) fn pieces(waits: &[Wait]) -> Vec<Piece> {
    let mut ends: Vec<(u64, bool, usize)> = Vec::with_capacity(waits.len() * 2);
    for (at, wait) in waits.iter().enumerate() {
        ends.push((wait.span.from, true, at));
        ends.push((wait.span.to, false, at));
    }
    ends.sort_unstable();
    let mut waiting: BTreeSet<(u64, usize)> = BTreeSet::new();
    let mut of_flow: BTreeMap<FlowKey, usize> = BTreeMap::new();
    let mut density = 0.0;
    let mut pieces = Vec::new();
    for (n, &(time, begins, at)) in ends.iter().enumerate() {
        let wait = &waits[at];
        // Depths are not negative, so the order of their bits is the order of their values.
        let deep = (wait.depth.to_bits(), at);
        if begins {
            density += wait.density;
            waiting.insert(deep);
            *of_flow.entry(wait.flow).or_default() += 1;
        } else {
            density -= wait.density;
            waiting.remove(&deep);
            if let Some(count) = of_flow.get_mut(&wait.flow) {
                *count -= 1;
                if *count == 0 {
                    of_flow.remove(&wait.flow);
                }
            }
        }
        let next = ends.get(n + 1).map(|e| e.0);
        if let (Some(to), Some((depth, _))) = (next.filter(|to| *to > time), waiting.last()) {
            let span = Span { from: time, to };
            pieces.push(Piece { span, density, flows: of_flow.len(), depth: f64::from_bits(*depth) });
        }
    }
    pieces
}

/// Extends an episode from its peak over the periods on one side of it, nearest first.
///
/// A standing queue is not an episode: a single flow whose path leads into a slower link always has a few packets
/// queued, and only a burst on top of them is a change. So periods in which a single flow is queued, or with much less
/// depth, belong to the episode only if they are short.
fn extended<'p>(peak: Piece, pieces: impl Iterator<Item = &'p Piece>, settings: &Tuning) -> Span {
    // Epoch boundaries leave short gaps between the two parts of one episode.
    let gap_ns = settings.event_gap_ns / 4;
    let (mut event, mut reached, mut standing_ns) = (peak.span, peak.span, 0.0);
    for piece in pieces {
        if !reached.widened(gap_ns).overlaps(piece.span) {
            break;
        }
        reached = reached.hull(piece.span);
        if piece.flows >= peak.flows.min(2) && piece.depth >= peak.depth * settings.value(&t::DEEP_SHARE) {
            (event, standing_ns) = (reached, 0.0);
            continue;
        }
        standing_ns += piece.span.length_ns();
        if standing_ns >= settings.established_ns as f64 && settings.applies("queue_episode.standing") {
            return event;
        }
    }
    reached
}

/// Returns the share of a record's queued packets that were queued behind other packets, not because of a pause.
pub(crate) fn waited_share(r: &FlowRecord) -> f64 {
    match r.queued_packets {
        Some(0) => 0.0,
        Some(queued) => queued.saturating_sub(r.paused_packets) as f64 / queued as f64,
        None => r.packets.saturating_sub(r.paused_packets) as f64 / r.packets.max(1) as f64,
    }
}
