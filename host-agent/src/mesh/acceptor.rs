//! Which offers of queue pairs are answered.
//!
//! As a [`Responder`](super::Responder) an acceptor is no amplifier: an answer is as long as its offer and goes back, only hosts
//! of the network get one, each at a limited rate. It names only the sender itself as a peer, so that an offer cannot direct
//! traffic at another host. What it keeps has a limit, and ends with the offers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::admission::Senders;
use super::hello::{Hello, Transport};

/// Maximum offers that are kept: connections of RC, or hosts of UD.
const MAX_ACCEPTED: usize = 4096;
/// Time after the last offer of a prober after which it is forgotten: six of its intervals.
const FORGET_NS: u64 = 60_000_000_000;

/// Counters of an acceptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AcceptorStats {
    /// Offers that were accepted.
    pub accepted: u64,
    /// Offers of addresses that are not known.
    pub unknown: u64,
    /// Offers beyond the rate limit of their address.
    pub limited: u64,
    /// Offers that name another host than their sender.
    pub refused: u64,
    /// Offers beyond the limit of 4096.
    pub full: u64,
}

/// An offer that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The prober's address.
    pub from: IpAddr,
    /// Number of its path; 0 for UD.
    pub path: u8,
    /// Whether it is another offer than the last one of this address and path: what was made for that is of no use any more.
    pub is_new: bool,
}

/// Accepts offers.
#[derive(Clone, Debug)]
pub struct Acceptor {
    transport: Transport,
    senders: Senders,
    accepted: BTreeMap<(IpAddr, u8), Accepted>,
    stats: AcceptorStats,
}

#[derive(Clone, Copy, Debug)]
struct Accepted {
    offer: Hello,
    since_ns: u64,
}

impl Acceptor {
    /// Accepts offers of a transport from `known` addresses, each at most `offers_per_second` times a second in the long run,
    /// and half a second's offers at once.
    pub fn new(transport: Transport, known: BTreeSet<IpAddr>, offers_per_second: u32) -> Acceptor {
        Acceptor {
            transport,
            senders: Senders::new(known, offers_per_second),
            accepted: BTreeMap::new(),
            stats: AcceptorStats::default(),
        }
    }

    /// Handles an offer from an address. `now_ns` is any clock that does not run backwards.
    pub fn offered(&mut self, now_ns: u64, from: IpAddr, offer: &Hello) -> Option<Acceptance> {
        let from = from.to_canonical();
        if offer.is_answer || offer.transport != self.transport {
            return None;
        }
        if let Err(refusal) = self.senders.admit(now_ns, from) {
            *refusal.counter(&mut self.stats.unknown, &mut self.stats.limited) += 1;
            return None;
        }
        if offer.endpoint.address != from {
            self.stats.refused += 1;
            return None;
        }
        let key = (from, offer.path);
        if self.accepted.len() >= MAX_ACCEPTED && !self.accepted.contains_key(&key) {
            self.stats.full += 1;
            return None;
        }
        self.stats.accepted += 1;
        let last = self.accepted.insert(key, Accepted { offer: *offer, since_ns: now_ns });
        let is_same = |last: Accepted| {
            let of = |hello: &Hello| (hello.session, hello.endpoint, hello.flow_label);
            of(&last.offer) == of(offer)
        };
        Some(Acceptance { from, path: offer.path, is_new: !last.is_some_and(is_same) })
    }

    /// Returns the last offer of an address and path.
    pub fn offer(&self, from: IpAddr, path: u8) -> Option<&Hello> {
        self.accepted.get(&(from, path)).map(|accepted| &accepted.offer)
    }

    /// Forgets an offer, because what it needs cannot be made.
    pub fn forget(&mut self, from: IpAddr, path: u8) {
        self.accepted.remove(&(from, path));
    }

    /// Forgets the offers that were not repeated for 60 s, and returns their addresses and paths.
    pub fn expire(&mut self, now_ns: u64) -> Vec<(IpAddr, u8)> {
        let is_over = |accepted: &Accepted| now_ns.saturating_sub(accepted.since_ns) >= FORGET_NS;
        let over: Vec<_> =
            self.accepted.iter().filter(|(_, accepted)| is_over(accepted)).map(|(key, _)| *key).collect();
        for key in &over {
            self.accepted.remove(key);
        }
        over
    }

