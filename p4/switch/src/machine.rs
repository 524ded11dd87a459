//! The machine that runs the blocks of a program: machine code ([`crate::machine_code`]), bytecode ([`crate::engine`]), or
//! the plain interpreter ([`crate::oracle`]).
//!
//! The switch decides when a block runs and what happens to the packet; the machine holds the headers and metadata of
//! the packet. Between ingress and egress they are stored as words that only the machine interprets.

use std::sync::Arc;

use crate::engine::compiled::Compiled;
use crate::engine::context::Context;
use crate::engine::run::Outcome;
use crate::error::LoadError;
use crate::oracle::Interpreter;
use crate::prepared::Prepared;
use crate::state::State;

/// A block that runs after the parser, which is block 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockId {
    VerifyChecksum = 1,
    Ingress = 2,
    Egress = 3,
    ComputeChecksum = 4,
    Deparser = 5,
}

/// Declares the fields of `standard_metadata` that the architecture reads or writes.
macro_rules! fields {
    ($($field:ident $name:literal),* $(,)?) => {
        /// A field of `standard_metadata`; a program may omit it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Field {
            $($field),*
        }

        impl Field {
            /// All fields, by number.
            pub(crate) const ALL: &[Field] = &[$(Field::$field),*];

            /// Returns its name in the program.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Field::$field => $name),*
                }
            }
        }
    };
}

fields! {
    IngressPort "ingress_port",
    EgressSpec "egress_spec",
    EgressPort "egress_port",
    InstanceType "instance_type",
    PacketLength "packet_length",
    EnqTimestamp "enq_timestamp",
    EnqQdepth "enq_qdepth",
    DeqTimedelta "deq_timedelta",
    DeqQdepth "deq_qdepth",
    Qid "qid",
    IngressGlobalTimestamp "ingress_global_timestamp",
    EgressGlobalTimestamp "egress_global_timestamp",
    McastGrp "mcast_grp",
    EgressRid "egress_rid",
    ChecksumError "checksum_error",
    ParserError "parser_error",
    Priority "priority",
}

/// A loaded program with the values of the current packet.
#[derive(Debug)]
pub(crate) enum Machine {
    Compiled(Box<Compiled>),
    Interpreter(Box<Interpreter>),
}

/// Calls the same method on either machine.
macro_rules! each {
    ($machine:expr, $m:ident => $call:expr) => {
        match $machine {
            Machine::Compiled($m) => $call,
            Machine::Interpreter($m) => $call,
        }
    };
}

impl Machine {
    /// Creates the machine for a prepared program.
    pub(crate) fn new(prepared: &Prepared) -> Result<Machine, LoadError> {
        Ok(match prepared.code() {
            Some(code) => Machine::Compiled(Box::new(Compiled::new(
                Arc::clone(code),
                prepared.machine_code().cloned(),
            )?)),
            None => Machine::Interpreter(Box::new(Interpreter::new(
                Arc::clone(prepared.program()),
                prepared.drop_port(),
            ))),
        })
    }

    /// Clears all values and makes all headers invalid.
    #[inline]
    pub(crate) fn reset(&mut self) {
        each!(self, m => m.reset());
    }

    /// Sets a field of the standard metadata if the program declares it.
    #[inline]
    pub(crate) fn set(&mut self, field: Field, value: u64) {
        each!(self, m => m.set(field, value));
    }

    /// Sets several fields of the standard metadata.
    #[inline(always)]
    pub(crate) fn set_all<const N: usize>(&mut self, values: [(Field, u64); N]) {
        each!(self, m => values.into_iter().for_each(|(field, value)| m.set(field, value)));
    }

    /// Returns a field of the standard metadata; 0 if the program does not declare it.
    #[inline]
    pub(crate) fn get(&self, field: Field) -> u64 {
        each!(self, m => m.get(field))
    }

    /// Runs the parser from its first state. Returns the parser error, and whether the parser reached the jump limit.
    #[inline]
    pub(crate) fn parse(&mut self, cx: &mut Context, state: &mut State) -> (u64, bool) {
        each!(self, m => match m.parse(cx, state) {
            Outcome::Done => (0, false),
            Outcome::Rejected(error) => (error, false),
            Outcome::TooLong => (m.parser_timeout(), true),
        })
    }

    /// Runs a block; returns false if it reached the jump limit. The deparser writes to the context.
    #[inline]
    pub(crate) fn run(&mut self, block: BlockId, cx: &mut Context, state: &mut State) -> bool {
        each!(self, m => m.run(block, cx, state) != Outcome::TooLong)
    }

    /// Replaces `words` by the headers and metadata that egress reads.
    #[inline]
    pub(crate) fn carry(&self, words: &mut Vec<u64>) {
        match self {
            Machine::Compiled(m) => m.carry(words),
            Machine::Interpreter(m) => {
                words.clear();
                m.save(words);
            }
        }
    }

    /// Starts egress with the words from [`Machine::carry`].
    #[inline]
    pub(crate) fn resume(&mut self, words: &[u64]) {
        match self {
            Machine::Compiled(m) => m.resume(words),
            Machine::Interpreter(m) => m.load(words),
        }
    }

    /// Appends the headers and metadata as words.
    #[inline]
    pub(crate) fn save(&self, words: &mut Vec<u64>) {
        each!(self, m => m.save(words));
    }

    /// Restores headers and metadata from words.
    #[inline]
    pub(crate) fn load(&mut self, words: &[u64]) {
        each!(self, m => m.load(words));
    }

    /// Returns the values of a field list: the index of each saved word, and its value.
    pub(crate) fn preserved(&self, field_list: Option<u8>) -> Vec<(u32, u64)> {
        field_list.map_or_else(Vec::new, |list| each!(self, m => m.preserved(list)))
    }

    /// Sets values that were preserved from an earlier pass.
    #[inline]
    pub(crate) fn restore(&mut self, preserved: &[(u32, u64)]) {
        if !preserved.is_empty() {
            each!(self, m => m.restore(preserved));
        }
    }

    /// Clears all metadata.
    pub(crate) fn clear_metadata(&mut self) {
        each!(self, m => m.clear_metadata());
    }
}
