//! What becomes of every packet, step by step.
//!
//! A switch whose [`crate::SwitchConfig::trace`] is set runs on the plain interpreter, which still knows the
//! program's names; one that is not set pays nothing, because compiled code has no place for traces. The records
//! are taken with [`crate::Switch::take_trace`]; `docs/p4-switch.md` describes them as JSON.

use std::fmt::Write as _;

use model::Time;
use p4_lang::ir::Bits;
use serde::Serialize;

/// One step in a packet's life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceRecord {
    /// When.
    pub time_ps: u64,
    /// Which packet. Every arrival and every copy has a number of its own, from 1.
    pub packet: u64,
    /// What happened.
    #[serde(flatten)]
    pub step: Step,
}

/// A name with a value in hexadecimal.
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

/// Why a packet is there.
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

/// The entry that matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchedEntry {
    /// What the entry says of each component of the key.
    pub key: Vec<Named>,
    /// Its priority, 0 where entries have none.
    pub priority: i32,
    /// The member of the action profile that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<u32>,
    /// The group it was chosen from.
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

/// What happened to a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Step {
    /// It enters ingress.
    Ingress {
        /// Where it had come in.
        port: u16,
        /// Its length.
        bytes: u64,
        /// Why it is there.
        origin: Origin,
        /// Which packet it was before, when it is resubmitted or recirculated.
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
        /// First bit in the packet.
        at_bits: u64,
        /// Its length.
        bits: u64,
        /// Its fields.
        fields: Vec<Named>,
    },
    /// The parser ends.
    Parsed {
        /// Name of the error, `NoError` when there is none.
        error: String,
        /// How many bits it has consumed.
        bits: u64,
    },
    /// A table is applied.
    Table {
        /// Its full name.
        table: String,
        /// Values of the key's components.
        key: Vec<Named>,
        /// Whether an entry matched.
        hit: bool,
        /// Which.
        #[serde(skip_serializing_if = "Option::is_none")]
        entry: Option<MatchedEntry>,
        /// What runs: the entry's action, or the default; nothing for an empty group.
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
        /// Which element.
        index: u64,
        /// Its components.
        value: Vec<String>,
    },
    /// A register is written.
    RegisterWrite {
        /// Its full name.
        register: String,
        /// Which element.
        index: u64,
        /// Its components.
        value: Vec<String>,
        /// Whether there is such an element; nothing is written when there is not.
        in_bounds: bool,
    },
    /// A counter counts; a direct one has no index.
    Count {
        /// Its full name.
        counter: String,
        /// Which element.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// Length of the packet.
        bytes: u64,
    },
    /// A meter colours; a direct one has no index.
    Meter {
        /// Its full name.
        meter: String,
        /// Which element.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// 0 green, 1 yellow, 2 red.
        colour: u64,
    },
    /// A checksum is verified or updated.
    Checksum {
        /// Full name of the field.
        field: String,
        /// What it should be.
        computed: String,
        /// Whether the field has that value (before an update).
        correct: bool,
    },
    /// A digest for the controller.
    Digest {
        /// Name of its type.
        digest: String,
        /// Its fields.
        fields: Vec<Named>,
    },
    /// `assert` or `assume` failed.
    AssertFailed {
        /// The place in the source.
        text: String,
    },
    /// `log_msg`.
    Log {
        /// The message.
        text: String,
    },
    /// The program asks for something that happens when the block is complete: `clone`, `resubmit`,
    /// `recirculate` or `truncate`.
    Request {
        /// What.
        what: &'static str,
        /// The clone session, or the length in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<u64>,
    },
    /// A packet is queued; copies begin their life with it.
    Queued {
        /// For which port.
        port: u16,
        /// Its class.
        priority: u8,
        /// `egress_rid` of a copy.
        #[serde(skip_serializing_if = "Option::is_none")]
        instance: Option<u16>,
        /// Of which packet it is a copy.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        /// Why it was copied.
        #[serde(skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// It leaves its queue and enters egress.
    Egress {
        /// Which port.
        port: u16,
        /// Packets that were in the queue when it was put there.
        depth_packets: u64,
        /// How long it waited.
        waited_ps: u64,
    },
    /// The deparser emits a header.
    Emit {
        /// Its full name.
        header: String,
    },
    /// It leaves the switch.
    Sent {
        /// Which port.
        port: u16,
        /// Its length.
        bytes: u64,
    },
    /// It ends in the switch.
    Dropped {
        /// Why.
        reason: String,
        /// Where it was to leave, when that was decided.
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

/// Records that wait, up to a limit.
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
