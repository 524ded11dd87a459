//! The parser's state machine.

use p4_lang::ir::{Expr, Pattern, ScalarKind, SelectCase, State, Target, Transition, ValueSetId};

use super::{Compiler, Level, Result};
use crate::engine::code::{JumpTable, Op, Pc, Site};
use crate::engine::layout::Slot;
use crate::limbs;

/// From so many cases on, a select on numbers is a search instead of a chain of comparisons.
const MIN_TABLE_CASES: usize = 5;

/// Jumps that wait for the place of what they lead to.
#[derive(Default)]
struct Waiting {
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
        let mut places = Vec::with_capacity(states.len());
        let mut waiting = Waiting::default();
        for (index, state) in states.iter().enumerate() {
            places.push(self.here());
            self.place = format!("parser state {}", state.name);
            if is_reached_backwards(states, index) {
                // Counts the turns of a loop.
                let next = self.here() + 1;
                self.emit(Op::JumpBack { to: next });
            }
            self.state(state, reject, &mut waiting)?;
        }
        self.in_parser = false;
        self.aim_states(&waiting, &places, accept, reject)?;
        Ok(places.first().copied().unwrap_or(accept))
    }

    fn state(&mut self, state: &State, reject: Pc, waiting: &mut Waiting) -> Result<()> {
        self.levels.push(Level::Scope(Vec::new()));
        self.stmts(&state.body)?;
        if let Some(Level::Scope(jumps)) = self.levels.pop() {
            self.aim_here(&jumps);
        }
        let mark = self.used.len();
        match &state.transition {
            Transition::Accept => self.go(Target::Accept, waiting),
            Transition::Reject => {
                self.emit(Op::Jump { to: reject });
            }
            Transition::Goto(id) => self.go(Target::State(*id), waiting),
            Transition::Select { keys, cases } => self.select(keys, cases, waiting)?,
        }
        self.release(mark);
        Ok(())
    }

    fn go(&mut self, target: Target, waiting: &mut Waiting) {
        let jump = self.emit(Op::Jump { to: 0 });
        waiting.jumps.push((jump, target));
    }

    fn select(&mut self, keys: &[Expr], cases: &[SelectCase], waiting: &mut Waiting) -> Result<()> {
        let mut slots = Vec::with_capacity(keys.len());
        for key in keys {
            slots.push(self.expr(key, None)?);
        }
        let mut rest = cases;
        if let [key] = slots.as_slice() {
            let values = leading_values(*key, cases);
            if values.len() >= MIN_TABLE_CASES {
                self.select_by_table(*key, &values, waiting);
                rest = &cases[values.len()..];
            }
        }
        for case in rest {
            let unless = self.unless_case(&slots, case)?;
            self.go(case.target, waiting);
            self.aim_here(&unless);
            if unless.is_empty() {
                // Nothing gets past a case that always matches.
                return Ok(());
            }
        }
        let no_match = self.error_number("NoMatch");
        let error = self.number(no_match);
        self.emit(Op::Reject { error });
        Ok(())
    }

    fn select_by_table(&mut self, key: Slot, values: &[(u64, Target)], waiting: &mut Waiting) {
        let mut sorted = values.to_vec();
        // Stable: of equal values the first case wins.
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
            waiting.tables.push((table, index, *target));
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

    /// `slots` are the keys from the first that the set is about.
    fn unless_in_value_set(&mut self, slots: &[Slot], set: ValueSetId) -> Result<Vec<Pc>> {
        let Some(source) = self.program.value_sets.get(set.index()) else {
            return self.malformed(format!("value set {} does not exist", set.0));
        };
        let widths: Vec<u32> = source.components.iter().map(|(_, width, _)| *width).collect();
        let slots = slots.get(..widths.len()).unwrap_or_default();
        if widths != slots.iter().map(|s| s.width()).collect::<Vec<_>>() {
            return self.malformed(format!("the key does not fit value set {}", source.preamble.name));
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

    fn aim_states(&mut self, waiting: &Waiting, places: &[Pc], accept: Pc, reject: Pc) -> Result<()> {
        let place = |target: Target| match target {
            Target::Accept => Some(accept),
            Target::Reject => Some(reject),
            Target::State(id) => places.get(id.index()).copied(),
        };
        for (jump, target) in &waiting.jumps {
            match place(*target) {
                Some(to) => self.aim(&[*jump], to),
                None => return self.malformed("a transition to a state that does not exist"),
            }
        }
        for (table, index, target) in &waiting.tables {
            let slot = self.code.switches.get_mut(*table as usize).and_then(|t| t.targets.get_mut(*index));
            match (slot, place(*target)) {
                (Some(slot), Some(to)) => *slot = to,
                _ => return self.malformed("a transition to a state that does not exist"),
            }
        }
        Ok(())
    }
}

/// Whether a state at or after this one leads to it, which every loop of states does somewhere.
fn is_reached_backwards(states: &[State], index: usize) -> bool {
    states.iter().skip(index).any(|state| match &state.transition {
        Transition::Goto(id) => id.index() == index,
        Transition::Select { cases, .. } => {
            cases.iter().any(|c| matches!(c.target, Target::State(id) if id.index() == index))
        }
        Transition::Accept | Transition::Reject => false,
    })
}

/// The cases at the beginning that compare a number with one value.
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
