//! When a host sends probes, and what replies and their absence mean.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::packet::{Bytes, Reply, Request};
use super::peers::{Peer, Scope};

/// Pace and limits of a prober.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProberSettings {
    /// Time between two probes to a peer, in ns, unless the rate limit stretches it. The probes of all peers are spread
    /// over it.
    pub interval_ns: u64,
    /// Source ports that the probes to a peer use in turn, so that they take several of the equal-cost paths; at least 1.
    pub paths: usize,
    /// A probe without a reply for this long is lost.
    pub timeout_ns: u64,
    /// Maximum probes a second to all peers together.
    pub probes_per_second: u32,
}

/// A probe to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The number of the source port, below [`ProberSettings::paths`].
    pub path: usize,
    /// The peer's address.
    pub to: IpAddr,
    /// Its number, for [`Prober::sent`].
    pub sequence: u64,
    /// The payload.
    pub bytes: Bytes,
}

/// A round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// The number of the source port.
    pub path: usize,
    /// The peer's address.
    pub to: IpAddr,
    /// From the prober to the peer and back, without the time in the responder, in ns.
    pub rtt_ns: u64,
    /// The smaller one of this and the last round trip of the same path, for detection: the scheduling of a process on
    /// one of the hosts makes single probes slow, congestion several. Absent for the first one.
    pub sustained_ns: Option<u64>,
}

/// A lost probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The number of the source port.
    pub path: usize,
    /// The peer's address.
    pub to: IpAddr,
    /// Time for which there was no reply, in ns.
    pub waited_ns: u64,
    /// Probes of this path that were lost one after the other, this one included.
    pub in_a_row: u32,
}

impl Loss {
    /// Whether detection should see the loss: from the second one in a row on, each time their number has doubled. A
    /// peer that restarts loses one probe, and a peer that fails must not be polled for in every interval.
    pub fn is_notable(&self) -> bool {
        self.in_a_row >= 2 && self.in_a_row.is_power_of_two()
    }
}

/// The latest probe of a path that has a reply or is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The peer.
    pub peer: Peer,
    /// The number of the source port.
    pub path: usize,
    /// The round trip in ns; absent if there was no reply.
    pub rtt_ns: Option<u64>,
}

/// Counters of the probes of one scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScopeStats {
    /// Peers.
    pub peers: u64,
    /// Probes that were sent.
    pub sent: u64,
    /// Probes with a valid reply in time.
    pub answered: u64,
    /// Probes without one.
    pub lost: u64,
    /// Sum of all round trips, in ns.
    pub rtt_sum_ns: u64,
    /// Largest round trip since [`Prober::take_max`].
    pub rtt_max_ns: u64,
}

/// Sends probes to peers.
///
/// `now_ns` is any clock that does not run backwards. Times of sending and receiving are ns since 1970 and may be set back:
/// such a probe has no round trip.
#[derive(Clone, Debug)]
pub struct Prober {
    settings: ProberSettings,
    session: u64,
    peers: Vec<Peer>,
    gap_ns: u64,
    due_ns: u64,
    /// Number of the next probe: peer after peer, then the next path.
    next: u64,
    outstanding: BTreeMap<u64, Outstanding>,
    paths: BTreeMap<(usize, usize), PathState>,
    stats: BTreeMap<Scope, ScopeStats>,
    /// Packets that reply to no outstanding probe, or whose times contradict each other.
    invalid: u64,
}

