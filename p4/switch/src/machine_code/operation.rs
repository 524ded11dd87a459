//! Operations other than jumps, and which limbs they access through memory.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use p4_lang::ir::HashAlgorithm;
use smallvec::SmallVec;

use super::lower::{Location, Lower};
use super::runtime::Helper;
use super::value::Known::{self, Constant, Value};
use crate::engine::code::{At, Code, Data, Op, Pc, Site};
use crate::engine::layout::Slot;
use crate::engine::optimise::effects::{Range, effects};

/// Copies of more limbs than this call a function.
const UNROLLED: u32 = 16;

/// A hash that is computed without the general function for hashes.
enum Hashing {
    Crc32 {
        at: At,
        limbs: u32,
        bytes: u32,
    },
    /// The terms of an Internet checksum: a range of [`Code::pieces`].
    Checksum {
        first: u32,
        count: u32,
    },
}

/// Returns the hash of data, if it is one of those that machine code computes.
fn hashing(algorithm: HashAlgorithm, data: &Data) -> Option<Hashing> {
    match (algorithm, data) {
        (HashAlgorithm::Crc32, Data::Packed { at, limbs, bytes }) => {
            Some(Hashing::Crc32 { at: *at, limbs: *limbs, bytes: *bytes })
        }
        (HashAlgorithm::Csum16, Data::Sum { first, count }) => {
            Some(Hashing::Checksum { first: *first, count: *count })
        }
        _ => None,
    }
}

/// Whether a value is one limb of a fixed width.
fn is_single(slot: Slot) -> bool {
    slot.limbs() == 1 && !slot.is_varbit()
}

/// Returns the hash of an extern that machine code executes.
fn site_hashing(code: &Code, site: &Site) -> Option<Hashing> {
    match site {
        Site::Hash { dst, algorithm, base, data, max } => {
            let is_power = code.constant(max.at).is_some_and(u64::is_power_of_two);
            let is_plain = [*dst, *base, *max].into_iter().all(is_single) && is_power;
            hashing(*algorithm, data).filter(|_| is_plain)
        }
        Site::Checksum { data, field, algorithm, with_payload: false, .. } => {
            hashing(*algorithm, data).filter(|_| is_single(*field))
        }
        _ => None,
    }
}

/// Whether machine code executes an operation without help in all cases.
fn is_inline(op: &Op) -> bool {
    match op {
        Op::CopyMany { count, .. } | Op::Clear { count, .. } => *count <= UNROLLED,
        Op::Wide(_)
        | Op::Site(_)
        | Op::Apply(_)
        | Op::Count { .. }
        | Op::SetValid { .. }
        | Op::SetInvalid { .. }
        | Op::CopyHeader { .. }
        | Op::HeaderValid { .. }
        | Op::Extract { .. }
        | Op::ExtractAt { .. }
        | Op::ExtractVarbit { .. }
        | Op::ExtractFields(_)
        | Op::Advance { .. }
        | Op::Lookahead { .. }
        | Op::PacketLength { .. }
        | Op::Emit { .. }
        | Op::EmitAt { .. }
        | Op::EmitFields(_)
        | Op::AddSaturatingSigned { .. }
        | Op::SubSaturatingSigned { .. }
        | Op::ShiftRightSigned { .. } => false,
        _ => true,
    }
}

/// Returns the limbs that an operation accesses in memory, because a function that machine code calls accesses them.
pub(super) fn in_memory(code: &Code, op: &Op) -> SmallVec<[Range; 4]> {
    if is_inline(op) {
        return SmallVec::new();
    }
    if let Op::Site(site) = op
        && let Some(site) = code.sites.get(*site as usize)
        && let Some(hashing) = site_hashing(code, site)
    {
        return match hashing {
            Hashing::Crc32 { at, limbs, .. } => SmallVec::from_slice(&[(at, limbs)]),
            Hashing::Checksum { .. } => SmallVec::new(),
        };
    }
    let e = effects(code, op);
    e.reads.into_iter().chain(e.writes).chain(e.may_write).collect()
}

