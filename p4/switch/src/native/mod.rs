//! Translation of programs to Rust, to be built into the binary that runs them.
//!
//! [`translate`] prints bytecode ([`crate::engine`]) as Rust functions with one statement per operation; operands
//! become constants that the Rust compiler can optimise. The printed code calls [`Runtime`] for packet bytes, tables,
//! arrays and externs. A [`Translation`] identifies its bytecode by a fingerprint, and [`crate::Prepared`] uses it
//! for exactly that bytecode, so an outdated translation is never used.

mod packet;
mod runtime;
mod statement;
mod translate;

pub use crate::engine::run::Limbs;
pub use runtime::{Runtime, words};
pub use translate::{Untranslatable, translate};

/// A program in Rust, printed by [`translate`].
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    /// Fingerprint of the translated bytecode ([`crate::Prepared::fingerprint`]).
    pub fingerprint: u64,
    /// Runs a block, an action or the target of a backward jump, starting at the operation with this number.
    pub run: fn(u32, &mut Limbs, &mut Runtime<'_>) -> Ending,
}

/// How a translated function ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The block is complete.
    Done,
    /// The action returned.
    Returned,
    /// The parser rejected the packet with this error number.
    Rejected(u64),
    /// The limit of backward jumps was reached.
    TooLong,
    /// Execution continues at this operation.
    Back(u32),
}
