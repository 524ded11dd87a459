//! The source `capture`: round trips of RoCEv2 flows from the frames that cross the interface.

use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use host_agent::linux::{Capture, CaptureSettings};
use host_agent::passive;
use tracing::warn;

use super::source::{Measured, Measurement, Measurements, Source};
use crate::daemons::operations::clock::{as_wall_ns, system_ns};

/// Longest wait for frames.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// Interval at which idle connections are closed and losses are reported.
const HOUSEKEEPING: Duration = Duration::from_secs(1);

/// The interface and the host's addresses on it.
pub(crate) struct CaptureSource {
    pub(crate) interface: String,
    pub(crate) settings: CaptureSettings,
}

impl Source for CaptureSource {
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()> {
        let capture = Capture::open(&self.interface, self.settings)?;
        let run = move || measure(capture, &measurements);
        std::thread::Builder::new().name("capture".into()).spawn(run).context("cannot start a thread")?;
        Ok(())
    }
}

/// Measures until the process ends.
fn measure(mut capture: Capture, measurements: &Measurements) {
    let mut ready = Vec::new();
    let mut housekeeping = Instant::now();
    let mut lost_batches = 0u64;
    let mut is_down = false;
    loop {
        let mut batch = Vec::new();
        let received = capture.receive(system_ns(), |time_ns, measurement| {
            batch.push(Measured { time_ns: as_wall_ns(time_ns), measurement: measured(measurement) });
        });
        if housekeeping.elapsed() >= HOUSEKEEPING {
            housekeeping = Instant::now();
            capture.refresh();
            let system_ns = system_ns();
            let closed = capture.expire(system_ns).into_iter();
            let time_ns = as_wall_ns(system_ns);
            batch.extend(closed.map(|closed| Measured { time_ns, measurement: measured(closed) }));
        }
        if !measurements.offer(batch) {
            lost_batches += 1;
            if lost_batches.is_power_of_two() {
                warn!(lost_batches, "the agent is too slow for its measurements; some are lost");
            }
        }
        match received {
            Ok(true) => is_down = false,
            Ok(false) => {
                is_down = false;
                // An error of the wait shows up at the next receive.
                let _ = net::wait(&[capture.as_fd()], Some(MAX_WAIT), &mut ready);
            }
            Err(error) => {
                if !std::mem::replace(&mut is_down, true) {
                    warn!(%error, "the capture waits for the interface");
                }
                // Of other errors only the frame is lost.
                if matches!(error, net::Error::Down { .. } | net::Error::NoInterface { .. }) {
                    std::thread::sleep(MAX_WAIT);
                }
            }
        }
    }
}

/// Returns the measurement for the agent's loop; a base round trip is learned.
pub(super) fn measured(measurement: passive::Measurement) -> Measurement {
    match measurement {
        // The priority is that of the class selector; the switches may use other tables.
        passive::Measurement::Opened { flow, dscp } => {
            Measurement::Opened { flow, priority: dscp >> 3, base_ns: None }
        }
        passive::Measurement::Sent { flow } => Measurement::Sent { flow },
        passive::Measurement::Acknowledged { flow, rtt_ns, outstanding } => {
            Measurement::Acknowledged { flow, rtt_ns, outstanding }
        }
        passive::Measurement::Progressed { flow, at_least_ns, outstanding } => {
            Measurement::Progressed { flow, at_least_ns, outstanding }
        }
        passive::Measurement::Closed { flow } => Measurement::Closed { flow },
    }
}
