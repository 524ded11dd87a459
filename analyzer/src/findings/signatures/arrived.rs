//! Whether all packets of the victim that were sent over a link arrived at its end, by their sequence numbers: then none was
//! lost there, however many of other flows were.
//!
//! A record has the first and the last sequence number of a flow at a port in an epoch, and how many packets there were.
//! Records without a gap and without a retransmission have as many packets as numbers, and each begins with the number
//! after the last one of the record before.

use model::telemetry::FlowRecord;

use super::packet_loss::port_of;
use crate::facts::span::Span;
use crate::facts::victim_links::VictimLink;
use crate::graph::context::Context;

/// Sequence numbers of RoCEv2 have 24 bits (InfiniBand architecture specification, volume 1, 9.2).
const NUMBERS: u32 = 1 << 24;

/// A run of sequence numbers without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    last: u32,
}

/// Whether the records show that every packet of the victim that left over `link` since the beginning of `slow` arrived.
pub(super) fn all_arrived(context: &Context<'_, '_>, link: &VictimLink, slow: Span) -> bool {
    let (view, Some(victim)) = (context.view, context.victim) else { return false };
    let Some(egress) = port_of(context, &view.index.port_ref(link.from)) else { return false };
    let frozen_ns = view.switch_of(egress).frozen_ns;
    if frozen_ns > 0 && frozen_ns < slow.to {
        // The packet may have passed later.
        return false;
    }
    let end = view.index.info(link.to);
    let Some(switch) = view.switch_at(end.node) else { return false };
    let since = |record: &&FlowRecord| record.seen_ns.is_none_or(|(_, last_ns)| last_ns >= slow.from);
    let sent: Vec<&FlowRecord> = view.records_of(egress, victim).into_iter().filter(since).collect();
    let at_end = view.ports_of(switch).flat_map(|port| view.records_of(port, victim));
    let arrived: Vec<&FlowRecord> = at_end.filter(|record| record.ingress_port == Some(end.number)).collect();
    match (run(&sent), latest_run(&arrived)) {
        (Some(sent), Some(arrived)) => arrived.holds(sent),
        _ => false,
    }
}

impl Run {
    /// The numbers of a record; `None` if it has gaps or retransmissions, or no times.
    fn of(record: &FlowRecord) -> Option<Run> {
        let numbers = u64::from(distance(record.psn_first, record.psn_last)) + 1;
        (record.packets == numbers && record.seen_ns.is_some())
            .then_some(Run { first: record.psn_first, last: record.psn_last })
    }

    /// Returns both as one if `next` follows this run.
    fn followed_by(self, next: Run) -> Option<Run> {
        (distance(self.last, next.first) == 1).then_some(Run { first: self.first, last: next.last })
    }

    /// Whether all numbers of `part` are in this run.
    fn holds(self, part: Run) -> bool {
        let length = |run: Run| distance(run.first, run.last);
        distance(self.first, part.first) + length(part) <= length(self)
    }
}

/// How far `to` is ahead of `from`.
fn distance(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) % NUMBERS
}

/// All records as one run.
fn run(records: &[&FlowRecord]) -> Option<Run> {
    let mut runs = by_time(records).into_iter().map(Run::of);
    let first = runs.next()??;
    runs.try_fold(first, |run, next| run.followed_by(next?))
}

/// The longest run that ends with the last record.
fn latest_run(records: &[&FlowRecord]) -> Option<Run> {
    let mut runs = by_time(records).into_iter().rev().map(Run::of);
    let mut latest = runs.next()??;
    while let Some(longer) = runs.next().flatten().and_then(|before| before.followed_by(latest)) {
        latest = longer;
    }
    Some(latest)
}

fn by_time<'r>(records: &[&'r FlowRecord]) -> Vec<&'r FlowRecord> {
    let mut ordered = records.to_vec();
    ordered.sort_by_key(|record| record.seen_ns);
    ordered
}
