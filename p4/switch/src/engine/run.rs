//! The bytecode interpreter.

use super::code::{At, Code, NO_HEADER, Op, Pc};
use super::context::Context;
use super::layout::HeaderLayout;
use super::{apply, sites, wide};
use crate::limbs;
use crate::state::State;

/// Maximum depth of nested calls. Actions cannot call themselves, so that usual programs stay far below it.
pub(crate) const MAX_DEPTH: usize = 64;

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran to its end, `exit` or `accept`.
    Done,
    /// The parser rejected the packet with this error.
    Rejected(u64),
    /// It reached the limit of backward jumps.
    TooLong,
}

/// Number of limbs of a frame. A 16-bit index is always in bounds, so no bounds check remains at run time.
pub(crate) const FRAME_LIMBS: usize = 1 << 16;
/// A frame. Memory that a program does not use is never touched.
pub(crate) type Limbs = [u64; FRAME_LIMBS];

#[inline]
fn get(frame: &Limbs, at: At) -> u64 {
    frame[usize::from(at as u16)]
}

#[inline]
fn put(frame: &mut Limbs, at: At, value: u64) {
    frame[usize::from(at as u16)] = value;
}

#[inline]
fn keep(value: u64, cut: u8) -> u64 {
    value << cut >> cut
}

/// Returns a value of `64 - cut` bits as a signed number, in the high bits.
#[inline]
fn high(value: u64, cut: u8) -> i64 {
    (value << cut) as i64
}

