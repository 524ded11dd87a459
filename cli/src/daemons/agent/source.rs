//! Where an agent's measurements come from. A source runs in a task or thread of its own and sends batches of what it
//! measured; the agent's loop is the same for all.

use model::FlowKey;
use serde::Deserialize;
use tokio::sync::mpsc;

/// Batches of measurements that wait for the agent's loop. A source that finds no room drops the batch and counts it.
pub(crate) const QUEUED_BATCHES: usize = 1024;

/// What was measured of a flow. As JSON: `{"event": "acknowledged", "flow": "10.0.0.1:10000>10.0.3.1:4791/udp", ...}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Measurement {
    /// The flow is new. Other measurements open a flow as well, with the default priority.
    Opened {
        /// The flow.
        flow: FlowKey,
        /// Priority of its data.
        priority: u8,
        /// Base round trip of its path on the wall clock, if known; otherwise it is learned.
        #[serde(default)]
        base_ns: Option<u64>,
    },
    /// The flow sent data while no other data was outstanding.
    Sent {
        /// The flow.
        flow: FlowKey,
    },
    /// An acknowledgement has arrived.
    Acknowledged {
        /// The flow.
        flow: FlowKey,
        /// Round trip of the newest data that it acknowledges, on the wall clock; absent if it is no sample.
        #[serde(default)]
        rtt_ns: Option<u64>,
        /// Whether more data is unacknowledged.
        #[serde(default)]
        outstanding: bool,
    },
    /// An acknowledgement has arrived for data that was sent more than once, last `at_least_ns` ago.
    Progressed {
        /// The flow.
        flow: FlowKey,
        /// Time since the last transmission, on the wall clock.
        at_least_ns: u64,
        /// Whether more data is unacknowledged.
        #[serde(default)]
        outstanding: bool,
    },
    /// The flow has ended.
    Closed {
        /// The flow.
        flow: FlowKey,
    },
}

/// A measurement and the wall clock when it was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// Nanoseconds since 1970.
    pub(crate) time_ns: u64,
    /// What was measured.
    pub(crate) measurement: Measurement,
}

/// What a source has measured since its last batch.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The measurements, in order.
    pub(crate) measured: Vec<Measured>,
    /// The wall clock until which the source has measured everything, for sources that measure now and then: what
    /// happened later may follow. [`AT_ONCE`] if it measures at once. Absent: nothing has changed.
    pub(crate) complete_until_ns: Option<u64>,
}

/// A source measures what happens when it happens.
pub(crate) const AT_ONCE: u64 = u64::MAX;

/// Takes measurements; clones send to the same loop.
#[derive(Clone, Debug)]
pub(crate) struct Measurements(mpsc::Sender<Batch>);

impl Measurements {
    /// Returns a sender, and the receiver of the agent's loop.
    pub(crate) fn channel() -> (Measurements, mpsc::Receiver<Batch>) {
        let (sender, receiver) = mpsc::channel(QUEUED_BATCHES);
        (Measurements(sender), receiver)
    }

    /// Sends a batch without waiting. Returns `false` if there is no room: the batch is lost.
    #[must_use]
    pub(crate) fn offer(&self, measured: Vec<Measured>) -> bool {
        measured.is_empty() || self.0.try_send(Batch { measured, complete_until_ns: None }).is_ok()
    }

    /// As [`Measurements::offer`], with the time until which everything was measured, and also without measurements.
    #[must_use]
    pub(crate) fn offer_until(&self, measured: Vec<Measured>, complete_until_ns: u64) -> bool {
        let complete_until_ns = Some(complete_until_ns);
        self.0.try_send(Batch { measured, complete_until_ns }).is_ok()
    }

    /// Sends a batch and waits for room. Returns `false` if the agent has stopped.
    pub(crate) async fn send(&self, measured: Vec<Measured>) -> bool {
        self.0.send(Batch { measured, complete_until_ns: None }).await.is_ok()
    }
}

/// A source of measurements.
pub(crate) trait Source: Send {
    /// Starts to measure. Must be called within the runtime; the source ends with the process.
    ///
    /// # Errors
    /// It cannot measure: what is wrong, and what to do.
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()>;
}
