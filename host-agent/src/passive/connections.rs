//! Follows the connections whose data this host sends.
//!
//! A RoCEv2 acknowledgement does not repeat the data's UDP source port on every NIC, and it names the sender's queue
//! pair, which the data does not contain. It is matched by the 5-tuple if that fits, else by the queue pair if an
//! earlier acknowledgement showed whose it is, else by the sequence number if only one of the latest connections between
//! the two hosts has that data outstanding.

use std::collections::BTreeSet;
use std::net::IpAddr;

use indexmap::IndexMap;
use model::FlowKey;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::outstanding::{Acknowledged, Outstanding};
use super::packet::{Content, Seen};
use crate::measurement::Measurement;

/// Queue pairs that share one 5-tuple; beyond it, one without outstanding data is forgotten for a new one. NICs derive the source port from the queue pair,
/// so that few share one.
const MAX_QUEUE_PAIRS: usize = 16;

/// Connections that are examined to find the one that is evicted, or to match an acknowledgement from another port.
const MAX_EXAMINED: usize = 64;

/// Limits of [`Passive`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time. Beyond it, the one that was idle longest of a few is evicted.
    pub max_connections: usize,
    /// A connection without a packet for this long is closed. RoCEv2 has no packet that ends a connection on the path.
    pub idle_ns: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_connections: 65_536, idle_ns: 30_000_000_000 }
    }
}

/// Counters of [`Passive`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassiveStats {
    /// Packets with data of this host.
    pub data_packets: u64,
    /// Acknowledgements to this host.
    pub acknowledgements: u64,
    /// Acknowledgements that fit no connection, or more than one.
    pub unmatched: u64,
    /// Connections evicted, and data packets not measured, because of the limits on connections and queue pairs.
    pub over_limit: u64,
    /// Round trips measured.
    pub samples: u64,
}

/// The measurements of one packet.
pub type Measurements = SmallVec<[Measurement; 2]>;

/// Follows the connections of one host.
#[derive(Clone, Debug)]
pub struct Passive {
    own: BTreeSet<IpAddr>,
    limits: Limits,
    connections: IndexMap<FlowKey, Connection, FxBuildHasher>,
    /// The connections whose acknowledgements name a queue pair: by peer, own address and queue pair.
    by_sender: IndexMap<(IpAddr, IpAddr, u32), FlowKey, FxBuildHasher>,
    /// Where the next search for an idle connection begins.
    turn: usize,
    stats: PassiveStats,
}

#[derive(Clone, Debug)]
struct Connection {
    last_packet_ns: u64,
    data: Data,
}

#[derive(Clone, Debug)]
enum Data {
    Roce(SmallVec<[QueuePair; 1]>),
    Tcp(Outstanding<32>),
}

/// The data towards one queue pair.
#[derive(Clone, Debug)]
struct QueuePair {
    receiver: u32,
    /// The queue pair that acknowledgements name, once one has arrived.
    sender: Option<u32>,
    data: Outstanding<24>,
}

impl Data {
    fn is_outstanding(&self) -> bool {
        match self {
            Data::Roce(pairs) => pairs.iter().any(|pair| pair.data.is_outstanding()),
            Data::Tcp(data) => data.is_outstanding(),
        }
    }
}

impl Passive {
    /// Follows the connections of a host with these addresses.
    pub fn new(own: impl IntoIterator<Item = IpAddr>, limits: Limits) -> Passive {
        Passive {
            own: own.into_iter().collect(),
            limits,
            connections: IndexMap::default(),
            by_sender: IndexMap::default(),
            turn: 0,
            stats: PassiveStats::default(),
        }
    }