/// Runs from `pc` until the block ends.
pub(crate) fn run(
    code: &Code,
    mut pc: Pc,
    frame: &mut Limbs,
    cx: &mut Context,
    state: &mut State,
) -> Outcome {
    cx.calls.clear();
    let ops = code.ops.as_slice();
    loop {
        // By reference, so that each arm loads only the operands that it uses.
        let op = &ops[pc as usize];
        pc += 1;
        match *op {
            Op::Copy { dst, src } => put(frame, dst, get(frame, src)),
            Op::CopyMany { dst, src, count } => copy_many(frame, dst, src, count),
            Op::Clear { dst, count: 1 } => put(frame, dst, 0),
            Op::Clear { dst, count } => clear(frame, dst, count),
            Op::Cut { dst, src, cut } => put(frame, dst, keep(get(frame, src), cut)),
            Op::SignExtend { dst, src, from, cut } => {
                put(frame, dst, keep((high(get(frame, src), from) >> from) as u64, cut));
            }
            Op::Add { dst, a, b, cut } => {
                put(frame, dst, keep(get(frame, a).wrapping_add(get(frame, b)), cut));
            }
            Op::Sub { dst, a, b, cut } => {
                put(frame, dst, keep(get(frame, a).wrapping_sub(get(frame, b)), cut));
            }
            Op::And { dst, a, b } => put(frame, dst, get(frame, a) & get(frame, b)),
            Op::Or { dst, a, b } => put(frame, dst, get(frame, a) | get(frame, b)),
            Op::Xor { dst, a, b } => put(frame, dst, get(frame, a) ^ get(frame, b)),
            Op::Concat { dst, a, b, low_width } => {
                put(frame, dst, get(frame, a) << low_width | get(frame, b));
            }
            Op::Slice { dst, a, by, cut } => put(frame, dst, keep(get(frame, a) >> by, cut)),
            Op::Insert { dst, a, low, width } => {
                let mask = limbs::low_mask(u32::from(width)) << low;
                put(frame, dst, get(frame, dst) & !mask | get(frame, a) << low & mask);
            }
            Op::Place { dst, a, base, cut, by, to } => {
                put(frame, dst, get(frame, base) | get(frame, a) << cut >> by << to);
            }
            Op::Gather { first, count } => gather(code, first, count, frame),
            Op::AddLimbs { dst, a, b, count, cut } => add_limbs(frame, dst, a, b, count, cut),
            Op::SubLimbs { dst, a, b, count, cut } => sub_limbs(frame, dst, a, b, count, cut),
            Op::ShiftLeft { dst, a, b, cut } => {
                let by = u32::try_from(get(frame, b)).unwrap_or(u32::MAX);
                put(frame, dst, keep(get(frame, a).checked_shl(by).unwrap_or(0), cut));
            }
            Op::ShiftRight { dst, a, b } => {
                let by = u32::try_from(get(frame, b)).unwrap_or(u32::MAX);
                put(frame, dst, get(frame, a).checked_shr(by).unwrap_or(0));
            }
            Op::Equal { dst, a, b } => put(frame, dst, u64::from(get(frame, a) == get(frame, b))),
            Op::NotEqual { dst, a, b } => put(frame, dst, u64::from(get(frame, a) != get(frame, b))),
            Op::Less { dst, a, b } => put(frame, dst, u64::from(get(frame, a) < get(frame, b))),
            Op::LessEqual { dst, a, b } => put(frame, dst, u64::from(get(frame, a) <= get(frame, b))),
            Op::Jump { to } => pc = to,
            Op::JumpBack { to } => {
                let Some(left) = cx.jumps_left.checked_sub(1) else { return Outcome::TooLong };
                cx.jumps_left = left;
                pc = to;
            }
            Op::JumpIf { a, to } => {
                if get(frame, a) != 0 {
                    pc = to;
                }
            }
            Op::JumpUnless { a, to } => {
                if get(frame, a) == 0 {
                    pc = to;
                }
            }
            Op::JumpEqual { a, b, to } => {
                if get(frame, a) == get(frame, b) {
                    pc = to;
                }
            }
            Op::JumpNotEqual { a, b, to } => {
                if get(frame, a) != get(frame, b) {
                    pc = to;
                }
            }
            Op::JumpMasked { a, mask, to } => {
                if get(frame, a) & get(frame, mask) == get(frame, mask + 1) {
                    pc = to;
                }
            }
            Op::JumpNotMasked { a, mask, to } => {
                if get(frame, a) & get(frame, mask) != get(frame, mask + 1) {
                    pc = to;
                }
            }
            Op::JumpLess { a, b, to } => {
                if get(frame, a) < get(frame, b) {
                    pc = to;
                }
            }
            Op::JumpNotLess { a, b, to } => {
                if get(frame, a) >= get(frame, b) {
                    pc = to;
                }
            }
            Op::JumpTable { a, table } => {
                let table = &code.switches[table as usize];
                let found = table.values.binary_search(&get(frame, a));
                pc = found.map_or(table.otherwise, |i| table.targets[i]);
            }
            Op::Call { to } => {
                if cx.calls.len() >= MAX_DEPTH {
                    return Outcome::TooLong;
                }
                cx.calls.push(pc);
                pc = to;
            }
            Op::Return => match cx.calls.pop() {
                Some(back) => pc = back,
                None => return Outcome::Done,
            },
            Op::End => return Outcome::Done,
            Op::Reject { error } => return Outcome::Rejected(get(frame, error)),
            Op::Apply(site) => {
                if let Some(entry) = apply::apply(code, &code.applies[site as usize], frame, cx, state) {
                    if cx.calls.len() >= MAX_DEPTH {
                        return Outcome::TooLong;
                    }
                    cx.calls.push(pc);
                    pc = entry;
                }
            }
            Op::RegisterRead { register, dst, index } => {
                let values = state.registers.limbs(register);
                let index = usize::try_from(get(frame, index)).unwrap_or(usize::MAX);
                put(frame, dst, values.get(index).copied().unwrap_or(0));
            }
            Op::RegisterWrite { register, index, src } => {
                let value = get(frame, src);
                let values = state.registers.limbs_mut(register);
                let index = usize::try_from(get(frame, index)).unwrap_or(usize::MAX);
                if let Some(slot) = values.get_mut(index) {
                    *slot = value;
                }
            }
            Op::RegisterReadLimbs { register, dst, index, count } => {
                let element = state.registers.element(register, get(frame, index));
                let target = &mut frame[dst as usize..dst as usize + usize::from(count)];
                copy_limbs(target, element);
            }
            Op::RegisterWriteLimbs { register, index, src, count } => {
                let element = state.registers.element_mut(register, get(frame, index));
                let source = &frame[src as usize..src as usize + usize::from(count)];
                if let Some(element) = element {
                    copy_limbs(element, Some(source));
                }
            }
            Op::ExtractFields(plan) => {
                if let Err(error) = cx.extract_fields(frame, &code.extracts[plan as usize], &code.errors) {
                    return Outcome::Rejected(error);
                }
            }
            Op::EmitFields(plan) => cx.emit_fields(frame, &code.emits[plan as usize]),
            _ => {
                if let Err(error) = run_rare(code, op, frame, cx, state) {
                    return Outcome::Rejected(error);
                }
            }
        }
    }
}

