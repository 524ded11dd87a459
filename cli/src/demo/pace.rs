//! The thread that simulates the network, and its pace against the wall clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use model::Time;
use tokio::sync::mpsc;
use tracing::error;

use super::control::Control;
use super::network::Network;
use super::queries::Poll;
use super::sampler::Sampled;

/// Wall-clock time between two steps of the simulation.
const SLICE: Duration = Duration::from_millis(10);
/// Steps between two samples of all ports.
const SLICES_PER_SAMPLE: u64 = 10;
/// Simulated time of a step without a pace.
const STEP: Time = Time::from_us(50);

/// The state of the network that its thread reports.
pub(super) struct Progress {
    /// Simulated time.
    pub(super) now: Time,
    /// The state of every switch port.
    pub(super) samples: Sampled,
}

/// How fast and how long the network is simulated.
pub(super) struct Pace {
    /// Simulated microseconds per second of wall-clock time; absent: as fast as possible.
    pub(super) us_per_s: Option<u64>,
    /// Number of rounds; absent: without end.
    pub(super) rounds: Option<usize>,
}

/// What the thread reports and receives.
pub(super) struct Lines {
    pub(super) control: Control,
    pub(super) progress: mpsc::Sender<Progress>,
    pub(super) polls: Receiver<Poll>,
    pub(super) stop: Arc<AtomicBool>,
}

/// Starts the thread. It ends when `stop` is set or all rounds are over, and returns the starts of
/// the first rounds.
pub(super) fn spawn(network: Network, pace: Pace, lines: Lines) -> anyhow::Result<JoinHandle<Vec<Time>>> {
    let driver = Driver { network, pace, lines };
    let builder = thread::Builder::new().name("network".into());
    builder.spawn(move || driver.run()).context("cannot start the network's thread")
}

struct Driver {
    network: Network,
    pace: Pace,
    lines: Lines,
}

impl Driver {
    fn run(mut self) -> Vec<Time> {
        let mut due = Instant::now();
        let mut slice: u64 = 0;
        while !self.lines.stop.load(Ordering::Relaxed) && !self.is_over() {
            for (host, polling) in self.lines.polls.try_iter() {
                self.network.poll_from(&host, &polling);
            }
            let step = self.pace.us_per_s.map_or(STEP, |us_per_s| Time(us_per_s * SLICE.as_micros() as u64));
            let until = self.network.now() + step;
            if let Err(error) = self.network.advance(until, &mut self.lines.control) {
                error!("the network stops: {error:#}");
                break;
            }
            slice += 1;
            if slice.is_multiple_of(SLICES_PER_SAMPLE) {
                // If the receiver is slow, samples are dropped; the simulation does not wait.
                let samples = self.network.sample();
                let _ = self.lines.progress.try_send(Progress { now: self.network.now(), samples });
            }
            if self.pace.us_per_s.is_some() {
                // A machine that is too slow for the pace runs as fast as possible and does not catch up later.
                due = (due + SLICE).max(Instant::now());
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        }
        self.network.starts().to_vec()
    }

    /// Whether the last round is over: another one has begun.
    fn is_over(&self) -> bool {
        self.pace.rounds.is_some_and(|rounds| self.network.rounds() > rounds)
    }
}
