//! What a switch tells its driver, and its counters.

use model::Time;
use model::wire::Frame;
use p4_lang::ir::{Bits, DigestId, TableId};

use crate::control::EntryKey;
use crate::tm;

/// Something that happened in the switch.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A port that had nothing to send has something now: call [`crate::Switch::transmit`] when it is idle.
    PortReady(u16),
    /// The program called `digest`.
    Digest {
        /// When.
        at: Time,
        /// Its type.
        digest: DigestId,
        /// The fields in order.
        values: Vec<Bits>,
    },
    /// A packet left through the CPU port.
    PacketIn {
        /// When.
        at: Time,
        /// The packet, `packet_in` header included.
        frame: Frame,
    },
    /// A pause (or its refresh) or a resume left through `port`, where the packets come from that fill the buffer.
    PauseSent {
        /// When.
        at: Time,
        /// Out of which port.
        port: u16,
        /// The class.
        priority: u8,
        /// How long, in 512-bit times; 0 resumes.
        quanta: u16,
        /// Whether it merely prolongs a pause.
        refresh: bool,
    },
    /// The peer at `port` paused or resumed a class.
    PauseReceived {
        /// When.
        at: Time,
        /// At which port.
        port: u16,
        /// The class.
        priority: u8,
        /// How long, in 512-bit times; 0 resumes.
        quanta: u16,
    },
    /// A pause of the peer ran out without a resume frame.
    PauseExpired {
        /// When.
        at: Time,
        /// At which port.
        port: u16,
        /// The class.
        priority: u8,
    },
    /// A packet ended in the switch.
    Dropped {
        /// When.
        at: Time,
        /// Where it had come in.
        ingress_port: u16,
        /// Where it was to leave, when that was decided.
        egress_port: Option<u16>,
        /// Its class, when it had come to a queue.
        priority: Option<u8>,
        /// Its length.
        bytes: u64,
        /// Why.
        reason: DropReason,
        /// Whether it had been waiting in a queue, which a watchdog emptied.
        stored: bool,
    },
    /// A packet of a lossless class was lost, in addition to its [`Event::Dropped`].
    LosslessDrop {
        /// When.
        at: Time,
        /// Where it had come in.
        ingress_port: u16,
        /// Where it was to leave.
        egress_port: u16,
        /// Its class.
        priority: u8,
        /// Its length.
        bytes: u32,
        /// Why.
        reason: tm::DropReason,
        /// Name of the buffer profile that did not suffice.
        profile: String,
    },
    /// The PFC watchdog has given a paused priority up.
    WatchdogFired {
        /// When.
        at: Time,
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
        /// What it does from now on.
        action: tm::WatchdogAction,
    },
    /// The PFC watchdog lets a priority work again.
    WatchdogRestored {
        /// When.
        at: Time,
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
    },
    /// An entry with a timeout has not matched for that long; comes again each time the timeout has passed.
    EntryIdle {
        /// When.
        at: Time,
        /// The table.
        table: TableId,
        /// The entry.
        key: EntryKey,
    },
    /// `assert` or `assume` failed; the packet goes on.
    AssertFailed {
        /// When.
        at: Time,
        /// The place in the source.
        text: String,
        /// Whether it was `assume`.
        assume: bool,
    },
    /// `log_msg`.
    Log {
        /// When.
        at: Time,
        /// The message with its arguments filled in.
        text: String,
    },
}

/// Why a packet ended in the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// No program is loaded.
    NoProgram,
    /// The program dropped it in ingress.
    Ingress,
    /// The program dropped it in egress.
    Egress,
    /// Its multicast group or clone session has no members or does not exist.
    NoReplicas,
    /// It and its copies have made [`crate::config::Limits::passes_per_packet`].
    PassLimit,
    /// It and its copies have made [`crate::config::Limits::jumps_per_packet`].
    JumpLimit,
    /// The traffic manager did not accept it.
    Queue(tm::DropReason),
}

impl DropReason {
    /// Its name in traces and reports.
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

/// What a switch has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets received on ports, those from the controller included.
    pub received: u64,
    /// Packets handed to ports, the CPU port included, PFC frames of the switch not included.
    pub transmitted: u64,
    /// Copies made by multicast and clone.
    pub copies: u64,
    /// Packets resubmitted.
    pub resubmitted: u64,
    /// Packets recirculated.
    pub recirculated: u64,
    /// Packets whose parser was stopped at [`crate::config::Limits::jumps_per_packet`]; they go on with the error
    /// `ParserTimeout`.
    pub parser_timeouts: u64,
    /// Packets dropped because no program was loaded.
    pub dropped_no_program: u64,
    /// Packets that the program dropped in ingress.
    pub dropped_ingress: u64,
    /// Packets that the program dropped in egress.
    pub dropped_egress: u64,
    /// Packets for a multicast group or clone session without members.
    pub dropped_no_replicas: u64,
    /// Packets at [`crate::config::Limits::passes_per_packet`].
    pub dropped_pass_limit: u64,
    /// Packets at [`crate::config::Limits::jumps_per_packet`].
    pub dropped_jump_limit: u64,
    /// Packets that the traffic manager did not accept.
    pub dropped_queue: u64,
    /// Events lost because nobody took them ([`crate::config::Limits::events`]).
    pub events_lost: u64,
    /// Trace records lost because nobody took them ([`crate::config::Limits::trace_records`]).
    pub trace_lost: u64,
}

impl Counters {
    /// Packets that ended in the switch, for whatever reason.
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
