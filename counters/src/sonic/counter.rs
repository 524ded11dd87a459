//! The counters of COUNTERS_DB that a reading has: their fields, how their values are written, and where they belong.

use std::borrow::Cow;

use model::units::counted;

use crate::problem::Problem;
use crate::reading::{PortReading, WatchdogReading, WatchdogState};

/// A counter of a port, of a queue or of a priority group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    /// Bytes that a port received.
    RxBytes,
    /// Bytes that it sent.
    TxBytes,
    /// Bytes that it sends in a second, as SONiC computes them.
    TxRate,
    /// Packets dropped at ingress.
    RxDrops,
    /// Packets dropped at egress.
    TxDrops,
    /// Damaged packets.
    RxErrors,
    /// PFC frames received with a priority.
    PauseRxFrames,
    /// PFC frames sent.
    PauseTxFrames,
    PausesBegun,
    /// Time of received pauses, in us.
    PauseRxTime,
    /// The estimate of that time by the watchdog's script for Broadcom, where the ASIC counts none.
    PauseRxEstimate,
    /// Time of sent pauses, in us.
    PauseTxTime,
    /// Whether a queue is paused, which the watchdog polls on some ASICs.
    IsPaused,
    QueuePackets,
    QueueBytes,
    QueueDrops,
    QueueMarks,
    QueuePeak,
    QueueOccupancy,
    GroupDrops,
    GroupPeak,
    HeadroomPeak,
    WatchdogStatus,
    WatchdogDetected,
    WatchdogRestored,
    WatchdogTxDrops,
    WatchdogRxDrops,
}

/// The counters of a port that have no priority.
pub(super) const OF_PORT: [Counter; 5] =
    [Counter::RxBytes, Counter::TxBytes, Counter::RxDrops, Counter::TxDrops, Counter::RxErrors];
/// The counters of a port for each priority. The estimate comes after what it replaces.
pub(super) const OF_PRIORITY: [Counter; 6] = [
    Counter::PauseRxFrames,
    Counter::PauseTxFrames,
    Counter::PausesBegun,
    Counter::PauseRxTime,
    Counter::PauseRxEstimate,
    Counter::PauseTxTime,
];
/// The counters of a queue. What shows that the watchdog has statistics comes before them.
pub(super) const OF_QUEUE: [Counter; 11] = [
    Counter::IsPaused,
    Counter::QueuePackets,
    Counter::QueueBytes,
    Counter::QueueDrops,
    Counter::QueueMarks,
    Counter::QueueOccupancy,
    Counter::WatchdogStatus,
    Counter::WatchdogDetected,
    Counter::WatchdogRestored,
    Counter::WatchdogTxDrops,
    Counter::WatchdogRxDrops,
];
/// The counters of a priority group.
pub(super) const OF_GROUP: [Counter; 1] = [Counter::GroupDrops];
/// The watermarks of a queue.
pub(super) const QUEUE_WATERMARKS: [Counter; 1] = [Counter::QueuePeak];
/// The watermarks of a priority group.
pub(super) const GROUP_WATERMARKS: [Counter; 2] = [Counter::GroupPeak, Counter::HeadroomPeak];

/// A value of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Number(u64),
    IsPaused(bool),
    Watchdog(WatchdogState),
}

