//! When a prober offers its queue pairs to peers, and which peers have answered.
//!
//! A peer that does not know the transport never answers: it gets offers ever more rarely, and nothing else happens. A peer
//! that answers gets one every 10 s, which keeps its queue pair alive and shows that it has restarted.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::hello::{Endpoint, Hello, Transport};
use super::peers::Peer;

/// Time from an offer without an answer to the next one; it doubles each time.
const FIRST_RETRY_NS: u64 = 1_000_000_000;
/// Maximum time between two offers to a peer that does not answer.
const MAX_RETRY_NS: u64 = 60_000_000_000;
/// Time between two offers to a peer that answers; a sixth of the time after which it forgets the offer.
const REFRESH_NS: u64 = 10_000_000_000;

/// An offer to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The peer's address.
    pub to: IpAddr,
    /// Number of the path; 0 for UD.
    pub path: u8,
    /// Session of the prober.
    pub session: u64,
    /// Number of the offer.
    pub number: u64,
}

/// A peer that has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The peer's address.
    pub to: IpAddr,
    /// Number of the path; 0 for UD.
    pub path: u8,
    /// Its queue pair.
    pub endpoint: Endpoint,
    /// Whether the queue pair is another one than at the last answer.
    pub is_new: bool,
}

/// Offers to all peers.
#[derive(Clone, Debug)]
pub struct Offers {
    transport: Transport,
    session: u64,
    next_number: u64,
    states: BTreeMap<(IpAddr, u8), State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    due_ns: u64,
    /// When the last offer was sent.
    sent_ns: u64,
    retry_ns: u64,
    /// Number of the offer that has no answer yet.
    outstanding: Option<u64>,
    endpoint: Option<Endpoint>,
}

impl Offers {
    /// Offers queue pairs to `peers` from `now_ns` on, on each of `paths` paths for RC. `session` must be random. The first offers
    /// are spread over a second.
    pub fn new(now_ns: u64, session: u64, transport: Transport, peers: &[Peer], paths: usize) -> Offers {
        let paths = if transport == Transport::Rc { u8::try_from(paths).unwrap_or(u8::MAX) } else { 1 };
        let keys: Vec<(IpAddr, u8)> =
            peers.iter().flat_map(|peer| (0..paths).map(|path| (peer.address, path))).collect();
        let gap_ns = FIRST_RETRY_NS / (keys.len() as u64).max(1);
        let states = keys.into_iter().enumerate().map(|(at, key)| {
            let due_ns = now_ns.saturating_add(gap_ns * at as u64);
            let state = State {
                due_ns,
                sent_ns: now_ns,
                retry_ns: FIRST_RETRY_NS,
                outstanding: None,
                endpoint: None,
            };
            (key, state)
        });
        Offers { transport, session, next_number: 0, states: states.collect() }
    }

    /// Returns when [`Offers::due`] should be called next, if ever.
    pub fn next_due_ns(&self) -> Option<u64> {
        self.states.values().map(|state| state.due_ns).min()
    }

    /// Returns an offer that is due. Call it until there is none.
    pub fn due(&mut self, now_ns: u64) -> Option<Offer> {
        let ((to, path), state) = self.states.iter_mut().find(|(_, state)| state.due_ns <= now_ns)?;
        // The last offer had an answer, or the time until the next one grows.
        state.retry_ns = match state.outstanding {
            None => FIRST_RETRY_NS,
            Some(_) => state.retry_ns.saturating_mul(2).min(MAX_RETRY_NS),
        };
        state.sent_ns = now_ns;
        state.due_ns = now_ns.saturating_add(state.retry_ns);
        state.outstanding = Some(self.next_number);
        let offer = Offer { to: *to, path: *path, session: self.session, number: self.next_number };
        self.next_number += 1;
        Some(offer)
    }

    /// Handles a packet from an address. Returns the peer if it is the answer to its last offer; only the peer itself may
    /// receive what is sent to the queue pair.
    pub fn answered(&mut self, now_ns: u64, from: IpAddr, hello: &Hello) -> Option<Met> {
        let from = from.to_canonical();
        let is_ours = hello.is_answer && hello.transport == self.transport && hello.session == self.session;
        if !is_ours || hello.endpoint.address != from {
            return None;
        }
        let state = self.states.get_mut(&(from, hello.path))?;
        state.outstanding.filter(|number| *number == hello.number)?;
        state.outstanding = None;
        state.due_ns = now_ns.saturating_add(REFRESH_NS);
        let is_new = state.endpoint.replace(hello.endpoint) != Some(hello.endpoint);
        Some(Met { to: from, path: hello.path, endpoint: hello.endpoint, is_new })
    }

    /// Notes that probes to a peer are lost, or that a connection has failed: the peer may have restarted, so it gets an
    /// offer at once, but not within a second of the last offer.
    pub fn failed(&mut self, to: IpAddr, path: u8) {
        let path = if self.transport == Transport::Rc { path } else { 0 };
        if let Some(state) = self.states.get_mut(&(to, path)) {
            state.due_ns = state.due_ns.min(state.sent_ns.saturating_add(state.retry_ns));
        }
    }

