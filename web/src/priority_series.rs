//! What each priority of a port did: pauses in both directions, queue, ECN marks, drops, headroom. Counts are summed since the
//! first sample of the port.

use std::collections::BTreeMap;

use model::PortRef;
use serde::Serialize;
use utoipa::ToSchema;

use crate::limits::LIVE_PORTS;

/// What a priority of a port did in the interval of a sample. A field is absent if its source does not have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrioritySample {
    /// The priority, from 0 to 7.
    pub priority: u8,
    /// Pause frames that the port received for it.
    pub pauses_received: Option<u64>,
    /// For how long they paused it, in nanoseconds.
    pub paused_ns: Option<u64>,
    /// Pause frames that the port sent for it.
    pub pauses_sent: Option<u64>,
    /// Bytes in its egress queue at the end.
    pub queue_bytes: Option<u64>,
    /// The highest number of bytes in that queue, as far as the source knows it.
    pub queue_max_bytes: Option<u64>,
    /// Packets that left the queue with an ECN mark of the port.
    pub ecn_marked_packets: Option<u64>,
    /// Packets that were dropped at its queue or its priority group.
    pub dropped_packets: Option<u64>,
    /// Bytes in the headroom of its priority group at the end.
    pub headroom_bytes: Option<u64>,
    /// The highest number of bytes in that headroom, as far as the source knows it.
    pub headroom_max_bytes: Option<u64>,
}

impl PrioritySample {
    /// Whether nothing happened: a priority that no traffic uses has no row.
    fn is_idle(&self) -> bool {
        let counts = [
            self.pauses_received,
            self.paused_ns,
            self.pauses_sent,
            self.queue_bytes,
            self.queue_max_bytes,
            self.ecn_marked_packets,
            self.dropped_packets,
            self.headroom_bytes,
            self.headroom_max_bytes,
        ];
        counts.into_iter().all(|count| count.is_none_or(|count| count == 0))
    }
}

/// What a priority of a port did since the first sample. A field is absent if its source does not have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PriorityCounts {
    /// The priority, from 0 to 7.
    priority: u8,
    /// Pause frames that the port received for it: the other end of the link paused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pauses_received: Option<u64>,
    /// For how long it was paused, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_ns: Option<u64>,
    /// Pause frames that the port sent for it: it paused the other end of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pauses_sent: Option<u64>,
    /// Bytes in its egress queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_bytes: Option<u64>,
    /// The highest number of bytes in that queue that was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_max_bytes: Option<u64>,
    /// Packets that left the queue with an ECN mark of the port.
    #[serde(skip_serializing_if = "Option::is_none")]
    ecn_marked_packets: Option<u64>,
    /// Packets that were dropped at its queue or its priority group.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_packets: Option<u64>,
    /// Bytes in the headroom of its priority group.
    #[serde(skip_serializing_if = "Option::is_none")]
    headroom_bytes: Option<u64>,
    /// The highest number of bytes in that headroom that was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    headroom_max_bytes: Option<u64>,
}

impl PriorityCounts {
    fn add(&mut self, sample: &PrioritySample) {
        fn sum(total: &mut Option<u64>, more: Option<u64>) {
            *total = more.map(|more| total.unwrap_or(0).saturating_add(more)).or(*total);
        }
        self.priority = sample.priority;
        sum(&mut self.pauses_received, sample.pauses_received);
        sum(&mut self.paused_ns, sample.paused_ns);
        sum(&mut self.pauses_sent, sample.pauses_sent);
        sum(&mut self.ecn_marked_packets, sample.ecn_marked_packets);
        sum(&mut self.dropped_packets, sample.dropped_packets);
        (self.queue_bytes, self.headroom_bytes) = (sample.queue_bytes, sample.headroom_bytes);
        self.queue_max_bytes = self.queue_max_bytes.max(sample.queue_max_bytes).max(sample.queue_bytes);
        self.headroom_max_bytes =
            self.headroom_max_bytes.max(sample.headroom_max_bytes).max(sample.headroom_bytes);
    }
}

/// The counts of one port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PortPriorities {
    /// The wall clock at its first sample, in nanoseconds since 1970.
    pub(crate) since_wall_ns: u64,
    /// By priority; those that no traffic has used are left out.
    by_priority: BTreeMap<u8, PriorityCounts>,
}

impl PortPriorities {
    pub(crate) fn counts(&self) -> Vec<PriorityCounts> {
        self.by_priority.values().copied().collect()
    }
}

/// The counts of all ports, at most [`LIVE_PORTS`].
#[derive(Debug, Default)]
pub(crate) struct PrioritySeries {
    ports: BTreeMap<PortRef, PortPriorities>,
}

impl PrioritySeries {
    /// Adds what the priorities of a port did. Further ports than the limit are left out.
    pub(crate) fn add(&mut self, port: &PortRef, samples: &[PrioritySample], wall_ns: u64) {
        if !self.ports.contains_key(port) && (samples.is_empty() || self.ports.len() >= LIVE_PORTS) {
            return;
        }
        let first = || PortPriorities { since_wall_ns: wall_ns, ..PortPriorities::default() };
        let of_port = self.ports.entry(port.clone()).or_insert_with(first);
        for sample in samples.iter().filter(|sample| sample.priority < 8) {
            if !sample.is_idle() || of_port.by_priority.contains_key(&sample.priority) {
                of_port.by_priority.entry(sample.priority).or_default().add(sample);
            }
        }
    }

    /// The counts of a port; `None` if no source has told its priorities apart.
    pub(crate) fn of(&self, port: &PortRef) -> Option<PortPriorities> {
        self.ports.get(port).cloned()
    }

    /// Removes all counts, when the topology changes.
    pub(crate) fn clear(&mut self) {
        self.ports.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_summed_and_peaks_kept_and_unused_priorities_left_out() {
        let mut series = PrioritySeries::default();
        let port = PortRef::new("sw1", 1);
        let idle = PrioritySample { priority: 0, pauses_sent: Some(0), ..PrioritySample::default() };
        let busy = |queue_bytes| PrioritySample {
            priority: 3,
            pauses_received: Some(2),
            paused_ns: Some(500),
            queue_bytes: Some(queue_bytes),
            ..PrioritySample::default()
        };
        series.add(&port, &[idle, busy(9_000)], 77);
        series.add(&port, &[idle, busy(0), PrioritySample { priority: 9, ..busy(1) }], 78);
        let found = series.of(&port).unwrap();
        let expected = PriorityCounts {
            priority: 3,
            pauses_received: Some(4),
            paused_ns: Some(1_000),
            queue_bytes: Some(0),
            queue_max_bytes: Some(9_000),
            ..PriorityCounts::default()
        };
        assert_eq!((found.since_wall_ns, found.counts()), (77, vec![expected]));
        assert_eq!(series.of(&PortRef::new("sw1", 2)), None);
    }

    #[test]
    fn ports_are_limited_and_known_ones_continue() {
        let mut series = PrioritySeries::default();
        let sample = PrioritySample { priority: 3, pauses_sent: Some(1), ..PrioritySample::default() };
        for port in 0..=LIVE_PORTS as u16 {
            series.add(&PortRef::new("sw1", port), &[sample], 0);
        }
        assert_eq!(series.ports.len(), LIVE_PORTS);
        assert_eq!(series.of(&PortRef::new("sw1", LIVE_PORTS as u16)), None);
        series.add(&PortRef::new("sw1", 0), &[sample], 0);
        assert_eq!(series.of(&PortRef::new("sw1", 0)).unwrap().counts()[0].pauses_sent, Some(2));
    }
}