    /// Handles a packet that crossed the interface at `now_ns`.
    pub fn seen(&mut self, now_ns: u64, packet: &Seen) -> Measurements {
        let mut measured = Measurements::new();
        match packet.content {
            Content::RoceData { queue_pair, psn } if self.own.contains(&packet.flow.src) => {
                self.roce_data(now_ns, packet, queue_pair, psn, &mut measured);
            }
            Content::RoceAcknowledgement { queue_pair, upto, is_negative }
                if self.own.contains(&packet.flow.dst) =>
            {
                self.roce_acknowledged(now_ns, &packet.flow, (queue_pair, upto, is_negative), &mut measured);
            }
            Content::Tcp { sequence, length, acknowledgement, is_reset } => {
                if self.own.contains(&packet.flow.src) && length > 0 && !is_reset {
                    self.tcp_data(now_ns, packet, sequence, length, &mut measured);
                }
                if self.own.contains(&packet.flow.dst)
                    && let Some(upto) = acknowledgement
                {
                    self.tcp_acknowledged(now_ns, packet.flow.reversed(), upto, &mut measured);
                }
                if is_reset {
                    self.close(packet.flow, &mut measured);
                    self.close(packet.flow.reversed(), &mut measured);
                }
            }
            _ => {}
        }
        measured
    }

    /// Closes the connections that have been idle for too long at `now_ns`. Call it about once a second.
    pub fn expire(&mut self, now_ns: u64) -> Vec<Measurement> {
        let idle_ns = self.limits.idle_ns;
        let mut closed = Vec::new();
        self.connections.retain(|flow, connection| {
            let is_idle = now_ns.saturating_sub(connection.last_packet_ns) >= idle_ns;
            if is_idle {
                closed.push(Measurement::Closed { flow: *flow });
            }
            !is_idle
        });
        self.by_sender.retain(|_, flow| self.connections.contains_key(flow));
        closed
    }

    /// The counters.
    pub fn stats(&self) -> PassiveStats {
        self.stats
    }

    /// The connection of a data packet. A new one is opened if the limit permits.
    fn connection(
        &mut self,
        now_ns: u64,
        packet: &Seen,
        empty: Data,
        measured: &mut Measurements,
    ) -> Option<&mut Connection> {
        self.stats.data_packets += 1;
        let position = match self.connections.get_index_of(&packet.flow) {
            Some(position) => position,
            None => {
                if self.connections.len() >= self.limits.max_connections {
                    self.evict(measured);
                }
                measured.push(Measurement::opened(packet.flow, packet.dscp));
                self.connections
                    .insert_full(packet.flow, Connection { last_packet_ns: now_ns, data: empty })
                    .0
            }
        };
        let (_, connection) = self.connections.get_index_mut(position)?;
        connection.last_packet_ns = now_ns;
        Some(connection)
    }

    /// Evicts the connection that was idle longest of those that are next in turn.
    fn evict(&mut self, measured: &mut Measurements) {
        self.stats.over_limit += 1;
        let count = self.connections.len();
        let positions = (0..MAX_EXAMINED.min(count)).map(|step| (self.turn + step) % count);
        let last_packet_ns = |position: &usize| {
            self.connections.get_index(*position).map_or(0, |(_, connection)| connection.last_packet_ns)
        };
        let idlest = positions.min_by_key(last_packet_ns);
        self.turn = (self.turn + MAX_EXAMINED) % count.max(1);
        if let Some((flow, _)) = idlest.and_then(|position| self.connections.swap_remove_index(position)) {
            measured.push(Measurement::Closed { flow });
        }
    }

    fn roce_data(
        &mut self,
        now_ns: u64,
        packet: &Seen,
        receiver: u32,
        psn: u32,
        measured: &mut Measurements,
    ) {
        let empty = Data::Roce(SmallVec::new());
        let Some(connection) = self.connection(now_ns, packet, empty, measured) else { return };
        let was_idle = !connection.data.is_outstanding();
        let Data::Roce(pairs) = &mut connection.data else { return };
        let at = match pairs.iter().position(|pair| pair.receiver == receiver) {
            Some(at) => at,
            None if pairs.len() < MAX_QUEUE_PAIRS => {
                pairs.push(QueuePair { receiver, sender: None, data: Outstanding::default() });
                pairs.len() - 1
            }
            None => {
                // One of the queue pairs has ended, if the host reuses its source ports.
                let Some(idle) = pairs.iter().position(|pair| !pair.data.is_outstanding()) else {
                    self.stats.over_limit += 1;
                    return;
                };
                pairs.remove(idle);
                pairs.push(QueuePair { receiver, sender: None, data: Outstanding::default() });
                pairs.len() - 1
            }
        };
        let is_first = pairs[at].data.sent(psn, psn.wrapping_add(1), now_ns);
        if was_idle && is_first {
            measured.push(Measurement::Sent { flow: packet.flow });
        }
    }

