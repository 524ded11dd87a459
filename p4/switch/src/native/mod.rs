//! Programs as Rust: what a program compiles to, written out as source that is built into whatever runs it.
//!
//! [`translate`] prints compiled code ([`crate::engine`]) as Rust functions, one statement an operation, so that the
//! Rust compiler sees constants where the interpreter of operations sees operands. The printed file calls
//! [`Runtime`] for what is more than arithmetic: the packet's bytes, tables, arrays, externs. A [`Translation`] names
//! the code that it was made from by a fingerprint; [`crate::Prepared`] uses it for that very code and for no other, so
//! a translation that has grown old costs speed and never correctness.

mod packet;
mod runtime;
mod statement;
mod translate;

pub use crate::engine::run::Limbs;
pub use runtime::{Runtime, words};
pub use translate::{Untranslatable, translate};

/// A program in Rust, as printed by [`translate`].
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    /// The fingerprint of the code that it was made from ([`crate::Prepared::fingerprint`]).
    pub fingerprint: u64,
    /// Runs a block, an action or what follows a jump backwards from the operation of that number on.
    pub run: fn(u32, &mut Limbs, &mut Runtime<'_>) -> Ending,
}

/// How a translated function ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The block is complete.
    Done,
    /// The action returned.
    Returned,
    /// The parser rejected the packet with the error of that number.
    Rejected(u64),
    /// Too many jumps backwards.
    TooLong,
    /// It goes on at the operation of that number.
    Back(u32),
}
