//! The two ends of an RDMA READ (InfiniBand Architecture Specification, volume 1, section 9.7.5).
//!
//! The requester asks for one message a request and keeps a limited number of requests outstanding. The responder
//! answers with data packets, which are not acknowledged: a request says by itself what has arrived. A gap in the
//! responses, or silence, makes the requester ask again from the first missing packet.

use super::message::Layout;

/// Requests a queue pair may have outstanding unless the flow says otherwise; what NICs offer by default.
pub(crate) const OUTSTANDING_READS: u32 = 16;

/// The requester's side.
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    layout: Layout,
    outstanding: u64,
    /// Messages asked for.
    issued: u64,
}

impl Requester {
    pub(crate) fn new(layout: Layout, outstanding: Option<u32>) -> Requester {
        Requester {
            layout,
            outstanding: u64::from(outstanding.unwrap_or(OUTSTANDING_READS).max(1)),
            issued: 0,
        }
    }

    /// The first packet of the next message to ask for, when everything below `expected` has arrived.
    pub(crate) fn next(&mut self, expected: u64) -> Option<u64> {
        let complete = match expected >= self.layout.packets() {
            true => self.layout.messages(),
            false => self.layout.message_of(expected),
        };
        if self.issued >= self.layout.messages() || self.issued >= complete + self.outstanding {
            return None;
        }
        self.issued += 1;
        Some(self.layout.first_of(self.issued - 1))
    }
}

/// The responder's side: how far it has been asked to send.
#[derive(Clone, Debug)]
pub(crate) struct Responder {
    layout: Layout,
    outstanding: u64,
    /// Packets asked for.
    pub(crate) released: u64,
}

/// What a request means to the responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// More packets may be sent; everything below the number has arrived.
    More(u64),
    /// Packets from this one on are missing.
    Again(u64),
}

impl Responder {
    pub(crate) fn new(layout: Layout, outstanding: Option<u32>) -> Responder {
        let outstanding = u64::from(outstanding.unwrap_or(OUTSTANDING_READS).max(1));
        Responder { layout, outstanding, released: 0 }
    }

    /// A request for the packets from `number` on to the end of its message.
    pub(crate) fn asked(&mut self, number: u64) -> Asked {
        if number < self.released {
            return Asked::Again(number);
        }
        let message = self.layout.message_of(number);
        self.released = self.layout.first_of(message + 1).min(self.layout.packets());
        let complete = (message + 1).saturating_sub(self.outstanding);
        Asked::More(self.layout.first_of(complete))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_limited_and_say_what_has_arrived() {
        let layout = Layout::new(10_000, Some(2_000), 1_000);
        let (mut requester, mut responder) =
            (Requester::new(layout, Some(2)), Responder::new(layout, Some(2)));
        assert_eq!([requester.next(0), requester.next(0), requester.next(1)], [Some(0), Some(2), None]);
        assert_eq!((responder.asked(0), responder.asked(2)), (Asked::More(0), Asked::More(0)));
        assert_eq!(responder.released, 4);
        assert_eq!(requester.next(2), Some(4));
        assert_eq!(responder.asked(4), Asked::More(2));
        assert_eq!(responder.asked(3), Asked::Again(3));
        assert_eq!((requester.next(9), requester.next(10), requester.next(10)), (Some(6), Some(8), None));
    }
}