#[derive(Clone, Copy, Debug)]
struct Outstanding {
    peer: usize,
    path: usize,
    since_ns: u64,
    /// When it was sent, in ns since 1970; absent until then.
    sent_unix_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathState {
    last_rtt_ns: Option<u64>,
    lost_in_a_row: u32,
    /// Whether there was a reply at some time.
    has_replied: bool,
}

impl Prober {
    /// Probes `peers` from `now_ns` on. `session` must be random.
    pub fn new(now_ns: u64, session: u64, peers: Vec<Peer>, settings: ProberSettings) -> Prober {
        let settings = ProberSettings { paths: settings.paths.max(1), ..settings };
        let mut stats: BTreeMap<Scope, ScopeStats> = BTreeMap::new();
        for peer in &peers {
            stats.entry(peer.scope).or_default().peers += 1;
        }
        let spread_ns = settings.interval_ns / (peers.len() as u64).max(1);
        let limit_ns = 1_000_000_000_u64.div_ceil(u64::from(settings.probes_per_second.max(1)));
        Prober {
            settings,
            session,
            peers,
            gap_ns: spread_ns.max(limit_ns),
            due_ns: now_ns,
            next: 0,
            outstanding: BTreeMap::new(),
            paths: BTreeMap::new(),
            stats,
            invalid: 0,
        }
    }

    /// Returns when [`Prober::probe`] or [`Prober::expire`] should be called next, if ever.
    pub fn next_wake_ns(&self) -> Option<u64> {
        let due_ns = (!self.peers.is_empty()).then_some(self.due_ns);
        let oldest = self.outstanding.first_key_value();
        let expires_ns = oldest.map(|(_, probe)| probe.since_ns.saturating_add(self.settings.timeout_ns));
        [due_ns, expires_ns].into_iter().flatten().min()
    }

    /// Returns a probe if one is due. After a delay the probes that were missed are left out.
    pub fn probe(&mut self, now_ns: u64) -> Option<Probe> {
        if now_ns < self.due_ns || self.peers.is_empty() {
            return None;
        }
        self.due_ns = self.due_ns.saturating_add(self.gap_ns).max(now_ns);
        let sequence = self.next;
        self.next += 1;
        let count = self.peers.len() as u64;
        let peer = (sequence % count) as usize;
        let path = (sequence / count % self.settings.paths as u64) as usize;
        let Peer { address: to, scope } = self.peers[peer];
        self.stats.entry(scope).or_default().sent += 1;
        self.outstanding.insert(sequence, Outstanding { peer, path, since_ns: now_ns, sent_unix_ns: None });
        let bytes = Request { session: self.session, sequence }.to_bytes();
        Some(Probe { path, to, sequence, bytes })
    }

    /// Sets when a probe was sent.
    pub fn sent(&mut self, sequence: u64, sent_unix_ns: u64) {
        if let Some(probe) = self.outstanding.get_mut(&sequence) {
            probe.sent_unix_ns = Some(sent_unix_ns);
        }
    }

    /// Handles a packet that has arrived from an address at the socket of a source port. Returns the round trip if it is
    /// the first reply to an outstanding probe of this path, from its peer.
    pub fn replied(
        &mut self,
        path: usize,
        from: IpAddr,
        packet: &[u8],
        received_unix_ns: u64,
    ) -> Option<RoundTrip> {
        let found = self.round_trip(path, from.to_canonical(), packet, received_unix_ns);
        self.invalid += u64::from(found.is_none());
        let (sequence, rtt_ns) = found?;
        self.answered(sequence, rtt_ns)
    }

    /// Handles the completion of a probe that needs no reply packet, because the peer's NIC acknowledges it. Returns the round
    /// trip if the probe is outstanding.
    pub fn completed(&mut self, sequence: u64, completed_unix_ns: u64) -> Option<RoundTrip> {
        let sent_ns = self.outstanding.get(&sequence)?.sent_unix_ns?;
        let rtt_ns = completed_unix_ns.checked_sub(sent_ns)?;
        self.answered(sequence, rtt_ns)
    }

    /// Takes back a probe that is not sent, because its peer does not know the transport: no counter has it.
    pub fn withdraw(&mut self, sequence: u64) {
        if let Some(probe) = self.outstanding.remove(&sequence)
            && let Some(stats) = self.stats.get_mut(&self.peers[probe.peer].scope)
        {
            stats.sent = stats.sent.saturating_sub(1);
        }
    }

