//! Liveness analysis, and what follows from it: dead operations, limbs that a block must find cleared, and limbs that
//! a packet must carry through its queue.

use std::collections::BTreeSet;

use super::bitset::{self, Rows};
use super::effects::{Range, effects};
use super::flow::{BLOCKS, EGRESS, FOLLOWING, Flow, PARSER, entries};
use crate::engine::code::{At, Carried, Code, Op};
use crate::engine::layout::Slot;
use crate::machine::Field;

/// Maximum gap inside a range of limbs: to clear or carry a few extra limbs is cheaper than an additional range.
const GAP: u32 = 4;

/// Rounds of the analysis. A round follows all forward jumps, and programs need one more for each level of nested backward jumps;
/// a parser can be written that needs thousands.
const ROUNDS: usize = 64;

/// Fields that the switch reads after a block.
const READ_BY_SWITCH: [Field; 5] =
    [Field::IngressPort, Field::EgressSpec, Field::McastGrp, Field::Priority, Field::IngressGlobalTimestamp];

/// Fields that the switch sets when a packet is dequeued.
const SET_FOR_EGRESS: [Field; 9] = [
    Field::EgressPort,
    Field::EgressSpec,
    Field::PacketLength,
    Field::EnqTimestamp,
    Field::EnqQdepth,
    Field::DeqTimedelta,
    Field::DeqQdepth,
    Field::Qid,
    Field::EgressGlobalTimestamp,
];

/// The limbs that are read before they are written again.
pub(crate) struct Liveness {
    /// After each operation.
    after: Rows,
    /// At the entry of each block.
    entry: Rows,
}

impl Liveness {
    pub(crate) fn new(code: &Code, flow: &Flow) -> Liveness {
        let (count, limbs) = (code.ops.len(), code.frame.len());
        let mut live = Liveness { after: Rows::new(count, limbs), entry: Rows::new(BLOCKS, limbs) };
        let mut before = Rows::new(count, limbs);
        let mut ends = Rows::new(BLOCKS, limbs);
        let all: Vec<_> = code.ops.iter().map(|op| effects(code, op)).collect();
        for _ in 0..ROUNDS {
            live.end_blocks(code, &mut ends);
            let mut changed = false;
            for pc in (0..count).rev() {
                let op = &code.ops[pc];
                let mut now = live.after_operation(code, flow, pc, &before, &ends);
                live.after.row_mut(pc).copy_from_slice(&now);
                let e = &all[pc];
                e.writes.iter().for_each(|range| bitset::clear_range(&mut now, *range));
                e.reads.iter().for_each(|range| bitset::set_range(&mut now, *range));
                if e.rejects || matches!(op, Op::JumpBack { .. }) {
                    flow.blocks_of(pc).for_each(|block| bitset::union(&mut now, ends.row(block)));
                }
                if before.row(pc) != now.as_slice() {
                    before.row_mut(pc).copy_from_slice(&now);
                    changed = true;
                }
            }
            for (block, entry) in entries(code).into_iter().enumerate() {
                live.entry.row_mut(block).copy_from_slice(before.row(entry as usize));
            }
            if !changed {
                return live;
            }
        }
        // Without a fixed point, every limb may be read.
        (0..count).for_each(|pc| bitset::set_range(live.after.row_mut(pc), (0, limbs as u32)));
        (0..BLOCKS).for_each(|block| bitset::set_range(live.entry.row_mut(block), (0, limbs as u32)));
        live
    }

    /// Determines the live limbs at the ends of blocks: those that following blocks or the switch read.
    fn end_blocks(&self, code: &Code, ends: &mut Rows) {
        for (block, following) in FOLLOWING.iter().enumerate() {
            let row = ends.row_mut(block);
            for next in *following {
                bitset::union(row, &self.found_by(code, *next));
            }
            // Locals are reinitialised at the start of each block.
            bitset::clear_range(row, (code.carried, code.frame.len() as u32 - code.carried));
            let read_by_switch = READ_BY_SWITCH.iter().filter_map(|field| code.standard.slot(*field));
            let lists = code.field_lists.iter().flat_map(|(_, slots)| slots.iter().copied());
            read_by_switch.chain(lists).for_each(|slot| bitset::set_range(row, (slot.at, slot.cells())));
        }
    }

    /// Returns the limbs that a block needs from earlier blocks: those that it reads, except the fields that the
    /// switch sets in between.
    fn found_by(&self, code: &Code, block: usize) -> Vec<u64> {
        let mut row = self.entry.row(block).to_vec();
        if block == EGRESS {
            let set = SET_FOR_EGRESS.iter().filter_map(|field| code.standard.slot(*field));
            set.for_each(|slot| bitset::clear_range(&mut row, (slot.at, slot.cells())));
        }
        row
    }

    /// Whether a field of the standard metadata is never read, so that it need not be set.
    pub(super) fn is_unused(&self, field: Field, slot: Slot) -> bool {
        let read = |block| (0..slot.cells()).any(|limb| bitset::has(self.entry.row(block), slot.at + limb));
        !READ_BY_SWITCH.contains(&field) && !(0..BLOCKS).any(read)
    }

