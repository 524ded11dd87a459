//! Samples of ports, as a message to the server.

use controller::records::PortSample;
use proto::v1;

/// Returns the message.
pub(super) fn message(samples: &[PortSample]) -> v1::PortSamples {
    let sample = |sample: &PortSample| v1::PortSample {
        port: sample.port.to_string(),
        interval_ns: sample.interval_ns,
        queue_bytes: sample.queue_bytes,
        queue_packets: sample.queue_packets,
        paused: sample.is_paused,
        paused_ns: sample.paused_ns,
        tx_bps: sample.tx_bps,
        paused_priorities: sample.paused_priorities.into(),
        // Its registers have no counters of priorities.
        priorities: Vec::new(),
    };
    v1::PortSamples { samples: samples.iter().map(sample).collect() }
}