    /// Returns the counters, and the number of offers that are kept.
    pub fn stats(&self) -> (AcceptorStats, usize) {
        (self.stats, self.accepted.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::hello::Endpoint;

    const S: u64 = 1_000_000_000;

    fn address(number: u16) -> IpAddr {
        let [high, low] = number.to_be_bytes();
        IpAddr::from([10, 0, high, low])
    }

    fn offer(from: IpAddr, path: u8, queue_pair: u32) -> Hello {
        Hello {
            is_answer: false,
            transport: Transport::Rc,
            path,
            session: 5,
            number: 0,
            flow_label: 1,
            endpoint: Endpoint { address: from, queue_pair, psn: 0, q_key: 0, mtu: 3 },
        }
    }

    fn acceptor(known: u16, offers_per_second: u32) -> Acceptor {
        Acceptor::new(Transport::Rc, (0..known).map(address).collect(), offers_per_second)
    }

    #[test]
    fn an_offer_is_new_once() {
        let mut acceptor = acceptor(2, 100);
        let from = address(1);
        let is_new =
            |acceptor: &mut Acceptor, offer: &Hello| acceptor.offered(0, from, offer).unwrap().is_new;
        assert!(is_new(&mut acceptor, &offer(from, 0, 7)));
        assert!(!is_new(&mut acceptor, &Hello { number: 1, ..offer(from, 0, 7) }), "it is repeated");
        assert!(is_new(&mut acceptor, &offer(from, 1, 8)), "another path");
        assert!(is_new(&mut acceptor, &offer(from, 0, 9)), "another queue pair");
        assert!(
            is_new(&mut acceptor, &Hello { session: 6, ..offer(from, 0, 9) }),
            "the prober has restarted"
        );
        assert_eq!(acceptor.offer(from, 0).unwrap().session, 6);
        assert_eq!(acceptor.stats().1, 2);
    }

    #[test]
    fn only_offers_of_known_hosts_for_themselves_are_accepted() {
        let mut acceptor = acceptor(3, 100);
        assert_eq!(acceptor.offered(0, address(9), &offer(address(9), 0, 7)), None);
        assert_eq!(acceptor.offered(0, address(1), &offer(address(2), 0, 7)), None, "for another host");
        let answer = offer(address(1), 0, 7).answer(offer(address(1), 0, 7).endpoint);
        assert_eq!(acceptor.offered(0, address(1), &answer), None, "no loop of answers");
        let other = Hello { transport: Transport::Ud, ..offer(address(1), 0, 7) };
        assert_eq!(acceptor.offered(0, address(1), &other), None);
        let expected = AcceptorStats { unknown: 1, refused: 1, ..AcceptorStats::default() };
        assert_eq!(acceptor.stats(), (expected, 0));
    }

    #[test]
    fn offers_of_one_address_are_limited() {
        let mut acceptor = acceptor(2, 10);
        let from = address(1);
        let mut accepted = |now_ns| {
            let queue_pairs = 2..102;
            queue_pairs
                .filter(|pair| acceptor.offered(now_ns, from, &offer(from, 0, *pair)).is_some())
                .count()
        };
        assert_eq!((accepted(0), accepted(S / 10), accepted(S / 5)), (5, 1, 1));
    }

    #[test]
    fn what_is_kept_is_limited_and_ends_with_the_offers() {
        let mut acceptor = acceptor(5000, 1000);
        for number in 0..5000 {
            acceptor.offered(u64::from(number), address(number), &offer(address(number), 0, 7));
        }
        let (stats, kept) = acceptor.stats();
        assert_eq!((stats.accepted, stats.full, kept), (4096, 904, 4096));
        acceptor.offered(30 * S, address(3), &offer(address(3), 0, 7));
        assert_eq!(acceptor.expire(60 * S + 4095).len(), 4095);
        assert_eq!(acceptor.stats().1, 1);
        acceptor.forget(address(3), 0);
        assert!(acceptor.offer(address(3), 0).is_none());
    }
}
