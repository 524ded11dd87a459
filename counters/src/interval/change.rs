//! What the counters of a port grew by.

use model::Rate;

use crate::reading::{PRIORITIES, PortReading, PriorityReading, WatchdogReading, WatchdogState};

/// A watermark over an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Its value at the end, in bytes.
    pub(crate) bytes: u64,
    /// Whether the peak was reached in the interval. Else it is an upper limit: the watermark was not cleared.
    pub(crate) is_new: bool,
    /// Whether the watermark showed it in a later interval only: watermarks are polled less often than other counters.
    pub(crate) is_late: bool,
}

/// What the counters of a priority grew by. `None` where the source has no counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PriorityChange {
    pub(crate) pfc_enabled: Option<bool>,
    pub(crate) pause_rx_frames: Option<u64>,
    pub(crate) pause_tx_frames: Option<u64>,
    pub(crate) pause_rx_ns: Option<u64>,
    pub(crate) pause_tx_ns: Option<u64>,
    /// Pauses that began.
    pub(crate) pauses_begun: Option<u64>,
    /// Whether the priority ever used PFC: a total of frames, received or sent, is not 0 at either end.
    pub(crate) has_used_pfc: bool,
    pub(crate) queue_packets: Option<u64>,
    pub(crate) queue_bytes: Option<u64>,
    pub(crate) queue_drops: Option<u64>,
    pub(crate) ecn_marked: Option<u64>,
    pub(crate) queue_peak: Option<Peak>,
    /// Bytes in the queue at the end.
    pub(crate) occupancy_bytes: Option<u64>,
    /// Whether the queue is paused at the end.
    pub(crate) is_paused: Option<bool>,
    pub(crate) group_peak: Option<Peak>,
    pub(crate) headroom_peak: Option<Peak>,
    pub(crate) group_drops: Option<u64>,
    pub(crate) watchdog: Option<WatchdogReading>,
}

/// What the counters of a port grew by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PortChange {
    pub(crate) number: Option<u16>,
    pub(crate) alias: Option<String>,
    pub(crate) speed: Option<Rate>,
    pub(crate) up: Option<bool>,
    pub(crate) tx_bytes: Option<u64>,
    pub(crate) tx_bytes_per_s: Option<u64>,
    pub(crate) rx_drops: Option<u64>,
    pub(crate) tx_drops: Option<u64>,
    /// By priority. In a place of its own, because ports are sorted into maps.
    pub(crate) priorities: Box<[PriorityChange; PRIORITIES]>,
}

/// Counters that fell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Falls {
    /// Counters that were cleared: what they have now is a lower limit of their growth.
    pub(crate) cleared: u64,
    /// Counters that exceeded their width.
    pub(crate) wrapped: u64,
}

impl Falls {
    /// What a counter grew by.
    fn grown(&mut self, before: Option<u64>, after: Option<u64>) -> Option<u64> {
        let (before, after) = (before?, after?);
        if after >= before {
            return Some(after - before);
        }
        // A counter of 32 bits wraps within seconds at 100 Gb/s, one of 64 bits in decades. It wrapped if it was in the
        // last quarter of its range and is in the first; a cleared one is rarely so.
        for bits in [32_u32, 64] {
            let quarter = 1_u64 << (bits - 2);
            let is_in_range = bits == 64 || before >> 32 == 0;
            if is_in_range && before / quarter == 3 && after / quarter == 0 {
                self.wrapped += 1;
                let width = 1_u128 << bits;
                return u64::try_from(u128::from(after) + width - u128::from(before)).ok();
            }
        }
        self.cleared += 1;
        Some(after)
    }
}

/// What a watermark shows over an interval. One that fell was cleared in the interval, so its value is of after that.
fn peak(before: Option<u64>, after: Option<u64>) -> Option<Peak> {
    let after = after?;
    let is_new = before.is_some_and(|before| before != after) && after > 0;
    Some(Peak { bytes: after, is_new, is_late: false })
}

impl PortChange {
    /// The growth between two readings.
    pub(crate) fn between(before: &PortReading, after: &PortReading, falls: &mut Falls) -> PortChange {
        PortChange {
            number: after.number.or(before.number),
            alias: after.alias.clone().or_else(|| before.alias.clone()),
            speed: after.speed.or(before.speed),
            up: after.up,
            tx_bytes: falls.grown(before.tx_bytes, after.tx_bytes),
            tx_bytes_per_s: after.tx_bytes_per_s,
            rx_drops: falls.grown(before.rx_drops, after.rx_drops),
            tx_drops: falls.grown(before.tx_drops, after.tx_drops),
            priorities: Box::new(std::array::from_fn(|priority| {
                priority_between(&before.priorities[priority], &after.priorities[priority], falls)
            })),
        }
    }