    fn after_operation(&self, code: &Code, flow: &Flow, pc: usize, before: &Rows, ends: &Rows) -> Vec<u64> {
        let mut now = vec![0; before.row(pc).len()];
        let op = &code.ops[pc];
        if matches!(op, Op::End | Op::Reject { .. } | Op::Return) {
            flow.blocks_of(pc).filter(|_| *op != Op::Return).for_each(|block| {
                bitset::union(&mut now, ends.row(block));
            });
        }
        for next in &flow.next[pc] {
            let Op::Apply(index) = op else {
                bitset::union(&mut now, before.row(*next as usize));
                continue;
            };
            // The table passes the arguments to the action.
            let mut entry = before.row(*next as usize).to_vec();
            let actions = code.applies.get(*index as usize).map_or(&[][..], |apply| &apply.actions);
            let actions = actions.iter().filter_map(|a| code.actions.get(*a as usize));
            for param in actions.filter(|a| a.entry == *next).flat_map(|a| &a.params) {
                bitset::clear_range(&mut entry, (param.at, param.cells()));
            }
            bitset::union(&mut now, &entry);
        }
        now
    }

    /// Whether any limb of a range is live after an operation.
    pub(super) fn any_after(&self, pc: usize, (at, count): Range) -> bool {
        (at..at + count).any(|limb| self.after.has(pc, limb))
    }

    /// Returns the limbs that each block must find cleared.
    pub(crate) fn clears(&self, code: &Code) -> [Vec<Range>; BLOCKS] {
        std::array::from_fn(|block| {
            let from = if block == PARSER { 0 } else { code.carried };
            bitset::runs(self.entry.row(block), from, code.scalars, GAP)
        })
    }

    /// Returns the limbs that egress needs from ingress, as ranges without gaps.
    pub(crate) fn carried(&self, code: &Code) -> Vec<Range> {
        bitset::runs(&self.found_by(code, EGRESS), 0, code.carried, 0)
    }

    /// Returns the limbs whose values are needed from one block to another, or by the switch.
    pub(crate) fn outlive_blocks(&self, code: &Code) -> BTreeSet<At> {
        let mut row = vec![0; self.entry.row(PARSER).len()];
        (PARSER + 1..BLOCKS).for_each(|block| bitset::union(&mut row, self.entry.row(block)));
        bitset::clear_range(&mut row, (code.carried, code.frame.len() as u32 - code.carried));
        let by_switch = Field::ALL.iter().filter_map(|field| code.standard.slot(*field));
        let lists = code.field_lists.iter().flat_map(|(_, slots)| slots.iter().copied());
        by_switch.chain(lists).for_each(|slot| bitset::set_range(&mut row, (slot.at, slot.cells())));
        (0..code.carried).filter(|at| bitset::has(&row, *at)).collect()
    }

    /// Returns the limbs that a packet carries from ingress to egress, with some in between, as runs.
    pub(super) fn carry(&self, code: &Code) -> Vec<Carried> {
        let runs = bitset::runs(&self.found_by(code, EGRESS), 0, code.carried, GAP);
        runs.into_iter().flat_map(|(at, count)| Carried::split(at, count, &code.widths)).collect()
    }
}

/// Removes dead operations; returns whether there were any.
pub(super) fn remove_dead(code: &mut Code, live: &Liveness) -> bool {
    let mut changed = false;
    for pc in 0..code.ops.len() {
        let op = code.ops[pc];
        let kept = match op {
            Op::ExtractFields(index) => {
                if let Some(plan) = code.extracts.get_mut(index as usize) {
                    let before = plan.loads.len() + plan.zeros.len() + plan.ones.len();
                    plan.loads.retain(|load| live.any_after(pc, (load.limb, 1)));
                    plan.zeros.retain(|at| live.any_after(pc, (*at, 1)));
                    plan.ones.retain(|at| live.any_after(pc, (*at, 1)));
                    plan.origin = plan.origin.filter(|at| live.any_after(pc, (*at, 1)));
                    changed |= before != plan.loads.len() + plan.zeros.len() + plan.ones.len();
                }
                op
            }
            Op::Clear { dst, count } => match hull(live, pc, (dst, count)) {
                Some((dst, count)) => Op::Clear { dst, count },
                None => nothing(pc),
            },
            Op::CopyMany { dst, src, count } => match hull(live, pc, (dst, count)) {
                Some((at, count)) => Op::CopyMany { dst: at, src: src + (at - dst), count },
                None => nothing(pc),
            },
            _ => {
                let e = effects(code, &op);
                let needed = e.acts
                    || e.rejects
                    || !e.may_write.is_empty()
                    || e.writes.iter().any(|range| live.any_after(pc, *range));
                if needed { op } else { nothing(pc) }
            }
        };
        changed |= kept != op;
        code.ops[pc] = kept;
    }
    changed
}

/// Returns an operation without effect.
pub(super) fn nothing(pc: usize) -> Op {
    Op::Jump { to: pc as u32 + 1 }
}

/// Returns the part of a range from its first to its last live limb.
fn hull(live: &Liveness, pc: usize, (at, count): Range) -> Option<Range> {
    let is_live = |limb: &u32| live.any_after(pc, (*limb, 1));
    let first = (at..at + count).find(is_live)?;
    let last = (at..at + count).rev().find(is_live)?;
    Some((first, last + 1 - first))
}
