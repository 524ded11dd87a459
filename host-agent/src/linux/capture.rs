//! Measures flows from the frames that cross an interface, and sends polling packets on it.
//!
//! Times are those of the kernel for each frame, so that a busy agent measures round trips as well as an idle one.

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

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
    /// How many times slower than in the network that telemetry describes time passes; 1 on real hardware.
    pub time_scale: u64,
    /// Limits on connections.
    pub limits: Limits,
}

impl CaptureSettings {
    /// The settings of a real host with these addresses.
    pub fn new(addresses: Vec<IpAddr>) -> CaptureSettings {
        CaptureSettings { addresses, roce_ports: Vec::new(), time_scale: 1, limits: Limits::default() }
    }
}

/// The capture of one interface.
#[derive(Debug)]
pub struct Capture {
    port: Port,
    passive: Passive,
    roce_ports: Vec<u16>,
    time_scale: u64,
    /// The latest time so far: the wall clock may be set back, the time of an agent does not run backwards.
    latest_ns: u64,
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
            time_scale: settings.time_scale.max(1),
            latest_ns: 0,
        })
    }

    /// Handles the frames that have crossed the interface, without blocking, and passes each measurement to `each` with
    /// its time: ns since 1970, divided by the time scale. `now_unix_ns` is the time of frames without a timestamp.
    /// Returns whether there may be more.
    ///
    /// # Errors
    /// The interface went down or disappeared. It is captured again when it is up.
    pub fn receive(
        &mut self,
        now_unix_ns: u64,
        mut each: impl FnMut(u64, Measurement),
    ) -> Result<bool, Error> {
        let Capture { port, passive, roce_ports, time_scale, latest_ns } = self;
        port.receive(|frame| {
            let at_ns = frame.at_ns.unwrap_or(now_unix_ns) / *time_scale;
            *latest_ns = at_ns.max(*latest_ns);
            if let Some(packet) = read(frame.bytes, roce_ports) {
                for measurement in passive.seen(*latest_ns, &packet) {
                    each(*latest_ns, measurement);
                }
            }
        })
    }

    /// Closes idle connections. To be called about once a second.
    pub fn expire(&mut self, now_unix_ns: u64) -> Vec<Measurement> {
        self.latest_ns = (now_unix_ns / self.time_scale).max(self.latest_ns);
        self.passive.expire(self.latest_ns)
    }

    /// The latest time that was measured or passed to [`Capture::expire`].
    pub fn latest_ns(&self) -> u64 {
        self.latest_ns
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
