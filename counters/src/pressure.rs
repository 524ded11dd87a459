//! Stage 2: one row a port and priority with pauses, drops or a storm.

use model::Rate;

use crate::interval::{PriorityChange, Window};
use crate::reading::{PRIORITIES, WatchdogState};
use crate::thresholds as t;
use crate::wiring::{PortId, Wiring};

/// How much of the time a port is paused: the ladder of published operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Below 0.1 %.
    Ordinary,
    /// From 0.1 % on.
    Notable,
    /// From 3 % on.
    Serious,
    /// From 80 % on.
    Storm,
}

/// For which part of an interval a port was paused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PausedPart {
    /// The ASIC counts the time.
    Measured(f64),
    /// The frames allow at most this: each requests at most 65,535 quanta.
    AtMost(f64),
    /// The interval or the speed is unknown.
    Unknown,
}

impl PausedPart {
    /// The level that is certain, or the highest possible one.
    pub(crate) fn level(self) -> Option<Level> {
        let (PausedPart::Measured(part) | PausedPart::AtMost(part)) = self else { return None };
        Some(match part {
            part if part >= t::PAUSED_STORM => Level::Storm,
            part if part >= t::PAUSED_SERIOUS => Level::Serious,
            part if part >= t::PAUSED_NOTABLE => Level::Notable,
            _ => Level::Ordinary,
        })
    }
}

/// The pauses of a link, as the port at its other end counts them. `None` where it has no counter, or no readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OtherEnd {
    pub(crate) received: Option<u64>,
    pub(crate) sent: Option<u64>,
}

/// What a port and priority show in a window.
#[derive(Clone, Debug)]
pub(crate) struct Pressure {
    pub(crate) port: PortId,
    pub(crate) priority: usize,
    pub(crate) change: PriorityChange,
    /// Looked up where it matters: for a port that lacks a counter or sent pauses.
    pub(crate) other_end: OtherEnd,
    pub(crate) speed: Option<Rate>,
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    pub(crate) duration_ns: Option<u64>,
    pub(crate) paused_part: PausedPart,
    /// By how much the counter of the time of pauses grew, if that is more than the interval allows. The growth is then not
    /// used.
    pub(crate) impossible_ns: Option<u64>,
    /// Whether the priority is lossless: by configuration, or because it uses PFC.
    pub(crate) is_lossless: bool,
    /// Whether that is configured, not concluded.
    pub(crate) is_lossless_configured: bool,
}

impl Pressure {
    /// Pause frames that this port received: its neighbour pauses it. Without a counter, those that the neighbour sent.
    pub(crate) fn received(&self) -> u64 {
        self.change.pause_rx_frames.or(self.other_end.sent).unwrap_or(0)
    }

    /// Whether a counter says if the neighbour pauses this port.
    pub(crate) fn knows_pauses(&self) -> bool {
        self.change.pause_rx_ns.is_some()
            || self.change.pause_rx_frames.or(self.other_end.sent).is_some()
            || self.has_storm()
    }

    /// Pause frames that this port sent.
    pub(crate) fn sent(&self) -> u64 {
        self.change.pause_tx_frames.unwrap_or(0)
    }

    /// Whether counters of frames or time show that the neighbour pauses this port.
    pub(crate) fn counts_pauses(&self) -> bool {
        self.received() > 0 || self.change.pause_rx_ns.is_some_and(|ns| ns > 0)
    }

    /// Whether the neighbour pauses this port. The watchdog shows it too: while it ignores the pauses of a storm, some
    /// ASICs do not count them (Tomahawk 4 and later, sonic-buildimage issue 29203).
    pub(crate) fn is_paused(&self) -> bool {
        self.counts_pauses() || self.has_storm()
    }

    /// Packets dropped by queue and priority group.
    pub(crate) fn drops(&self) -> u64 {
        self.change.queue_drops.unwrap_or(0).saturating_add(self.change.group_drops.unwrap_or(0))
    }

    /// Packets that the watchdog dropped.
    pub(crate) fn watchdog_drops(&self) -> u64 {
        let dropped = |watchdog: crate::reading::WatchdogReading| {
            let (tx, rx) =
                (watchdog.tx_dropped_packets.unwrap_or(0), watchdog.rx_dropped_packets.unwrap_or(0));
            tx.saturating_add(rx)
        };
        self.change.watchdog.map_or(0, dropped)
    }

    /// Whether the watchdog saw a storm here: it detected one, one ended or lasts, or it dropped packets, which it does
    /// only in a storm.
    pub(crate) fn has_storm(&self) -> bool {
        let has_event = self.change.watchdog.is_some_and(|watchdog| {
            watchdog.detected > 0 || watchdog.restored > 0 || watchdog.state == WatchdogState::Stormed
        });
        has_event || self.watchdog_drops() > 0
    }

