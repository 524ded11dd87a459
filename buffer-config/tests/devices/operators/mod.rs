//! Defects and harmless changes of correct files, as replacements in their texts: data of the mutation suite.

mod eos;
mod nvue;
mod nxos;

pub(crate) use eos::OF_EOS;
pub(crate) use nvue::{OF_COMMANDS, OF_NVUE};
pub(crate) use nxos::OF_NXOS;

/// What the check must report.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// An error with this code.
    Error(&'static str),
    /// A warning with this code.
    Warning(&'static str),
    /// Nothing.
    Harmless,
}

/// A name, the part of the text that changes, what it becomes, and what must be reported.
pub(crate) type Operator = (&'static str, &'static str, &'static str, Expect);
