//! Compiles rearranged values to limbs.

use p4_lang::ir::{BinaryOp, Expr, ExprKind, ScalarKind};

use super::pieces::{BitSource, Piece, Pieces, Placed};
use super::{Compiler, Result};
use crate::engine::code::{At, Op};
use crate::engine::layout::Slot;
use crate::limbs;

/// Maximum width of values that are split into pieces; wider values use the general operations.
const MAX_BITS: u32 = 4_096;

/// Whether values of a type can be split into pieces.
pub(super) fn has_pieces(kind: ScalarKind) -> bool {
    !matches!(kind, ScalarKind::Varbit(_)) && (1..=MAX_BITS).contains(&kind.width())
}

impl Compiler<'_> {
    /// Returns the pieces of an expression's value. Other expressions are computed first.
    pub(super) fn pieces(&mut self, e: &Expr) -> Result<Pieces> {
        if let Some(made) = self.rearranged(e)? {
            return Ok(made);
        }
        let slot = self.expr(e, None)?;
        Ok(Pieces::of_limbs(slot.at, e.ty.width()))
    }

    /// Returns the pieces of an expression that only rearranges bits; `None` for other expressions.
    pub(super) fn rearranged(&mut self, e: &Expr) -> Result<Option<Pieces>> {
        if !has_pieces(e.ty) {
            return Ok(None);
        }
        let width = e.ty.width();
        match &e.kind {
            ExprKind::Const(bits) => Ok(Some(Pieces::of_number(bits.limbs(), width))),
            ExprKind::Slice { of, high, low } if has_pieces(of.ty) => {
                if high < low || *high >= of.ty.width() || width != high - low + 1 {
                    return self.malformed(format!("slice [{high}:{low}] of {} bits", of.ty.width()));
                }
                Ok(Some(self.pieces(of)?.slice(*low, width)))
            }
            ExprKind::Cast(of) if has_pieces(of.ty) => {
                let sign = matches!(of.ty, ScalarKind::Signed(_)) && width > of.ty.width();
                if sign {
                    return Ok(None);
                }
                Ok(Some(self.pieces(of)?.slice(0, width)))
            }
            ExprKind::Binary(BinaryOp::Concat, high, low)
                if has_pieces(high.ty) && has_pieces(low.ty) && high.ty.width() + low.ty.width() == width =>
            {
                let high = self.pieces(high)?;
                let mut made = self.pieces(low)?;
                made.append(&high);
                Ok(Some(made))
            }
            ExprKind::Binary(op @ (BinaryOp::ShiftLeft | BinaryOp::ShiftRight), of, by) => {
                self.shifted(e.ty, *op, of, by)
            }
            _ => Ok(None),
        }
    }

    /// Returns the pieces of a shift by a constant. A right shift of a signed value copies the sign and is excluded.
    fn shifted(&mut self, ty: ScalarKind, op: BinaryOp, of: &Expr, by: &Expr) -> Result<Option<Pieces>> {
        let ExprKind::Const(by) = &by.kind else { return Ok(None) };
        let signed = matches!(of.ty, ScalarKind::Signed(_)) && op == BinaryOp::ShiftRight;
        if of.ty.width() != ty.width() || !has_pieces(of.ty) || signed {
            return Ok(None);
        }
        let width = ty.width();
        let by = limbs::saturating_u64(by.limbs()).min(u64::from(width)) as u32;
        let value = self.pieces(of)?;
        if op == BinaryOp::ShiftRight {
            return Ok(Some(value.slice(by, width)));
        }
        let mut made = Pieces::default();
        made.append_zeros(by);
        made.append(&value.slice(0, width - by));
        Ok(Some(made))
    }

    /// Compiles a rearranged value to `want`, or returns where it already is.
    pub(super) fn packed(&mut self, value: &Pieces, ty: ScalarKind, want: Option<At>) -> Slot {
        if let Some(at) = value.in_place() {
            return Slot { at, kind: ty };
        }
        if let Some(number) = self.all_number(value) {
            return Slot { at: number, kind: ty };
        }
        let limbs = limbs::count(ty.width()) as u32;
        let dst = match want {
            // A limb that is still read must not be written.
            Some(at) if !(0..limbs).any(|limb| value.reads(at + limb)) => Slot { at, kind: ty },
            _ => self.temporary(ty),
        };
        for limb in 0..limbs {
            self.pack_limb(dst.at + limb, &value.limb(limb));
        }
        dst
    }

    /// Returns the constant that a value equals, if there is one.
    fn all_number(&mut self, value: &Pieces) -> Option<At> {
        let numbers: Option<Vec<u64>> = (0..limbs::count(value.width()) as u32)
            .map(|limb| match value.limb(limb).as_slice() {
                [Placed { piece: Piece { source: BitSource::Number(number), .. }, .. }] => Some(*number),
                _ => None,
            })
            .collect();
        Some(self.constant_limbs(&numbers?))
    }

    /// Combines the pieces of a limb.
    fn pack_limb(&mut self, dst: At, pieces: &[Placed]) {
        let known = pieces.iter().fold(0, |sum, placed| match placed.piece.source {
            BitSource::Number(number) => sum | number << placed.at,
            BitSource::Limb { .. } => sum,
        });
        let mut base = self.number(known);
        let mut made = false;
        for placed in pieces {
            let BitSource::Limb { at, low, bits } = placed.piece.source else { continue };
            let width = placed.piece.width;
            let single = !made && known == 0 && placed.at == 0;
            self.emit(if single && low == 0 && width == bits {
                Op::Copy { dst, src: at }
            } else if single {
                Op::Slice { dst, a: at, by: low as u8, cut: (64 - width) as u8 }
            } else {
                let (cut, by) = ((64 - low - width) as u8, (64 - width) as u8);
                Op::Place { dst, a: at, base, cut, by, to: placed.at as u8 }
            });
            base = dst;
            made = true;
        }
        if !made {
            self.emit(Op::Copy { dst, src: base });
        }
    }

    /// Replaces bits `low..` of `dst` by a value.
    pub(super) fn insert(&mut self, dst: Slot, low: u32, value: &Pieces) {
        let reads_target = (0..dst.limbs()).any(|limb| value.reads(dst.at + limb));
        let value = match reads_target {
            true => {
                let kind = ScalarKind::Unsigned(value.width());
                let copy = self.temporary(kind);
                for limb in 0..copy.limbs() {
                    self.pack_limb(copy.at + limb, &value.limb(limb));
                }
                Pieces::of_limbs(copy.at, value.width())
            }
            false => value.clone(),
        };
        // The value at its position in the target, without the bits below it.
        let mut shifted = Pieces::default();
        shifted.append_zeros(low);
        shifted.append(&value);
        let end = low + value.width();
        for limb in low / 64..end.div_ceil(64) {
            let start = limb * 64;
            let mut from = low.max(start) - start;
            for placed in &shifted.limb(limb) {
                if placed.at + placed.piece.width <= from {
                    continue;
                }
                let skip = from.saturating_sub(placed.at);
                let width = placed.piece.width - skip;
                let a = self.piece_alone(placed.piece, skip);
                self.emit(Op::Insert { dst: dst.at + limb, a, low: from as u8, width: width as u8 });
                from += width;
            }
        }
    }

    /// Returns a limb that holds a piece from bit `skip` on in its low bits; its higher bits are undefined.
    fn piece_alone(&mut self, piece: Piece, skip: u32) -> At {
        match piece.source {
            BitSource::Number(number) => self.number(number >> skip),
            BitSource::Limb { at, low, .. } if low + skip == 0 => at,
            BitSource::Limb { at, low, .. } => {
                let dst = self.temporary_limbs(1);
                self.emit(Op::Slice {
                    dst,
                    a: at,
                    by: (low + skip) as u8,
                    cut: (64 - piece.width + skip) as u8,
                });
                dst
            }
        }
    }

    /// Returns the pieces of consecutive values, the first in the highest bits, padded with zeros to a whole limb.
    pub(super) fn row(&mut self, values: &[Expr]) -> Result<Option<(Pieces, u32)>> {
        let total: u64 = values.iter().map(|v| u64::from(v.ty.width())).sum();
        if total == 0 || total > u64::from(MAX_BITS) || values.iter().any(|v| !has_pieces(v.ty)) {
            return Ok(None);
        }
        let width = total as u32;
        let mut made = Pieces::default();
        made.append_zeros(width.next_multiple_of(64) - width);
        for value in values.iter().rev() {
            made.append(&self.pieces(value)?);
        }
        Ok(Some((made, width)))
    }
}
