//! Samples of ports in messages, as the dashboard has them.

use model::PortRef;
use proto::{convert, v1};
use web::{PortPoint, PortSample, Priorities, PrioritySample};

/// Reads the samples of ports that were taken at `time_ns` of switch time. A port that cannot be read is left out.
pub(super) fn ports(message: &v1::PortSamples, time_ns: u64) -> Vec<PortSample> {
    let samples = message.samples.iter().filter_map(|sample| {
        let port = convert::port(&sample.port).ok()?;
        let mut paused_priorities = Priorities::default();
        let paused = (0..8).filter(|priority| sample.paused_priorities >> priority & 1 == 1);
        paused.for_each(|priority| paused_priorities.insert(priority));
        let point = PortPoint {
            time_ns,
            interval_ns: sample.interval_ns,
            queue_bytes: sample.queue_bytes,
            queue_packets: sample.queue_packets,
            paused: sample.paused,
            paused_ns: sample.paused_ns,
            paused_priorities,
            tx_bps: sample.tx_bps,
        };
        Some(PortSample { port, point })
    });
    samples.collect()
}

/// Reads what the priorities of ports did, of those whose source tells them apart.
pub(super) fn priorities(message: &v1::PortSamples) -> Vec<(PortRef, Vec<PrioritySample>)> {
    let told_apart = message.samples.iter().filter(|sample| !sample.priorities.is_empty());
    let of_port = |sample: &v1::PortSample| {
        Some((convert::port(&sample.port).ok()?, sample.priorities.iter().filter_map(priority).collect()))
    };
    told_apart.filter_map(of_port).collect()
}

fn priority(sample: &v1::PrioritySample) -> Option<PrioritySample> {
    Some(PrioritySample {
        priority: u8::try_from(sample.priority).ok()?,
        pauses_received: sample.pauses_received,
        paused_ns: sample.paused_ns,
        pauses_sent: sample.pauses_sent,
        queue_bytes: sample.queue_bytes,
        queue_max_bytes: sample.queue_max_bytes,
        ecn_marked_packets: sample.ecn_marked_packets,
        dropped_packets: sample.dropped_packets,
        headroom_bytes: sample.headroom_bytes,
        headroom_max_bytes: sample.headroom_max_bytes,
    })
}
