//! Traces of packets, step by step.
//!
//! A switch with [`crate::SwitchConfig::trace`] runs on the plain interpreter, which keeps the names of the program.
//! Bytecode has no tracing, so it costs other switches nothing. [`crate::Switch::take_trace`] returns the records;
//! `docs/p4-switch.md` describes them as JSON.

use std::fmt::Write as _;

use model::Time;
use p4_lang::ir::Bits;
use serde::Serialize;

/// One step in the processing of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceRecord {
    /// Switch time in picoseconds.
    pub time_ps: u64,
    /// Packet number. Every arrival and every copy has its own number, starting at 1.
    pub packet: u64,
    /// The step.
    #[serde(flatten)]
    pub step: Step,
}

/// A name with a hexadecimal value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Named {
    pub(crate) fn new(name: &str, value: &Bits) -> Named {
        Named { name: name.to_owned(), value: shown(value) }
    }
}

/// How a packet came to be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It arrived at a port.
    Port,
    /// It was resubmitted to ingress.
    Resubmit,
    /// It was recirculated from egress.
    Recirculate,
    /// A clone from ingress.
    CloneIngress,
    /// A clone from egress.
    CloneEgress,
    /// A copy of a multicast group.
    Multicast,
}

/// A matching entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchedEntry {
    /// Match of the entry for each component of the key.
    pub key: Vec<Named>,
    /// Its priority; 0 if the table has none.
    pub priority: i32,
    /// The selected member of the action profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<u32>,
    /// The group of that member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TracedAction {
    /// Its full name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Named>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Step {
    /// The packet enters ingress.
    Ingress {
        /// Its ingress port.
        port: u16,
        /// Its length in bytes.
        bytes: u64,
        /// How it came to ingress.
        origin: Origin,
        /// Number of the packet before it was resubmitted or recirculated.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
    },
    /// The parser enters a state.
    State {
        /// Its name.
        name: String,
    },
    /// The parser extracts a header.
    Extract {
        /// Its full name.
        header: String,
        /// Offset of its first bit in the packet.
        at_bits: u64,
        /// Its length in bits.
        bits: u64,
        /// Its fields.
        fields: Vec<Named>,
    },
    /// The parser ends.
    Parsed {
        /// Name of the parser error; `NoError` if there is none.
        error: String,
        /// Number of bits consumed.
        bits: u64,
    },
    /// A table is applied.
    Table {
        /// Its full name.
        table: String,
        /// Values of the components of the key.
        key: Vec<Named>,
        /// Whether an entry matched.
        hit: bool,
        /// The entry.
        #[serde(skip_serializing_if = "Option::is_none")]
        entry: Option<MatchedEntry>,
        /// The action that runs: that of the entry, or the default action; `None` for an empty group.
        action: Option<TracedAction>,
    },
    /// An action is called by name.
    Action {
        /// Its full name.
        action: String,
    },
    /// A register is read.
    RegisterRead {
        /// Its full name.
        register: String,
        /// The index.
        index: u64,
        /// The components of the element.
        value: Vec<String>,
    },
    /// A register is written.
    RegisterWrite {
        /// Its full name.
        register: String,
        /// The index.
        index: u64,
        /// The components of the element.
        value: Vec<String>,
        /// Whether the index is in bounds; otherwise nothing is written.
        in_bounds: bool,
    },
    /// A counter counts; a direct counter has no index.
    Count {
        /// Its full name.
        counter: String,
        /// The index.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// Length of the packet in bytes.
        bytes: u64,
    },
    /// A meter marks the packet; a direct meter has no index.
    Meter {
        /// Its full name.
        meter: String,
        /// The index.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// 0 green, 1 yellow, 2 red.
        colour: u64,
    },
    /// A checksum is verified or updated.
    Checksum {
        /// Full name of the field.
        field: String,
        /// The computed checksum.
        computed: String,
        /// Whether the field had that value (before an update).
        correct: bool,
    },
    /// A digest for the controller.
    Digest {
        /// Name of the digest type.
        digest: String,
        /// Its fields.
        fields: Vec<Named>,
    },
    /// `assert` or `assume` failed.
    AssertFailed {
        /// The location in the source.
        text: String,
    },
    /// `log_msg`.
    Log {
        /// The message.
        text: String,
    },
    /// The program requests an operation for the end of the block: `clone`, `resubmit`, `recirculate` or `truncate`.
    Request {
        /// The operation.
        what: &'static str,
        /// The clone session, or the length in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<u64>,
    },
    /// A packet is enqueued; the first step of a copy.
    Queued {
        /// The egress port.
        port: u16,
        /// The priority.
        priority: u8,
        /// `egress_rid` of a copy.
        #[serde(skip_serializing_if = "Option::is_none")]
        instance: Option<u16>,
        /// Number of the original of a copy.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        /// How the copy was made.
        #[serde(skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// The packet is dequeued and enters egress.
    Egress {
        /// The egress port.
        port: u16,
        /// Queue depth in packets when it was enqueued.
        depth_packets: u64,
        /// Time in the queue.
        waited_ps: u64,
    },
    /// The deparser emits a header.
    Emit {
        /// Its full name.
        header: String,
    },
    /// The packet leaves the switch.
    Sent {
        /// The egress port.
        port: u16,
        /// Its length in bytes.
        bytes: u64,
    },
    /// The packet is dropped.
    Dropped {
        /// The reason.
        reason: String,
        /// The egress port, if it was already chosen.
        #[serde(skip_serializing_if = "Option::is_none")]
        port: Option<u16>,
    },
}

/// A value in hexadecimal.
pub(crate) fn shown(value: &Bits) -> String {
    let mut text = String::from("0x");
    for limb in value.limbs().iter().rev() {
        match (text.len(), *limb) {
            (2, 0) => {}
            (2, limb) => drop(write!(text, "{limb:x}")),
            (_, limb) => drop(write!(text, "{limb:016x}")),
        }
    }
    if text.len() == 2 {
        text.push('0');
    }
    text
}

/// A buffer of trace records with a limit.
#[derive(Clone, Debug)]
pub(crate) struct TraceLog {
    pub(crate) waiting: Vec<TraceRecord>,
    pub(crate) lost: u64,
    limit: usize,
}

impl TraceLog {
    pub(crate) fn new(limit: usize) -> TraceLog {
        TraceLog { waiting: Vec::new(), lost: 0, limit }
    }

    pub(crate) fn push(&mut self, at: Time, packet: u64, step: Step) {
        if self.waiting.len() < self.limit {
            self.waiting.push(TraceRecord { time_ps: at.0, packet, step });
        } else {
            self.lost += 1;
        }
    }
}
