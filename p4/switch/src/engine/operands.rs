//! Access to the operands of operations.

use super::code::{At, Op, Pc};

impl Op {
    /// Returns the jump target, if any; jump tables are not included.
    pub(crate) fn target(mut self) -> Option<Pc> {
        self.target_mut().map(|to| *to)
    }

    /// Returns the jump target, if any; jump tables are not included.
    pub(crate) fn target_mut(&mut self) -> Option<&mut Pc> {
        match self {
            Op::Jump { to }
            | Op::JumpBack { to }
            | Op::JumpIf { to, .. }
            | Op::JumpUnless { to, .. }
            | Op::JumpEqual { to, .. }
            | Op::JumpNotEqual { to, .. }
            | Op::JumpMasked { to, .. }
            | Op::JumpNotMasked { to, .. }
            | Op::JumpLess { to, .. }
            | Op::JumpNotLess { to, .. }
            | Op::Call { to } => Some(to),
            _ => None,
        }
    }

    /// Replaces the limbs that the operation reads: `read` maps a first limb and a number of limbs to the new first
    /// limb. Header numbers, and operands that are also written, are not replaced.
    pub(crate) fn with_operands(mut self, read: &mut impl FnMut(At, u32) -> At) -> Op {
        match &mut self {
            Op::Copy { src: a, .. }
            | Op::Cut { src: a, .. }
            | Op::SignExtend { src: a, .. }
            | Op::Not { a, .. }
            | Op::Negate { a, .. }
            | Op::Slice { a, .. }
            | Op::Insert { a, .. }
            | Op::JumpIf { a, .. }
            | Op::JumpUnless { a, .. }
            | Op::JumpMasked { a, .. }
            | Op::JumpNotMasked { a, .. }
            | Op::JumpTable { a, .. }
            | Op::RegisterRead { index: a, .. }
            | Op::RegisterReadLimbs { index: a, .. }
            | Op::Count { index: a, .. }
            | Op::Advance { bits: a }
            | Op::ExtractVarbit { bits: a, .. }
            | Op::Reject { error: a } => *a = read(*a, 1),
            Op::CopyMany { dst, src, count } => {
                let from = read(*src, *count);
                // The copy must not overlap where it did not before.
                if dst.abs_diff(from) >= *count {
                    *src = from;
                }
            }
            Op::Add { a, b, .. }
            | Op::Sub { a, b, .. }
            | Op::Mul { a, b, .. }
            | Op::And { a, b, .. }
            | Op::Or { a, b, .. }
            | Op::Xor { a, b, .. }
            | Op::ShiftLeft { a, b, .. }
            | Op::ShiftRight { a, b, .. }
            | Op::ShiftRightSigned { a, b, .. }
            | Op::AddSaturating { a, b, .. }
            | Op::SubSaturating { a, b, .. }
            | Op::AddSaturatingSigned { a, b, .. }
            | Op::SubSaturatingSigned { a, b, .. }
            | Op::Div { a, b, .. }
            | Op::Mod { a, b, .. }
            | Op::Concat { a, b, .. }
            | Op::Equal { a, b, .. }
            | Op::NotEqual { a, b, .. }
            | Op::Less { a, b, .. }
            | Op::LessEqual { a, b, .. }
            | Op::LessSigned { a, b, .. }
            | Op::LessEqualSigned { a, b, .. }
            | Op::Place { a, base: b, .. }
            | Op::JumpEqual { a, b, .. }
            | Op::JumpNotEqual { a, b, .. }
            | Op::JumpLess { a, b, .. }
            | Op::JumpNotLess { a, b, .. }
            | Op::RegisterWrite { index: a, src: b, .. } => {
                *a = read(*a, 1);
                *b = read(*b, 1);
            }
            Op::AddLimbs { dst, a, b, count, .. } | Op::SubLimbs { dst, a, b, count, .. } => {
                let count = u32::from(*count);
                for operand in [a, b] {
                    let from = read(*operand, count);
                    // Limbs are written while later ones are read, so the ranges must be equal or disjoint.
                    if from == *dst || dst.abs_diff(from) >= count {
                        *operand = from;
                    }
                }
            }
            Op::RegisterWriteLimbs { index, src, count, .. } => {
                *index = read(*index, 1);
                *src = read(*src, u32::from(*count));
            }
            _ => {}
        }
        self
    }
}
