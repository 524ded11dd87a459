//! Recent samples of every port, bounded in ports and in samples a port.

use std::collections::{BTreeMap, VecDeque};

use model::PortRef;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::limits::{LIVE_PORTS, SERIES_SAMPLES};

/// What one egress port looked like at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PortPoint {
    /// When, in nanoseconds of the fabric's clock.
    pub time_ns: u64,
    /// How long the sample speaks of: the time since the one before.
    pub interval_ns: u64,
    /// Bytes waiting in the port's queues.
    pub queue_bytes: u64,
    /// Packets waiting in the port's queues.
    pub queue_packets: u64,
    /// Whether the peer pauses a priority of the port right now.
    pub paused: bool,
    /// Time within the interval during which a priority of the port was paused.
    pub paused_ns: u64,
    /// Bits a second sent during the interval.
    pub tx_bps: u64,
}

/// A sample and the port it is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PortSample {
    /// The egress port.
    pub port: PortRef,
    /// The sample.
    #[serde(flatten)]
    pub point: PortPoint,
}

/// The recent past of all ports.
#[derive(Debug, Default)]
pub(crate) struct Series {
    ports: BTreeMap<PortRef, VecDeque<PortPoint>>,
}

impl Series {
    /// Adds a sample. Returns the one before it, or `Err` when there are too many ports already.
    pub(crate) fn push(&mut self, sample: &PortSample) -> Result<Option<PortPoint>, TooManyPorts> {
        if !self.ports.contains_key(&sample.port) && self.ports.len() >= LIVE_PORTS {
            return Err(TooManyPorts);
        }
        let points = self.ports.entry(sample.port.clone()).or_default();
        let before = points.back().copied();
        if points.len() == SERIES_SAMPLES {
            points.pop_front();
        }
        points.push_back(sample.point);
        Ok(before)
    }

    /// The samples of `port` since a time, oldest first; `None` when there never was one.
    pub(crate) fn of(&self, port: &PortRef, since_ns: u64) -> Option<Vec<PortPoint>> {
        let points = self.ports.get(port)?;
        Some(points.iter().filter(|p| p.time_ns >= since_ns).copied().collect())
    }

    /// The latest sample of every port.
    pub(crate) fn latest(&self) -> Vec<PortSample> {
        self.ports
            .iter()
            .filter_map(|(port, points)| Some(PortSample { port: port.clone(), point: *points.back()? }))
            .collect()
    }

    /// Forgets everything (another topology).
    pub(crate) fn clear(&mut self) {
        self.ports.clear();
    }
}

/// [`LIVE_PORTS`] is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyPorts;

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(port: u16, time_ns: u64) -> PortSample {
        PortSample { port: PortRef::new("sw1", port), point: PortPoint { time_ns, ..PortPoint::default() } }
    }

    #[test]
    fn the_oldest_sample_goes_first() {
        let mut series = Series::default();
        for time_ns in 0..=SERIES_SAMPLES as u64 {
            series.push(&sample(1, time_ns)).unwrap();
        }
        let points = series.of(&PortRef::new("sw1", 1), 0).unwrap();
        assert_eq!((points.len(), points[0].time_ns), (SERIES_SAMPLES, 1));
        let points = series.of(&PortRef::new("sw1", 1), SERIES_SAMPLES as u64).unwrap();
        assert_eq!(points.len(), 1);
        assert_eq!(series.of(&PortRef::new("sw1", 2), 0), None);
    }

    #[test]
    fn further_ports_are_refused_and_known_ones_go_on() {
        let mut series = Series::default();
        for port in 0..LIVE_PORTS as u16 {
            assert_eq!(series.push(&sample(port, 1)), Ok(None));
        }
        assert_eq!(series.push(&sample(LIVE_PORTS as u16, 1)), Err(TooManyPorts));
        assert_eq!(series.push(&sample(0, 2)), Ok(Some(sample(0, 1).point)));
        assert_eq!(series.latest()[0], sample(0, 2));
    }
}
