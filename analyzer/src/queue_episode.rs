//! When a queue stood: the time in which the packets of a port waited most densely.
//!
//! A record says when the first and the last of a flow's packets waited in an epoch, not whether those in between did. Where
//! only few of the packets from the first to the last one waited, the waiting was somewhere in between, or at both ends: such
//! a record is *scattered*, and where other records show a queue as deep they tell when it stood.

use std::collections::{BTreeMap, BTreeSet};

use model::FlowKey;
use model::telemetry::FlowRecord;

use crate::contention::Question;
use crate::settings::Settings;
use crate::span::Span;

/// Waits shorter than this are spread over it before densities are compared: a single packet has no density.
const DENSITY_FLOOR_NS: u64 = 10_000;
/// The event lasts while its density is at least this share of its peak.
const DENSITY_SHARE: f64 = 0.1;
/// Packets waited deep if they found at least this share of the event's depth.
pub(crate) const DEEP_SHARE: f64 = 0.25;
/// A record is scattered if less than this share of its packets waited from the first that did to the last.
const SCATTERED_SHARE: f64 = 0.5;
/// Records that are not scattered say when the queue stood if theirs was at least this share of the others' depth.
const TELLING_SHARE: f64 = 0.5;

/// A stretch of time in which the same records wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) span: Span,
    /// Depth per nanosecond of all records.
    density: f64,
    /// How many flows wait.
    pub(crate) flows: usize,
    /// The mean depth of the record that waits deepest.
    depth: f64,
}

/// The time in which the packets of a port waited most densely, near the time asked about.
pub(crate) fn event_span(
    records: &[&FlowRecord],
    settings: &Settings,
    question: Question<'_>,
) -> Option<Span> {
    let near = question.near.map(|n| n.widened(settings.event_gap_ns));
    let waits = telling(waits(records, question, near, settings.event_gap_ns));
    let pieces = pieces(&waits);
    let counts = |span: &Span| near.is_none_or(|n| n.overlaps(*span));
    let peak = pieces.iter().filter(|p| counts(&p.span)).map(|p| p.density).fold(0.0, f64::max);
    let at = pieces.iter().position(|p| counts(&p.span) && p.density >= peak)?;
    let peak = pieces[at];
    let dense = |piece: &&Piece| piece.density >= peak.density * DENSITY_SHARE;
    let after = grown(peak, pieces[at..].iter().filter(dense), settings);
    let before = grown(peak, pieces[..at].iter().rev().filter(dense), settings);
    Some(before.hull(after))
}

/// The waiting that says when the queue stood: without scattered records, if the others tell enough.
fn telling(mut waits: Vec<Wait>) -> Vec<Wait> {
    let deepest = |scattered: bool| {
        let of_kind = waits.iter().filter(|wait| wait.scattered == scattered);
        of_kind.map(|wait| wait.depth).fold(0.0, f64::max)
    };
    if deepest(false) >= TELLING_SHARE * deepest(true) {
        waits.retain(|wait| !wait.scattered);
    }
    waits
}

/// Whether most packets of a record from the first that waited to the last did not wait.
pub(crate) fn is_scattered(r: &FlowRecord, gap_ns: u64) -> bool {
    let (Some((from, to)), Some((first, last)), Some(queued)) = (r.queued_ns, r.seen_ns, r.queued_packets)
    else {
        return false;
    };
    let (waiting, seen) = (Span::new(from, to), Span::new(first, last));
    let meanwhile = r.packets as f64 * waiting.shared_ns(seen) / seen.length_ns();
    waiting.length_ns() > gap_ns as f64 && (queued as f64) < SCATTERED_SHARE * meanwhile
}

/// A record's waiting: when, how dense, how deep, and whose.
pub(crate) struct Wait {
    span: Span,
    density: f64,
    depth: f64,
    scattered: bool,
    flow: FlowKey,
}

/// The waiting near the time asked about, one entry a record, in the order of the flows.
pub(crate) fn waits(
    records: &[&FlowRecord],
    question: Question<'_>,
    near: Option<Span>,
    gap_ns: u64,
) -> Vec<Wait> {
    let mut waits = Vec::new();
    for r in records {
        let (Some((from, to)), waited) = (r.queued_ns, waited_share(r)) else { continue };
        let mut span = Span::new(from, to);
        let whole_ns = span.to.max(span.from.saturating_add(DENSITY_FLOOR_NS)) - span.from;
        match question.bounds.of(span) {
            Some(inside) => span = inside,
            None => continue,
        }
        if waited <= 0.0 || near.is_some_and(|n| !n.overlaps(span)) {
            continue;
        }
        span.to = span.to.max(span.from.saturating_add(DENSITY_FLOOR_NS));
        let density = r.depth_sum.max(1) as f64 * waited / whole_ns as f64;
        let depth = r.depth_sum as f64 / r.queued_packets.unwrap_or(r.packets).max(1) as f64;
        let scattered = is_scattered(r, gap_ns);
        waits.push(Wait { span, density, depth, scattered, flow: r.flow });
    }
    waits
}

/// Cuts time where a record begins or ends to wait; stretches in which nobody waits are left out. A sweep over
/// the ends, with the depths of who waits in a sorted list.
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
        // Depths are not negative, so their bits are in the order of their values.
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

/// Grows an event from its peak over the pieces on one side of it, nearest first.
///
/// What stood for long before is not the event: a flow alone on the way into a slower link always has a few
/// packets waiting, and a burst that joins it is what changed. So time in which a single flow waits, or all wait
/// much less deeply, belongs to the event only if it is short.
fn grown<'p>(peak: Piece, pieces: impl Iterator<Item = &'p Piece>, settings: &Settings) -> Span {
    // Epoch boundaries leave short gaps between the two parts of one event.
    let gap_ns = settings.event_gap_ns / 4;
    let (mut event, mut reached, mut standing_ns) = (peak.span, peak.span, 0.0);
    for piece in pieces {
        if !reached.widened(gap_ns).overlaps(piece.span) {
            break;
        }
        reached = reached.hull(piece.span);
        if piece.flows >= peak.flows.min(2) && piece.depth >= peak.depth * DEEP_SHARE {
            (event, standing_ns) = (reached, 0.0);
            continue;
        }
        standing_ns += piece.span.length_ns();
        if standing_ns >= settings.established_ns as f64 {
            return event;
        }
    }
    reached
}

/// The share of a record's waiting packets that waited for others and not for a pause to end.
pub(crate) fn waited_share(r: &FlowRecord) -> f64 {
    match r.queued_packets {
        Some(0) => 0.0,
        Some(queued) => queued.saturating_sub(r.paused_packets) as f64 / queued as f64,
        None => r.packets.saturating_sub(r.paused_packets) as f64 / r.packets.max(1) as f64,
    }
}
