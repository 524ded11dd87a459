//! The plain interpreter: runs the intermediate representation statement by statement.
//!
//! It is written to be compared with the P4-16 language specification and v1model, and to check the bytecode engine:
//! values are integers of any size, tables are searched linearly, and hashes are computed bit by bit. It shares with
//! the engine only the program, the state that outlives a packet ([`crate::state`]) and the packet itself. It also
//! produces the traces.

mod expr;
mod externs;
mod hash;
mod parser;
mod stmt;
mod table;
mod value;

use std::collections::BTreeSet;
use std::sync::Arc;

use p4_lang::ir::{Program, ScalarId, ScalarKind};

use crate::engine::context::Context;
use crate::engine::run::Outcome;
use crate::limbs;
use crate::machine::{BlockId, Field};
use crate::state::State;
use value::Value;

/// Why the execution of statements ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return,
    /// `exit`.
    Exit,
    /// The parser rejects the packet with this error.
    Reject(u64),
    /// The limit of backward jumps was reached.
    TooLong,
}

/// `Err` means that control leaves a statement early.
type Run<T = ()> = Result<T, Stop>;

/// A program and the values of all its scalars.
#[derive(Debug)]
pub(crate) struct Interpreter {
    program: Arc<Program>,
    values: Vec<Value>,
    drop_port: u64,
    standard: Vec<Option<ScalarId>>,
    /// Carried scalars that belong to headers.
    in_headers: BTreeSet<ScalarId>,
    /// For each parser state, whether entering it counts as a backward jump.
    loop_states: Vec<bool>,
}

/// The execution of a block.
struct Runner<'r> {
    program: &'r Program,
    values: &'r mut [Value],
    cx: &'r mut Context,
    state: &'r mut State,
    drop_port: u64,
    /// Bits that the deparser has emitted.
    emitted: Vec<bool>,
}

impl Interpreter {
    /// Creates an interpreter for a checked program.
    pub(crate) fn new(program: Arc<Program>, drop_port: u16) -> Interpreter {
        let storage = &program.storage;
        let standard = Field::ALL.iter().map(|f| storage.standard_metadata.get(f.name()).copied()).collect();
        let in_headers =
            storage.headers.iter().flat_map(|h| std::iter::once(h.valid).chain(h.fields.clone())).collect();
        Interpreter {
            values: storage.scalars.iter().map(|s| Value::zero(s.kind)).collect(),
            standard,
            in_headers,
            loop_states: parser::loop_states(&program.parser),
            drop_port: u64::from(drop_port),
            program,
        }
    }

    fn kind(&self, id: ScalarId) -> ScalarKind {
        self.program.storage.scalars[id.index()].kind
    }

    fn carried(&self) -> impl Iterator<Item = ScalarId> {
        (0..self.program.storage.carried).map(ScalarId)
    }

    pub(crate) fn reset(&mut self) {
        for (value, scalar) in self.values.iter_mut().zip(&self.program.storage.scalars) {
            *value = Value::zero(scalar.kind);
        }
    }

    pub(crate) fn set(&mut self, field: Field, value: u64) {
        if let Some(id) = self.standard[field as usize] {
            self.values[id.index()] = Value::of_u64(value, self.kind(id));
        }
    }

    pub(crate) fn get(&self, field: Field) -> u64 {
        self.standard[field as usize].map_or(0, |id| self.values[id.index()].to_u64(self.kind(id)))
    }

