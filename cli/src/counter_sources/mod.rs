//! Live sources of counters: switches that are polled for readings.
//!
//! [`ReadingSource`] is what a kind of source implements; [`poll`] drives one at an interval, with growing delays after
//! failures. Every switch has a thread of its own, so that one that does not answer delays no other.

mod address;
mod flow_samples;
mod gnmi;
mod history;
mod p4;
mod running;
mod sonic;

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use counters::Reading;
use model::Topology;

use crate::daemons::operations::signals::Demand;

pub(crate) use address::{Address, P4Address, Protocol};
pub(crate) use flow_samples::{ExporterOf, SampleListener, parse_exporter};
pub(crate) use gnmi::GnmiSwitch;
pub(crate) use history::{Change, History, Subject};
pub(crate) use p4::P4Switch;
pub(crate) use running::RunningConfigurations;
pub(crate) use sonic::SonicSwitch;

/// How long names, neighbours and settings are kept.
const KEPT: Duration = Duration::from_secs(60);

/// A switch whose counters can be read.
pub(crate) trait ReadingSource: Send {
    /// Reads all counters.
    ///
    /// # Errors
    /// The switch does not answer, refuses the credentials, or has no such counters. The next call connects again.
    fn read(&mut self) -> anyhow::Result<Read>;

    /// Takes back a reading that is not used any more: its memory may serve the next one.
    fn take_back(&mut self, _: Reading) {}
}

/// What a source has read.
pub(crate) struct Read {
    /// The counters.
    pub(crate) reading: Reading,
    /// A number that changes with its names and neighbours, if the source reads those less often.
    pub(crate) names: Option<u64>,
    /// What was odd about them, for people.
    pub(crate) problems: Vec<String>,
    /// The configuration that the switch runs, as of CONFIG_DB, if it was read with the counters.
    pub(crate) configuration: Option<String>,
}

/// What happened at a poll of the source with this number.
pub(crate) struct Polled {
    /// The number of the source.
    pub(crate) source: usize,
    /// What was read; or the error and the time until the next attempt.
    pub(crate) result: Result<Read, Failure>,
}

/// A poll that failed.
pub(crate) struct Failure {
    /// Why, for people.
    pub(crate) reason: String,
    /// Time until the next attempt.
    pub(crate) retry_in: Duration,
}

/// What a watch takes: from the threads of its sources, and from the daemon that it is or is part of.
pub(crate) enum News {
    /// The network that is known from now on.
    Network(Topology),
    /// A source was polled.
    Polled(Polled),
    /// A signal demands something.
    Demand(Demand),
}

/// Polls a source at an interval, until the receiver of the results is gone. Polls that were missed are not made up for. Readings
/// that are not used any more come back by `unused`.
#[allow(clippy::disallowed_methods, reason = "this is the edge: a thread that polls a switch by the clock")]
pub(crate) fn poll(
    number: usize,
    mut source: impl ReadingSource,
    interval: Duration,
    results: &Sender<News>,
    unused: &Receiver<Reading>,
) {
    let seed = number as u64;
    let mut failed = 0;
    let mut due = Instant::now();
    loop {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        unused.try_iter().for_each(|reading| source.take_back(reading));
        let result = match source.read() {
            Ok(read) => {
                failed = 0;
                due = (due + interval).max(Instant::now());
                Ok(read)
            }
            Err(error) => {
                failed += 1;
                let retry_in = interval.max(Duration::from_millis(proto::backoff::delay_ms(failed, seed)));
                due = Instant::now() + retry_in;
                Err(Failure { reason: format!("{error:#}"), retry_in })
            }
        };
        if results.send(News::Polled(Polled { source: number, result })).is_err() {
            return;
        }
    }
}
