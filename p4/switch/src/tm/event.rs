//! Events of a traffic manager.

use super::watchdog::WatchdogAction;

/// An event of a traffic manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TmEvent {
    /// An idle port has something to send.
    Ready {
        /// The port.
        port: u16,
    },
    /// A pause (or its refresh) or a resume was returned for sending.
    PauseSent {
        /// The port that sends it.
        port: u16,
        /// The priority.
        priority: u8,
        /// Duration in quanta; 0 resumes.
        quanta: u16,
        /// Whether it extends a pause that is in effect.
        refresh: bool,
    },
    /// The peer paused or resumed a priority.
    PauseReceived {
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
        /// Duration in quanta; 0 resumes.
        quanta: u16,
    },
    /// A received pause expired without a resume frame.
    PauseExpired {
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
    },
    /// A packet was dropped.
    Dropped {
        /// The ingress port.
        ingress_port: u16,
        /// The egress port.
        egress_port: u16,
        /// The priority.
        priority: u8,
        /// The length in bytes.
        bytes: u32,
        /// The reason.
        reason: DropReason,
        /// Whether its priority group was lossless. Such a drop is caused by the buffer configuration or by the
        /// watchdog.
        lossless: bool,
        /// The buffer profile of its group, an index into [`super::TmConfig::profiles`].
        profile: u16,
        /// Whether it had been stored and the watchdog flushed it.
        stored: bool,
    },
    /// The watchdog detected a storm on a queue and starts its action.
    WatchdogFired {
        /// The egress port.
        port: u16,
        /// The paused priority.
        priority: u8,
        /// The action until the queue is restored.
        action: WatchdogAction,
    },
    /// The watchdog restored the queue, because no pause arrived for the restoration time.
    WatchdogRestored {
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
    },
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The ingress or egress port does not exist.
    UnknownPort,
    /// The packet memory is full.
    MemoryFull,
    /// A lossy priority group has reached its threshold, or its pool is full.
    IngressThreshold,
    /// A lossless priority group has used up its headroom, or the headroom pool is empty.
    HeadroomFull,
    /// The queue has reached its threshold, or its pool is full.
    EgressThreshold,
    /// Random early drop.
    Early,
    /// The watchdog drops packets of this queue, or of this lossless priority group.
    Watchdog,
}
