//! Values of limbs while a function is compiled: constants are computed at once, and results have upper bounds.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, types};

use super::lower::Lower;

/// The value of a limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Constant(u64),
    Value(cranelift_codegen::ir::Value),
}

use Known::{Constant, Value};

type Ir = cranelift_codegen::ir::Value;

impl Lower<'_, '_, '_> {
    pub(super) fn ir(&mut self, known: Known) -> Ir {
        match known {
            Constant(value) => self.b.ins().iconst(types::I64, value as i64),
            Value(value) => value,
        }
    }

    /// Returns an upper bound of a value. It follows from the instructions that compute the value alone, so that it holds
    /// whatever the frame contains.
    pub(super) fn most(&self, known: Known) -> u64 {
        match known {
            Constant(value) => value,
            Value(value) => self.bounds.get(&value).copied().unwrap_or(u64::MAX),
        }
    }

    fn made(&mut self, value: Ir, most: u64) -> Known {
        if most != u64::MAX {
            self.bounds.insert(value, most);
        }
        Value(value)
    }

    /// The low `64 - cut` bits.
    pub(super) fn keep(&mut self, a: Known, cut: u8) -> Known {
        self.and(a, Constant(u64::MAX >> cut))
    }

    pub(super) fn and(&mut self, a: Known, b: Known) -> Known {
        let most = self.most(a).min(self.most(b));
        match (a, b) {
            (Constant(a), Constant(b)) => Constant(a & b),
            (Constant(0), _) | (_, Constant(0)) => Constant(0),
            (other, Constant(mask)) | (Constant(mask), other)
                if (mask.wrapping_add(1) & mask) == 0 && self.most(other) <= mask =>
            {
                other
            }
            (Value(value), Constant(mask)) | (Constant(mask), Value(value)) => {
                let narrow = match mask {
                    0xff => Some(types::I8),
                    0xffff => Some(types::I16),
                    0xffff_ffff => Some(types::I32),
                    _ => None,
                };
                let result = match narrow {
                    Some(narrow) => {
                        let low = self.b.ins().ireduce(narrow, value);
                        self.b.ins().uextend(types::I64, low)
                    }
                    None => {
                        let mask = self.b.ins().iconst(types::I64, mask as i64);
                        self.b.ins().band(value, mask)
                    }
                };
                self.made(result, most)
            }
            (Value(a), Value(b)) => {
                let result = self.b.ins().band(a, b);
                self.made(result, most)
            }
        }
    }

    pub(super) fn or(&mut self, a: Known, b: Known) -> Known {
        match (a, b) {
            (Constant(a), Constant(b)) => Constant(a | b),
            (Constant(0), other) | (other, Constant(0)) => other,
            _ => {
                let most = low_ones(self.most(a) | self.most(b));
                let (a, b) = (self.ir(a), self.ir(b));
                let result = self.b.ins().bor(a, b);
                self.made(result, most)
            }
        }
    }

    pub(super) fn xor(&mut self, a: Known, b: Known) -> Known {
        match (a, b) {
            (Constant(a), Constant(b)) => Constant(a ^ b),
            (Constant(0), other) | (other, Constant(0)) => other,
            _ => {
                let most = low_ones(self.most(a) | self.most(b));
                let (a, b) = (self.ir(a), self.ir(b));
                let result = self.b.ins().bxor(a, b);
                self.made(result, most)
            }
        }
    }

    pub(super) fn add(&mut self, a: Known, b: Known) -> Known {
        match (a, b) {
            (Constant(a), Constant(b)) => Constant(a.wrapping_add(b)),
            (Constant(0), other) | (other, Constant(0)) => other,
            _ => {
                let most = self.most(a).saturating_add(self.most(b));
                let (a, b) = (self.ir(a), self.ir(b));
                let result = self.b.ins().iadd(a, b);
                self.made(result, most)
            }
        }
    }

    pub(super) fn sub(&mut self, a: Known, b: Known) -> Known {
        match (a, b) {
            (Constant(a), Constant(b)) => Constant(a.wrapping_sub(b)),
            (other, Constant(0)) => other,
            _ => {
                let (a, b) = (self.ir(a), self.ir(b));
                Value(self.b.ins().isub(a, b))
            }
        }
    }

    pub(super) fn mul(&mut self, a: Known, b: Known) -> Known {
        match (a, b) {
            (Constant(a), Constant(b)) => Constant(a.wrapping_mul(b)),
            (Constant(0), _) | (_, Constant(0)) => Constant(0),
            (Constant(1), other) | (other, Constant(1)) => other,
            _ => {
                let most = self.most(a).saturating_mul(self.most(b));
                let (a, b) = (self.ir(a), self.ir(b));
                let result = self.b.ins().imul(a, b);
                self.made(result, most)
            }
        }
    }

    /// Shifts left by less than 64.
    pub(super) fn left(&mut self, a: Known, by: u32) -> Known {
        match a {
            _ if by == 0 => a,
            Constant(a) => Constant(a << by),
            Value(value) => {
                let most = self.most(a);
                let most = if most.leading_zeros() >= by { most << by } else { u64::MAX };
                let result = self.b.ins().ishl_imm_u(value, i64::from(by));
                self.made(result, most)
            }
        }
    }

    /// Shifts right by less than 64.
    pub(super) fn right(&mut self, a: Known, by: u32) -> Known {
        match a {
            _ if by == 0 => a,
            Constant(a) => Constant(a >> by),
            Value(value) => {
                let most = self.most(a) >> by;
                if most == 0 {
                    return Constant(0);
                }
                let result = self.b.ins().ushr_imm_u(value, i64::from(by));
                self.made(result, most)
            }
        }
    }

    /// Rotates left by less than 64 and masks. Shifts where no masked bit comes from the other end.
    pub(super) fn turn(&mut self, a: Known, by: u32, mask: u64) -> Known {
        let moved = match a {
            Constant(a) => return Constant(a.rotate_left(by) & mask),
            _ if by == 0 => a,
            _ if mask & ((1 << by) - 1) == 0 => self.left(a, by),
            // The bits from `by` on come from the low bits of the value.
            _ if mask >> by == 0 => self.right(a, 64 - by),
            Value(value) => Value(self.b.ins().rotl_imm_u(value, i64::from(by))),
        };
        self.and(moved, Constant(mask))
    }

    /// Compares; the result is 0 or 1.
    pub(super) fn compare(&mut self, condition: IntCC, a: Known, b: Known) -> Known {
        match self.condition(condition, a, b) {
            Condition::Always(is_true) => Constant(u64::from(is_true)),
            Condition::If(bit) => {
                let result = self.b.ins().uextend(types::I64, bit);
                self.made(result, 1)
            }
        }
    }

    pub(super) fn condition(&mut self, condition: IntCC, a: Known, b: Known) -> Condition {
        if let (Constant(a), Constant(b)) = (a, b) {
            return Condition::Always(match condition {
                IntCC::Equal => a == b,
                IntCC::NotEqual => a != b,
                IntCC::UnsignedLessThan => a < b,
                IntCC::UnsignedLessThanOrEqual => a <= b,
                IntCC::UnsignedGreaterThanOrEqual => a >= b,
                IntCC::UnsignedGreaterThan => a > b,
                IntCC::SignedLessThan => (a as i64) < b as i64,
                IntCC::SignedLessThanOrEqual => a as i64 <= b as i64,
                IntCC::SignedGreaterThanOrEqual => a as i64 >= b as i64,
                IntCC::SignedGreaterThan => a as i64 > b as i64,
            });
        }
        if b == Constant(0) {
            match condition {
                IntCC::UnsignedLessThan => return Condition::Always(false),
                IntCC::UnsignedGreaterThanOrEqual => return Condition::Always(true),
                _ => {}
            }
        }
        let is_below = self.most(a) < u64::MAX && matches!(b, Constant(limit) if self.most(a) < limit);
        match condition {
            IntCC::UnsignedLessThan | IntCC::UnsignedLessThanOrEqual | IntCC::NotEqual if is_below => {
                return Condition::Always(true);
            }
            IntCC::UnsignedGreaterThanOrEqual | IntCC::UnsignedGreaterThan | IntCC::Equal if is_below => {
                return Condition::Always(false);
            }
            _ => {}
        }
        let (a, b) = (self.ir(a), self.ir(b));
        Condition::If(self.b.ins().icmp(condition, a, b))
    }

    /// Returns `yes` if a condition holds, otherwise `no`.
    pub(super) fn select(&mut self, condition: Condition, yes: Known, no: Known) -> Known {
        match condition {
            Condition::Always(true) => yes,
            Condition::Always(false) => no,
            Condition::If(bit) => {
                let most = self.most(yes).max(self.most(no));
                let (yes, no) = (self.ir(yes), self.ir(no));
                let result = self.b.ins().select(bit, yes, no);
                self.made(result, most)
            }
        }
    }
}

/// A condition of a jump or selection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Condition {
    Always(bool),
    If(Ir),
}

/// Returns the smallest number of the form 2^n - 1 that is not below a number.
fn low_ones(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}