impl Lower<'_, '_, '_> {
    /// Compiles an operation that is not a jump.
    pub(super) fn operation(&mut self, pc: Pc, op: Op) {
        if self.arithmetic(op) || self.wider(op) || self.state(op) || self.packet(op) {
            return;
        }
        if let Op::Site(site) = op
            && self.hash(site)
        {
            return;
        }
        self.assisted(pc, op);
    }

    /// Calls the function for an operation.
    fn assisted(&mut self, pc: Pc, op: Op) {
        assert!(!is_inline(&op), "invariant: the limbs of an operation that calls a function are in memory");
        let result = match op {
            Op::CopyMany { dst, src, count } => {
                self.call(Helper::CopyMany, &[u64::from(dst), u64::from(src), u64::from(count)]);
                None
            }
            Op::Clear { dst, count } => {
                self.call(Helper::Clear, &[u64::from(dst), u64::from(count)]);
                None
            }
            _ => Some(self.call(Helper::Operation, &[u64::from(pc)])),
        };
        let e = effects(self.code, &op);
        self.forget(&e.writes);
        self.forget(&e.may_write);
        if matches!(op, Op::Emit { .. } | Op::EmitAt { .. }) {
            self.known.remove(&Location::InPlace);
            self.known.remove(&Location::AllInPlace);
        }
        if let (true, Some(result)) = (e.rejects, result) {
            self.known.remove(&Location::Cursor);
            self.return_if(result);
        }
    }

    /// Ends the function with a result unless it is 0.
    pub(super) fn return_if(&mut self, result: cranelift_codegen::ir::Value) {
        let (ends, goes_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(ends);
        self.b.ins().brif(result, ends, &[], goes_on, &[]);
        self.b.switch_to_block(ends);
        self.b.ins().return_(&[result]);
        self.b.switch_to_block(goes_on);
    }

    fn arithmetic(&mut self, op: Op) -> bool {
        let (dst, value) = match op {
            Op::Copy { dst, src } => (dst, self.get(src)),
            Op::Cut { dst, src, cut } => (dst, self.get(src)).kept(self, cut),
            Op::SignExtend { dst, src, from, cut } => {
                let value = self.get(src);
                let value = self.left(value, u32::from(from));
                let value = self.ir(value);
                let value = Value(self.b.ins().sshr_imm_u(value, i64::from(from)));
                (dst, value).kept(self, cut)
            }
            Op::Add { dst, a, b, cut } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.add(a, b)).kept(self, cut)
            }
            Op::Sub { dst, a, b, cut } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.sub(a, b)).kept(self, cut)
            }
            Op::Mul { dst, a, b, cut } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.mul(a, b)).kept(self, cut)
            }
            Op::And { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.and(a, b))
            }
            Op::Or { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.or(a, b))
            }
            Op::Xor { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.xor(a, b))
            }
            Op::Not { dst, a, cut } => {
                let a = self.get(a);
                (dst, self.xor(a, Constant(u64::MAX))).kept(self, cut)
            }
            Op::Negate { dst, a, cut } => {
                let a = self.get(a);
                (dst, self.sub(Constant(0), a)).kept(self, cut)
            }
            Op::ShiftLeft { dst, a, b, cut } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.shift(a, b, true)).kept(self, cut)
            }
            Op::ShiftRight { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                (dst, self.shift(a, b, false))
            }
            Op::AddSaturating { dst, a, b, cut } => {
                let (a, b) = (self.get(a), self.get(b));
                let sum = self.add(a, b);
                let is_over = self.condition(IntCC::UnsignedLessThan, sum, a);
                let sum = self.select(is_over, Constant(u64::MAX), sum);
                let most = Constant(u64::MAX >> cut);
                let is_more = self.condition(IntCC::UnsignedGreaterThan, sum, most);
                (dst, self.select(is_more, most, sum))
            }
            Op::SubSaturating { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let difference = self.sub(a, b);
                let is_under = self.condition(IntCC::UnsignedLessThan, a, b);
                (dst, self.select(is_under, Constant(0), difference))
            }
            Op::Div { dst, a, b } => (dst, self.divide(a, b, true)),
            Op::Mod { dst, a, b } => (dst, self.divide(a, b, false)),
            Op::Concat { dst, a, b, low_width } => {
                let (a, b) = (self.get(a), self.get(b));
                let high = self.left(a, u32::from(low_width));
                (dst, self.or(high, b))
            }
            Op::Slice { dst, a, by, cut } => {
                let a = self.get(a);
                (dst, self.right(a, u32::from(by))).kept(self, cut)
            }
            Op::Place { dst, a, base, cut, by, to } => {
                let (a, base) = (self.get(a), self.get(base));
                let value = self.keep(a, cut);
                // `(a << cut) >> by` is the kept value moved by the difference.
                let value = match cut.checked_sub(by) {
                    Some(up) => self.left(value, u32::from(up)),
                    None => self.right(value, u32::from(by - cut)),
                };
                let value = self.left(value, u32::from(to));
                (dst, self.or(base, value))
            }
            Op::Insert { dst, a, low, width } => {
                let mask = crate::limbs::low_mask(u32::from(width)) << low;
                let (a, old) = (self.get(a), self.get(dst));
                let kept = self.and(old, Constant(!mask));
                let value = self.left(a, u32::from(low));
                let value = self.and(value, Constant(mask));
                (dst, self.or(kept, value))
            }
            Op::Equal { dst, a, b } => self.comparison(IntCC::Equal, dst, (a, b), 0),
            Op::NotEqual { dst, a, b } => self.comparison(IntCC::NotEqual, dst, (a, b), 0),
            Op::Less { dst, a, b } => self.comparison(IntCC::UnsignedLessThan, dst, (a, b), 0),
            Op::LessEqual { dst, a, b } => self.comparison(IntCC::UnsignedLessThanOrEqual, dst, (a, b), 0),
            Op::LessSigned { dst, a, b, cut } => self.comparison(IntCC::SignedLessThan, dst, (a, b), cut),
            Op::LessEqualSigned { dst, a, b, cut } => {
                self.comparison(IntCC::SignedLessThanOrEqual, dst, (a, b), cut)
            }
            _ => return false,
        };
        self.put(dst, value);
        true
    }

    /// Compares two limbs, shifted left.
    fn comparison(&mut self, condition: IntCC, dst: At, (a, b): (At, At), cut: u8) -> (At, Known) {
        let (a, b) = (self.get(a), self.get(b));
        let (a, b) = (self.left(a, u32::from(cut)), self.left(b, u32::from(cut)));
        (dst, self.compare(condition, a, b))
    }

    /// Shifts; a shift of 64 and more gives 0.
    fn shift(&mut self, a: Known, by: Known, is_left: bool) -> Known {
        if let Constant(by) = by {
            return match u32::try_from(by).ok().filter(|by| *by < 64) {
                Some(by) if is_left => self.left(a, by),
                Some(by) => self.right(a, by),
                None => Constant(0),
            };
        }
        let (value, amount) = (self.ir(a), self.ir(by));
        let shifted = match is_left {
            true => self.b.ins().ishl(value, amount),
            false => self.b.ins().ushr(value, amount),
        };
        let is_short = self.condition(IntCC::UnsignedLessThan, by, Constant(64));
        self.select(is_short, Value(shifted), Constant(0))
    }

    /// Divides; a division by 0 gives 0.
    fn divide(&mut self, a: At, b: At, is_quotient: bool) -> Known {
        let (a, b) = (self.get(a), self.get(b));
        if b == Constant(0) {
            return Constant(0);
        }
        let is_zero = self.condition(IntCC::Equal, b, Constant(0));
        let divisor = self.select(is_zero, Constant(1), b);
        let (value, by) = (self.ir(a), self.ir(divisor));
        let result = match is_quotient {
            true => self.b.ins().udiv(value, by),
            false => self.b.ins().urem(value, by),
        };
        self.select(is_zero, Constant(0), Value(result))
    }

    /// Compiles operations on several limbs.
    fn wider(&mut self, op: Op) -> bool {
        match op {
            Op::CopyMany { dst, src, count } if count <= UNROLLED => {
                let values: Vec<Known> = (src..src + count).map(|at| self.get(at)).collect();
                (dst..).zip(values).for_each(|(at, value)| self.put(at, value));
            }
            Op::Clear { dst, count } if count <= UNROLLED => {
                (dst..dst + count).for_each(|at| self.put(at, Constant(0)));
            }
            Op::Gather { first, count } => {
                let code = self.code;
                for piece in &code.pieces[first as usize..][..count as usize] {
                    let (a, base) = (self.get(At::from(piece.a)), self.get(At::from(piece.base)));
                    let value = self.turn(a, u32::from(piece.turn), piece.mask);
                    let value = self.or(base, value);
                    self.put(At::from(piece.dst), value);
                }
            }
            Op::AddLimbs { dst, a, b, count, cut } => self.carrying(dst, (a, b), count, cut, true),
            Op::SubLimbs { dst, a, b, count, cut } => self.carrying(dst, (a, b), count, cut, false),
            _ => return false,
        }
        true
    }

    fn carrying(&mut self, dst: At, (a, b): (At, At), count: u8, cut: u8, is_sum: bool) {
        let mut carry = Constant(0);
        for limb in 0..u32::from(count) {
            let (x, y) = (self.get(a + limb), self.get(b + limb));
            let (value, over) = match is_sum {
                true => {
                    let partial = self.add(x, y);
                    let first = self.compare(IntCC::UnsignedLessThan, partial, x);
                    let value = self.add(partial, carry);
                    let second = self.compare(IntCC::UnsignedLessThan, value, partial);
                    (value, self.or(first, second))
                }
                false => {
                    let partial = self.sub(x, y);
                    let first = self.compare(IntCC::UnsignedLessThan, x, y);
                    let value = self.sub(partial, carry);
                    let second = self.compare(IntCC::UnsignedLessThan, partial, carry);
                    (value, self.or(first, second))
                }
            };
            carry = over;
            let is_last = limb + 1 == u32::from(count);
            let value = self.keep(value, if is_last { cut } else { 0 });
            self.put(dst + limb, value);
        }
    }

    fn hash(&mut self, site: u32) -> bool {
        let code = self.code;
        let Some(site) = code.sites.get(site as usize) else { return false };
        let Some(hashing) = site_hashing(code, site) else { return false };
        let hash = self.digest(&hashing);
        match site {
            Site::Hash { dst, base, max, .. } => {
                let (base, most) = (self.get(base.at), self.get(max.at));
                // A power of two, so that the remainder is a mask.
                let mask = self.sub(most, Constant(1));
                let hash = self.and(hash, mask);
                let value = self.add(base, hash);
                let value = self.and(value, Constant(crate::limbs::low_mask(dst.width())));
                self.put(dst.at, value);
            }
            Site::Checksum { field, update, .. } => {
                let hash = self.and(hash, Constant(crate::limbs::low_mask(field.width())));
                match update {
                    true => self.put(field.at, hash),
                    false => {
                        let now = self.get(field.at);
                        self.report_checksum(hash, now);
                    }
                }
            }
            _ => return false,
        }
        true
    }

    fn digest(&mut self, hashing: &Hashing) -> Known {
        match hashing {
            Hashing::Crc32 { at, limbs, bytes } => {
                let numbers = [u64::from(*at), u64::from(*limbs), u64::from(*bytes)];
                Value(self.call(Helper::Crc32, &numbers))
            }
            Hashing::Checksum { first, count } => {
                let code = self.code;
                let mut sum = Constant(0);
                for piece in &code.pieces[*first as usize..][..*count as usize] {
                    let a = self.get(At::from(piece.a));
                    let term = self.turn(a, u32::from(piece.turn), piece.mask);
                    let more = self.add(sum, term);
                    // A carry is added back (RFC 1071), if there can be one.
                    let carry = match self.most(sum).checked_add(self.most(term)) {
                        Some(_) => Constant(0),
                        None => self.compare(IntCC::UnsignedLessThan, more, sum),
                    };
                    sum = self.add(more, carry);
                }
                self.folded(sum)
            }
        }
    }

    /// The Internet checksum of a sum in ones' complement.
    fn folded(&mut self, mut sum: Known) -> Known {
        for bits in [32, 16, 16, 16] {
            let high = self.right(sum, bits);
            let low = self.and(sum, Constant((1 << bits) - 1));
            sum = self.add(high, low);
        }
        let inverted = self.xor(sum, Constant(u64::MAX));
        self.and(inverted, Constant(0xffff))
    }
}

/// A destination and its value.
trait Kept {
    /// Truncates the value.
    fn kept(self, lower: &mut Lower<'_, '_, '_>, cut: u8) -> Self;
}

impl Kept for (At, Known) {
    fn kept(self, lower: &mut Lower<'_, '_, '_>, cut: u8) -> Self {
        (self.0, lower.keep(self.1, cut))
    }
}
