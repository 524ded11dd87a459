//! The source `capture`: round trips of RoCEv2 flows from the frames that cross the interface.

use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use host_agent::Measured;
use host_agent::linux::{Capture, CaptureSettings};
use host_agent::passive::PassiveStats;
use net::RingCounters;
use tokio::sync::watch;
use tracing::warn;
use web::Metric;

use super::source::{AT_ONCE, Measurements, Source};
use crate::daemons::health::metric;
use crate::daemons::operations::clock::{as_wall_ns, system_ns};

/// Longest wait for frames.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// Time for which frames are left in the ring while there are some. Waking up costs as much as many frames do, and the
/// kernel notes the time of each frame, so that round trips are as precise as without a pause. A slow round trip is polled
/// that much later: less than half of the time for which a switch keeps its records (32 epochs of 131 us).
const PAUSE: Duration = Duration::from_millis(2);
/// Interval at which idle connections are closed and losses are reported.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// The interface and the host's addresses on it.
pub(crate) struct CaptureSource {
    pub(crate) interface: String,
    pub(crate) settings: CaptureSettings,
    /// Where the counters go.
    pub(crate) stats: watch::Sender<CaptureStats>,
}

/// Counters of the capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CaptureStats {
    passive: PassiveStats,
    ring: RingCounters,
}

impl Source for CaptureSource {
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()> {
        let capture = Capture::open(&self.interface, self.settings)?;
        let state = CaptureStats::default();
        let thread = CaptureThread { capture, measurements, stats: self.stats, state, is_down: false };
        let run = move || thread.measure();
        std::thread::Builder::new().name("capture".into()).spawn(run).context("cannot start a thread")?;
        Ok(())
    }
}

struct CaptureThread {
    capture: Capture,
    measurements: Measurements,
    stats: watch::Sender<CaptureStats>,
    state: CaptureStats,
    is_down: bool,
}

impl CaptureThread {
    /// Measures until the process ends.
    fn measure(mut self) {
        let mut housekeeping = Instant::now();
        let mut batch = Vec::new();
        loop {
            // What is in the ring by now is in the batch.
            let until_ns = as_wall_ns(system_ns());
            batch.clear();
            let received = self.capture.receive(|measured| {
                batch.push(Measured { time_ns: as_wall_ns(measured.time_ns), ..measured });
            });
            if housekeeping.elapsed() >= HOUSEKEEPING {
                housekeeping = Instant::now();
                batch.extend(self.keep_house());
            }
            match received {
                Ok(0) => {
                    self.is_down = false;
                    self.measurements.take_until(&batch, AT_ONCE);
                    // An error of the wait shows up at the next receive.
                    let _ = net::wait(&[self.capture.as_fd()], Some(MAX_WAIT), &mut Vec::new());
                }
                Ok(_) => {
                    self.is_down = false;
                    self.measurements.take_until(&batch, until_ns);
                    std::thread::sleep(PAUSE);
                }
                Err(error) => {
                    self.measurements.take_until(&batch, AT_ONCE);
                    self.failed(&error);
                }
            }
        }
    }

    /// Waits for the interface if it is down. Of other errors only the frame is lost.
    fn failed(&mut self, error: &net::Error) {
        if !std::mem::replace(&mut self.is_down, true) {
            warn!(%error, "the capture waits for the interface");
        }
        if matches!(error, net::Error::Down { .. } | net::Error::NoInterface { .. }) {
            std::thread::sleep(MAX_WAIT);
        }
    }

    /// Publishes the counters and closes idle connections.
    fn keep_house(&mut self) -> Vec<Measured> {
        self.capture.refresh();
        let lost_before = self.state.ring.lost;
        (self.state.passive, self.state.ring) = self.capture.stats();
        let lost = self.state.ring.lost - lost_before;
        if lost > 0 {
            warn!(lost, "the kernel dropped frames before the capture received them; their flows have gaps");
        }
        self.stats.send_replace(self.state);
        let system_ns = system_ns();
        let time_ns = as_wall_ns(system_ns);
        let closed = self.capture.expire(system_ns).into_iter();
        closed.map(|measurement| Measured { time_ns, measurement }).collect()
    }
}

/// The metrics of the capture.
pub(super) fn metrics(stats: CaptureStats) -> Vec<Metric> {
    let CaptureStats { passive, ring } = stats;
    let counter = |name, help, value| metric(name, help, true, value);
    vec![
        counter("agent_capture_frames", "Frames of RoCEv2 that were captured", ring.received),
        counter(
            "agent_capture_frames_lost",
            "Frames that the kernel dropped before the capture received them",
            ring.lost,
        ),
        counter(
            "agent_capture_frames_merged",
            "Frames of which an offload hid all packets but the first",
            ring.merged,
        ),
        counter("agent_capture_samples", "Round trips measured by the capture", passive.samples),
        counter(
            "agent_capture_acknowledgements_unmatched",
            "Acknowledgements that fit no data",
            passive.unmatched,
        ),
        counter(
            "agent_capture_over_limit",
            "Evicted connections, and data beyond the limits",
            passive.over_limit,
        ),
    ]
}