    fn roce_acknowledged(
        &mut self,
        now_ns: u64,
        flow: &FlowKey,
        (sender, upto, is_negative): (u32, u32, bool),
        measured: &mut Measurements,
    ) {
        self.stats.acknowledgements += 1;
        let Some((position, at)) = self.find(flow, sender, upto) else {
            self.stats.unmatched += 1;
            return;
        };
        let Some((flow, connection)) = self.connections.get_index_mut(position) else { return };
        let flow = *flow;
        connection.last_packet_ns = now_ns;
        let Data::Roce(pairs) = &mut connection.data else { return };
        let pair = &mut pairs[at];
        if pair.sender.replace(sender) != Some(sender) {
            self.by_sender.insert((flow.dst, flow.src, sender), flow);
        }
        let mut result = pair.data.acknowledged(upto, now_ns);
        if is_negative && matches!(result, Acknowledged::RoundTrip { .. }) {
            // It answers the packet after the gap, not the newest data that it covers.
            result = Acknowledged::Unrecorded;
        }
        let outstanding = connection.data.is_outstanding();
        self.report(flow, result, outstanding, measured);
    }

    /// The positions of the connection, and of the queue pair in it, whose data an acknowledgement covers.
    fn find(&self, acknowledgement: &FlowKey, sender: u32, upto: u32) -> Option<(usize, usize)> {
        // The data's source port is that of the acknowledgement, too, or it is unknown.
        let same_port = FlowKey {
            src: acknowledgement.dst,
            dst: acknowledgement.src,
            sport: acknowledgement.sport,
            ..*acknowledgement
        };
        let own = |pair: &QueuePair| pair.sender == Some(sender);
        let fits =
            |pair: &QueuePair| pair.sender.is_none_or(|known| known == sender) && pair.data.covers(upto);
        if let Some(position) = self.connections.get_index_of(&same_port) {
            let direct = self.queue_pairs(position);
            // An acknowledgement of an RDMA READ may be beyond all data; the 5-tuple alone is then enough if it is unique.
            let only = || (direct.len() == 1 && direct[0].sender.is_none()).then_some(0);
            let at = direct.iter().position(own).or_else(|| direct.iter().position(fits)).or_else(only);
            if let Some(at) = at {
                return Some((position, at));
            }
        }
        if let Some(flow) = self.by_sender.get(&(acknowledgement.src, acknowledgement.dst, sender))
            && let Some(position) = self.connections.get_index_of(flow)
            && let Some(at) = self.queue_pairs(position).iter().position(own)
        {
            return Some((position, at));
        }
        let between = self.connections.keys().enumerate().rev().take(MAX_EXAMINED).filter(|(_, flow)| {
            flow.src == acknowledgement.dst && flow.dst == acknowledgement.src && **flow != same_port
        });
        let mut candidates = None;
        for (position, _) in between {
            for (at, _) in self.queue_pairs(position).iter().enumerate().filter(|(_, pair)| fits(pair)) {
                // A second candidate makes the match ambiguous.
                candidates = match candidates {
                    None => Some(Some((position, at))),
                    Some(_) => Some(None),
                };
            }
        }
        candidates.flatten()
    }

    /// The queue pairs of the connection at a position; none of a TCP connection.
    fn queue_pairs(&self, position: usize) -> &[QueuePair] {
        match self.connections.get_index(position) {
            Some((_, Connection { data: Data::Roce(pairs), .. })) => pairs,
            _ => &[],
        }
    }

    fn tcp_data(
        &mut self,
        now_ns: u64,
        packet: &Seen,
        sequence: u32,
        length: u32,
        measured: &mut Measurements,
    ) {
        let empty = Data::Tcp(Outstanding::default());
        let Some(connection) = self.connection(now_ns, packet, empty, measured) else { return };
        if let Data::Tcp(data) = &mut connection.data
            && data.sent(sequence, sequence.wrapping_add(length), now_ns)
        {
            measured.push(Measurement::Sent { flow: packet.flow });
        }
    }

