//! Copy propagation: reads the original instead of a copy, while both hold the same value.

use smallvec::SmallVec;

use super::bitset::{self, Rows};
use super::effects::{Range, effects};
use super::flow::{Flow, entries};
use crate::engine::code::{At, Code, Data, Op, Site};
use crate::engine::layout::Slot;

/// A copy of one limb.
#[derive(Clone, Copy)]
struct Copied {
    dst: At,
    src: At,
}

/// Returns the copies that an operation makes, limb by limb.
fn made(op: &Op) -> SmallVec<[Copied; 4]> {
    match *op {
        Op::Copy { dst, src } if dst != src => SmallVec::from_slice(&[Copied { dst, src }]),
        Op::CopyMany { dst, src, count } if dst.abs_diff(src) >= count => {
            (0..count).map(|limb| Copied { dst: dst + limb, src: src + limb }).collect()
        }
        _ => SmallVec::new(),
    }
}

/// All copies of a program, and those that are valid before each operation.
struct Copies {
    list: Vec<Copied>,
    /// Copies by their target limb.
    by_dst: Vec<SmallVec<[u32; 2]>>,
    before: Rows,
}

impl Copies {
    fn new(code: &Code, flow: &Flow) -> Copies {
        let (count, limbs) = (code.ops.len(), code.frame.len());
        let mut list = Vec::new();
        let mut first = Vec::with_capacity(count);
        for op in &code.ops {
            first.push(list.len() as u32);
            list.extend(made(op));
        }
        let mut touching: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); limbs];
        let mut by_dst: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); limbs];
        for (number, copied) in list.iter().enumerate() {
            touching[copied.dst as usize].push(number as u32);
            touching[copied.src as usize].push(number as u32);
            by_dst[copied.dst as usize].push(number as u32);
        }
        let mut copies = Copies { by_dst, before: Rows::new(count, list.len()), list };
        copies.settle(code, flow, &first, &touching);
        copies
    }

    /// Forward data-flow analysis: a copy is valid at an operation if it is valid on all paths to it. No copy is
    /// valid at the entry of a block.
    fn settle(&mut self, code: &Code, flow: &Flow, first: &[u32], touching: &[SmallVec<[u32; 2]>]) {
        let count = code.ops.len();
        let mut reached = vec![false; count];
        let mut waiting: std::collections::BTreeSet<u32> = std::collections::BTreeSet::new();
        for entry in entries(code) {
            reached[entry as usize] = true;
            waiting.insert(entry);
        }
        while let Some(pc) = waiting.pop_first() {
            let pc = pc as usize;
            let mut now = self.before.row(pc).to_vec();
            let e = effects(code, &code.ops[pc]);
            for limb in e.writes.iter().chain(&e.may_write).flat_map(|(at, count)| *at..at + count) {
                touching[limb as usize].iter().for_each(|copy| bitset::clear(&mut now, *copy));
            }
            for copy in 0..made(&code.ops[pc]).len() as u32 {
                bitset::set(&mut now, first[pc] + copy);
            }
            for next in &flow.next[pc] {
                let at = *next as usize;
                let row = self.before.row_mut(at);
                if !std::mem::replace(&mut reached[at], true) {
                    row.copy_from_slice(&now);
                    waiting.insert(*next);
                    continue;
                }
                let mut changed = false;
                for (word, other) in row.iter_mut().zip(&now) {
                    changed |= *word & !other != 0;
                    *word &= other;
                }
                if changed {
                    waiting.insert(*next);
                }
            }
        }
    }

    /// Returns the original of a limb's value.
    fn original(&self, pc: usize, at: At) -> At {
        let mut at = at;
        // Longer chains are resolved in the next round.
        for _ in 0..8 {
            let copies = self.by_dst.get(at as usize).map_or(&[][..], |c| c.as_slice());
            match copies.iter().find(|copy| self.before.has(pc, **copy)) {
                Some(copy) => at = self.list[*copy as usize].src,
                None => break,
            }
        }
        at
    }

    /// Returns the originals of some limbs, if they are consecutive in the same order.
    fn range(&self, pc: usize, (at, count): Range) -> At {
        let first = self.original(pc, at);
        let follows = |limb: u32| self.original(pc, at + limb) == first + limb;
        if (1..count).all(follows) { first } else { at }
    }
}