    fn runner<'r>(&'r mut self, cx: &'r mut Context, state: &'r mut State) -> Runner<'r> {
        Runner {
            program: &self.program,
            values: &mut self.values,
            cx,
            state,
            drop_port: self.drop_port,
            emitted: Vec::new(),
        }
    }

    pub(crate) fn parse(&mut self, cx: &mut Context, state: &mut State) -> Outcome {
        let loop_states = std::mem::take(&mut self.loop_states);
        let mut runner = self.runner(cx, state);
        let ended = runner.parser(&loop_states);
        if runner.cx.trace.is_some() {
            let error = match ended {
                Err(Stop::Reject(error)) => error,
                Err(Stop::TooLong) => runner.error_number("ParserTimeout"),
                _ => 0,
            };
            runner.trace_parsed(error);
        }
        self.loop_states = loop_states;
        match ended {
            Err(Stop::Reject(error)) => Outcome::Rejected(error),
            Err(Stop::TooLong) => Outcome::TooLong,
            _ => Outcome::Done,
        }
    }

    pub(crate) fn parser_timeout(&self) -> u64 {
        self.program.errors.iter().position(|e| e == "ParserTimeout").unwrap_or(0) as u64
    }

    pub(crate) fn run(&mut self, block: BlockId, cx: &mut Context, state: &mut State) -> Outcome {
        // Locals do not survive a block: each block starts with zeros.
        for index in self.program.storage.carried as usize..self.values.len() {
            self.values[index] = Value::zero(self.kind(ScalarId(index as u32)));
        }
        let program = Arc::clone(&self.program);
        let body = match block {
            BlockId::VerifyChecksum => &program.verify_checksum.body,
            BlockId::Ingress => &program.ingress.body,
            BlockId::Egress => &program.egress.body,
            BlockId::ComputeChecksum => &program.compute_checksum.body,
            BlockId::Deparser => &program.deparser.body,
        };
        let mut runner = self.runner(cx, state);
        let ended = runner.statements(body);
        if block == BlockId::Deparser {
            let bytes = value::bytes_of_bits(&runner.emitted);
            runner.cx.out.bytes.extend_from_slice(&bytes);
        }
        match ended {
            Err(Stop::TooLong) => Outcome::TooLong,
            _ => Outcome::Done,
        }
    }

    /// Returns the number of words of a saved scalar: its limbs, and the length of a varbit.
    fn words(kind: ScalarKind) -> usize {
        limbs::count(kind.width()) + usize::from(matches!(kind, ScalarKind::Varbit(_)))
    }

    pub(crate) fn save(&self, words: &mut Vec<u64>) {
        for id in self.carried() {
            let (value, kind) = (&self.values[id.index()], self.kind(id));
            let end = words.len() + Interpreter::words(kind);
            words.extend_from_slice(value.to_bits(kind).limbs());
            if let ScalarKind::Varbit(_) = kind {
                words.resize(end - 1, 0);
                words.push(u64::from(value.length));
            }
            words.resize(end, 0);
        }
    }

    pub(crate) fn load(&mut self, words: &[u64]) {
        let mut at = 0;
        for id in (0..self.program.storage.carried).map(ScalarId) {
            let kind = self.kind(id);
            let count = limbs::count(kind.width());
            let mut value = Value::of_limbs(&words[at..at + count], kind);
            if let ScalarKind::Varbit(_) = kind {
                value.length = words[at + count] as u32;
            }
            self.values[id.index()] = value;
            at += Interpreter::words(kind);
        }
    }

    pub(crate) fn preserved(&self, field_list: u8) -> Vec<(u32, u64)> {
        let mut words = Vec::new();
        self.save(&mut words);
        let wanted = self.program.storage.field_lists.get(&field_list).map_or(&[][..], Vec::as_slice);
        let mut kept = Vec::new();
        let mut at = 0;
        for id in self.carried() {
            let end = at + Interpreter::words(self.kind(id));
            if wanted.contains(&id) {
                kept.extend((at..end).map(|place| (place as u32, words[place])));
            }
            at = end;
        }
        kept
    }

    pub(crate) fn restore(&mut self, preserved: &[(u32, u64)]) {
        let mut words = Vec::new();
        self.save(&mut words);
        for (at, value) in preserved {
            words[*at as usize] = *value;
        }
        self.load(&words);
    }

    pub(crate) fn clear_metadata(&mut self) {
        let metadata: Vec<ScalarId> = self.carried().filter(|id| !self.in_headers.contains(id)).collect();
        for id in metadata {
            self.values[id.index()] = Value::zero(self.kind(id));
        }
    }
}

impl Runner<'_> {
    fn kind(&self, id: ScalarId) -> ScalarKind {
        self.program.storage.scalars[id.index()].kind
    }

    fn name(&self, id: ScalarId) -> &str {
        &self.program.storage.scalars[id.index()].name
    }

    /// Stores a value, converted to the type of the scalar.
    fn store(&mut self, id: ScalarId, value: Value) {
        self.values[id.index()] = value.cast(self.kind(id));
    }

    /// Returns the number of an error; 0 (no error) if the program does not declare it.
    fn error_number(&self, name: &str) -> u64 {
        self.program.errors.iter().position(|e| e == name).unwrap_or(0) as u64
    }

    fn reject<T>(&self, error: &str) -> Run<T> {
        Err(Stop::Reject(self.error_number(error)))
    }

    /// Counts a backward jump.
    fn jump_back(&mut self) -> Run {
        self.cx.jumps_left = self.cx.jumps_left.checked_sub(1).ok_or(Stop::TooLong)?;
        Ok(())
    }
}