    fn tcp_acknowledged(&mut self, now_ns: u64, flow: FlowKey, upto: u32, measured: &mut Measurements) {
        let Some(connection) = self.connections.get_mut(&flow) else { return };
        self.stats.acknowledgements += 1;
        connection.last_packet_ns = now_ns;
        let Data::Tcp(data) = &mut connection.data else { return };
        let result = data.acknowledged(upto, now_ns);
        // Every packet of a connection has an acknowledgement number; only new ones say something.
        if result != Acknowledged::Nothing {
            let outstanding = data.is_outstanding();
            self.report(flow, result, outstanding, measured);
        }
    }

    fn report(
        &mut self,
        flow: FlowKey,
        result: Acknowledged,
        outstanding: bool,
        measured: &mut Measurements,
    ) {
        let rtt_ns = match result {
            Acknowledged::RoundTrip { rtt_ns } => Some(rtt_ns),
            Acknowledged::Retransmitted { since_sent_ns } => {
                measured.push(Measurement::Progressed { flow, at_least_ns: since_sent_ns, outstanding });
                return;
            }
            Acknowledged::Unrecorded | Acknowledged::Nothing => None,
        };
        self.stats.samples += u64::from(rtt_ns.is_some());
        measured.push(Measurement::Acknowledged { flow, rtt_ns, outstanding });
    }

