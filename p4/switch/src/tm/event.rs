//! What a traffic manager reports.

use super::watchdog::WatchdogAction;

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TmEvent {
    /// The port had nothing to send and now has.
    Ready {
        /// The port.
        port: u16,
    },
    /// A pause (or a refresh of one) or a resume was handed out for sending.
    PauseSent {
        /// The ingress port whose peer is told.
        port: u16,
        /// The class.
        priority: u8,
        /// How long, in quanta; 0 resumes.
        quanta: u16,
        /// Whether it merely prolongs a pause.
        refresh: bool,
    },
    /// The peer paused or resumed a class.
    PauseReceived {
        /// The egress port.
        port: u16,
        /// The class.
        priority: u8,
        /// How long, in quanta; 0 resumes.
        quanta: u16,
    },
    /// A pause of the peer ran out without a resume frame.
    PauseExpired {
        /// The egress port.
        port: u16,
        /// The class.
        priority: u8,
    },
    /// A packet was not accepted.
    Dropped {
        /// Where it came in.
        ingress_port: u16,
        /// Where it should have left.
        egress_port: u16,
        /// Its class.
        priority: u8,
        /// Its size.
        bytes: u32,
        /// Why.
        reason: DropReason,
        /// Whether its group was lossless: such a drop is a fault of the configuration, or the watchdog's.
        lossless: bool,
        /// The profile of its group, an index into [`super::TmConfig::profiles`].
        profile: u16,
        /// Whether it had been stored and was thrown out later, by the watchdog.
        stored: bool,
    },
    /// The watchdog found a queue that the peer keeps silent, and acts.
    WatchdogFired {
        /// The egress port.
        port: u16,
        /// The paused priority.
        priority: u8,
        /// What it does from now on.
        action: WatchdogAction,
    },
    /// The peer has been quiet for long enough: the queue works as before.
    WatchdogRestored {
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
    },
}

/// Why a packet was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// Ingress or egress port does not exist.
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
    /// The watchdog has given the queue or its port's lossless traffic up.
    Watchdog,
}
