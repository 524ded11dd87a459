//! What runs a program's blocks: compiled code ([`crate::engine`]), perhaps translated ([`crate::native`]), or the plain
//! interpreter ([`crate::oracle`]).
//!
//! The switch decides when a block runs and what becomes of the packet; a machine holds the packet's headers and
//! metadata meanwhile. Between ingress and egress they are kept as words whose meaning only the machine knows.

use std::sync::Arc;

use crate::engine::compiled::Compiled;
use crate::engine::context::Context;
use crate::engine::run::Outcome;
use crate::error::LoadError;
use crate::oracle::Interpreter;
use crate::prepared::Prepared;
use crate::state::State;

/// A block that runs after the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockId {
    VerifyChecksum,
    Ingress,
    Egress,
    ComputeChecksum,
    Deparser,
}

/// Declares the fields of `standard_metadata` that the architecture itself reads or writes.
macro_rules! fields {
    ($($field:ident $name:literal),* $(,)?) => {
        /// A field of `standard_metadata`; programs need not declare it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Field {
            $($field),*
        }

        impl Field {
            /// All of them, in the order of their numbers.
            pub(crate) const ALL: &[Field] = &[$(Field::$field),*];

            /// Its name in the program.
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

/// A loaded program with the packet that it is working on.
#[derive(Debug)]
pub(crate) enum Machine {
    Compiled(Box<Compiled>),
    Interpreter(Box<Interpreter>),
}

/// Calls the same method of whichever machine it is.
macro_rules! each {
    ($machine:expr, $m:ident => $call:expr) => {
        match $machine {
            Machine::Compiled($m) => $call,
            Machine::Interpreter($m) => $call,
        }
    };
}

impl Machine {
    /// What runs a prepared program.
    pub(crate) fn new(prepared: &Prepared) -> Result<Machine, LoadError> {
        Ok(match prepared.code() {
            Some(code) => {
                let translated = prepared.translation().map(|translation| translation.run);
                Machine::Compiled(Box::new(Compiled::new(Arc::clone(code), translated)?))
            }
            None => Machine::Interpreter(Box::new(Interpreter::new(
                Arc::clone(prepared.program()),
                prepared.drop_port(),
            ))),
        })
    }

    /// Makes all values zero and all headers invalid.
    #[inline]
    pub(crate) fn reset(&mut self) {
        each!(self, m => m.reset());
    }

    /// Sets a field of the standard metadata, where the program declares it.
    #[inline]
    pub(crate) fn set(&mut self, field: Field, value: u64) {
        each!(self, m => m.set(field, value));
    }

    /// Sets several fields of the standard metadata.
    #[inline(always)]
    pub(crate) fn set_all<const N: usize>(&mut self, values: [(Field, u64); N]) {
        each!(self, m => values.into_iter().for_each(|(field, value)| m.set(field, value)));
    }

    /// A field of the standard metadata; 0 where the program does not declare it.
    #[inline]
    pub(crate) fn get(&self, field: Field) -> u64 {
        each!(self, m => m.get(field))
    }

    /// Runs the parser from its first state; returns the number of the parser's error and whether it was stopped
    /// because it went on for too long.
    #[inline]
    pub(crate) fn parse(&mut self, cx: &mut Context, state: &mut State) -> (u64, bool) {
        each!(self, m => match m.parse(cx, state) {
            Outcome::Done => (0, false),
            Outcome::Rejected(error) => (error, false),
            Outcome::TooLong => (m.parser_timeout(), true),
        })
    }

    /// Runs a block; false when it took too long. The deparser writes to the context.
    #[inline]
    pub(crate) fn run(&mut self, block: BlockId, cx: &mut Context, state: &mut State) -> bool {
        each!(self, m => m.run(block, cx, state) != Outcome::TooLong)
    }

    /// Replaces words by what egress needs of the packet's headers and metadata.
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

    /// Begins egress with what [`Machine::carry`] gave.
    #[inline]
    pub(crate) fn resume(&mut self, words: &[u64]) {
        match self {
            Machine::Compiled(m) => m.resume(words),
            Machine::Interpreter(m) => m.load(words),
        }
    }

    /// Appends the packet's headers and metadata as words.
    #[inline]
    pub(crate) fn save(&self, words: &mut Vec<u64>) {
        each!(self, m => m.save(words));
    }

    /// Takes headers and metadata back from words.
    #[inline]
    pub(crate) fn load(&mut self, words: &[u64]) {
        each!(self, m => m.load(words));
    }

    /// The values that a field list names: which of the saved words, and what is in them.
    pub(crate) fn preserved(&self, field_list: Option<u8>) -> Vec<(u32, u64)> {
        field_list.map_or_else(Vec::new, |list| each!(self, m => m.preserved(list)))
    }

    /// Sets values that were kept from an earlier pass.
    #[inline]
    pub(crate) fn restore(&mut self, preserved: &[(u32, u64)]) {
        if !preserved.is_empty() {
            each!(self, m => m.restore(preserved));
        }
    }

    /// Makes everything zero that lives as long as the packet and is no part of a header.
    pub(crate) fn clear_metadata(&mut self) {
        each!(self, m => m.clear_metadata());
    }
}
