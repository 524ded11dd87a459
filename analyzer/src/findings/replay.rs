//! Replays a queue: whose packets were ahead of the others.
//!
//! Published (Hawkeye, SIGCOMM 2025): each flow's packets are spread evenly over the epoch; a packet that met a queue
//! depth of `d` was queued behind the `d` packets that arrived before it; `w(a, b)` is the number of packets of `b`
//! ahead of packets of `a`, over `a`'s packets; the contribution of `f` is `sum_i w(i, f) - sum_k w(f, k)`.
//!
//! This replay differs in two points, because the published form names the wrong flow when a burst is a small part of
//! its epoch, or when a busy flow is long-running:
//!
//! - A flow is replayed over the time in which *its* packets arrived, not over the epoch.
//! - Only a share of a flow's packets, its *excess*, counts as cause of queueing. The rest passed without building a
//!   queue. A contributor's weight is the queueing behind its excess; a bystander's is, negative, its own queueing
//!   behind the excess of contributors.

use crate::facts::span::Span;

/// A flow as input of the replay.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// When its packets arrived; absent: in the whole time.
    pub(crate) span: Option<Span>,
    /// Number of packets.
    pub(crate) packets: f64,
    /// Mean queue depth that its packets met.
    pub(crate) depth: f64,
    /// The share of its packets that counts as cause of queueing, 0 to 1.
    pub(crate) excess: f64,
}

/// The result of a replay for one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Waits {
    /// Excess packets of this flow ahead of packets of others, each divided by the packets of the other flow.
    pub(crate) caused: f64,
    /// Mean number of excess packets of other flows ahead of this flow's packets.
    pub(crate) ahead: f64,
}

struct Packet {
    at: f64,
    flow: usize,
}

/// The packets of one flow so far, by their position among all packets.
struct Seen {
    at: Vec<usize>,
    /// How many of them precede the last position that was queried.
    before: usize,
}

impl Seen {
    fn new(packets: usize) -> Seen {
        Seen { at: Vec::with_capacity(packets), before: 0 }
    }

    /// Returns how many are at `position` or after it. A flow's packets all meet the same depth, so positions never
    /// decrease and counting continues.
    fn since(&mut self, position: usize) -> usize {
        self.before += self.at[self.before..].iter().take_while(|at| **at < position).count();
        self.at.len() - self.before
    }
}

/// Replays `flows`, at most `limit` packets (beyond, all counts are scaled down alike).
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
    // The queueing behind each packet, as differences: every packet adds over a range.
    let mut behind = vec![0.0; packets.len() + 1];
    for (i, p) in packets.iter().enumerate() {
        let flow = &flows[p.flow];
        let depth = ((flow.depth * scale).round() as usize).max(usize::from(flow.depth >= 0.5)).min(i);
        let weight = 1.0 / counts[p.flow] as f64;
        let own_ahead = seen[p.flow].since(i - depth);
        let ahead = before[i] - before[i - depth] - own_ahead as f64 * flow.excess;
        waits[p.flow].ahead += ahead.max(0.0) * weight / scale;
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

/// Returns all packets by time.
fn in_order(flows: &[Arrivals], counts: &[usize]) -> Vec<Packet> {
    let mut packets: Vec<Packet> = Vec::with_capacity(counts.iter().sum());
    let whole = flows.iter().filter_map(|f| f.span).reduce(Span::hull).unwrap_or(Span { from: 0, to: 1 });
    for (number, (flow, count)) in flows.iter().zip(counts).enumerate() {
        let span = flow.span.unwrap_or(whole);
        // Times relative to the hull keep their precision.
        let from = (span.from - whole.from) as f64;
        let step = span.length_ns() / *count as f64;
        // Flows of one rate alternate; if they sent at the same moments, the first would always be ahead.
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
        // All queueing behind packets of other flows is attributed to a flow.
        let flows = [flow(100.0, 10.0, 1.0), flow(300.0, 12.0, 1.0), flow(50.0, 3.0, 1.0)];
        let waits = replay(&flows, 10_000);
        let caused: f64 = waits.iter().map(|w| w.caused).sum();
        let ahead: f64 = waits.iter().map(|w| w.ahead).sum();
        assert!((caused - ahead).abs() < 1e-6, "{caused} {ahead}");
        assert!(waits[1].caused > waits[1].ahead);
        assert!(waits[2].caused < waits[0].caused);
    }

    #[test]
    fn packets_at_a_flows_previous_rate_cause_no_queueing() {
        let flows = [flow(100.0, 20.0, 0.0), flow(60.0, 20.0, 1.0), flow(60.0, 20.0, 1.0)];
        let waits = replay(&flows, 10_000);
        assert_eq!(waits[0].caused, 0.0);
        assert!(waits[0].ahead > 8.0);
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