    /// The totals of a single reading.
    pub(crate) fn total(reading: &PortReading) -> PortChange {
        let mut zero = PortReading::default();
        let start = |value: Option<u64>| value.map(|_| 0);
        zero.tx_bytes = start(reading.tx_bytes);
        zero.rx_drops = start(reading.rx_drops);
        zero.tx_drops = start(reading.tx_drops);
        for (slot, known) in zero.priorities.iter_mut().zip(&reading.priorities) {
            *slot = zero_of(known);
        }
        PortChange::between(&zero, reading, &mut Falls::default())
    }

    /// Adds a later interval.
    pub(crate) fn extend(&mut self, later: &PortChange) {
        let sum = |total: &mut Option<u64>, more: Option<u64>| {
            *total = match (*total, more) {
                (Some(total), Some(more)) => Some(total.saturating_add(more)),
                (one, other) => one.or(other),
            };
        };
        self.up = later.up.or(self.up);
        self.tx_bytes_per_s = later.tx_bytes_per_s.or(self.tx_bytes_per_s);
        sum(&mut self.tx_bytes, later.tx_bytes);
        sum(&mut self.rx_drops, later.rx_drops);
        sum(&mut self.tx_drops, later.tx_drops);
        for (total, more) in self.priorities.iter_mut().zip(later.priorities.iter()) {
            sum(&mut total.pause_rx_frames, more.pause_rx_frames);
            sum(&mut total.pause_tx_frames, more.pause_tx_frames);
            sum(&mut total.pause_rx_ns, more.pause_rx_ns);
            sum(&mut total.pause_tx_ns, more.pause_tx_ns);
            sum(&mut total.pauses_begun, more.pauses_begun);
            total.has_used_pfc |= more.has_used_pfc;
            sum(&mut total.queue_packets, more.queue_packets);
            sum(&mut total.queue_bytes, more.queue_bytes);
            sum(&mut total.queue_drops, more.queue_drops);
            sum(&mut total.ecn_marked, more.ecn_marked);
            sum(&mut total.group_drops, more.group_drops);
            highest(&mut total.queue_peak, more.queue_peak);
            highest(&mut total.group_peak, more.group_peak);
            highest(&mut total.headroom_peak, more.headroom_peak);
            total.occupancy_bytes = more.occupancy_bytes.or(total.occupancy_bytes);
            total.is_paused = more.is_paused.or(total.is_paused);
            total.watchdog = joined(total.watchdog, more.watchdog);
        }
    }
}

/// Zero wherever a reading has a counter.
fn zero_of(reading: &PriorityReading) -> PriorityReading {
    let start = |value: Option<u64>| value.map(|_| 0);
    let mut zero = PriorityReading {
        pause_rx_frames: start(reading.pause_rx_frames),
        pause_tx_frames: start(reading.pause_tx_frames),
        pause_rx_ns: start(reading.pause_rx_ns),
        pause_tx_ns: start(reading.pause_tx_ns),
        pauses_begun: start(reading.pauses_begun),
        watchdog: reading.watchdog.map(|known| WatchdogReading {
            tx_dropped_packets: start(known.tx_dropped_packets),
            rx_dropped_packets: start(known.rx_dropped_packets),
            ..WatchdogReading::default()
        }),
        ..PriorityReading::default()
    };
    zero.queue.packets = start(reading.queue.packets);
    zero.queue.bytes = start(reading.queue.bytes);
    zero.queue.dropped_packets = start(reading.queue.dropped_packets);
    zero.queue.ecn_marked_packets = start(reading.queue.ecn_marked_packets);
    zero.queue.watermark_bytes = start(reading.queue.watermark_bytes);
    zero.group.shared_watermark_bytes = start(reading.group.shared_watermark_bytes);
    zero.group.headroom_watermark_bytes = start(reading.group.headroom_watermark_bytes);
    zero.group.dropped_packets = start(reading.group.dropped_packets);
    zero
}

