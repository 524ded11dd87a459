//! Recent samples of every port. The number of ports and of samples for each port are limited.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::PortRef;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::limits::{LIVE_PORTS, SERIES_SAMPLES};
use crate::priorities::Priorities;

/// The state of an egress port at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PortPoint {
    /// Time of the sample, in nanoseconds of switch time.
    pub time_ns: u64,
    /// Length of the interval that the sample covers: the time since the previous sample.
    pub interval_ns: u64,
    /// Bytes in the port's queues.
    pub queue_bytes: u64,
    /// Packets in the port's queues.
    pub queue_packets: u64,
    /// Whether PFC pauses a priority of the port at the time of the sample.
    pub paused: bool,
    /// Time within the interval during which a priority of the port was paused.
    pub paused_ns: u64,
    /// The priorities that PFC paused at some time within the interval; absent if there are none, or if the source of the
    /// sample does not tell them apart.
    #[serde(default, skip_serializing_if = "Priorities::is_empty")]
    #[schema(value_type = Vec<u8>)]
    pub paused_priorities: Priorities,
    /// Rate at which the port sent during the interval, in bits per second.
    pub tx_bps: u64,
}

impl PortPoint {
    /// Whether the port does nothing: an empty queue, no pause, nothing sent.
    pub(crate) fn is_idle(&self) -> bool {
        let PortPoint { queue_bytes, queue_packets, paused, paused_ns, tx_bps, .. } = *self;
        !paused && [queue_bytes, queue_packets, paused_ns, tx_bps] == [0; 4]
    }
}

/// A sample with its port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PortSample {
    /// The egress port.
    pub port: PortRef,
    /// The sample.
    #[serde(flatten)]
    pub point: PortPoint,
}

/// What is kept of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The sample.
    pub(crate) point: PortPoint,
    /// Its time on the wall clock, in nanoseconds since 1970; when it arrived, if switch time has no wall clock.
    pub(crate) wall_ns: u64,
}

/// The recent samples of all ports.
#[derive(Debug, Default)]
pub(crate) struct Series {
    ports: BTreeMap<PortRef, VecDeque<Kept>>,
}

impl Series {
    /// Adds a sample with its time on the wall clock, and returns the previous one of the same port, or `Err` at the limit
    /// of ports.
    pub(crate) fn push(
        &mut self,
        sample: &PortSample,
        wall_ns: u64,
    ) -> Result<Option<PortPoint>, TooManyPorts> {
        if !self.ports.contains_key(&sample.port) && self.ports.len() >= LIVE_PORTS {
            return Err(TooManyPorts);
        }
        let points = self.ports.entry(sample.port.clone()).or_default();
        let before = points.back().map(|kept| kept.point);
        if points.len() == SERIES_SAMPLES {
            points.pop_front();
        }
        points.push_back(Kept { point: sample.point, wall_ns });
        Ok(before)
    }

    /// Returns the samples of `port`, oldest first; `None` for a port without samples.
    pub(crate) fn of(&self, port: &PortRef) -> Option<Vec<Kept>> {
        Some(self.ports.get(port)?.iter().copied().collect())
    }

    /// Returns the latest sample of every port.
    pub(crate) fn latest(&self) -> Vec<(PortRef, Kept)> {
        self.ports.iter().filter_map(|(port, points)| Some((port.clone(), *points.back()?))).collect()
    }

    /// Returns the ports whose latest sample is at or after `since_ns` and shows a pause.
    pub(crate) fn paused(&self, since_ns: u64) -> BTreeSet<PortRef> {
        let is_paused = |points: &VecDeque<Kept>| {
            points.back().is_some_and(|Kept { point, .. }| point.paused && point.time_ns >= since_ns)
        };
        self.ports.iter().filter(|(_, points)| is_paused(points)).map(|(port, _)| port.clone()).collect()
    }

    /// Removes all samples, when the topology changes.
    pub(crate) fn clear(&mut self) {
        self.ports.clear();
    }
}

/// The limit [`LIVE_PORTS`] is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyPorts;

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(port: u16, time_ns: u64) -> PortSample {
        PortSample { port: PortRef::new("sw1", port), point: PortPoint { time_ns, ..PortPoint::default() } }
    }

    #[test]
    fn the_oldest_sample_is_removed_first() {
        let mut series = Series::default();
        for time_ns in 0..=SERIES_SAMPLES as u64 {
            series.push(&sample(1, time_ns), 0).unwrap();
        }
        let points = series.of(&PortRef::new("sw1", 1)).unwrap();
        assert_eq!((points.len(), points[0].point.time_ns), (SERIES_SAMPLES, 1));
        assert_eq!(series.of(&PortRef::new("sw1", 2)), None);
    }

    #[test]
    fn samples_of_further_ports_are_rejected_and_known_ports_continue() {
        let mut series = Series::default();
        for port in 0..LIVE_PORTS as u16 {
            assert_eq!(series.push(&sample(port, 1), 0), Ok(None));
        }
        assert_eq!(series.push(&sample(LIVE_PORTS as u16, 1), 0), Err(TooManyPorts));
        assert_eq!(series.push(&sample(0, 2), 7), Ok(Some(sample(0, 1).point)));
        let PortSample { port, point } = sample(0, 2);
        assert_eq!(series.latest()[0], (port, Kept { point, wall_ns: 7 }));
    }
}