    /// Returns whether a peer has answered since the start.
    pub fn has_met(&self, to: IpAddr, path: u8) -> bool {
        let path = if self.transport == Transport::Rc { path } else { 0 };
        self.states.get(&(to, path)).is_some_and(|state| state.endpoint.is_some())
    }

    /// Returns the number of peers and paths that have answered since the start.
    pub fn met(&self) -> usize {
        self.states.values().filter(|state| state.endpoint.is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Scope;

    const S: u64 = 1_000_000_000;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn offers(transport: Transport, peers: u8, paths: usize) -> Offers {
        let peers: Vec<Peer> =
            (1..=peers).map(|last| Peer { address: address(last), scope: Scope::Tor }).collect();
        Offers::new(0, 77, transport, &peers, paths)
    }

    fn answer(offer: &Offer, transport: Transport, queue_pair: u32) -> Hello {
        let is_rc = transport == Transport::Rc;
        let endpoint = Endpoint { address: offer.to, queue_pair, psn: 0, q_key: 0, mtu: u8::from(is_rc) };
        Hello {
            is_answer: true,
            transport,
            path: offer.path,
            session: offer.session,
            number: offer.number,
            flow_label: 1,
            endpoint,
        }
    }

    /// Returns the seconds at which offers are sent.
    fn sent(offers: &mut Offers, until_s: u64) -> Vec<u64> {
        let mut sent = Vec::new();
        while let Some(due_ns) = offers.next_due_ns().filter(|due_ns| *due_ns <= until_s * S) {
            while offers.due(due_ns).is_some() {
                sent.push(due_ns / S);
            }
        }
        sent
    }

    #[test]
    fn a_peer_that_never_answers_gets_offers_ever_more_rarely() {
        let mut offers = offers(Transport::Ud, 1, 4);
        assert_eq!(sent(&mut offers, 250), [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
        assert!(!offers.has_met(address(1), 0));
    }

    #[test]
    fn every_path_of_rc_has_an_offer_and_ud_has_one() {
        assert_eq!(sent(&mut offers(Transport::Rc, 2, 4), 0).len(), 1, "spread over a second");
        let mut rc = offers(Transport::Rc, 2, 4);
        let mut of_rc = Vec::new();
        while let Some(offer) = rc.due(S - 1) {
            of_rc.push((offer.to, offer.path));
        }
        assert_eq!(of_rc.len(), 8);
        assert_eq!(sent(&mut offers(Transport::Ud, 2, 4), 0).len(), 1);
    }

    #[test]
    fn a_peer_that_answers_gets_an_offer_every_ten_seconds() {
        let mut offers = offers(Transport::Ud, 1, 1);
        let mut news = Vec::new();
        for (second, queue_pair) in [(0, 5), (10, 5), (20, 6)] {
            assert_eq!(offers.next_due_ns(), Some(second * S));
            let offer = offers.due(second * S).unwrap();
            let met =
                offers.answered(second * S, address(1), &answer(&offer, Transport::Ud, queue_pair)).unwrap();
            news.push((met.endpoint.queue_pair, met.is_new));
        }
        assert_eq!(news, [(5, true), (5, false), (6, true)], "the peer has restarted");
        assert_eq!(offers.met(), 1);
    }

    #[test]
    fn losses_cause_an_offer_at_once_but_not_more_than_one_a_second() {
        let mut offers = offers(Transport::Rc, 1, 1);
        let offer = offers.due(0).unwrap();
        offers.answered(0, address(1), &answer(&offer, Transport::Rc, 5)).unwrap();
        offers.failed(address(1), 0);
        assert_eq!(offers.next_due_ns(), Some(S));
        offers.due(S).unwrap();
        offers.failed(address(1), 0);
        assert_eq!(offers.next_due_ns(), Some(2 * S));
        offers.due(2 * S).unwrap();
        offers.failed(address(1), 0);
        assert_eq!(offers.next_due_ns(), Some(4 * S), "without answers the interval grows");
    }

    #[test]
    fn forged_answers_are_ignored() {
        let mut offers = offers(Transport::Ud, 2, 1);
        let offer = offers.due(0).unwrap();
        let good = answer(&offer, Transport::Ud, 5);
        let other = Endpoint { address: address(2), ..good.endpoint };
        for (from, wrong) in [
            (address(2), good),
            (address(1), Hello { session: 1, ..good }),
            (address(1), Hello { number: 9, ..good }),
            (address(1), Hello { is_answer: false, ..good }),
            (address(1), Hello { transport: Transport::Rc, ..good }),
            (address(1), Hello { path: 1, ..good }),
            // The probes of this host must not be directed at another host.
            (address(1), Hello { endpoint: other, ..good }),
        ] {
            assert_eq!(offers.answered(0, from, &wrong), None, "{from} {wrong:?}");
        }
        assert!(offers.answered(0, address(1), &good).is_some());
        assert_eq!(offers.answered(0, address(1), &good), None, "a second time");
    }
}
