//! Collection: from polling packets to a snapshot.
//!
//! [`Collector`] is a state machine without I/O. It is told what happened ([`Input`]) and when, and answers with
//! what to do ([`Command`]); a driver carries that out and reports back. Times are nanoseconds of the controller's
//! clock, except inside records, where they are the switch's own.
//!
//! One event goes like this. The first switch that a polling packet reaches freezes its bank and says so by digest. The
//! collector reads the bank, marks it as collected and unlocks the switch; meanwhile the packet wanders on and
//! further switches report. When none has reported for a quiet time and no read is open, the collector asks the
//! switches that should have reported, by what the others say, whether they are locked: a lost digest is made up
//! for that way. Then the snapshot is emitted, with a note on everything that should be there and is not.
//!
//! Before that, as soon as the wave has been still for a moment, the collector asks itself what a lost packet should
//! have asked ([`Command::Ask`]): by packet-out into the very switch, as if the packet had come by its port. From there
//! the wave goes on by itself, and where it gets lost again it is helped on again, so often and no more
//! ([`CollectSettings::ask_attempts`], [`CollectSettings::max_questions`]). That holds for the agent's own packet as well.
//!
//! Whatever fails, a switch never stays locked: reads end with an unlock, by success, failure or timeout; an unlock
//! that fails is repeated after a look at the lock; and a switch that connects, or is idle, is looked at as well.

mod asking;
mod collector;
mod emit;
mod event;
mod expect;
mod merge;
mod question;
mod settings;
mod stats;
mod survey;
mod switch;

pub use collector::Collector;
pub use question::PortQuestion;
pub use settings::CollectSettings;
pub use stats::CollectStats;

use model::{Snapshot, Trigger};

use crate::layout::RegisterRows;
use crate::plan::RegisterWrite;

/// Number of a request to a switch, never repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A switch is under this controller's control now (again).
    Connected {
        /// The switch.
        switch: String,
    },
    /// A switch sent a digest.
    Digest {
        /// The switch.
        switch: String,
        /// Name of the digest.
        name: String,
        /// Its fields as big-endian bytes.
        fields: Vec<Vec<u8>>,
    },
    /// An agent asked about a flow.
    Trigger {
        /// The event id that its polling packet carries.
        event: u32,
        /// Class of the flow's data, as the polling packet carries it.
        priority: u8,
        /// What it saw.
        trigger: Trigger,
    },
    /// A [`Command::Read`] is complete.
    ReadDone {
        /// Which one.
        request: RequestId,
        /// What was read; elements that are zero may be left out, but every array must be there.
        rows: Vec<RegisterRows>,
    },
    /// A [`Command::Unlock`] is complete.
    UnlockDone {
        /// Which one.
        request: RequestId,
    },
    /// A [`Command::Ask`] is on its way into the switch; the answer is a digest.
    Asked {
        /// Which one.
        request: RequestId,
    },
    /// A request failed.
    Failed {
        /// Which one.
        request: RequestId,
        /// Why, for people.
        reason: String,
    },
}

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Read these register arrays as a whole, in this order.
    Read {
        /// From this switch.
        switch: String,
        /// Number to answer with.
        request: RequestId,
        /// Full names.
        registers: Vec<String>,
    },
    /// Write these register elements, in this order.
    Unlock {
        /// Into this switch.
        switch: String,
        /// Number to answer with.
        request: RequestId,
        /// What to write.
        writes: Vec<RegisterWrite>,
    },
    /// Send this packet into the switch, as P4Runtime's packet-out does.
    Ask {
        /// Into this switch.
        switch: String,
        /// Number to answer with.
        request: RequestId,
        /// What to ask, and as if by which port it had come.
        question: PortQuestion,
    },
    /// A snapshot is complete.
    Emit(Box<Snapshot>),
}
