//! The limbs that an operation reads and writes.

use p4_lang::ir::HashAlgorithm;
use smallvec::{SmallVec, smallvec};

use crate::engine::code::{At, Code, Data, Op, Site, WideKind};
use crate::engine::layout::{HeaderLayout, Slot};

/// First limb and number of limbs.
pub(crate) type Range = (At, u32);

/// The limbs that an operation accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) reads: SmallVec<[Range; 4]>,
    /// Always written when the operation completes.
    pub(crate) writes: SmallVec<[Range; 2]>,
    /// Possibly written.
    pub(crate) may_write: SmallVec<[Range; 2]>,
    /// Whether it may end the parser.
    pub(crate) rejects: bool,
    /// Whether it has other effects than its writes, so that it must be kept even if the writes are not read.
    pub(super) acts: bool,
}

impl Effects {
    fn of(writes: &[Range], reads: &[Range]) -> Effects {
        Effects {
            reads: SmallVec::from_slice(reads),
            writes: SmallVec::from_slice(writes),
            ..Effects::default()
        }
    }

    fn acting(reads: &[Range]) -> Effects {
        Effects { acts: true, ..Effects::of(&[], reads) }
    }
}

/// Returns the limbs of a header's validity and fields.
pub(super) fn whole(header: &HeaderLayout) -> Range {
    (header.valid, header.cells + 1)
}

fn cells(slot: Slot) -> Range {
    (slot.at, slot.cells())
}

fn slots(list: &[Slot]) -> SmallVec<[Range; 4]> {
    list.iter().map(|s| cells(*s)).collect()
}

/// Returns the headers whose number a limb may hold: one if the limb is constant, otherwise those of all stacks.
pub(super) fn named_headers(code: &Code, at: At) -> Vec<u32> {
    match code.constant(at) {
        Some(number) => {
            u32::try_from(number).into_iter().filter(|n| (*n as usize) < code.headers.len()).collect()
        }
        None => code.stacks.iter().flat_map(|(elements, _)| elements.iter().flatten().copied()).collect(),
    }
}

fn named(code: &Code, at: At) -> impl Iterator<Item = &HeaderLayout> {
    named_headers(code, at).into_iter().filter_map(|number| code.headers.get(number as usize))
}

