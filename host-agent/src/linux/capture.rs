//! Measures flows from the frames that cross an interface, and sends polling packets on it.
//!
//! Times are those of the kernel for each frame, so that a busy agent measures round trips as well as an idle one.

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

use model::flow::PROTO_TCP;
use model::wire::Frame;
use net::{Counters, Error, Options, Port};

use crate::passive::{Limits, Measurement, Passive, PassiveStats, read};

/// How an interface is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSettings {
    /// The host's addresses on the interface.
    pub addresses: Vec<IpAddr>,
    /// UDP ports that carry RoCEv2 besides 4791.
    pub roce_ports: Vec<u16>,
    /// Whether TCP is measured, too. Receivers delay acknowledgements of single segments by up to 500 ms (RFC 9293,
    /// section 3.8.6.3), which looks like a slow round trip.
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

/// The capture of one interface.
#[derive(Debug)]
pub struct Capture {
    port: Port,
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
        let options = Options { promiscuous: false, outgoing: true, timestamps: true, ..Options::default() };
        Ok(Capture {
            port: Port::open(interface, &options)?,
            passive: Passive::new(settings.addresses, settings.limits),
            roce_ports: settings.roce_ports,
            tcp: settings.tcp,
        })
    }

    /// Handles the frames that have crossed the interface, without blocking, and passes each measurement to `each` with
    /// its time in ns since 1970. `now_unix_ns` is the time of frames without a timestamp. Returns whether there may be
    /// more.
    ///
    /// # Errors
    /// The interface went down or disappeared. It is captured again when it is up, one that replaces it after
    /// [`Capture::refresh`].
    pub fn receive(
        &mut self,
        now_unix_ns: u64,
        mut each: impl FnMut(u64, Measurement),
    ) -> Result<bool, Error> {
        let Capture { port, passive, roce_ports, tcp } = self;
        port.receive(|frame| {
            let at_ns = frame.at_ns.unwrap_or(now_unix_ns);
            if let Some(packet) =
                read(frame.bytes, roce_ports).filter(|packet| *tcp || packet.flow.proto != PROTO_TCP)
            {
                for measurement in passive.seen(at_ns, &packet) {
                    each(at_ns, measurement);
                }
            }
        })
    }

    /// Opens the interface again if another one has got its name. To be called about once a second.
    pub fn refresh(&mut self) {
        self.port.refresh();
    }

    /// Closes idle connections. To be called about once a second.
    pub fn expire(&mut self, now_unix_ns: u64) -> Vec<Measurement> {
        self.passive.expire(now_unix_ns)
    }

    /// Sends a frame, such as a polling packet.
    pub fn send(&mut self, frame: Frame) {
        self.port.send(&[frame]);
    }

    /// The MAC address of the interface.
    pub fn address(&self) -> [u8; 6] {
        self.port.address()
    }

    /// What was measured, and what the kernel dropped before.
    pub fn stats(&mut self) -> (PassiveStats, Counters) {
        (self.passive.stats(), self.port.counters())
    }
}

impl AsFd for Capture {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.port.as_fd()
    }
}