fn priority_between(before: &PriorityReading, after: &PriorityReading, falls: &mut Falls) -> PriorityChange {
    let (queue, queue_after) = (&before.queue, &after.queue);
    let (group, group_after) = (&before.group, &after.group);
    let pause_rx_frames = falls.grown(before.pause_rx_frames, after.pause_rx_frames);
    let pause_tx_frames = falls.grown(before.pause_tx_frames, after.pause_tx_frames);
    // Some ASICs have the counter of the time and never increase it.
    let counted = |ns: Option<u64>, frames: Option<u64>| {
        ns.filter(|ns| *ns > 0 || frames.is_none_or(|frames| frames == 0))
    };
    PriorityChange {
        pfc_enabled: after.pfc_enabled.or(before.pfc_enabled),
        pause_rx_frames,
        pause_tx_frames,
        pause_rx_ns: counted(falls.grown(before.pause_rx_ns, after.pause_rx_ns), pause_rx_frames),
        pause_tx_ns: counted(falls.grown(before.pause_tx_ns, after.pause_tx_ns), pause_tx_frames),
        pauses_begun: falls.grown(before.pauses_begun, after.pauses_begun),
        has_used_pfc: has_used_pfc(before) || has_used_pfc(after),
        queue_packets: falls.grown(queue.packets, queue_after.packets),
        queue_bytes: falls.grown(queue.bytes, queue_after.bytes),
        queue_drops: falls.grown(queue.dropped_packets, queue_after.dropped_packets),
        ecn_marked: falls.grown(queue.ecn_marked_packets, queue_after.ecn_marked_packets),
        queue_peak: peak(queue.watermark_bytes, queue_after.watermark_bytes),
        occupancy_bytes: queue_after.occupancy_bytes,
        is_paused: after.is_paused,
        group_peak: peak(group.shared_watermark_bytes, group_after.shared_watermark_bytes),
        headroom_peak: peak(group.headroom_watermark_bytes, group_after.headroom_watermark_bytes),
        group_drops: falls.grown(group.dropped_packets, group_after.dropped_packets),
        watchdog: watchdog_between(before.watchdog, after.watchdog, falls),
    }
}

fn has_used_pfc(reading: &PriorityReading) -> bool {
    [reading.pause_rx_frames, reading.pause_tx_frames].into_iter().any(|frames| frames > Some(0))
}

fn watchdog_between(
    before: Option<WatchdogReading>,
    after: Option<WatchdogReading>,
    falls: &mut Falls,
) -> Option<WatchdogReading> {
    let after = after?;
    // The statistics appear with the first storm in some releases.
    let before = before.unwrap_or(WatchdogReading {
        tx_dropped_packets: Some(0),
        rx_dropped_packets: Some(0),
        ..WatchdogReading::default()
    });
    Some(WatchdogReading {
        state: after.state,
        detected: falls.grown(Some(before.detected), Some(after.detected)).unwrap_or(0),
        restored: falls.grown(Some(before.restored), Some(after.restored)).unwrap_or(0),
        tx_dropped_packets: falls.grown(before.tx_dropped_packets, after.tx_dropped_packets),
        rx_dropped_packets: falls.grown(before.rx_dropped_packets, after.rx_dropped_packets),
    })
}

fn highest(total: &mut Option<Peak>, more: Option<Peak>) {
    *total = match (*total, more) {
        // A peak of the interval counts, an older one is only a limit.
        (Some(one), Some(other)) if one.is_new != other.is_new => Some(if one.is_new { one } else { other }),
        (Some(one), Some(other)) => Some(if one.bytes >= other.bytes { one } else { other }),
        (one, other) => one.or(other),
    };
}

fn joined(total: Option<WatchdogReading>, more: Option<WatchdogReading>) -> Option<WatchdogReading> {
    let (Some(total), Some(more)) = (total, more) else { return total.or(more) };
    let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    let was_stormed = total.state == WatchdogState::Stormed || more.state == WatchdogState::Stormed;
    Some(WatchdogReading {
        state: if was_stormed { WatchdogState::Stormed } else { WatchdogState::Operational },
        detected: total.detected.saturating_add(more.detected),
        restored: total.restored.saturating_add(more.restored),
        tx_dropped_packets: sum(total.tx_dropped_packets, more.tx_dropped_packets),
        rx_dropped_packets: sum(total.rx_dropped_packets, more.rx_dropped_packets),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: u64, after: u64, grown: u64, falls: (u64, u64)) {
        let mut found = Falls::default();
        assert_eq!(found.grown(Some(before), Some(after)), Some(grown), "{before} to {after}");
        assert_eq!((found.cleared, found.wrapped), falls, "{before} to {after}");
    }

    #[test]
    fn wraps_and_clears_are_distinguished() {
        check(10, 25, 15, (0, 0));
        check(4_294_967_290, 4, 10, (0, 1));
        check(u64::MAX - 1, 3, 5, (0, 1));
        check(1_000, 7, 7, (1, 0));
        // In the last quarter of 32 bits, but no longer in the first afterwards.
        check(4_000_000_000, 3_000_000_000, 3_000_000_000, (1, 0));
        assert_eq!(Falls::default().grown(None, Some(3)), None);
    }

    #[test]
    fn a_watermark_that_did_not_change_is_a_limit_only() {
        assert_eq!(peak(Some(5), Some(5)), Some(Peak { bytes: 5, is_new: false, is_late: false }));
        assert_eq!(peak(Some(5), Some(9)), Some(Peak { bytes: 9, is_new: true, is_late: false }));
        assert_eq!(peak(Some(9), Some(2)), Some(Peak { bytes: 2, is_new: true, is_late: false }));
        assert_eq!(peak(Some(9), Some(0)), Some(Peak { bytes: 0, is_new: false, is_late: false }));
        assert_eq!(peak(Some(9), None), None);
    }
}
