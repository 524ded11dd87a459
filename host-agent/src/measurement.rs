//! What sources measure of flows, whichever way.

use model::FlowKey;
use serde::Deserialize;

/// What was measured of a flow. As JSON: `{"event": "acknowledged", "flow": "10.0.0.1:10000>10.0.3.1:4791/udp", ...}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Measurement {
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
    /// A flow is new whose packets have this code point; its base is learned. The priority is that of the class selector; the
    /// switches may use other tables.
    pub(crate) fn opened(flow: FlowKey, dscp: u8) -> Measurement {
        Measurement::Opened { flow, priority: dscp >> 3, base_ns: None }
    }

    /// The flow.
    pub fn flow(&self) -> &FlowKey {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// What was measured.
    pub measurement: Measurement,
}