    /// The peak of the queue in the window, if a watermark shows one.
    pub(crate) fn queue_peak(&self) -> Option<u64> {
        self.change.queue_peak.filter(|peak| peak.is_new).map(|peak| peak.bytes)
    }

    /// Whether packets stayed in the paused queue: none was sent although some were there, the queue still holds packets
    /// that a pause stops, or the watchdog detected that. Pauses of a small part of the interval keep no packets back.
    pub(crate) fn is_stuck(&self) -> bool {
        let may_be_long = self.paused_part.level().is_none_or(|level| level >= Level::Serious);
        may_be_long && self.holds_packets() || self.has_storm()
    }

    /// Whether packets were in the paused queue, and did not leave it, as far as its counters show.
    fn holds_packets(&self) -> bool {
        let holds = self.change.occupancy_bytes.is_some_and(|bytes| bytes > 0);
        // A late peak is of a later interval, in which the queue may have filled for the first time.
        let was_filled = holds || self.queue_peak().is_some() && !self.has_late_peak();
        let sent_nothing = self.change.queue_packets == Some(0) && was_filled;
        self.is_paused() && (sent_nothing || holds && self.change.is_paused == Some(true))
    }

    /// Whether packets may stay in the queue since some time within the interval: it holds packets at the end, and was
    /// paused for long.
    pub(crate) fn may_be_stuck(&self) -> bool {
        let holds = self.change.occupancy_bytes.is_some_and(|bytes| bytes > 0);
        let longest_ns = self.speed.and_then(longest_pause_ns);
        let is_long = match (self.change.pause_rx_ns, longest_ns) {
            (Some(ns), Some(longest_ns)) => ns as f64 >= t::LONG_PAUSES * longest_ns,
            _ => false,
        };
        self.is_stuck() || holds && is_long && self.change.is_paused != Some(false)
    }

    /// Whether the queue may have stood still since before the interval: the port was paused for nearly all of it and
    /// sent nothing, and its watermark, which was not cleared, shows that the queue held packets at some time.
    ///
    /// Pauses go on only while packets stay above the threshold of the neighbour's priority group, and this port sent it
    /// none: the packets in that group did not leave either.
    pub(crate) fn may_stand_still(&self) -> bool {
        let was_filled = self.change.queue_peak.is_some_and(|peak| peak.bytes > 0 && !peak.is_late);
        let is_emptied = self.change.occupancy_bytes == Some(0) || self.change.is_paused == Some(false);
        let is_paused_throughout = self.counts_pauses() && self.paused_part.level() == Some(Level::Storm);
        is_paused_throughout && self.change.queue_packets == Some(0) && was_filled && !is_emptied
    }

    /// Whether the peak of the queue is of an interval that ended later.
    pub(crate) fn has_late_peak(&self) -> bool {
        self.change.queue_peak.is_some_and(|peak| peak.is_new && peak.is_late)
    }

    /// The mean duration of a pause for each received frame as part of the longest that a frame can request.
    pub(crate) fn part_of_longest_pause(&self) -> Option<f64> {
        let (ns, frames) =
            (self.change.pause_rx_ns?, self.change.pause_rx_frames.filter(|frames| *frames > 0)?);
        Some(ns as f64 / frames as f64 / longest_pause_ns(self.speed?)?)
    }
}

/// The longest pause that a frame can request.
fn longest_pause_ns(speed: Rate) -> Option<f64> {
    quantum_ns(speed).map(|quantum| t::MOST_QUANTA as f64 * quantum)
}

/// The duration of a quantum on a link, in nanoseconds; `None` if it has no rate.
pub(crate) fn quantum_ns(speed: Rate) -> Option<f64> {
    (speed.0 > 0).then(|| t::QUANTUM_BIT_TIMES as f64 / speed.0 as f64 * 1e9)
}