/// Returns the effects of an operation.
pub(crate) fn effects(code: &Code, op: &Op) -> Effects {
    match *op {
        Op::Copy { dst, src } | Op::Cut { dst, src, .. } | Op::SignExtend { dst, src, .. } => {
            Effects::of(&[(dst, 1)], &[(src, 1)])
        }
        Op::CopyMany { dst, src, count } => Effects::of(&[(dst, count)], &[(src, count)]),
        Op::Clear { dst, count } => Effects::of(&[(dst, count)], &[]),
        Op::Not { dst, a, .. } | Op::Negate { dst, a, .. } | Op::Slice { dst, a, .. } => {
            Effects::of(&[(dst, 1)], &[(a, 1)])
        }
        Op::Add { dst, a, b, .. }
        | Op::Sub { dst, a, b, .. }
        | Op::Mul { dst, a, b, .. }
        | Op::And { dst, a, b }
        | Op::Or { dst, a, b }
        | Op::Xor { dst, a, b }
        | Op::ShiftLeft { dst, a, b, .. }
        | Op::ShiftRight { dst, a, b }
        | Op::ShiftRightSigned { dst, a, b, .. }
        | Op::AddSaturating { dst, a, b, .. }
        | Op::SubSaturating { dst, a, b }
        | Op::AddSaturatingSigned { dst, a, b, .. }
        | Op::SubSaturatingSigned { dst, a, b, .. }
        | Op::Div { dst, a, b }
        | Op::Mod { dst, a, b }
        | Op::Concat { dst, a, b, .. }
        | Op::Equal { dst, a, b }
        | Op::NotEqual { dst, a, b }
        | Op::Less { dst, a, b }
        | Op::LessEqual { dst, a, b }
        | Op::LessSigned { dst, a, b, .. }
        | Op::LessEqualSigned { dst, a, b, .. }
        | Op::Place { dst, a, base: b, .. } => Effects::of(&[(dst, 1)], &[(a, 1), (b, 1)]),
        Op::AddLimbs { dst, a, b, count, .. } | Op::SubLimbs { dst, a, b, count, .. } => {
            let count = u32::from(count);
            Effects::of(&[(dst, count)], &[(a, count), (b, count)])
        }
        Op::Insert { dst, a, .. } => Effects::of(&[(dst, 1)], &[(dst, 1), (a, 1)]),
        Op::Wide(index) => wide(code, index),
        Op::Jump { .. } | Op::JumpBack { .. } | Op::Call { .. } | Op::Return | Op::End => {
            Effects::acting(&[])
        }
        Op::JumpIf { a, .. } | Op::JumpUnless { a, .. } | Op::JumpTable { a, .. } => {
            Effects::acting(&[(a, 1)])
        }
        Op::JumpEqual { a, b, .. }
        | Op::JumpNotEqual { a, b, .. }
        | Op::JumpLess { a, b, .. }
        | Op::JumpNotLess { a, b, .. } => Effects::acting(&[(a, 1), (b, 1)]),
        Op::JumpMasked { a, mask, .. } | Op::JumpNotMasked { a, mask, .. } => {
            Effects::acting(&[(a, 1), (mask, 2)])
        }
        Op::Gather { first, count } => gathered(code, first as usize, count as usize),
        Op::Reject { error } => Effects { rejects: true, ..Effects::acting(&[(error, 1)]) },
        Op::Apply(index) => apply(code, index),
        Op::RegisterRead { dst, index, .. } => Effects::of(&[(dst, 1)], &[(index, 1)]),
        Op::RegisterReadLimbs { dst, index, count, .. } => {
            Effects::of(&[(dst, u32::from(count))], &[(index, 1)])
        }
        Op::RegisterWrite { index, src, .. } => Effects::acting(&[(index, 1), (src, 1)]),
        Op::RegisterWriteLimbs { index, src, count, .. } => {
            Effects::acting(&[(index, 1), (src, u32::from(count))])
        }
        Op::Count { index, .. } => Effects::acting(&[(index, 1)]),
        Op::Site(index) => code.sites.get(index as usize).map_or_else(Effects::default, |s| site(code, s)),
        Op::Advance { bits } => Effects { rejects: true, ..Effects::acting(&[(bits, 1)]) },
        Op::Lookahead { dst, width, .. } => {
            let writes: Range = (dst, crate::limbs::count(width) as u32);
            Effects { rejects: true, acts: true, ..Effects::of(&[writes], &[]) }
        }
        Op::PacketLength { dst } => Effects::of(&[(dst, 1)], &[]),
        Op::SetValid { .. }
        | Op::SetInvalid { .. }
        | Op::CopyHeader { .. }
        | Op::HeaderValid { .. }
        | Op::Extract { .. }
        | Op::ExtractAt { .. }
        | Op::ExtractVarbit { .. }
        | Op::ExtractFields(_)
        | Op::Emit { .. }
        | Op::EmitAt { .. }
        | Op::EmitFields(_) => header(code, op),
    }
}

fn gathered(code: &Code, first: usize, count: usize) -> Effects {
    let mut made = Effects::default();
    for piece in code.pieces.iter().skip(first).take(count) {
        for limb in [piece.a, piece.base].map(At::from) {
            // Limbs that an earlier piece wrote are not inputs.
            if !made.writes.contains(&(limb, 1)) {
                made.reads.push((limb, 1));
            }
        }
        made.writes.push((At::from(piece.dst), 1));
    }
    made
}