    /// Counts an answer.
    fn answered(&mut self, sequence: u64, rtt_ns: u64) -> Option<RoundTrip> {
        let Outstanding { peer, path, .. } = self.outstanding.remove(&sequence)?;
        let Peer { address: to, scope } = self.peers[peer];
        let stats = self.stats.entry(scope).or_default();
        stats.answered += 1;
        stats.rtt_sum_ns = stats.rtt_sum_ns.saturating_add(rtt_ns);
        stats.rtt_max_ns = stats.rtt_max_ns.max(rtt_ns);
        let state = self.paths.entry((peer, path)).or_default();
        state.lost_in_a_row = 0;
        state.has_replied = true;
        let sustained_ns = state.last_rtt_ns.replace(rtt_ns).map(|last_ns| last_ns.min(rtt_ns));
        Some(RoundTrip { path, to, rtt_ns, sustained_ns })
    }

    /// Returns number and round trip of the probe that a packet replies to.
    fn round_trip(&self, path: usize, from: IpAddr, packet: &[u8], received_ns: u64) -> Option<(u64, u64)> {
        let reply = Reply::read(packet).filter(|reply| reply.request.session == self.session)?;
        let sequence = reply.request.sequence;
        let probe = self.outstanding.get(&sequence)?;
        if probe.path != path || self.peers[probe.peer].address != from {
            return None;
        }
        let total_ns = received_ns.checked_sub(probe.sent_unix_ns?)?;
        let in_responder_ns = reply.sent_ns.checked_sub(reply.received_ns)?;
        let rtt_ns =
            total_ns.checked_sub(in_responder_ns).filter(|_| total_ns <= self.settings.timeout_ns)?;
        Some((sequence, rtt_ns))
    }

    /// Returns the probes whose time is over.
    pub fn expire(&mut self, now_ns: u64) -> Vec<Loss> {
        let mut losses = Vec::new();
        while let Some(oldest) = self.outstanding.first_entry() {
            let waited_ns = now_ns.saturating_sub(oldest.get().since_ns);
            if waited_ns < self.settings.timeout_ns {
                break;
            }
            let Outstanding { peer, path, .. } = oldest.remove();
            let Peer { address: to, scope } = self.peers[peer];
            self.stats.entry(scope).or_default().lost += 1;
            let state = self.paths.entry((peer, path)).or_default();
            state.lost_in_a_row = state.lost_in_a_row.saturating_add(1);
            state.last_rtt_ns = None;
            losses.push(Loss { path, to, waited_ns, in_a_row: state.lost_in_a_row });
        }
        losses
    }

    /// Returns the counters by scope, and the number of packets that were no valid reply.
    pub fn stats(&self) -> (&BTreeMap<Scope, ScopeStats>, u64) {
        (&self.stats, self.invalid)
    }

    /// Returns the latest outcome of each path to the peers that have replied at some time: a host without an agent never
    /// does, which shows nothing.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        let replied = self.paths.iter().filter(|(_, state)| state.has_replied);
        let known: BTreeSet<usize> = replied.map(|((peer, _), _)| *peer).collect();
        self.paths.iter().filter(move |((peer, _), _)| known.contains(peer)).map(|((peer, path), state)| {
            Outcome { peer: self.peers[*peer], path: *path, rtt_ns: state.last_rtt_ns }
        })
    }