/// Returns the rows of all ports in order of port and priority; priorities without any activity are left out.
pub(crate) fn rows(window: &Window, wiring: &Wiring) -> Vec<Pressure> {
    let mut rows = Vec::new();
    for (switch, change) in &window.switches {
        for port in wiring.ports_of(switch) {
            let Some(counted) = change.ports.get(&wiring.ports[*port].name) else { continue };
            for priority in 0..PRIORITIES {
                let mut of = counted.priorities[priority];
                let duration_ns = change.span.duration_ns();
                let lag_ns = change.polled.ports_ms.map_or(0, |ms| u64::from(ms) * 1_000_000);
                let lag_ns = lag_ns.max(t::COUNTER_LAG_NS);
                let is_possible =
                    |ns: &u64| duration_ns.is_none_or(|duration| *ns <= duration.saturating_add(lag_ns));
                let impossible_ns = of.pause_rx_ns.take_if(|ns| !is_possible(ns));
                of.pause_tx_ns = of.pause_tx_ns.filter(is_possible);
                let other_end = other_end(window, wiring, *port, priority, &of);
                let received = of.pause_rx_frames.or(other_end.sent);
                let row = Pressure {
                    port: *port,
                    priority,
                    change: of,
                    other_end,
                    speed: counted.speed,
                    from_ns: change.span.from_ns,
                    to_ns: change.span.to_ns,
                    duration_ns,
                    paused_part: paused_part(of.pause_rx_ns, received, duration_ns, counted.speed),
                    impossible_ns,
                    is_lossless: of.pfc_enabled.unwrap_or(of.has_used_pfc || of.watchdog.is_some()),
                    is_lossless_configured: of.pfc_enabled == Some(true),
                };
                if is_active(&row) {
                    rows.push(row);
                }
            }
        }
    }
    debug_assert!(
        rows.is_sorted_by_key(|row| (row.port, row.priority)),
        "ports are numbered in the order of the names of their switches"
    );
    rows
}

/// What the other end of a port's cable counts, if the port lacks a counter or sent pauses.
fn other_end(
    window: &Window,
    wiring: &Wiring,
    port: PortId,
    priority: usize,
    of: &PriorityChange,
) -> OtherEnd {
    let is_needed = of.pause_rx_frames.is_none() || of.pause_tx_frames > Some(0);
    let peer = wiring.peer(port).filter(|_| is_needed).map(|peer| &wiring.ports[peer]);
    let counted = peer.and_then(|peer| window.switches.get(&peer.switch)?.ports.get(&peer.name));
    counted.map_or(OtherEnd::default(), |counted| {
        let of = &counted.priorities[priority];
        OtherEnd { received: of.pause_rx_frames, sent: of.pause_tx_frames }
    })
}

fn is_active(row: &Pressure) -> bool {
    let of = &row.change;
    let sent = of.queue_packets.or(of.queue_bytes).is_some_and(|count| count > 0);
    let marked = of.ecn_marked.is_some_and(|count| count > 0);
    let holds = of.occupancy_bytes.is_some_and(|bytes| bytes > 0);
    // A port that may be paused without a counter that says so.
    let is_unread = !row.knows_pauses() && of.pause_tx_frames.is_some();
    row.is_paused()
        || row.sent() > 0
        || row.drops() > 0
        || is_unread
        || row.queue_peak().is_some()
        || sent
        || marked
        || holds
}

fn paused_part(
    paused_ns: Option<u64>,
    frames: Option<u64>,
    duration_ns: Option<u64>,
    speed: Option<Rate>,
) -> PausedPart {
    let Some(duration_ns) = duration_ns else { return PausedPart::Unknown };
    let duration_ns = duration_ns as f64;
    if let Some(ns) = paused_ns {
        return PausedPart::Measured((ns as f64 / duration_ns).min(1.0));
    }
    match (frames, speed.and_then(longest_pause_ns)) {
        (Some(frames), Some(longest)) => PausedPart::AtMost((frames as f64 * longest / duration_ns).min(1.0)),
        _ => PausedPart::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::change::Peak;

    fn check(peak: Option<Peak>, occupancy_bytes: Option<u64>, is_stuck: bool) {
        let change = PriorityChange {
            pause_rx_frames: Some(100),
            queue_packets: Some(0),
            queue_peak: peak,
            occupancy_bytes,
            ..PriorityChange::default()
        };
        let row = Pressure {
            port: 0,
            priority: 3,
            change,
            other_end: OtherEnd::default(),
            speed: None,
            from_ns: 0,
            to_ns: 1,
            duration_ns: Some(1),
            paused_part: PausedPart::Unknown,
            impossible_ns: None,
            is_lossless: true,
            is_lossless_configured: true,
        };
        assert_eq!(row.is_stuck(), is_stuck, "{peak:?} {occupancy_bytes:?}");
    }

    #[test]
    fn a_paused_queue_is_stuck_if_it_held_packets_in_the_interval() {
        let peak = |is_new, is_late| Some(Peak { bytes: 9_000, is_new, is_late });
        check(None, None, false);
        check(peak(true, false), None, true);
        check(peak(false, false), None, false);
        // The watermark rose in a later interval: the queue may have been idle in this one.
        check(peak(true, true), None, false);
        check(peak(true, true), Some(0), false);
        check(peak(true, true), Some(9_000), true);
    }
}