fn wide(code: &Code, index: u32) -> Effects {
    let Some(op) = code.wide.get(index as usize) else { return Effects::default() };
    let mut made = Effects::of(&[cells(op.dst)], &[cells(op.a), cells(op.b)]);
    if op.kind == WideKind::Insert {
        made.reads.push(cells(op.dst));
    }
    made
}

fn apply(code: &Code, index: u32) -> Effects {
    let Some(apply) = code.applies.get(index as usize) else { return Effects::default() };
    let mut made = Effects::acting(&[(apply.key_at, apply.key_limbs)]);
    made.reads.extend(slots(&apply.selector_data));
    made.writes.extend(apply.hit.map(|at| (at, 1)));
    made.writes.extend(apply.action_run.map(|at| (at, 1)));
    made.may_write.extend(apply.direct.meter_result.map(cells));
    for action in apply.actions.iter().filter_map(|action| code.actions.get(*action as usize)) {
        made.may_write.extend(action.params.iter().map(|p| cells(*p)));
    }
    made
}

fn header(code: &Code, op: &Op) -> Effects {
    let mut made = Effects::default();
    let siblings = |h: &HeaderLayout| h.siblings.iter().map(|s| (*s, 1)).collect::<SmallVec<[Range; 2]>>();
    match *op {
        Op::SetValid { header } | Op::SetInvalid { header } => {
            made.reads.push((header, 1));
            for h in named(code, header) {
                made.reads.push((h.valid, 1));
                made.may_write.push(whole(h));
                made.may_write.extend(siblings(h));
            }
            made.acts = true;
        }
        Op::CopyHeader { dst, src } => {
            made.reads.extend([(dst, 1), (src, 1)]);
            made.reads.extend(named(code, src).map(whole));
            for h in named(code, dst) {
                made.may_write.push(whole(h));
                made.may_write.extend(siblings(h));
            }
            made.acts = true;
        }
        Op::HeaderValid { dst, header } => {
            made.reads.push((header, 1));
            made.reads.extend(named(code, header).map(|h| (h.valid, 1)));
            made.writes.push((dst, 1));
        }
        Op::Extract { header } => {
            if let Some(h) = code.headers.get(header as usize) {
                made.writes.push(whole(h));
                made.writes.extend(siblings(h));
            }
            (made.rejects, made.acts) = (true, true);
        }
        Op::ExtractAt { header } | Op::ExtractVarbit { header, .. } => {
            made.reads.push((header, 1));
            if let Op::ExtractVarbit { bits, .. } = *op {
                made.reads.push((bits, 1));
            }
            for h in named(code, header) {
                made.may_write.push(whole(h));
                made.may_write.extend(siblings(h));
            }
            (made.rejects, made.acts) = (true, true);
        }
        Op::ExtractFields(index) => {
            if let Some(plan) = code.extracts.get(index as usize) {
                made.writes.extend(plan.loads.iter().map(|load| (load.limb, 1)));
                made.writes.extend(plan.ones.iter().map(|at| (*at, 1)));
                made.writes.extend(plan.zeros.iter().map(|at| (*at, 1)));
                made.writes.extend(plan.origin.map(|at| (at, 1)));
            }
            (made.rejects, made.acts) = (true, true);
        }
        Op::Emit { header } => {
            made.reads.extend(code.headers.get(header as usize).map(whole));
            made.acts = true;
        }
        Op::EmitAt { header } => {
            made.reads.push((header, 1));
            made.reads.extend(named(code, header).map(whole));
            made.acts = true;
        }
        Op::EmitFields(index) => {
            if let Some(plan) = code.emits.get(index as usize) {
                made.reads.extend([(plan.valid, 1), (plan.origin, 1)]);
                made.reads.extend(plan.stores.iter().map(|store| (store.limb, 1)));
            }
            made.acts = true;
        }
        _ => {}
    }
    made
}

