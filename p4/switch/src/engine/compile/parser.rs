//! Compiles the state machine of the parser.

use p4_lang::ir::{Expr, Pattern, ScalarKind, SelectCase, State, Target, Transition, ValueSetId};

use super::{Compiler, Level, Result};
use crate::engine::code::{JumpTable, Op, Pc, Site};
use crate::engine::layout::Slot;
use crate::limbs;

/// With this number of cases or more, a select on numbers becomes a binary search instead of a chain of comparisons.
const MIN_TABLE_CASES: usize = 5;

/// Jumps whose targets are not compiled yet.
#[derive(Default)]
struct PendingJumps {
    jumps: Vec<(Pc, Target)>,
    tables: Vec<(u32, usize, Target)>,
}

impl Compiler<'_> {
    pub(super) fn parser(&mut self) -> Result<Pc> {
        let states = &self.program.parser.states;
        self.in_parser = true;
        self.place = "parser".to_owned();
        let accept = self.emit(Op::End);
        let no_error = self.number(0);
        let reject = self.emit(Op::Reject { error: no_error });
        let mut entries = Vec::with_capacity(states.len());
        let mut pending = PendingJumps::default();
        for (index, state) in states.iter().enumerate() {
            entries.push(self.here());
            self.place = format!("parser state {}", state.name);
            if is_reached_backwards(states, index) {
                // Counts iterations of a loop of states.
                let next = self.here() + 1;
                self.emit(Op::JumpBack { to: next });
            }
            self.state(state, reject, &mut pending)?;
        }
        self.in_parser = false;
        self.set_state_targets(&pending, &entries, accept, reject)?;
        Ok(entries.first().copied().unwrap_or(accept))
    }

    fn state(&mut self, state: &State, reject: Pc, pending: &mut PendingJumps) -> Result<()> {
        self.levels.push(Level::Scope(Vec::new()));
        self.stmts(&state.body)?;
        if let Some(Level::Scope(jumps)) = self.levels.pop() {
            self.set_target_here(&jumps);
        }
        let mark = self.used.len();
        match &state.transition {
            Transition::Accept => self.go(Target::Accept, pending),
            Transition::Reject => {
                self.emit(Op::Jump { to: reject });
            }
            Transition::Goto(id) => self.go(Target::State(*id), pending),
            Transition::Select { keys, cases } => self.select(keys, cases, pending)?,
        }
        self.release(mark);
        Ok(())
    }

    fn go(&mut self, target: Target, pending: &mut PendingJumps) {
        let jump = self.emit(Op::Jump { to: 0 });
        pending.jumps.push((jump, target));
    }

    fn select(&mut self, keys: &[Expr], cases: &[SelectCase], pending: &mut PendingJumps) -> Result<()> {
        let mut slots = Vec::with_capacity(keys.len());
        for key in keys {
            slots.push(self.expr(key, None)?);
        }
        let mut rest = cases;
        if let [key] = slots.as_slice() {
            let values = leading_values(*key, cases);
            if values.len() >= MIN_TABLE_CASES {
                self.select_by_table(*key, &values, pending);
                rest = &cases[values.len()..];
            }
        }
        for case in rest {
            let unless = self.unless_case(&slots, case)?;
            self.go(case.target, pending);
            self.set_target_here(&unless);
            if unless.is_empty() {
                // Cases after one that always matches are unreachable.
                return Ok(());
            }
        }
        let no_match = self.error_number("NoMatch");
        let error = self.number(no_match);
        self.emit(Op::Reject { error });
        Ok(())
    }

    fn select_by_table(&mut self, key: Slot, values: &[(u64, Target)], pending: &mut PendingJumps) {
        let mut sorted = values.to_vec();
        // The sort is stable: of equal values the first case wins.
        sorted.sort_by_key(|(value, _)| *value);
        sorted.dedup_by_key(|(value, _)| *value);
        let otherwise = self.here() + 1;
        let table = self.jump_table(JumpTable {
            values: sorted.iter().map(|(value, _)| *value).collect(),
            targets: vec![0; sorted.len()],
            otherwise,
        });
        self.emit(Op::JumpTable { a: key.at, table });
        for (index, (_, target)) in sorted.iter().enumerate() {
            pending.tables.push((table, index, *target));
        }
    }

    fn unless_case(&mut self, slots: &[Slot], case: &SelectCase) -> Result<Vec<Pc>> {
        match case.patterns.as_slice() {
            [Pattern::Any] => Ok(Vec::new()),
            patterns if patterns.len() == slots.len() => {
                let mut jumps = Vec::new();
                for (index, (slot, pattern)) in slots.iter().zip(patterns).enumerate() {
                    jumps.extend(match pattern {
                        Pattern::ValueSet(set) => self.unless_in_value_set(&slots[index..], *set)?,
                        pattern => self.unless_matches(*slot, pattern)?,
                    });
                }
                Ok(jumps)
            }
            patterns => self.malformed(format!("{} patterns for {} keys", patterns.len(), slots.len())),
        }
    }

    /// `slots` are the keys, starting at the first one of the set.
    fn unless_in_value_set(&mut self, slots: &[Slot], set: ValueSetId) -> Result<Vec<Pc>> {
        let Some(source) = self.program.value_sets.get(set.index()) else {
            return self.malformed(format!("value set {} does not exist", set.0));
        };
        let widths: Vec<u32> = source.components.iter().map(|(_, width, _)| *width).collect();
        let slots = slots.get(..widths.len()).unwrap_or_default();
        if widths != slots.iter().map(|s| s.width()).collect::<Vec<_>>() {
            return self
                .malformed(format!("the key has another type than value set {}", source.preamble.name));
        }
        let total: u32 = widths.iter().map(|w| limbs::count(*w) as u32).sum();
        let key_at = self.temporary_limbs(total);
        let mut at = key_at;
        for slot in slots {
            self.move_to(*slot, Slot { at, kind: slot.kind })?;
            at += slot.limbs();
        }
        let dst = self.temporary(ScalarKind::Unsigned(1)).at;
        self.site(Site::InValueSet { dst, set: set.0, key_at, key_limbs: total });
        Ok(vec![self.emit(Op::JumpUnless { a: dst, to: 0 })])
    }

    fn set_state_targets(
        &mut self,
        pending: &PendingJumps,
        entries: &[Pc],
        accept: Pc,
        reject: Pc,
    ) -> Result<()> {
        let entry_of = |target: Target| match target {
            Target::Accept => Some(accept),
            Target::Reject => Some(reject),
            Target::State(id) => entries.get(id.index()).copied(),
        };
        for (jump, target) in &pending.jumps {
            match entry_of(*target) {
                Some(to) => self.set_target(&[*jump], to),
                None => return self.malformed("a transition to a state that does not exist"),
            }
        }
        for (table, index, target) in &pending.tables {
            let slot = self.code.switches.get_mut(*table as usize).and_then(|t| t.targets.get_mut(*index));
            match (slot, entry_of(*target)) {
                (Some(slot), Some(to)) => *slot = to,
                _ => return self.malformed("a transition to a state that does not exist"),
            }
        }
        Ok(())
    }
}

/// Whether a state at or after this one has a transition to it. Every loop of states contains such a state.
fn is_reached_backwards(states: &[State], index: usize) -> bool {
    states.iter().skip(index).any(|state| match &state.transition {
        Transition::Goto(id) => id.index() == index,
        Transition::Select { cases, .. } => {
            cases.iter().any(|c| matches!(c.target, Target::State(id) if id.index() == index))
        }
        Transition::Accept | Transition::Reject => false,
    })
}

/// Returns the leading cases that compare a number with one value.
fn leading_values(key: Slot, cases: &[SelectCase]) -> Vec<(u64, Target)> {
    if key.width() > 64 || key.is_varbit() {
        return Vec::new();
    }
    cases
        .iter()
        .map_while(|case| match case.patterns.as_slice() {
            [Pattern::Value(bits)] => Some((bits.limbs().first().copied().unwrap_or(0), case.target)),
            _ => None,
        })
        .collect()
}