impl Counter {
    /// Its field in a hash of COUNTERS_DB (SAI's statistics, and those of SONiC's watchdog).
    pub(super) fn field(self, priority: u8) -> Cow<'static, str> {
        let of_priority = |statistic: &str| Cow::Owned(format!("SAI_PORT_STAT_PFC_{priority}_{statistic}"));
        Cow::Borrowed(match self {
            Counter::RxBytes => "SAI_PORT_STAT_IF_IN_OCTETS",
            Counter::TxBytes => "SAI_PORT_STAT_IF_OUT_OCTETS",
            Counter::TxRate => "TX_BPS",
            Counter::RxDrops => "SAI_PORT_STAT_IF_IN_DISCARDS",
            Counter::TxDrops => "SAI_PORT_STAT_IF_OUT_DISCARDS",
            Counter::RxErrors => "SAI_PORT_STAT_IF_IN_ERRORS",
            Counter::PauseRxFrames => return of_priority("RX_PKTS"),
            Counter::PauseTxFrames => return of_priority("TX_PKTS"),
            Counter::PausesBegun => return of_priority("ON2OFF_RX_PKTS"),
            Counter::PauseRxTime => return of_priority("RX_PAUSE_DURATION_US"),
            Counter::PauseTxTime => return of_priority("TX_PAUSE_DURATION_US"),
            Counter::PauseRxEstimate => {
                return Cow::Owned(format!("EST_PORT_STAT_PFC_{priority}_RX_PAUSE_DURATION_US"));
            }
            Counter::IsPaused => "SAI_QUEUE_ATTR_PAUSE_STATUS",
            Counter::QueuePackets => "SAI_QUEUE_STAT_PACKETS",
            Counter::QueueBytes => "SAI_QUEUE_STAT_BYTES",
            Counter::QueueDrops => "SAI_QUEUE_STAT_DROPPED_PACKETS",
            Counter::QueueMarks => "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
            Counter::QueuePeak => "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
            Counter::QueueOccupancy => "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
            Counter::GroupDrops => "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
            Counter::GroupPeak => "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
            Counter::HeadroomPeak => "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
            Counter::WatchdogStatus => "PFC_WD_STATUS",
            Counter::WatchdogDetected => "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED",
            Counter::WatchdogRestored => "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED",
            Counter::WatchdogTxDrops => "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS",
            Counter::WatchdogRxDrops => "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS",
        })
    }

    /// Whether it is a watermark, which several tables have.
    pub(super) fn is_watermark(self) -> bool {
        QUEUE_WATERMARKS.contains(&self) || GROUP_WATERMARKS.contains(&self)
    }

    /// The value of a text without surrounding blanks. `None` if the ASIC has no such counter: SONiC then writes nothing, or
    /// `N/A`.
    ///
    /// # Errors
    /// What is expected instead, for people.
    pub(super) fn parse(self, text: &[u8]) -> Result<Option<Value>, &'static str> {
        if text.is_empty() || text == b"N/A" {
            return Ok(None);
        }
        // Other texts than UTF-8 are no value of any counter.
        let text = str::from_utf8(text).unwrap_or_default();
        match self {
            Counter::TxRate => {
                // A decimal number, `inf` in some releases.
                let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
                Ok(rate.map(|rate| Value::Number(rate.round() as u64)))
            }
            Counter::IsPaused => Ok(text.parse().ok().map(Value::IsPaused)),
            Counter::WatchdogStatus => match text {
                "stormed" => Ok(Some(Value::Watchdog(WatchdogState::Stormed))),
                "operational" => Ok(Some(Value::Watchdog(WatchdogState::Operational))),
                _ => Err("expected `operational` or `stormed`"),
            },
            _ => match text.parse() {
                Ok(number) => Ok(Some(Value::Number(number))),
                Err(_) => Err("expected a number from 0 to 2^64 - 1; it is left out"),
            },
        }
    }

    /// Writes a value into the reading of its port. A value that is there stays: the preferred source comes first.
    pub(super) fn set(self, port: &mut PortReading, priority: u8, value: Value) {
        let Some(of) = port.priorities.get_mut(usize::from(priority)) else { return };
        let number = match value {
            Value::IsPaused(is_paused) => {
                of.is_paused = of.is_paused.or(Some(is_paused));
                return;
            }
            Value::Watchdog(state) => {
                of.watchdog.get_or_insert_default().state = state;
                return;
            }
            Value::Number(number) => number,
        };
        let in_ns = || number.checked_mul(1_000);
        match self {
            Counter::PauseRxTime | Counter::PauseRxEstimate => of.pause_rx_ns = of.pause_rx_ns.or_else(in_ns),
            Counter::PauseTxTime => of.pause_tx_ns = of.pause_tx_ns.or_else(in_ns),
            Counter::WatchdogDetected => of.watchdog.get_or_insert_default().detected = number,
            Counter::WatchdogRestored => set_of(&mut of.watchdog, |watchdog| watchdog.restored = number),
            Counter::WatchdogTxDrops => {
                set_of(&mut of.watchdog, |watchdog| watchdog.tx_dropped_packets = Some(number));
            }
            Counter::WatchdogRxDrops => {
                set_of(&mut of.watchdog, |watchdog| watchdog.rx_dropped_packets = Some(number));
            }
            _ => {
                let slot = match self {
                    Counter::RxBytes => &mut port.rx_bytes,
                    Counter::TxBytes => &mut port.tx_bytes,
                    Counter::TxRate => &mut port.tx_bytes_per_s,
                    Counter::RxDrops => &mut port.rx_drops,
                    Counter::TxDrops => &mut port.tx_drops,
                    Counter::RxErrors => &mut port.rx_errors,
                    Counter::PauseRxFrames => &mut of.pause_rx_frames,
                    Counter::PauseTxFrames => &mut of.pause_tx_frames,
                    Counter::PausesBegun => &mut of.pauses_begun,
                    Counter::QueuePackets => &mut of.queue.packets,
                    Counter::QueueBytes => &mut of.queue.bytes,
                    Counter::QueueDrops => &mut of.queue.dropped_packets,
                    Counter::QueueMarks => &mut of.queue.ecn_marked_packets,
                    Counter::QueuePeak => &mut of.queue.watermark_bytes,
                    Counter::QueueOccupancy => &mut of.queue.occupancy_bytes,
                    Counter::GroupDrops => &mut of.group.dropped_packets,
                    Counter::GroupPeak => &mut of.group.shared_watermark_bytes,
                    Counter::HeadroomPeak => &mut of.group.headroom_watermark_bytes,
                    _ => return,
                };
                *slot = slot.or(Some(number));
            }
        }
    }
}

/// The watchdog's statistics exist only with its status or the number of its storms.
fn set_of(watchdog: &mut Option<WatchdogReading>, set: impl FnOnce(&mut WatchdogReading)) {
    if let Some(watchdog) = watchdog {
        set(watchdog);
    }
}

/// How many malformed values are listed one by one.
const MAX_LISTED: usize = 20;

/// Malformed values, the first of which are listed one by one.
#[derive(Debug, Default)]
pub(super) struct Malformed {
    problems: Vec<Problem>,
    more: u64,
}

impl Malformed {
    /// Notes that the value of `what` is not as expected.
    pub(super) fn note(&mut self, what: impl FnOnce() -> String, text: &str, expected: &str) {
        if self.problems.len() == MAX_LISTED {
            self.more += 1;
            return;
        }
        let shown: String = text.chars().take(40).collect();
        self.problems.push(Problem::new(format!("{} is `{shown}`; {expected}", what())));
    }

    /// All problems.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let more = counted(self.more, "more malformed value");
            self.problems.push(Problem::new(format!("{more} are not listed")));
        }
        self.problems
    }
}
