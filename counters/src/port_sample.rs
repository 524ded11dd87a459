//! Samples of ports for their pages: what a port did between two readings.

use model::PortRef;

use crate::interval::change::{Falls, PortChange, PriorityChange};
use crate::reading::Reading;

/// What a port did in an interval, and its state at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSample {
    /// The port.
    pub port: PortRef,
    /// Time since the reading before, in nanoseconds.
    pub interval_ns: u64,
    /// Bytes in its queues at the end; 0 where the switch does not count them.
    pub queue_bytes: u64,
    /// Whether a queue is paused at the end, where the switch says so.
    pub is_paused: bool,
    /// For how long priorities were paused: the sum over all, at most the interval. 0 where the switch counts no time.
    pub paused_ns: u64,
    /// Bit n: priority n was paused in the interval.
    pub paused_priorities: u8,
    /// Bits that it sent in a second.
    pub tx_bps: u64,
    /// What the priorities did for which something was counted.
    pub priorities: Vec<PrioritySample>,
}

/// What a priority of a port did between two readings of its switch. A field is absent if the switch has no such counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrioritySample {
    /// From 0 to 7.
    pub priority: u8,
    /// Pause frames that the port received.
    pub pauses_received: Option<u64>,
    /// For how long they paused it, in nanoseconds.
    pub paused_ns: Option<u64>,
    /// Pause frames that the port sent.
    pub pauses_sent: Option<u64>,
    /// Bytes in its queue at the end.
    pub queue_bytes: Option<u64>,
    /// The highest number of bytes in its queue.
    pub queue_max_bytes: Option<u64>,
    /// Packets with an ECN mark of the port.
    pub ecn_marked_packets: Option<u64>,
    /// Packets that were dropped at its queue or its priority group.
    pub dropped_packets: Option<u64>,
    /// The highest number of bytes in the headroom of its priority group.
    pub headroom_max_bytes: Option<u64>,
}

impl PrioritySample {
    /// `None` if nothing was counted.
    fn of(priority: u8, change: &PriorityChange) -> Option<PrioritySample> {
        let drops = [change.queue_drops, change.group_drops];
        let has_drops = drops.iter().any(Option::is_some);
        let sample = PrioritySample {
            priority,
            pauses_received: change.pause_rx_frames,
            paused_ns: change.pause_rx_ns,
            pauses_sent: change.pause_tx_frames,
            queue_bytes: change.occupancy_bytes,
            queue_max_bytes: change.queue_peak.map(|peak| peak.bytes),
            ecn_marked_packets: change.ecn_marked,
            dropped_packets: has_drops
                .then(|| drops.into_iter().flatten().fold(0, |sum: u64, more| sum.saturating_add(more))),
            headroom_max_bytes: change.headroom_peak.map(|peak| peak.bytes),
        };
        (sample != PrioritySample { priority, ..PrioritySample::default() }).then_some(sample)
    }
}

/// The samples of the ports with a number that both readings of a switch have. None if no time has passed, or the times are
/// only an order.
pub fn port_samples(before: &Reading, after: &Reading) -> Vec<PortSample> {
    let interval_ns = after.time_ns.saturating_sub(before.time_ns);
    if interval_ns == 0 || before.time_is_assumed || after.time_is_assumed {
        return Vec::new();
    }
    let sample = |change: PortChange| {
        let mut sample = PortSample {
            port: PortRef::new(&after.switch, change.number?),
            interval_ns,
            queue_bytes: 0,
            is_paused: false,
            paused_ns: 0,
            paused_priorities: 0,
            tx_bps: per_second(change.tx_bytes.unwrap_or(0), interval_ns),
            priorities: (0..)
                .zip(&*change.priorities)
                .filter_map(|(at, of)| PrioritySample::of(at, of))
                .collect(),
        };
        for (priority, of) in change.priorities.iter().enumerate() {
            let was_paused =
                of.pause_rx_frames.is_some_and(|frames| frames > 0) || of.is_paused == Some(true);
            sample.paused_priorities |= u8::from(was_paused) << priority;
            sample.is_paused |= of.is_paused == Some(true);
            sample.paused_ns = sample.paused_ns.saturating_add(of.pause_rx_ns.unwrap_or(0));
            sample.queue_bytes = sample.queue_bytes.saturating_add(of.occupancy_bytes.unwrap_or(0));
        }
        sample.paused_ns = sample.paused_ns.min(interval_ns);
        Some(sample)
    };
    let changes = after
        .ports_with(before)
        .filter_map(|(_, port, before)| Some(PortChange::between(before?, port, &mut Falls::default())));
    changes.filter_map(sample).collect()
}

fn per_second(bytes: u64, interval_ns: u64) -> u64 {
    let bits = u128::from(bytes) * 8 * 1_000_000_000 / u128::from(interval_ns);
    u64::try_from(bits).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{PortReading, Source};

    /// A reading with one port that has sent so many bytes, and was paused for so many frames and nanoseconds.
    fn reading(time_ns: u64, tx_bytes: u64, frames: u64, paused_ns: Option<u64>) -> Reading {
        let mut port = PortReading { number: Some(3), tx_bytes: Some(tx_bytes), ..PortReading::default() };
        port.priorities[3].pause_rx_frames = Some(frames);
        port.priorities[3].pause_rx_ns = paused_ns;
        port.priorities[3].queue.occupancy_bytes = Some(frames);
        Reading {
            switch: "leaf1".into(),
            time_ns,
            time_is_assumed: false,
            source: Source::SonicDatabase,
            lacks_watchdog: false,
            polled: Default::default(),
            ports: [("Ethernet8".to_string(), port)].into(),
            neighbours: Vec::new(),
            addresses: Vec::new(),
        }
    }

    fn check(before: Reading, after: Reading, expected: Option<PortSample>) {
        assert_eq!(port_samples(&before, &after), Vec::from_iter(expected));
    }

    #[test]
    fn a_sample_is_what_the_counters_grew_by() {
        let sample = PortSample {
            port: PortRef::new("leaf1", 3),
            interval_ns: 1_000_000_000,
            queue_bytes: 50,
            is_paused: false,
            paused_ns: 40,
            paused_priorities: 0b1000,
            tx_bps: 8_000,
            priorities: vec![PrioritySample {
                priority: 3,
                pauses_received: Some(50),
                paused_ns: Some(40),
                queue_bytes: Some(50),
                ..PrioritySample::default()
            }],
        };
        let first = || reading(1, 500, 0, Some(2));
        check(first(), reading(1_000_000_001, 1_500, 50, Some(42)), Some(sample.clone()));
        // Without a counter of the time, the frames show that there were pauses.
        let mut untimed = PortSample { paused_ns: 0, ..sample };
        untimed.priorities[0].paused_ns = None;
        check(reading(1, 500, 0, None), reading(1_000_000_001, 1_500, 50, None), Some(untimed));
        check(first(), reading(1, 1_500, 50, Some(42)), None);
        check(first(), Reading { time_is_assumed: true, ..reading(9, 1_500, 50, None) }, None);
        check(
            first(),
            Reading { ports: [("Ethernet0".into(), PortReading::default())].into(), ..first() },
            None,
        );
    }
}
