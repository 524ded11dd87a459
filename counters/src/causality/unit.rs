//! In which unit the pauses of a priority are compared: time, if every paused port counts it, else frames.

use super::candidates::Rows;
use crate::pressure::{Pressure, quantum_ns};

/// The unit of pauses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    /// Pause frames.
    Frames,
    /// Nanoseconds.
    Time(PauseOfFrame),
}

/// For how long a frame pauses on average, by the paused ports. It stands for ports that count only the frames that they send.
#[derive(Clone, Copy, Debug)]
pub(super) struct PauseOfFrame {
    /// In quanta, whose duration depends on the rate of a link; `None` if no paused port has a known rate.
    quanta: Option<f64>,
    /// In nanoseconds, over links of all rates.
    ns: f64,
}

impl Unit {
    /// The unit of these rows.
    pub(super) fn of(rows: &Rows<'_>) -> Unit {
        let paused = || rows.iter().filter(|row| row.counts_pauses());
        let timed = |row: &Pressure| {
            let ns = row.change.pause_rx_ns.filter(|ns| *ns > 0)?;
            Some((ns as f64, row.received() as f64))
        };
        if !paused().all(|row| timed(row).is_some()) {
            return Unit::Frames;
        }
        let mean = |of: &mut dyn Iterator<Item = (f64, f64)>| {
            let (sum, frames) = of.fold((0.0, 0.0), |(sum, all), (one, frames)| (sum + one, all + frames));
            (frames > 0.0).then(|| sum / frames)
        };
        let in_quanta = |row: &Pressure| {
            let (ns, frames) = timed(row)?;
            Some((ns / quantum_ns(row.speed?)?, frames))
        };
        let ns = mean(&mut paused().filter_map(timed));
        let quanta = mean(&mut paused().filter_map(in_quanta));
        ns.map_or(Unit::Frames, |ns| Unit::Time(PauseOfFrame { quanta, ns }))
    }

    /// The pauses that a port received.
    pub(super) fn received(self, row: &Pressure) -> f64 {
        match (self, row.change.pause_rx_ns) {
            (Unit::Time(_), Some(ns)) => ns as f64,
            _ => row.received().max(1) as f64,
        }
    }

    /// The pauses that a port sent: as it counts their time, else by its frames and the rate of its link.
    pub(super) fn sent(self, row: &Pressure) -> f64 {
        let frames = row.sent() as f64;
        let Unit::Time(of_frame) = self else { return frames };
        if let Some(ns) = row.change.pause_tx_ns {
            return ns as f64;
        }
        let by_rate = || Some(of_frame.quanta? * quantum_ns(row.speed?)?);
        frames * by_rate().unwrap_or(of_frame.ns)
    }
}

#[cfg(test)]
mod tests {
    use model::Rate;

    use super::*;
    use crate::interval::PriorityChange;
    use crate::pressure::{OtherEnd, PausedPart};

    fn row(port: usize, gbps: Option<u64>, change: PriorityChange) -> Pressure {
        Pressure {
            port,
            priority: 3,
            change,
            other_end: OtherEnd::default(),
            speed: gbps.map(Rate::from_gbps),
            from_ns: 0,
            to_ns: 1_000_000_000,
            duration_ns: Some(1_000_000_000),
            paused_part: PausedPart::Unknown,
            impossible_ns: None,
            is_lossless: true,
            is_lossless_configured: true,
        }
    }

    fn paused(port: usize, gbps: Option<u64>, frames: u64, ns: Option<u64>) -> Pressure {
        let change =
            PriorityChange { pause_rx_frames: Some(frames), pause_rx_ns: ns, ..PriorityChange::default() };
        row(port, gbps, change)
    }

    fn pausing(port: usize, gbps: Option<u64>, frames: u64, ns: Option<u64>) -> Pressure {
        let change =
            PriorityChange { pause_tx_frames: Some(frames), pause_tx_ns: ns, ..PriorityChange::default() };
        row(port, gbps, change)
    }

    /// The pauses that the last row sent, if the others were paused.
    fn check(rows: &[Pressure], expected: f64) {
        let by_priority = Rows::by_priority(rows);
        let last = rows.last().expect("a row");
        let sent = Unit::of(&by_priority[3]).sent(last);
        assert!((sent - expected).abs() < 1e-6 * expected, "{sent} instead of {expected}: {last:?}");
    }

    #[test]
    fn a_frame_pauses_a_slower_link_for_longer() {
        // 100 frames of 1,000 quanta of 5.12 ns.
        let known = || paused(0, Some(100), 100, Some(512_000));
        check(&[known(), pausing(1, Some(100), 10, None)], 51_200.0);
        check(&[known(), pausing(1, Some(25), 10, None)], 204_800.0);
        check(&[known(), pausing(1, Some(400), 10, None)], 12_800.0);
        // As many quanta, although the mean time of a frame is another one.
        let slow = paused(1, Some(10), 100, Some(5_120_000));
        check(&[known(), slow, pausing(2, Some(25), 10, None)], 204_800.0);
    }

    #[test]
    fn a_port_that_counts_the_time_of_its_pauses_needs_no_estimate() {
        check(&[paused(0, Some(100), 100, Some(512_000)), pausing(1, Some(25), 10, Some(7_000))], 7_000.0);
    }

    #[test]
    fn the_mean_of_all_ports_stands_for_a_port_of_unknown_rate() {
        let rows = |gbps| [paused(0, gbps, 100, Some(512_000)), pausing(1, None, 10, None)];
        check(&rows(Some(100)), 51_200.0);
        check(&rows(None), 51_200.0);
        check(&[paused(0, None, 100, Some(512_000)), pausing(1, Some(25), 10, None)], 51_200.0);
    }

    #[test]
    fn frames_are_compared_if_a_paused_port_counts_no_time() {
        let rows = [
            paused(0, Some(100), 100, Some(512_000)),
            paused(1, Some(100), 50, None),
            pausing(2, Some(25), 10, Some(7_000)),
        ];
        check(&rows, 10.0);
    }
}