/// Replaces copies by originals in all operations; returns whether anything changed.
pub(super) fn propagate(code: &mut Code, flow: &Flow) -> bool {
    let copies = Copies::new(code, flow);
    let mut changed = false;
    for pc in 0..code.ops.len() {
        let op = code.ops[pc];
        let mut read = |at: At, count: u32| {
            let from = copies.range(pc, (at, count));
            changed |= from != at;
            from
        };
        let op = match op {
            Op::Site(index) => {
                if let Some(site) = code.sites.get_mut(index as usize) {
                    rewrite_site(site, &mut read);
                }
                op
            }
            Op::Wide(index) => {
                if let Some(wide) = code.wide.get_mut(index as usize) {
                    for slot in [&mut wide.a, &mut wide.b] {
                        slot.at = read(slot.at, slot.cells());
                    }
                }
                op
            }
            Op::Apply(index) => {
                if let Some(apply) = code.applies.get_mut(index as usize) {
                    apply.key_at = read(apply.key_at, apply.key_limbs);
                    rewrite(&mut apply.selector_data, &mut read);
                }
                op
            }
            Op::EmitFields(index) => {
                if let Some(plan) = code.emits.get_mut(index as usize) {
                    plan.valid = read(plan.valid, 1);
                    plan.origin = read(plan.origin, 1);
                    plan.stores.iter_mut().for_each(|store| store.limb = read(store.limb, 1));
                }
                op
            }
            op => op.with_operands(&mut read),
        };
        code.ops[pc] = op;
    }
    changed
}

fn rewrite(slots: &mut [Slot], read: &mut impl FnMut(At, u32) -> At) {
    for slot in slots {
        slot.at = read(slot.at, slot.cells());
    }
}

fn rewrite_site(site: &mut Site, read: &mut impl FnMut(At, u32) -> At) {
    match site {
        Site::RegisterWrite { index, values, .. } => {
            *index = read(*index, 1);
            rewrite(values, read);
        }
        Site::Hash { base, data, max, .. } => {
            for slot in [base, max] {
                slot.at = read(slot.at, slot.cells());
            }
            rewrite_data(data, read);
        }
        Site::Checksum { data, .. } => rewrite_data(data, read),
        Site::Digest { fields, .. } => rewrite(fields, read),
        Site::LogMsg { args, .. } => rewrite(args, read),
        Site::RegisterRead { index, .. } | Site::MeterExecute { index, .. } | Site::Element { index, .. } => {
            *index = read(*index, 1);
        }
        Site::Random { low, high, .. } => {
            for slot in [low, high] {
                slot.at = read(slot.at, slot.cells());
            }
        }
        Site::Clone { session, .. } => *session = read(*session, 1),
        Site::Truncate { bytes } => *bytes = read(*bytes, 1),
        Site::InValueSet { key_at, key_limbs, .. } => *key_at = read(*key_at, *key_limbs),
        Site::StoreField { src, .. } => src.at = read(src.at, src.cells()),
        // Header numbers stay where the effects analysis expects them.
        Site::DirectMeterRead { .. }
        | Site::Resubmit { .. }
        | Site::Recirculate { .. }
        | Site::Assert { .. }
        | Site::NextOrLast { .. }
        | Site::LoadField { .. }
        | Site::Push { .. }
        | Site::Pop { .. } => {}
    }
}

fn rewrite_data(data: &mut Data, read: &mut impl FnMut(At, u32) -> At) {
    match data {
        Data::Fields(fields) => rewrite(fields, read),
        Data::Packed { at, limbs, .. } => *at = read(*at, *limbs),
        // Created only after copy propagation.
        Data::Sum { .. } => {}
    }
}