    /// Starts the largest round trips anew.
    pub fn take_max(&mut self) {
        self.stats.values_mut().for_each(|stats| stats.rtt_max_ns = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const SESSION: u64 = 77;

    fn prober(peers: u8, interval_ns: u64, probes_per_second: u32) -> Prober {
        let peer = |last| Peer { address: IpAddr::from([10, 0, 0, last]), scope: Scope::Tor };
        let settings = ProberSettings { interval_ns, paths: 2, timeout_ns: 1_000 * MS, probes_per_second };
        Prober::new(0, SESSION, (1..=peers).map(peer).collect(), settings)
    }

    /// Sends every probe from 0 to `until_ns`, in virtual time.
    fn run(prober: &mut Prober, until_ns: u64) -> Vec<(u64, u8, usize)> {
        let mut sent = Vec::new();
        while let Some(now_ns) = prober.next_wake_ns().filter(|now_ns| *now_ns < until_ns) {
            prober.expire(now_ns);
            if let Some(Probe { path, to: IpAddr::V4(to), .. }) = prober.probe(now_ns) {
                sent.push((now_ns / MS, to.octets()[3], path));
            }
        }
        sent
    }

    fn reply(sequence: u64, received_ns: u64, sent_ns: u64) -> Bytes {
        Reply { request: Request { session: SESSION, sequence }, received_ns, sent_ns }.to_bytes()
    }

    #[test]
    fn probes_are_spread_over_the_interval_and_paths_alternate() {
        let expected = [(0, 1, 0), (50, 2, 0), (100, 1, 1), (150, 2, 1), (200, 1, 0)];
        assert_eq!(run(&mut prober(2, 100 * MS, 1_000), 201 * MS), expected);
    }

    #[test]
    fn the_rate_limit_stretches_the_interval() {
        assert_eq!(run(&mut prober(100, 100 * MS, 10), 1_000 * MS).len(), 10);
    }

    #[test]
    fn a_late_wake_up_sends_no_burst() {
        let mut prober = prober(2, 100 * MS, 1_000);
        let mut at = |now_ns| prober.probe(now_ns).is_some();
        assert_eq!([at(0), at(900 * MS), at(900 * MS), at(950 * MS)], [true, true, true, true]);
        assert_eq!([at(950 * MS), at(999 * MS), at(1_000 * MS)], [false, false, true]);
    }

    #[test]
    fn the_time_in_the_responder_is_no_part_of_the_round_trip() {
        let mut prober = prober(1, 10 * MS, 1_000);
        let to = IpAddr::from([10, 0, 0, 1]);
        // The clocks of the hosts differ by hours.
        for (at, in_responder_ns, sustained_ns) in [(0, 5_000, None), (2, 90_000, Some(20_000))] {
            let probe = prober.probe(at * 10 * MS).unwrap();
            prober.sent(probe.sequence, 1_000_000);
            let packet = reply(probe.sequence, 9_000_000_000, 9_000_000_000 + in_responder_ns);
            let rtt_ns = 20_000 + at * 1_000;
            let received_ns = 1_000_000 + in_responder_ns + rtt_ns;
            let expected = RoundTrip { path: 0, to, rtt_ns, sustained_ns };
            assert_eq!(prober.replied(0, to, &packet, received_ns), Some(expected));
            assert_eq!(prober.replied(0, to, &packet, received_ns), None, "a second reply");
            prober.probe((at + 1) * 10 * MS).expect("the other path");
        }
        let (stats, invalid) = prober.stats();
        let of_tor = stats[&Scope::Tor];
        assert_eq!((of_tor.answered, of_tor.rtt_sum_ns, of_tor.rtt_max_ns, invalid), (2, 42_000, 22_000, 2));
    }

    #[test]
    fn forged_and_contradictory_replies_have_no_round_trip() {
        let mut prober = prober(2, 10 * MS, 1_000);
        let to = IpAddr::from([10, 0, 0, 1]);
        let probe = prober.probe(0).unwrap();
        let good = reply(probe.sequence, 5, 6);
        assert_eq!(prober.replied(0, to, &good, 100), None, "it is not sent yet");
        prober.sent(probe.sequence, 50);
        assert_eq!(prober.replied(0, IpAddr::from([10, 0, 0, 2]), &good, 100), None, "another host");
        assert_eq!(prober.replied(1, to, &good, 100), None, "another path");
        assert_eq!(prober.replied(0, to, &reply(9, 5, 6), 100), None, "another probe");
        assert_eq!(prober.replied(0, to, &good, 49), None, "the clock was set back");
        assert_eq!(prober.replied(0, to, &reply(probe.sequence, 6, 5), 100), None, "runs backwards");
        assert_eq!(prober.replied(0, to, &reply(probe.sequence, 0, 51), 100), None, "longer than the whole");
        let other = Reply { request: Request { session: 1, sequence: 0 }, received_ns: 5, sent_ns: 6 };
        assert_eq!(prober.replied(0, to, &other.to_bytes(), 100), None, "another session");
        assert_eq!(prober.replied(0, to, &good, 100).map(|found| found.rtt_ns), Some(49));
    }

    #[test]
    fn losses_are_notable_when_their_number_doubles() {
        let mut prober = prober(1, 1_000 * MS, 1_000);
        let mut notable = Vec::new();
        for second in 0..40 {
            let now_ns = second * 1_000 * MS;
            notable.extend(prober.expire(now_ns).iter().filter(|loss| loss.is_notable()).map(|loss| {
                assert_eq!(loss.waited_ns, 1_000 * MS);
                (loss.path, loss.in_a_row)
            }));
            prober.probe(now_ns);
        }
        assert_eq!(notable, [(0, 2), (1, 2), (0, 4), (1, 4), (0, 8), (1, 8), (0, 16), (1, 16)]);
        assert_eq!(prober.stats().0[&Scope::Tor].lost, 39);
    }

    #[test]
    fn a_completion_is_a_round_trip_and_a_withdrawn_probe_is_nothing() {
        let mut prober = prober(1, 10 * MS, 1_000);
        let to = IpAddr::from([10, 0, 0, 1]);
        let probe = prober.probe(0).unwrap();
        assert_eq!(prober.completed(probe.sequence, 100), None, "it is not sent yet");
        prober.sent(probe.sequence, 100);
        assert_eq!(prober.completed(probe.sequence, 99), None, "the clock was set back");
        let expected = RoundTrip { path: 0, to, rtt_ns: 7, sustained_ns: None };
        assert_eq!(prober.completed(probe.sequence, 107), Some(expected));
        assert_eq!(prober.completed(probe.sequence, 107), None, "a second time");
        let probe = prober.probe(10 * MS).unwrap();
        prober.withdraw(probe.sequence);
        assert!(prober.expire(u64::MAX).is_empty());
        let of_tor = prober.stats().0[&Scope::Tor];
        assert_eq!((of_tor.sent, of_tor.answered, of_tor.lost), (1, 1, 0));
    }

    #[test]
    fn outcomes_are_those_of_peers_that_have_replied() {
        let mut prober = prober(2, 1_000 * MS, 1_000);
        let to = |last| IpAddr::from([10, 0, 0, last]);
        for at in 0..4 {
            let now_ns = at * 500 * MS;
            prober.expire(now_ns);
            let probe = prober.probe(now_ns).unwrap();
            // The first probe of peer 1 has a reply, the second one is lost; peer 2 never replies.
            if at == 0 {
                prober.sent(probe.sequence, 10);
                assert!(prober.replied(0, to(1), &reply(probe.sequence, 1, 1), 20).is_some());
            }
        }
        prober.expire(10_000 * MS);
        let found: Vec<_> = prober.outcomes().map(|o| (o.peer.address, o.path, o.rtt_ns)).collect();
        assert_eq!(found, [(to(1), 0, Some(10)), (to(1), 1, None)]);
    }

    #[test]
    fn a_reply_ends_a_row_of_losses() {
        let mut prober = prober(1, 1_000 * MS, 1_000);
        let to = IpAddr::from([10, 0, 0, 1]);
        let mut rows = Vec::new();
        for second in 0..8 {
            let now_ns = second * 1_000 * MS;
            rows.extend(prober.expire(now_ns).iter().map(|loss| loss.in_a_row));
            let probe = prober.probe(now_ns).unwrap();
            if second == 4 {
                prober.sent(probe.sequence, 10);
                assert!(prober.replied(probe.path, to, &reply(probe.sequence, 1, 1), 20).is_some());
            }
        }
        // Path 0 is probed at even seconds: lost at 0 and 2, answered at 4, lost again at 6.
        assert_eq!(rows, [1, 1, 2, 2, 3, 1]);
    }
}