// Operations with loops of their own are separate functions, so that the interpreter loop keeps its state in
// registers.

#[inline(never)]
pub(crate) fn copy_many(frame: &mut Limbs, dst: At, src: At, count: u32) {
    let src = src as usize;
    frame.copy_within(src..src + count as usize, dst as usize);
}

#[inline(never)]
pub(crate) fn clear(frame: &mut Limbs, dst: At, count: u32) {
    frame[dst as usize..(dst + count) as usize].fill(0);
}

#[inline(never)]
fn gather(code: &Code, first: u32, count: u32, frame: &mut Limbs) {
    for piece in &code.pieces[first as usize..][..count as usize] {
        let value = frame[usize::from(piece.base)] | piece.of(frame[usize::from(piece.a)]);
        frame[usize::from(piece.dst)] = value;
    }
}

/// Copies limbs one by one, because they are few; missing limbs of the source are zero.
#[inline(never)]
fn copy_limbs(target: &mut [u64], source: Option<&[u64]>) {
    match source {
        Some(source) => target.iter_mut().zip(source).for_each(|(target, limb)| *target = *limb),
        None => target.fill(0),
    }
}

#[inline(never)]
fn add_limbs(frame: &mut Limbs, dst: At, a: At, b: At, count: u8, cut: u8) {
    let mut carry = false;
    for limb in 0..u32::from(count) {
        let (sum, over) = get(frame, a + limb).carrying_add(get(frame, b + limb), carry);
        put(frame, dst + limb, sum);
        carry = over;
    }
    let last = dst + u32::from(count) - 1;
    put(frame, last, keep(get(frame, last), cut));
}

#[inline(never)]
fn sub_limbs(frame: &mut Limbs, dst: At, a: At, b: At, count: u8, cut: u8) {
    let mut borrow = false;
    for limb in 0..u32::from(count) {
        let (difference, under) = get(frame, a + limb).borrowing_sub(get(frame, b + limb), borrow);
        put(frame, dst + limb, difference);
        borrow = under;
    }
    let last = dst + u32::from(count) - 1;
    put(frame, last, keep(get(frame, last), cut));
}

/// Executes less frequent operations other than jumps. Fails with the number of a parser error.
#[inline(never)]
pub(crate) fn run_rare(
    code: &Code,
    op: &Op,
    frame: &mut Limbs,
    cx: &mut Context,
    state: &mut State,
) -> Result<(), u64> {
    let (dst, value) = match *op {
        Op::Wide(index) => {
            wide::run(&code.wide[index as usize], frame);
            return Ok(());
        }
        Op::Site(index) => return sites::run(code, &code.sites[index as usize], frame, cx, state),
        Op::Extract { header } => return cx.extract(frame, &code.headers[header as usize], 0, &code.errors),
        Op::Emit { header } => {
            cx.emit(frame, &code.headers[header as usize]);
            return Ok(());
        }
        Op::Count { counter, index } => {
            let values = &mut state.counters[counter as usize].values;
            let index = usize::try_from(get(frame, index)).unwrap_or(usize::MAX);
            if let Some(value) = values.get_mut(index) {
                value.count(cx.packet_bytes);
            }
            return Ok(());
        }
        Op::SetValid { .. }
        | Op::SetInvalid { .. }
        | Op::CopyHeader { .. }
        | Op::ExtractAt { .. }
        | Op::ExtractVarbit { .. }
        | Op::EmitAt { .. } => return run_header(code, *op, frame, cx),
        Op::HeaderValid { dst, header } => {
            (dst, header_at(code, frame, header).map_or(0, |h| get(frame, h.valid)))
        }
        Op::Advance { bits } => return cx.advance(get(frame, bits), &code.errors),
        Op::Lookahead { dst, offset, width } => {
            let at = dst as usize;
            let target = &mut frame[at..at + limbs::count(width)];
            return cx.lookahead(target, offset, width, &code.errors);
        }
        Op::PacketLength { dst } => (dst, cx.packet.len()),
        other => match arithmetic(other, frame) {
            Some(result) => result,
            None => return Ok(()),
        },
    };
    frame[dst as usize] = value;
    Ok(())
}

