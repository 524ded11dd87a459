//! Measures flows from the frames that cross an interface.
//!
//! Times are those of the kernel for each frame, so that a busy agent measures round trips as well as an idle one.

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

use model::flow::PROTO_TCP;
use net::{Error, Instruction, Ring, RingCounters, SNAP_BYTES};

use crate::measurement::{Measured, Measurement};
use crate::passive::{Limits, Passive, PassiveStats, Step, filter, read};

/// How an interface is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSettings {
    /// The host's addresses on the interface.
    pub addresses: Vec<IpAddr>,
    /// UDP ports that carry RoCEv2 besides 4791.
    pub roce_ports: Vec<u16>,
    /// Whether TCP is measured, too. Receivers delay acknowledgements of single segments by up to 500 ms (RFC 9293,
    /// section 3.8.6.3), which looks like a slow round trip. What the host leaves to segmentation offload is one segment here.
    pub tcp: bool,
    /// Limits on connections.
    pub limits: Limits,
}

impl CaptureSettings {
    /// The settings of a real host with these addresses.
    pub fn new(addresses: Vec<IpAddr>) -> CaptureSettings {
        CaptureSettings { addresses, roce_ports: Vec::new(), tcp: false, limits: Limits::default() }
    }
}

/// The capture of one interface. The kernel keeps the headers of frames in a ring until they are received, so that
/// many can be received at once.
#[derive(Debug)]
pub struct Capture {
    ring: Ring,
    passive: Passive,
    roce_ports: Vec<u16>,
    tcp: bool,
}

impl Capture {
    /// Opens an interface.
    ///
    /// # Errors
    /// It does not exist or is down, or the process lacks `CAP_NET_RAW`.
    pub fn open(interface: &str, settings: CaptureSettings) -> Result<Capture, Error> {
        let steps = filter(&settings.roce_ports, settings.tcp, SNAP_BYTES);
        let selected: Vec<Instruction> = steps.iter().map(instruction).collect();
        Ok(Capture {
            ring: Ring::open(interface, &selected)?,
            passive: Passive::new(settings.addresses, settings.limits),
            roce_ports: settings.roce_ports,
            tcp: settings.tcp,
        })
    }

    /// Handles the frames that have crossed the interface, without blocking, and passes on each measurement. Returns the
    /// number of frames.
    ///
    /// # Errors
    /// The interface went down or disappeared. It is captured again when it is up, one that replaces it after
    /// [`Capture::refresh`].
    pub fn receive(&mut self, mut each: impl FnMut(Measured)) -> Result<usize, Error> {
        let Capture { ring, passive, roce_ports, tcp } = self;
        ring.receive(|frame| {
            if let Some(packet) =
                read(frame.bytes, roce_ports).filter(|packet| *tcp || packet.flow.proto != PROTO_TCP)
            {
                for measurement in passive.seen(frame.at_ns, &packet) {
                    each(Measured { time_ns: frame.at_ns, measurement });
                }
            }
        })
    }

    /// Opens the interface again if another one has got its name. To be called about once a second.
    pub fn refresh(&mut self) {
        self.ring.refresh();
    }

    /// Closes idle connections. To be called about once a second.
    pub fn expire(&mut self, now_unix_ns: u64) -> Vec<Measurement> {
        self.passive.expire(now_unix_ns)
    }

    /// What was measured, and what the kernel dropped before.
    pub fn stats(&mut self) -> (PassiveStats, RingCounters) {
        (self.passive.stats(), self.ring.counters())
    }
}

impl AsFd for Capture {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ring.as_fd()
    }
}

fn instruction(step: &Step) -> Instruction {
    let Step { code, jump_true, jump_false, operand } = *step;
    Instruction { code, jump_true, jump_false, operand }
}
