//! The two ends of an RDMA READ (InfiniBand Architecture Specification, volume 1, section 9.7.5).
//!
//! The requester sends one request per message and keeps a limited number of requests outstanding. The responder sends
//! data packets, which are not acknowledged: the next request implies what has arrived. After a gap in the responses,
//! or a timeout, the requester requests the data again from the first missing packet on.

use super::message::Layout;

/// Requests that a queue pair may have outstanding unless the flow sets a limit; the default of NICs.
pub(crate) const OUTSTANDING_READS: u32 = 16;

/// The requester's side of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    layout: Layout,
    outstanding: u64,
    /// Messages requested.
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

    /// The first packet of the next message to request, when all packets below `expected` have arrived.
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

/// The responder's side of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Responder {
    layout: Layout,
    outstanding: u64,
    /// The first packet that has not been requested.
    pub(crate) released: u64,
}

/// What a request means for the responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// More packets are requested; all below this number have arrived.
    New(u64),
    /// Packets from this one on are requested again.
    Repeated(u64),
}

impl Responder {
    pub(crate) fn new(layout: Layout, outstanding: Option<u32>) -> Responder {
        let outstanding = u64::from(outstanding.unwrap_or(OUTSTANDING_READS).max(1));
        Responder { layout, outstanding, released: 0 }
    }

    /// Processes a request for the packets from `number` to the end of its message.
    pub(crate) fn requested(&mut self, number: u64) -> RequestKind {
        if number < self.released {
            return RequestKind::Repeated(number);
        }
        let message = self.layout.message_of(number);
        self.released = self.layout.first_of(message + 1).min(self.layout.packets());
        let complete = (message + 1).saturating_sub(self.outstanding);
        RequestKind::New(self.layout.first_of(complete))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_limited_and_acknowledge_earlier_messages() {
        let layout = Layout::new(10_000, Some(2_000), 1_000);
        let (mut requester, mut responder) =
            (Requester::new(layout, Some(2)), Responder::new(layout, Some(2)));
        assert_eq!([requester.next(0), requester.next(0), requester.next(1)], [Some(0), Some(2), None]);
        assert_eq!(
            (responder.requested(0), responder.requested(2)),
            (RequestKind::New(0), RequestKind::New(0))
        );
        assert_eq!(responder.released, 4);
        assert_eq!(requester.next(2), Some(4));
        assert_eq!(responder.requested(4), RequestKind::New(2));
        assert_eq!(responder.requested(3), RequestKind::Repeated(3));
        assert_eq!((requester.next(9), requester.next(10), requester.next(10)), (Some(6), Some(8), None));
    }
}