fn site(code: &Code, site: &Site) -> Effects {
    match site {
        Site::RegisterRead { targets, index, .. } => Effects {
            writes: targets.iter().map(|t| cells(*t)).collect(),
            ..Effects::of(&[], &[(*index, 1)])
        },
        Site::RegisterWrite { index, values, .. } => {
            let mut made = Effects::acting(&[(*index, 1)]);
            made.reads.extend(slots(values));
            made
        }
        Site::MeterExecute { index, dst, .. } => {
            Effects { may_write: smallvec![cells(*dst)], ..Effects::acting(&[(*index, 1)]) }
        }
        Site::DirectMeterRead { dst } => Effects::of(&[cells(*dst)], &[]),
        Site::Hash { dst, algorithm, base, data, max } => {
            let mut made = Effects::of(&[cells(*dst)], &[cells(*base), cells(*max)]);
            made.reads.extend(data_ranges(code, data));
            made.acts = *algorithm == HashAlgorithm::Random;
            made
        }
        Site::Random { dst, low, high } => {
            Effects { acts: true, ..Effects::of(&[cells(*dst)], &[cells(*low), cells(*high)]) }
        }
        Site::Digest { fields, .. } => Effects::acting(&slots(fields)),
        Site::Clone { session, .. } => Effects::acting(&[(*session, 1)]),
        Site::Truncate { bytes } => Effects::acting(&[(*bytes, 1)]),
        Site::Resubmit { .. } | Site::Recirculate { .. } | Site::Assert { .. } => Effects::acting(&[]),
        Site::Checksum { data, field, algorithm, update, .. } => {
            let mut made = Effects { reads: data_ranges(code, data), ..Effects::default() };
            match update {
                true => made.writes.push((field.at, field.limbs())),
                false => made.reads.push(cells(*field)),
            }
            made.acts = !update || *algorithm == HashAlgorithm::Random;
            made
        }
        Site::LogMsg { args, .. } => Effects::acting(&slots(args)),
        Site::Element { dst, index, .. } => Effects::of(&[(*dst, 1)], &[(*index, 1)]),
        Site::NextOrLast { dst, next_index, error, .. } => Effects {
            rejects: true,
            acts: true,
            ..Effects::of(&[(*dst, 1)], &[(*next_index, 1), (*error, 1)])
        },
        Site::LoadField { dst, header, .. } => {
            let mut made = Effects::of(&[cells(*dst)], &[(*header, 1)]);
            made.reads.extend(named(code, *header).map(whole));
            made
        }
        Site::StoreField { header, src, .. } => {
            let mut made = Effects::acting(&[(*header, 1), cells(*src)]);
            made.may_write.extend(named(code, *header).map(whole));
            made
        }
        Site::Push { stack, .. } | Site::Pop { stack, .. } => move_stack(code, *stack),
        Site::InValueSet { dst, key_at, key_limbs, .. } => {
            Effects::of(&[(*dst, 1)], &[(*key_at, *key_limbs)])
        }
    }
}

fn move_stack(code: &Code, stack: u32) -> Effects {
    let mut made = Effects::acting(&[]);
    let Some((elements, next_index)) = code.stacks.get(stack as usize) else { return made };
    made.reads.push((*next_index, 1));
    made.may_write.push((*next_index, 1));
    for h in elements.iter().flatten().filter_map(|h| code.headers.get(*h as usize)) {
        made.reads.push(whole(h));
        made.may_write.push(whole(h));
        made.may_write.extend(h.siblings.iter().map(|s| (*s, 1)));
    }
    made
}

fn data_ranges(code: &Code, data: &Data) -> SmallVec<[Range; 4]> {
    match data {
        Data::Sum { first, count } => {
            let pieces = code.pieces.iter().skip(*first as usize).take(*count as usize);
            pieces.map(|piece| (At::from(piece.a), 1)).collect()
        }
        Data::Fields(fields) => slots(fields),
        Data::Packed { at, limbs, .. } => smallvec![(*at, *limbs)],
    }
}