    fn close(&mut self, flow: FlowKey, measured: &mut Measurements) {
        if self.connections.swap_remove(&flow).is_some() {
            measured.push(Measurement::Closed { flow });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::flow::PROTO_TCP;

    const HOST: &str = "10.0.0.1:10000>10.0.0.2:4791/udp";

    fn flow(text: &str) -> FlowKey {
        text.parse().unwrap()
    }

    fn passive() -> Passive {
        let limits = Limits { max_connections: 2, idle_ns: 1000 };
        Passive::new([[10, 0, 0, 1].into()], limits)
    }

    fn data(text: &str, queue_pair: u32, psn: u32) -> Seen {
        Seen { flow: flow(text), dscp: 24, content: Content::RoceData { queue_pair, psn } }
    }

    /// An acknowledgement of `psn` to 10.0.0.1.
    fn ack(sport: u16, queue_pair: u32, psn: u32) -> Seen {
        let content = Content::RoceAcknowledgement { queue_pair, upto: psn + 1, is_negative: false };
        Seen { flow: flow(&format!("10.0.0.2:{sport}>10.0.0.1:4791/udp")), dscp: 24, content }
    }

    fn round_trips(measured: &[Measurement]) -> Vec<(String, Option<u64>)> {
        let round_trip = |measurement: &Measurement| match measurement {
            Measurement::Acknowledged { flow, rtt_ns, .. } => Some((flow.to_string(), *rtt_ns)),
            _ => None,
        };
        measured.iter().filter_map(round_trip).collect()
    }

    #[test]
    fn data_and_its_acknowledgement_give_a_round_trip() {
        let mut passive = passive();
        let opened = Measurement::opened(flow(HOST), 24);
        let sent = Measurement::Sent { flow: flow(HOST) };
        assert_eq!(passive.seen(0, &data(HOST, 7, 5)).as_slice(), [opened, sent]);
        assert!(passive.seen(1, &data(HOST, 7, 6)).is_empty());
        let expected = Measurement::Acknowledged { flow: flow(HOST), rtt_ns: Some(99), outstanding: false };
        assert_eq!(passive.seen(100, &ack(10_000, 9, 6)).as_slice(), [expected]);
    }

    #[test]
    fn an_acknowledgement_from_another_port_is_matched_by_its_sequence_number() {
        let mut passive = passive();
        let other = "10.0.0.1:10001>10.0.0.2:4791/udp";
        passive.seen(0, &data(HOST, 7, 5));
        passive.seen(0, &data(other, 8, 500));
        let measured = passive.seen(40, &ack(55_555, 31, 500));
        assert_eq!(round_trips(&measured), [(other.to_string(), Some(40))]);
        // From now on the queue pair identifies the connection, also where sequence numbers would be ambiguous.
        passive.seen(50, &data(other, 8, 501));
        let measured = passive.seen(60, &ack(55_555, 31, 501));
        assert_eq!(round_trips(&measured), [(other.to_string(), Some(10))]);
        assert_eq!(passive.stats().unmatched, 0);
    }

    #[test]
    fn an_ambiguous_acknowledgement_gives_no_sample() {
        let mut passive = passive();
        passive.seen(0, &data(HOST, 7, 5));
        passive.seen(0, &data("10.0.0.1:10001>10.0.0.2:4791/udp", 8, 5));
        assert!(passive.seen(40, &ack(55_555, 31, 5)).is_empty());
        assert_eq!(passive.stats().unmatched, 1);
    }

    #[test]
    fn queue_pairs_of_one_source_port_are_apart() {
        let mut passive = passive();
        passive.seen(0, &data(HOST, 7, 5));
        passive.seen(1, &data(HOST, 8, 100));
        let measured = passive.seen(10, &ack(10_000, 21, 5));
        let expected = Measurement::Acknowledged { flow: flow(HOST), rtt_ns: Some(10), outstanding: true };
        assert_eq!(measured.as_slice(), [expected]);
        let measured = passive.seen(21, &ack(10_000, 22, 100));
        let expected = Measurement::Acknowledged { flow: flow(HOST), rtt_ns: Some(20), outstanding: false };
        assert_eq!(measured.as_slice(), [expected]);
    }

    #[test]
    fn a_source_port_that_is_used_again_and_again_is_measured() {
        let mut passive = passive();
        let rounds = 3 * MAX_QUEUE_PAIRS as u32;
        for (round, now_ns) in (0..rounds).zip((0u64..).step_by(100)) {
            passive.seen(now_ns, &data(HOST, 7 + round, 5));
            let measured = passive.seen(now_ns + 10, &ack(10_000, 100 + round, 5));
            let expected =
                Measurement::Acknowledged { flow: flow(HOST), rtt_ns: Some(10), outstanding: false };
            assert_eq!(measured.as_slice(), [expected], "round {round}");
        }
    }

    #[test]
    fn beyond_the_limit_the_idlest_connection_is_evicted() {
        let mut passive = passive();
        for port in 1..4 {
            passive.seen(port, &data(&format!("10.0.0.1:{port}>10.0.0.2:4791/udp"), 7, 5));
        }
        assert_eq!(passive.stats().over_limit, 1);
        // The first one was evicted.
        assert_eq!(passive.expire(1002).len(), 1);
        assert_eq!(passive.expire(2000).len(), 1);
    }

    #[test]
    fn a_tcp_segment_and_its_acknowledgement_give_a_round_trip() {
        let mut passive = passive();
        let out = FlowKey { proto: PROTO_TCP, ..flow(HOST) };
        let tcp = |flow, sequence, length, upto| {
            let content = Content::Tcp { sequence, length, acknowledgement: Some(upto), is_reset: false };
            Seen { flow, dscp: 0, content }
        };
        passive.seen(0, &tcp(out, u32::MAX - 99, 200, 1));
        let measured = passive.seen(70, &tcp(out.reversed(), 1, 0, 100));
        let expected = Measurement::Acknowledged { flow: out, rtt_ns: Some(70), outstanding: false };
        assert_eq!(measured.as_slice(), [expected]);
        // Data of the other host is not measured here.
        assert!(passive.seen(80, &tcp(out.reversed(), 1, 50, 100)).is_empty());
    }

    #[test]
    fn a_negative_acknowledgement_gives_no_sample() {
        let mut passive = passive();
        for psn in 5..9 {
            passive.seen(0, &data(HOST, 7, psn));
        }
        let content = Content::RoceAcknowledgement { queue_pair: 9, upto: 7, is_negative: true };
        let nak = Seen { flow: flow("10.0.0.2:10000>10.0.0.1:4791/udp"), dscp: 24, content };
        let expected = Measurement::Acknowledged { flow: flow(HOST), rtt_ns: None, outstanding: true };
        assert_eq!(passive.seen(50, &nak).as_slice(), [expected]);
    }
}
