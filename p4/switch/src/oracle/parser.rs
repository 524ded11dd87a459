//! The parser (specification, section 13) and its access to the packet.

use p4_lang::ir::{HeaderId, Parser, ScalarKind, Target, Transition};

use super::value::{Value, number_of_bits};
use super::{Run, Runner, Stop};
use crate::trace::{Named, Step};

/// Returns which states have a transition from a state at or after them. Every loop of states contains such a state,
/// and entering it counts as a backward jump.
pub(super) fn loop_states(parser: &Parser) -> Vec<bool> {
    let mut found = vec![false; parser.states.len()];
    for (from, state) in parser.states.iter().enumerate() {
        let targets: Vec<usize> = match &state.transition {
            Transition::Goto(id) => vec![id.index()],
            Transition::Select { cases, .. } => cases
                .iter()
                .filter_map(|case| match case.target {
                    Target::State(id) => Some(id.index()),
                    _ => None,
                })
                .collect(),
            Transition::Accept | Transition::Reject => Vec::new(),
        };
        for to in targets.into_iter().filter(|to| *to <= from) {
            found[to] = true;
        }
    }
    found
}

impl Runner<'_> {
    /// Runs from the first state until the packet is accepted.
    pub(super) fn parser(&mut self, loop_states: &[bool]) -> Run {
        let states = &self.program.parser.states;
        let mut at = 0;
        while let Some(state) = states.get(at) {
            if loop_states[at] {
                self.jump_back()?;
            }
            self.cx.note(|| Step::State { name: state.name.clone() });
            match self.statements(&state.body) {
                // `return` ends the body of the state.
                Ok(()) | Err(Stop::Return) => {}
                Err(stop) => return Err(stop),
            }
            let target = match &state.transition {
                Transition::Accept => Target::Accept,
                Transition::Reject => Target::Reject,
                Transition::Goto(id) => Target::State(*id),
                Transition::Select { keys, cases } => {
                    let keys = self.list(keys)?;
                    match cases.iter().find(|case| self.case_matches(&keys, &case.patterns)) {
                        Some(case) => case.target,
                        None => return self.reject("NoMatch"),
                    }
                }
            };
            match target {
                Target::Accept => return Ok(()),
                Target::Reject => return Err(Stop::Reject(0)),
                Target::State(id) => at = id.index(),
            }
        }
        Ok(())
    }

    pub(super) fn packet_bits(&self) -> u64 {
        self.cx.packet.len() * 8
    }

    /// Returns a bit of the packet; the bits of its tail are zero.
    pub(super) fn packet_bit(&self, at: u64) -> bool {
        let byte = usize::try_from(at / 8).ok().and_then(|i| self.cx.packet.head.get(i));
        byte.is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1)
    }

    pub(super) fn advance(&mut self, bits: u64) -> Run {
        if bits > self.packet_bits() - self.cx.cursor {
            return self.reject("PacketTooShort");
        }
        self.cx.cursor += bits;
        Ok(())
    }

    /// Extracts a header from the packet; its varbit field takes `varbit` bits.
    pub(super) fn extract(&mut self, header: HeaderId, varbit: u64) -> Run {
        let program = self.program;
        let header = &program.storage.headers[header.index()];
        // A varbit field must end at a byte boundary, as in the reference switch.
        if !varbit.is_multiple_of(8) {
            return self.reject("ParserInvalidArgument");
        }
        let kinds: Vec<ScalarKind> = header.fields.iter().map(|id| self.kind(*id)).collect();
        let most = kinds.iter().map(|k| if let ScalarKind::Varbit(w) = k { u64::from(*w) } else { 0 }).sum();
        if varbit > most {
            return self.reject("HeaderTooShort");
        }
        let length = |kind: &ScalarKind| match kind {
            ScalarKind::Varbit(_) => varbit,
            fixed => u64::from(fixed.width()),
        };
        let total: u64 = kinds.iter().map(length).sum();
        let start = self.cx.cursor;
        if total > self.packet_bits() - start {
            return self.reject("PacketTooShort");
        }
        for (id, kind) in header.fields.iter().zip(&kinds) {
            let bits = length(kind);
            let number = number_of_bits((0..bits).map(|bit| self.packet_bit(self.cx.cursor + bit)));
            self.values[id.index()] = Value { length: bits as u32, ..Value::new(number, *kind) };
            self.cx.cursor += bits;
        }
        self.make_valid(header);
        if self.cx.trace.is_some() {
            let fields = header.fields.iter();
            let fields =
                fields.map(|id| Named::new(field_name(self.name(*id)), &self.values[id.index()].bits()));
            let fields = fields.collect();
            self.cx.note(|| Step::Extract {
                header: header.name.clone(),
                at_bits: start,
                bits: total,
                fields,
            });
        }
        Ok(())
    }

    /// Makes a header valid and the other members of its union invalid.
    pub(super) fn make_valid(&mut self, header: &p4_lang::ir::Header) {
        self.store(header.valid, Value::boolean(true));
        let Some(union) = header.union else { return };
        for member in &self.program.storage.unions[union.index()].members {
            let other = self.program.storage.headers[member.index()].valid;
            if other != header.valid {
                self.store(other, Value::boolean(false));
            }
        }
    }

    pub(super) fn trace_parsed(&mut self, error: u64) {
        let name = self.program.errors.get(error as usize);
        let error = name.cloned().unwrap_or_else(|| error.to_string());
        let bits = self.cx.cursor;
        self.cx.note(|| Step::Parsed { error, bits });
    }
}

/// Returns the last component of a scalar's path.
fn field_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
