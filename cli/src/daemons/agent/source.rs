//! Where an agent's measurements come from. A source runs in a task or thread of its own and passes on what it measured; the core
//! is the same for all.

use std::sync::Arc;

use model::FlowKey;
use serde::Deserialize;

use super::detection::Detection;
use crate::daemons::operations::wall_ns;

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

impl Measurement {
    /// The flow.
    pub(crate) fn flow(&self) -> &FlowKey {
        match self {
            Measurement::Opened { flow, .. }
            | Measurement::Sent { flow }
            | Measurement::Acknowledged { flow, .. }
            | Measurement::Progressed { flow, .. }
            | Measurement::Closed { flow } => flow,
        }
    }
}

/// A measurement and the wall clock when it was made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// Nanoseconds since 1970.
    pub(crate) time_ns: u64,
    /// What was measured.
    pub(crate) measurement: Measurement,
}

/// A source measures what happens when it happens.
pub(crate) const AT_ONCE: u64 = u64::MAX;

/// Takes measurements; clones share the same core.
#[derive(Clone)]
pub(crate) struct Measurements(Arc<Detection>);

impl Measurements {
    pub(crate) fn new(detection: Arc<Detection>) -> Measurements {
        Measurements(detection)
    }

    /// Takes measurements, in order.
    pub(crate) fn take(&self, measured: &[Measured]) {
        self.0.measured(measured, None, wall_ns());
    }

    /// As [`Measurements::take`], also without measurements, for a source that measures now and then: it has measured everything
    /// until this wall clock, and what happened later may follow. [`AT_ONCE`] if it measures at once.
    pub(crate) fn take_until(&self, measured: &[Measured], complete_until_ns: u64) {
        self.0.measured(measured, Some(complete_until_ns), wall_ns());
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
