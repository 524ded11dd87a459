//! Samples of the ports of ordinary switches, as a message to the server.

use std::sync::Arc;

use counters::{PortSample, PrioritySample, Reading, port_samples};
use proto::v1;
use web::LIVE_PORTS;

/// Returns the message about what the ports of a switch did between two readings; `None` if there is nothing to say. If all
/// switches have more ports than a server keeps, only the ports that were paused are in it.
pub(super) fn message([before, after]: &[Arc<Reading>; 2], all_ports: usize) -> Option<v1::PortSamples> {
    let is_wanted = |sample: &PortSample| all_ports <= LIVE_PORTS || sample.paused_priorities != 0;
    let samples: Vec<v1::PortSample> =
        port_samples(before, after).into_iter().filter(is_wanted).map(sample).collect();
    (!samples.is_empty()).then_some(v1::PortSamples { samples })
}

fn sample(sample: PortSample) -> v1::PortSample {
    v1::PortSample {
        port: sample.port.to_string(),
        interval_ns: sample.interval_ns,
        queue_bytes: sample.queue_bytes,
        // Switches count bytes.
        queue_packets: 0,
        paused: sample.is_paused,
        paused_ns: sample.paused_ns,
        tx_bps: sample.tx_bps,
        paused_priorities: sample.paused_priorities.into(),
        priorities: sample.priorities.iter().map(priority).collect(),
    }
}

fn priority(sample: &PrioritySample) -> v1::PrioritySample {
    v1::PrioritySample {
        priority: sample.priority.into(),
        pauses_received: sample.pauses_received,
        paused_ns: sample.paused_ns,
        pauses_sent: sample.pauses_sent,
        queue_bytes: sample.queue_bytes,
        queue_max_bytes: sample.queue_max_bytes,
        ecn_marked_packets: sample.ecn_marked_packets,
        dropped_packets: sample.dropped_packets,
        // Switches have the peak of their headroom only.
        headroom_bytes: None,
        headroom_max_bytes: sample.headroom_max_bytes,
    }
}
