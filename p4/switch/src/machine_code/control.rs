//! Control flow: the blocks of a function, jumps, calls and tables.
//!
//! Operations are compiled in the order of the bytecode, in which nearly all jumps go forward. Where several jumps meet, what
//! they all know stays known; at the target of a backward jump nothing is.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use cranelift_frontend::Switch;
use cranelift_module::Module;

use super::lower::{Knowledge, Lower};
use super::runtime::Helper;
use super::value::Known::Constant;
use super::value::{Condition, Known};
use super::{ending, scope};
use crate::engine::code::{At, Op, Pc};
use crate::engine::context;
use crate::engine::optimise::effects::{Range, effects};
use crate::engine::optimise::flow::{self, BLOCKS};

/// A place where jumps meet.
#[derive(Debug)]
struct Join {
    block: ir::Block,
    /// What all jumps so far know; `None` before the first one.
    known: Option<Knowledge>,
    /// Whether a backward jump leads here.
    is_header: bool,
}

/// The places in the code of one block or action.
struct Body {
    joins: BTreeMap<Pc, Join>,
}

impl Lower<'_, '_, '_> {
    /// Compiles the function that starts at an operation.
    pub(super) fn function(mut self, entry: Pc) {
        self.body(entry, &mut None);
        self.b.seal_all_blocks();
        self.b.finalize(self.module.target_config());
    }

    /// Clears what a block must find cleared. The parser's limbs are cleared before the switch sets fields of the metadata.
    pub(super) fn clear_locals(&mut self, clears: &[Vec<Range>; BLOCKS], entries: &[Pc; BLOCKS], entry: Pc) {
        let blocks = (0..BLOCKS).filter(|block| *block != flow::PARSER && entries[*block] == entry);
        for (at, count) in blocks.flat_map(|block| &clears[block]) {
            (*at..*at + *count).for_each(|at| self.put(at, Constant(0)));
        }
    }

    fn join(&mut self, is_header: bool) -> Join {
        Join { block: self.b.create_block(), known: None, is_header }
    }

    /// Notes a jump to a join. Its block dominates what all of them know, because each of them does.
    fn arrive(&mut self, join: &mut Join) -> ir::Block {
        self.limit_known();
        match &mut join.known {
            _ if join.is_header => {}
            Some(known) => known.retain(|place, value| self.known.get(place) == Some(value)),
            None => join.known = Some(self.known.clone()),
        }
        join.block
    }

    fn jump(&mut self, join: &mut Join) {
        let block = self.arrive(join);
        self.b.ins().jump(block, &[]);
    }

    /// Continues at a join. Returns false if nothing leads there.
    fn continue_at(&mut self, join: &mut Join) -> bool {
        let known = join.known.take();
        let is_reached = join.is_header || known.is_some();
        self.known = known.unwrap_or_default();
        if is_reached {
            self.b.switch_to_block(join.block);
        }
        is_reached
    }

    /// Compiles the code of a block or action. It returns to `after`, or from the function.
    fn body(&mut self, entry: Pc, after: &mut Option<Join>) {
        let code = self.code;
        let operations = scope::body(code, entry);
        let mut body = Body { joins: self.joins(&operations) };
        let first = body.joins.entry(entry).or_insert(Join {
            block: self.b.create_block(),
            known: None,
            is_header: false,
        });
        self.jump(first);
        let mut is_live = false;
        for pc in operations {
            if let Some(join) = body.joins.get_mut(&pc) {
                if is_live {
                    self.jump(join);
                }
                is_live = self.continue_at(join);
            }
            if !is_live {
                continue;
            }
            let Some(op) = code.ops.get(pc as usize) else { continue };
            is_live = self.step(&mut body, pc, *op, after);
        }
    }

    /// Returns the targets of all jumps between operations.
    fn joins(&mut self, operations: &BTreeSet<Pc>) -> BTreeMap<Pc, Join> {
        let mut headers: BTreeMap<Pc, bool> = BTreeMap::new();
        for pc in operations {
            for to in flow::local(self.code, *pc).into_iter().filter(|to| *to != *pc + 1) {
                *headers.entry(to).or_default() |= to <= *pc;
            }
            // A conditional jump to the next operation.
            if self.code.ops[*pc as usize].target() == Some(*pc + 1) {
                headers.entry(*pc + 1).or_default();
            }
        }
        headers.into_iter().map(|(pc, is_header)| (pc, self.join(is_header))).collect()
    }

    /// Compiles an operation. Returns whether the next one follows.
    fn step(&mut self, body: &mut Body, pc: Pc, op: Op, after: &mut Option<Join>) -> bool {
        let condition = match op {
            Op::Jump { to } => {
                self.go(body, to);
                return false;
            }
            Op::JumpBack { to } => {
                self.count_jump();
                self.go(body, to);
                return false;
            }
            Op::End => return self.end(ending::DONE),
            Op::Return => {
                match after {
                    Some(after) => self.jump(after),
                    None => return self.end(ending::RETURNED),
                }
                return false;
            }
            Op::Reject { error } => {
                let error = self.get(error);
                let result = self.add(error, Constant(ending::REJECTED));
                let result = self.ir(result);
                self.b.ins().return_(&[result]);
                return false;
            }
            Op::JumpTable { a, table } => {
                self.jump_table(body, a, table);
                return false;
            }
            Op::Call { to } => {
                let mut next = self.join(false);
                self.enter(to, &mut next);
                return self.continue_at(&mut next);
            }
            Op::Apply(site) => return self.apply(site),
            Op::JumpIf { a, .. } => self.test(IntCC::NotEqual, a, Constant(0)),
            Op::JumpUnless { a, .. } => self.test(IntCC::Equal, a, Constant(0)),
            Op::JumpEqual { a, b, .. } => self.test_limbs(IntCC::Equal, a, b),
            Op::JumpNotEqual { a, b, .. } => self.test_limbs(IntCC::NotEqual, a, b),
            Op::JumpLess { a, b, .. } => self.test_limbs(IntCC::UnsignedLessThan, a, b),
            Op::JumpNotLess { a, b, .. } => self.test_limbs(IntCC::UnsignedGreaterThanOrEqual, a, b),
            Op::JumpMasked { a, mask, .. } => self.test_masked(IntCC::Equal, a, mask),
            Op::JumpNotMasked { a, mask, .. } => self.test_masked(IntCC::NotEqual, a, mask),
            other => {
                self.operation(pc, other);
                return true;
            }
        };
        let to = op.target().unwrap_or(pc + 1);
        match condition {
            Condition::Always(true) => {
                self.go(body, to);
                false
            }
            Condition::Always(false) => true,
            Condition::If(bit) => {
                let next = self.b.create_block();
                let block = match body.joins.get_mut(&to) {
                    Some(join) => self.arrive(join),
                    None => unreachable!("invariant: every target of a jump is a join"),
                };
                self.b.ins().brif(bit, block, &[], next, &[]);
                self.b.switch_to_block(next);
                true
            }
        }
    }

    fn go(&mut self, body: &mut Body, to: Pc) {
        match body.joins.get_mut(&to) {
            Some(join) => self.jump(join),
            // The target is the next operation, which nothing else jumps to.
            None => {
                let join = self.join(false);
                let join = body.joins.entry(to).or_insert(join);
                self.jump(join);
            }
        }
    }

    fn end(&mut self, result: u64) -> bool {
        let result = self.ir(Constant(result));
        self.b.ins().return_(&[result]);
        false
    }

    fn test(&mut self, condition: IntCC, a: At, b: Known) -> Condition {
        let a = self.get(a);
        self.condition(condition, a, b)
    }

    fn test_limbs(&mut self, condition: IntCC, a: At, b: At) -> Condition {
        let b = self.get(b);
        self.test(condition, a, b)
    }

    fn test_masked(&mut self, condition: IntCC, a: At, mask: At) -> Condition {
        let (a, mask, value) = (self.get(a), self.get(mask), self.get(mask + 1));
        let masked = self.and(a, mask);
        self.condition(condition, masked, value)
    }

    /// Counts a backward jump; ends the function at the limit.
    fn count_jump(&mut self) {
        let left = self.load_other(types::I32, self.cx, context::JUMPS_LEFT);
        let (ends, goes_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(ends);
        self.b.ins().brif(left, goes_on, &[], ends, &[]);
        self.b.switch_to_block(ends);
        self.end(ending::TOO_LONG);
        self.b.switch_to_block(goes_on);
        let left = self.b.ins().iadd_imm_s(left, -1);
        self.store_other(left, self.cx, context::JUMPS_LEFT);
    }

    fn jump_table(&mut self, body: &mut Body, a: At, table: u32) {
        let code = self.code;
        let table = &code.switches[table as usize];
        let a = self.get(a);
        if let Constant(value) = a {
            let found = table.values.binary_search(&value);
            let to = found.map_or(table.otherwise, |index| table.targets[index]);
            return self.go(body, to);
        }
        let mut switch = Switch::new();
        let mut target = |lower: &mut Self, to: Pc| {
            let join = lower.join(false);
            let join = body.joins.entry(to).or_insert(join);
            lower.arrive(join)
        };
        for (value, to) in table.values.iter().zip(&table.targets) {
            let block = target(self, *to);
            switch.set_entry(u128::from(*value), block);
        }
        let otherwise = target(self, table.otherwise);
        let value = self.ir(a);
        switch.emit(&mut self.b, value, otherwise);
    }

    /// Runs an action and continues at `next`.
    fn enter(&mut self, entry: Pc, next: &mut Join) {
        if self.program.scope.is_inlined(entry) {
            let join = Join { block: next.block, known: next.known.take(), is_header: false };
            let mut after = Some(join);
            self.body(entry, &mut after);
            next.known = after.and_then(|join| join.known);
            return;
        }
        let Some(function) = self.program.functions.get(&entry).copied() else {
            unreachable!("invariant: an action is inlined or a function")
        };
        let result = self.call_function(function, &[]);
        self.return_if(result);
        self.forget_all();
        self.jump(next);
    }

    fn apply(&mut self, site: u32) -> bool {
        let code = self.code;
        let op = Op::Apply(site);
        let chosen = self.call(Helper::Apply, &[u64::from(site)]);
        let e = effects(code, &op);
        self.forget(&e.writes);
        self.forget(&e.may_write);
        let mut next = self.join(false);
        let mut actions = Vec::new();
        let mut switch = Switch::new();
        for entry in flow::called(code, &op).into_iter().collect::<BTreeSet<_>>() {
            let block = self.b.create_block();
            switch.set_entry(u128::from(entry) + 1, block);
            actions.push((entry, block));
        }
        self.limit_known();
        let known = self.known.clone();
        let otherwise = self.arrive(&mut next);
        switch.emit(&mut self.b, chosen, otherwise);
        for (entry, block) in actions {
            self.b.switch_to_block(block);
            self.known.clone_from(&known);
            self.enter(entry, &mut next);
        }
        self.continue_at(&mut next)
    }
}
