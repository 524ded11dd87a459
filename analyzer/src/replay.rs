//! Replaying a queue: whose packets did the others wait behind?
//!
//! Published (Hawkeye, SIGCOMM 2025): each flow's packets are spread evenly over the epoch; a packet that found
//! `d` others waiting waited behind the `d` packets that arrived before it; `w(a, b)` is the number of packets
//! of `b` that packets of `a` saw ahead, over `a`'s packets; the contribution of `f` is
//! `sum_i w(i, f) - sum_k w(f, k)`.
//!
//! Two things are different here, because the published form names the wrong flow when a burst is a small part
//! of its epoch, or when a busy flow was there long before:
//!
//! - A flow is replayed over the time in which *its* packets came, not over the epoch.
//! - Only a share of a flow's packets, its *excess*, counts as waited for. The rest is what the queue carried
//!   without forming. A contributor's weight is what others waited behind its excess; a bystander's is, negative,
//!   what it waited behind the excess of contributors.

use crate::span::Span;

/// A flow as it enters the replay.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// When its packets came; absent: all the time.
    pub(crate) span: Option<Span>,
    /// How many.
    pub(crate) packets: f64,
    /// How many packets each of them found waiting, in the mean.
    pub(crate) depth: f64,
    /// The share of its packets that others are said to wait for, 0 to 1.
    pub(crate) excess: f64,
}

/// What a replay gives for one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Waits {
    /// Excess packets of this flow that packets of others saw ahead, each over the packets of the one that saw.
    pub(crate) caused: f64,
    /// Excess packets of other flows that this flow's packets saw ahead, in the mean.
    pub(crate) suffered: f64,
}

struct Packet {
    at: f64,
    flow: usize,
}

/// The packets of one flow so far, by their place in the order of all.
struct Seen {
    at: Vec<usize>,
    /// How many of them came before the last place that was asked about.
    before: usize,
}

impl Seen {
    fn new(packets: usize) -> Seen {
        Seen { at: Vec::with_capacity(packets), before: 0 }
    }

    /// How many are at `place` or after it. A flow's packets all find the same depth, so it never asks about an earlier
    /// place than before, and counting goes on from there.
    fn since(&mut self, place: usize) -> usize {
        self.before += self.at[self.before..].iter().take_while(|at| **at < place).count();
        self.at.len() - self.before
    }
}

/// Replays `flows`, at most `limit` packets of them (beyond, all counts are scaled down alike).
pub(crate) fn replay(flows: &[Arrivals], limit: usize) -> Vec<Waits> {
    let total: f64 = flows.iter().map(|f| f.packets).sum();
    let scale = if total > limit as f64 { limit as f64 / total } else { 1.0 };
    let counts: Vec<usize> = flows.iter().map(|f| (f.packets * scale).round() as usize).collect();
    let packets = in_order(flows, &counts);

    // Prefix sums of excess give "excess ahead of packet i" as one difference, for all flows and for its own.
    let mut before = Vec::with_capacity(packets.len() + 1);
    let mut sum = 0.0;
    before.push(sum);
    for p in &packets {
        sum += flows[p.flow].excess;
        before.push(sum);
    }
    let mut seen: Vec<Seen> = counts.iter().map(|count| Seen::new(*count)).collect();
    let mut waits = vec![Waits::default(); flows.len()];
    // How much waiting stands behind each packet, as differences: every packet adds over a range.
    let mut behind = vec![0.0; packets.len() + 1];
    for (i, p) in packets.iter().enumerate() {
        let flow = &flows[p.flow];
        let depth = ((flow.depth * scale).round() as usize).max(usize::from(flow.depth >= 0.5)).min(i);
        let weight = 1.0 / counts[p.flow] as f64;
        let own_ahead = seen[p.flow].since(i - depth);
        let ahead = before[i] - before[i - depth] - own_ahead as f64 * flow.excess;
        waits[p.flow].suffered += ahead.max(0.0) * weight / scale;
        waits[p.flow].caused -= own_ahead as f64 * flow.excess * weight / scale;
        behind[i - depth] += weight;
        behind[i] -= weight;
        seen[p.flow].at.push(i);
    }
    let mut waiting = 0.0;
    for (i, p) in packets.iter().enumerate() {
        waiting += behind[i];
        waits[p.flow].caused += waiting * flows[p.flow].excess / scale;
    }
    for w in &mut waits {
        w.caused = w.caused.max(0.0);
    }
    waits
}

/// All packets by time.
fn in_order(flows: &[Arrivals], counts: &[usize]) -> Vec<Packet> {
    let mut packets: Vec<Packet> = Vec::with_capacity(counts.iter().sum());
    let whole = flows.iter().filter_map(|f| f.span).reduce(Span::hull).unwrap_or(Span { from: 0, to: 1 });
    for (number, (flow, count)) in flows.iter().zip(counts).enumerate() {
        let span = flow.span.unwrap_or(whole);
        // Times relative to the hull keep their precision.
        let from = (span.from - whole.from) as f64;
        let step = span.length_ns() / *count as f64;
        // Flows of one rate take turns: if they sent at the same moments, the first would always be ahead.
        let turn = (number as f64 + 0.5) / flows.len() as f64;
        packets.extend((0..*count).map(|k| Packet { at: from + step * (k as f64 + turn), flow: number }));
    }
    packets.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.flow.cmp(&b.flow)));
    packets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(packets: f64, depth: f64, excess: f64) -> Arrivals {
        Arrivals { span: Some(Span::new(0, 1_000)), packets, depth, excess }
    }

    #[test]
    fn contributions_add_up() {
        // Everything that is suffered behind others was caused by somebody.
        let flows = [flow(100.0, 10.0, 1.0), flow(300.0, 12.0, 1.0), flow(50.0, 3.0, 1.0)];
        let waits = replay(&flows, 10_000);
        let caused: f64 = waits.iter().map(|w| w.caused).sum();
        let suffered: f64 = waits.iter().map(|w| w.suffered).sum();
        assert!((caused - suffered).abs() < 1e-6, "{caused} {suffered}");
        assert!(waits[1].caused > waits[1].suffered);
        assert!(waits[2].caused < waits[0].caused);
    }

    #[test]
    fn what_a_flow_always_sent_is_not_waited_for() {
        let flows = [flow(100.0, 20.0, 0.0), flow(60.0, 20.0, 1.0), flow(60.0, 20.0, 1.0)];
        let waits = replay(&flows, 10_000);
        assert_eq!(waits[0].caused, 0.0);
        assert!(waits[0].suffered > 8.0);
        assert!(waits[1].caused > 4.0);
    }

    #[test]
    fn scaling_keeps_the_result() {
        let flows = [flow(1_000.0, 100.0, 1.0), flow(4_000.0, 100.0, 1.0)];
        let (whole, scaled) = (replay(&flows, 100_000), replay(&flows, 1_000));
        for (a, b) in whole.iter().zip(&scaled) {
            assert!((a.caused - b.caused).abs() < 0.05 * a.caused.max(1.0), "{a:?} {b:?}");
        }
    }
}
