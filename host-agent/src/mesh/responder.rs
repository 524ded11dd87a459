//! Which requests are answered.
//!
//! A responder is no amplifier: a reply is as long as its request, goes to the address and port that the request comes
//! from, and only hosts of the network get one, each at a limited rate.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::admission::Senders;
use super::packet::{Bytes, Reply, Request};

/// Counters of a responder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponderStats {
    /// Requests that were answered.
    pub answered: u64,
    /// Requests of addresses that are not known.
    pub unknown: u64,
    /// Requests beyond the rate limit of their address.
    pub limited: u64,
    /// Packets that are no requests.
    pub malformed: u64,
}

/// Answers requests.
#[derive(Clone, Debug)]
pub struct Responder {
    senders: Senders,
    stats: ResponderStats,
}

impl Responder {
    /// Answers requests of `known` addresses, each at most `replies_per_second` times a second in the long run, and half
    /// a second's replies at once.
    pub fn new(known: BTreeSet<IpAddr>, replies_per_second: u32) -> Responder {
        Responder { senders: Senders::new(known, replies_per_second), stats: ResponderStats::default() }
    }

    /// Returns the reply to a packet from an address, if there is one. `received_ns` is when the packet arrived, and
    /// `now_ns` the present, both in ns since 1970.
    pub fn reply(&mut self, now_ns: u64, from: IpAddr, packet: &[u8], received_ns: u64) -> Option<Bytes> {
        let from = from.to_canonical();
        let Some(request) = Request::read(packet) else {
            self.stats.malformed += 1;
            return None;
        };
        if let Err(refusal) = self.senders.admit(now_ns, from) {
            *refusal.counter(&mut self.stats.unknown, &mut self.stats.limited) += 1;
            return None;
        }
        self.stats.answered += 1;
        // A clock that was set back in between leaves no time in the responder.
        let reply = Reply { request, received_ns: received_ns.min(now_ns), sent_ns: now_ns };
        Some(reply.to_bytes())
    }

    /// Returns the counters.
    pub fn stats(&self) -> ResponderStats {
        self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: Request = Request { session: 7, sequence: 9 };

    fn responder(replies_per_second: u32) -> Responder {
        Responder::new([IpAddr::from([10, 0, 0, 2])].into(), replies_per_second)
    }

    #[test]
    fn a_reply_repeats_the_request_and_is_as_long() {
        let request = REQUEST.to_bytes();
        let reply = responder(10).reply(500, IpAddr::from([10, 0, 0, 2]), &request, 400).unwrap();
        assert_eq!(Reply::read(&reply), Some(Reply { request: REQUEST, received_ns: 400, sent_ns: 500 }));
        assert_eq!(reply.len(), request.len());
    }

    #[test]
    fn only_requests_of_known_hosts_are_answered() {
        let mut responder = responder(10);
        let known = IpAddr::from([10, 0, 0, 2]);
        assert_eq!(responder.reply(0, IpAddr::from([10, 0, 0, 3]), &REQUEST.to_bytes(), 0), None);
        // A reply that is answered would run between two responders for ever.
        let reply = responder.reply(0, known, &REQUEST.to_bytes(), 0).unwrap();
        assert_eq!(responder.reply(0, known, &reply, 0), None);
        assert_eq!(responder.reply(0, known, b"hello", 0), None);
        let mapped: IpAddr = "::ffff:10.0.0.2".parse().unwrap();
        assert!(responder.reply(0, mapped, &REQUEST.to_bytes(), 0).is_some());
        let expected = ResponderStats { answered: 2, unknown: 1, limited: 0, malformed: 2 };
        assert_eq!(responder.stats(), expected);
    }

    #[test]
    fn replies_to_one_address_are_limited() {
        let mut responder = responder(10);
        let mut answered = |now_ns: u64| {
            let from = IpAddr::from([10, 0, 0, 2]);
            (0..100).filter(|_| responder.reply(now_ns, from, &REQUEST.to_bytes(), now_ns).is_some()).count()
        };
        assert_eq!((answered(0), answered(100_000_000), answered(200_000_000)), (5, 1, 1));
    }
}