/// Computes less frequent arithmetic; returns the destination and the result.
fn arithmetic(op: Op, frame: &Limbs) -> Option<(At, u64)> {
    Some(match op {
        Op::Mul { dst, a, b, cut } => (dst, keep(get(frame, a).wrapping_mul(get(frame, b)), cut)),
        Op::Div { dst, a, b } => (dst, get(frame, a).checked_div(get(frame, b)).unwrap_or(0)),
        Op::Mod { dst, a, b } => (dst, get(frame, a).checked_rem(get(frame, b)).unwrap_or(0)),
        Op::Not { dst, a, cut } => (dst, keep(!get(frame, a), cut)),
        Op::Negate { dst, a, cut } => (dst, keep(get(frame, a).wrapping_neg(), cut)),
        Op::ShiftRightSigned { dst, a, b, cut } => {
            let by = get(frame, b).min(63) as u32;
            (dst, keep((high(get(frame, a), cut) >> cut >> by) as u64, cut))
        }
        Op::AddSaturating { dst, a, b, cut } => {
            let most = u64::MAX >> cut;
            (dst, get(frame, a).saturating_add(get(frame, b)).min(most))
        }
        Op::SubSaturating { dst, a, b } => (dst, get(frame, a).saturating_sub(get(frame, b))),
        // In the high bits, the limits of the type are those of i64.
        Op::AddSaturatingSigned { dst, a, b, cut } => {
            let sum = high(get(frame, a), cut).saturating_add(high(get(frame, b), cut));
            (dst, (sum as u64) >> cut)
        }
        Op::SubSaturatingSigned { dst, a, b, cut } => {
            let difference = high(get(frame, a), cut).saturating_sub(high(get(frame, b), cut));
            (dst, (difference as u64) >> cut)
        }
        Op::LessSigned { dst, a, b, cut } => {
            (dst, u64::from(high(get(frame, a), cut) < high(get(frame, b), cut)))
        }
        Op::LessEqualSigned { dst, a, b, cut } => {
            (dst, u64::from(high(get(frame, a), cut) <= high(get(frame, b), cut)))
        }
        _ => return None,
    })
}

/// Returns the header whose number is in a limb; `None` if it is out of bounds.
pub(super) fn header_at<'c>(code: &'c Code, frame: &[u64], at: At) -> Option<&'c HeaderLayout> {
    let number = frame[at as usize];
    if number == NO_HEADER {
        return None;
    }
    code.headers.get(number as usize)
}

fn run_header(code: &Code, op: Op, frame: &mut Limbs, cx: &mut Context) -> Result<(), u64> {
    match op {
        Op::SetValid { header } => {
            if let Some(header) = header_at(code, frame, header) {
                set_valid(frame, header);
            }
        }
        Op::SetInvalid { header } => {
            if let Some(header) = header_at(code, frame, header) {
                frame[header.valid as usize] = 0;
            }
        }
        Op::CopyHeader { dst, src } => match (header_at(code, frame, dst), header_at(code, frame, src)) {
            (Some(dst), Some(src)) => copy_header(frame, dst, src),
            (Some(dst), None) => frame[dst.valid as usize] = 0,
            (None, _) => {}
        },
        Op::ExtractAt { header } => {
            if let Some(header) = header_at(code, frame, header) {
                cx.extract(frame, header, 0, &code.errors)?;
            }
        }
        Op::ExtractVarbit { header, bits } => {
            let bits = get(frame, bits);
            if let Some(header) = header_at(code, frame, header) {
                cx.extract(frame, header, bits, &code.errors)?;
            }
        }
        Op::EmitAt { header } => {
            if let Some(header) = header_at(code, frame, header) {
                cx.emit(frame, header);
            }
        }
        _ => {}
    }
    Ok(())
}

fn set_valid(frame: &mut [u64], header: &HeaderLayout) {
    let at = header.valid as usize;
    if frame[at] == 0 {
        // `setValid` clears the fields of an invalid header, as in the reference switch.
        frame[at + 1..at + 1 + header.cells as usize].fill(0);
        frame[at] = 1;
    }
    for sibling in &header.siblings {
        frame[*sibling as usize] = 0;
    }
}

pub(super) fn copy_header(frame: &mut [u64], dst: &HeaderLayout, src: &HeaderLayout) {
    let from = src.valid as usize;
    let cells = src.cells.min(dst.cells) as usize;
    frame.copy_within(from..from + 1 + cells, dst.valid as usize);
    if frame[dst.valid as usize] != 0 {
        for sibling in &dst.siblings {
            frame[*sibling as usize] = 0;
        }
    }
}
