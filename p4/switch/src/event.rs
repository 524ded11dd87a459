//! Events that a switch reports to its driver, and its counters.

use model::Time;
use model::wire::Frame;
use p4_lang::ir::{Bits, DigestId, TableId};

use crate::control::EntryKey;
use crate::tm;

/// An event of the switch.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A port that was idle has something to send: call [`crate::Switch::transmit`].
    PortReady(u16),
    /// The program called `digest`.
    Digest {
        /// Switch time.
        at: Time,
        /// The digest type.
        digest: DigestId,
        /// The fields, in order.
        values: Vec<Bits>,
    },
    /// A packet was sent to the controller through the CPU port.
    PacketIn {
        /// Switch time.
        at: Time,
        /// The packet, `packet_in` header included.
        frame: Frame,
    },
    /// A pause (or its refresh) or a resume was sent through `port`.
    PauseSent {
        /// Switch time.
        at: Time,
        /// The port.
        port: u16,
        /// The priority.
        priority: u8,
        /// Duration in quanta of 512 bit times; 0 resumes.
        quanta: u16,
        /// Whether it extends a pause that is in effect.
        refresh: bool,
    },
    /// The peer at `port` paused or resumed a priority.
    PauseReceived {
        /// Switch time.
        at: Time,
        /// The port.
        port: u16,
        /// The priority.
        priority: u8,
        /// Duration in quanta of 512 bit times; 0 resumes.
        quanta: u16,
    },
    /// A received pause expired without a resume frame.
    PauseExpired {
        /// Switch time.
        at: Time,
        /// The port.
        port: u16,
        /// The priority.
        priority: u8,
    },
    /// A packet was dropped.
    Dropped {
        /// Switch time.
        at: Time,
        /// The ingress port.
        ingress_port: u16,
        /// The egress port, if it was already chosen.
        egress_port: Option<u16>,
        /// The priority, if it was already chosen.
        priority: Option<u8>,
        /// The length in bytes.
        bytes: u64,
        /// The reason.
        reason: DropReason,
        /// Whether the packet had been stored in a queue that the PFC watchdog flushed.
        stored: bool,
    },
    /// A packet of a lossless priority was dropped. Sent in addition to [`Event::Dropped`].
    LosslessDrop {
        /// Switch time.
        at: Time,
        /// The ingress port.
        ingress_port: u16,
        /// The egress port.
        egress_port: u16,
        /// The priority.
        priority: u8,
        /// The length in bytes.
        bytes: u32,
        /// The reason.
        reason: tm::DropReason,
        /// Name of the buffer profile of the packet's priority group.
        profile: String,
    },
    /// The PFC watchdog detected a storm on a priority.
    WatchdogFired {
        /// Switch time.
        at: Time,
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
        /// The action of the watchdog until the queue is restored.
        action: tm::WatchdogAction,
    },
    /// The PFC watchdog restored a priority.
    WatchdogRestored {
        /// Switch time.
        at: Time,
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
    },
    /// An entry with an idle timeout has not matched for that time. Repeated each time the timeout passes.
    EntryIdle {
        /// Switch time.
        at: Time,
        /// The table.
        table: TableId,
        /// The entry.
        key: EntryKey,
    },
    /// `assert` or `assume` failed; processing of the packet continues.
    AssertFailed {
        /// Switch time.
        at: Time,
        /// The location in the source.
        text: String,
        /// Whether it was `assume`.
        assume: bool,
    },
    /// The program called `log_msg`.
    Log {
        /// Switch time.
        at: Time,
        /// The message, with its arguments inserted.
        text: String,
    },
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// No program is loaded.
    NoProgram,
    /// The program dropped it in ingress.
    Ingress,
    /// The program dropped it in egress.
    Egress,
    /// Its multicast group or clone session does not exist or has no members.
    NoReplicas,
    /// The packet and its copies have used up [`crate::config::Limits::passes_per_packet`].
    PassLimit,
    /// The packet and its copies have used up [`crate::config::Limits::jumps_per_packet`].
    JumpLimit,
    /// The traffic manager rejected or flushed it.
    Queue(tm::DropReason),
}

impl DropReason {
    /// Returns the name that traces and reports use.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::NoProgram => "no_program",
            DropReason::Ingress => "ingress",
            DropReason::Egress => "egress",
            DropReason::NoReplicas => "no_replicas",
            DropReason::PassLimit => "passes_per_packet",
            DropReason::JumpLimit => "jumps_per_packet",
            DropReason::Queue(_) => "queue",
        }
    }
}

/// Counters of a switch since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets received on ports, including packets from the controller.
    pub received: u64,
    /// Packets sent to ports, including the CPU port; PFC frames of the switch are not counted.
    pub transmitted: u64,
    /// Copies made by multicast and clone.
    pub copies: u64,
    /// Packets resubmitted.
    pub resubmitted: u64,
    /// Packets recirculated.
    pub recirculated: u64,
    /// Packets whose parser was stopped at [`crate::config::Limits::jumps_per_packet`]; processing continues with the
    /// error `ParserTimeout`.
    pub parser_timeouts: u64,
    /// Packets dropped because no program was loaded.
    pub dropped_no_program: u64,
    /// Packets that the program dropped in ingress.
    pub dropped_ingress: u64,
    /// Packets that the program dropped in egress.
    pub dropped_egress: u64,
    /// Packets for a multicast group or clone session without members.
    pub dropped_no_replicas: u64,
    /// Packets dropped at [`crate::config::Limits::passes_per_packet`].
    pub dropped_pass_limit: u64,
    /// Packets dropped at [`crate::config::Limits::jumps_per_packet`].
    pub dropped_jump_limit: u64,
    /// Packets that the traffic manager rejected or flushed.
    pub dropped_queue: u64,
    /// Events discarded because the buffer was full ([`crate::config::Limits::events`]).
    pub events_lost: u64,
    /// Trace records discarded because the buffer was full ([`crate::config::Limits::trace_records`]).
    pub trace_lost: u64,
}

impl Counters {
    /// Returns the number of dropped packets, for any reason.
    pub fn dropped(&self) -> u64 {
        self.dropped_no_program
            + self.dropped_ingress
            + self.dropped_egress
            + self.dropped_no_replicas
            + self.dropped_pass_limit
            + self.dropped_jump_limit
            + self.dropped_queue
    }

    pub(crate) fn count_drop(&mut self, reason: DropReason) {
        let counter = match reason {
            DropReason::NoProgram => &mut self.dropped_no_program,
            DropReason::Ingress => &mut self.dropped_ingress,
            DropReason::Egress => &mut self.dropped_egress,
            DropReason::NoReplicas => &mut self.dropped_no_replicas,
            DropReason::PassLimit => &mut self.dropped_pass_limit,
            DropReason::JumpLimit => &mut self.dropped_jump_limit,
            DropReason::Queue(_) => &mut self.dropped_queue,
        };
        *counter += 1;
    }
}
