//! Compiles expressions, and conditions to jumps.

use p4_lang::ir::{BinaryOp, Bits, Expr, ExprKind, HeaderRef, ScalarKind, StackId, UnaryOp};

use super::pack::has_pieces;
use super::{Compiler, Result};
use crate::engine::code::{At, NO_HEADER, Op, Pc, Site, WideKind};
use crate::engine::layout::Slot;

const BOOL: ScalarKind = ScalarKind::Unsigned(1);

/// The header that an operation refers to.
#[derive(Clone, Copy)]
pub(super) enum HeaderOperand {
    /// A header known at compile time.
    Known(u32),
    /// The header whose number is in the limb.
    At(At),
}

fn cut(width: u32) -> u8 {
    (64 - width.min(64)) as u8
}

fn narrow(kind: ScalarKind) -> bool {
    kind.width() <= 64 && !matches!(kind, ScalarKind::Varbit(_))
}

/// Whether values take more than one limb and have no run-time length.
fn is_wide(kind: ScalarKind) -> bool {
    kind.width() > 64 && has_pieces(kind)
}

impl Compiler<'_> {
    /// Compiles an expression. The result, of the type of `e`, is at `want` or wherever the value already is.
    pub(super) fn expr(&mut self, e: &Expr, want: Option<At>) -> Result<Slot> {
        match &e.kind {
            ExprKind::Const(bits) => Ok(self.constant(bits, e.ty)),
            ExprKind::Scalar(id) => {
                Ok(Slot { kind: e.ty, ..self.same_limbs(self.layout.scalar(*id)?, e.ty)? })
            }
            ExprKind::StackField { stack, index, member, field } => {
                self.stack_field(*stack, index, *member, *field, e.ty, want)
            }
            ExprKind::IsValid(header) => match self.header(header)? {
                HeaderOperand::Known(header) => {
                    let at = self.code_header(header)?.0;
                    Ok(Slot { at, kind: BOOL })
                }
                HeaderOperand::At(header) => {
                    let dst = self.target(BOOL, want);
                    self.emit(Op::HeaderValid { dst: dst.at, header });
                    Ok(dst)
                }
            },
            ExprKind::LastIndex(stack) => {
                let next = self.layout.stack(*stack)?.next_index;
                let dst = self.target(ScalarKind::Unsigned(32), want);
                let b = self.number(1);
                self.emit(Op::Sub { dst: dst.at, a: next.at, b, cut: cut(32) });
                Ok(Slot { kind: e.ty, ..dst })
            }
            ExprKind::Lookahead { offset_bits } => {
                if !self.in_parser {
                    return self.malformed("`lookahead` outside a parser");
                }
                let dst = self.target(e.ty, want);
                self.emit(Op::Lookahead { dst: dst.at, offset: *offset_bits, width: e.ty.width() });
                Ok(dst)
            }
            ExprKind::PacketLength => {
                let dst = self.target(e.ty, want);
                self.emit(Op::PacketLength { dst: dst.at });
                Ok(dst)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, e.ty, want),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => self.decided(e, *op == BinaryOp::Or),
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, a, b)
                if is_wide(a.ty) && a.ty.width() == b.ty.width() =>
            {
                self.decided(e, false)
            }
            ExprKind::Binary(op, a, b) => match self.rearranged(e)? {
                Some(value) => Ok(self.packed(&value, e.ty, want)),
                None => self.binary(*op, a, b, e.ty, want),
            },
            ExprKind::Mux(condition, then, otherwise) => {
                let dst = self.target(e.ty, want);
                let to_otherwise = self.branch(condition, false)?;
                self.expr_into(then, dst)?;
                let to_end = self.emit(Op::Jump { to: 0 });
                self.set_target_here(&to_otherwise);
                self.expr_into(otherwise, dst)?;
                self.set_target_here(&[to_end]);
                Ok(dst)
            }
            ExprKind::Slice { of, high, low } => match self.rearranged(e)? {
                Some(value) => Ok(self.packed(&value, e.ty, want)),
                None => self.slice(of, *high, *low, e.ty, want),
            },
            ExprKind::Cast(operand) => match self.rearranged(e)? {
                Some(value) => Ok(self.packed(&value, e.ty, want)),
                None => self.cast(operand, e.ty, want),
            },
        }
    }

    /// Compiles an expression into a slot of its type.
    pub(super) fn expr_into(&mut self, e: &Expr, dst: Slot) -> Result<()> {
        let value = self.expr(e, Some(dst.at))?;
        self.move_to(value, dst)
    }

    pub(super) fn move_to(&mut self, value: Slot, dst: Slot) -> Result<()> {
        let value = self.same_limbs(value, dst.kind)?;
        if value.at == dst.at {
            return Ok(());
        }
        match dst.cells() {
            1 => self.emit(Op::Copy { dst: dst.at, src: value.at }),
            count => self.emit(Op::CopyMany { dst: dst.at, src: value.at, count }),
        };
        Ok(())
    }

    /// Rejects the use of a value as a type with another number of limbs.
    fn same_limbs(&self, value: Slot, kind: ScalarKind) -> Result<Slot> {
        let wanted = Slot { at: value.at, kind };
        if wanted.cells() != value.cells() {
            return self.malformed(format!("a value of type {:?} is used as {kind:?}", value.kind));
        }
        Ok(value)
    }

    fn target(&mut self, kind: ScalarKind, want: Option<At>) -> Slot {
        match want {
            Some(at) => Slot { at, kind },
            None => self.temporary(kind),
        }
    }

    /// Compiles a value to one limb, saturated.
    pub(super) fn index(&mut self, e: &Expr) -> Result<At> {
        let value = self.expr(e, None)?;
        if narrow(value.kind) {
            return Ok(value.at);
        }
        let dst = self.temporary(ScalarKind::Unsigned(64));
        self.wide(WideKind::Saturate, dst, value, value, 0);
        Ok(dst.at)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, ty: ScalarKind, want: Option<At>) -> Result<Slot> {
        let a = self.expr(operand, None)?;
        let dst = self.target(ty, want);
        let width = ty.width();
        match op {
            UnaryOp::Not => {
                let b = self.number(1);
                self.emit(Op::Xor { dst: dst.at, a: a.at, b });
            }
            UnaryOp::BitNot if narrow(ty) => {
                self.emit(Op::Not { dst: dst.at, a: a.at, cut: cut(width) });
            }
            UnaryOp::Negate if narrow(ty) => {
                self.emit(Op::Negate { dst: dst.at, a: a.at, cut: cut(width) });
            }
            UnaryOp::BitNot if has_pieces(ty) => {
                for limb in 0..dst.limbs() {
                    let c = cut(width - limb * 64);
                    self.emit(Op::Not { dst: dst.at + limb, a: a.at + limb, cut: c });
                }
            }
            UnaryOp::BitNot => self.wide(WideKind::Not, dst, a, a, 0),
            UnaryOp::Negate => self.wide(WideKind::Negate, dst, a, a, 0),
        }
        Ok(dst)
    }

    /// Compiles a short-circuit operation to jumps. The first jump is taken if the first operand is `when`.
    fn decided(&mut self, e: &Expr, when: bool) -> Result<Slot> {
        // The result is written before the second operand is computed, so it needs a limb that no operand reads.
        let dst = self.temporary(BOOL);
        let (decided, other) = (self.number(u64::from(when)), self.number(u64::from(!when)));
        let jumps = self.branch(e, when)?;
        self.emit(Op::Copy { dst: dst.at, src: other });
        let to_end = self.emit(Op::Jump { to: 0 });
        self.set_target_here(&jumps);
        self.emit(Op::Copy { dst: dst.at, src: decided });
        self.set_target_here(&[to_end]);
        Ok(dst)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, ty: ScalarKind, want: Option<At>) -> Result<Slot> {
        let left = self.expr(a, None)?;
        let right = self.expr(b, None)?;
        let dst = self.target(ty, want);
        let narrow = narrow(left.kind) && narrow(right.kind) && narrow(ty);
        if !narrow {
            self.binary_wide(op, dst, left, right);
            return Ok(dst);
        }
        let (dst_at, a, b) = (dst.at, left.at, right.at);
        let signed = left.is_signed();
        let c = cut(ty.width());
        let operand_cut = cut(left.width());
        let made = match (op, signed) {
            (BinaryOp::Add, _) => Op::Add { dst: dst_at, a, b, cut: c },
            (BinaryOp::Sub, _) => Op::Sub { dst: dst_at, a, b, cut: c },
            (BinaryOp::Mul, _) => Op::Mul { dst: dst_at, a, b, cut: c },
            (BinaryOp::Div, _) => Op::Div { dst: dst_at, a, b },
            (BinaryOp::Mod, _) => Op::Mod { dst: dst_at, a, b },
            (BinaryOp::AddSaturating, false) => Op::AddSaturating { dst: dst_at, a, b, cut: c },
            (BinaryOp::SubSaturating, false) => Op::SubSaturating { dst: dst_at, a, b },
            (BinaryOp::AddSaturating, true) => Op::AddSaturatingSigned { dst: dst_at, a, b, cut: c },
            (BinaryOp::SubSaturating, true) => Op::SubSaturatingSigned { dst: dst_at, a, b, cut: c },
            (BinaryOp::ShiftLeft, _) => Op::ShiftLeft { dst: dst_at, a, b, cut: c },
            (BinaryOp::ShiftRight, false) => Op::ShiftRight { dst: dst_at, a, b },
            (BinaryOp::ShiftRight, true) => Op::ShiftRightSigned { dst: dst_at, a, b, cut: c },
            (BinaryOp::BitAnd | BinaryOp::And, _) => Op::And { dst: dst_at, a, b },
            (BinaryOp::BitOr | BinaryOp::Or, _) => Op::Or { dst: dst_at, a, b },
            (BinaryOp::BitXor, _) => Op::Xor { dst: dst_at, a, b },
            (BinaryOp::Concat, _) => Op::Concat { dst: dst_at, a, b, low_width: right.width() as u8 },
            (BinaryOp::Equal, _) => Op::Equal { dst: dst_at, a, b },
            (BinaryOp::NotEqual, _) => Op::NotEqual { dst: dst_at, a, b },
            (BinaryOp::Less, false) => Op::Less { dst: dst_at, a, b },
            (BinaryOp::Greater, false) => Op::Less { dst: dst_at, a: b, b: a },
            (BinaryOp::LessEqual, false) => Op::LessEqual { dst: dst_at, a, b },
            (BinaryOp::GreaterEqual, false) => Op::LessEqual { dst: dst_at, a: b, b: a },
            (BinaryOp::Less, true) => Op::LessSigned { dst: dst_at, a, b, cut: operand_cut },
            (BinaryOp::Greater, true) => Op::LessSigned { dst: dst_at, a: b, b: a, cut: operand_cut },
            (BinaryOp::LessEqual, true) => Op::LessEqualSigned { dst: dst_at, a, b, cut: operand_cut },
            (BinaryOp::GreaterEqual, true) => {
                Op::LessEqualSigned { dst: dst_at, a: b, b: a, cut: operand_cut }
            }
        };
        self.emit(made);
        Ok(dst)
    }

    fn binary_wide(&mut self, op: BinaryOp, dst: Slot, a: Slot, b: Slot) {
        let alike = |slot: Slot| has_pieces(slot.kind) && slot.width() == dst.width();
        if alike(dst) && alike(a) && alike(b) && self.limb_by_limb(op, dst, a, b) {
            return;
        }
        let (kind, swapped) = match op {
            BinaryOp::Add => (WideKind::Add, false),
            BinaryOp::Sub => (WideKind::Sub, false),
            BinaryOp::Mul => (WideKind::Mul, false),
            BinaryOp::Div => (WideKind::Div, false),
            BinaryOp::Mod => (WideKind::Mod, false),
            BinaryOp::AddSaturating => (WideKind::AddSaturating, false),
            BinaryOp::SubSaturating => (WideKind::SubSaturating, false),
            BinaryOp::ShiftLeft => (WideKind::ShiftLeft, false),
            BinaryOp::ShiftRight => (WideKind::ShiftRight, false),
            BinaryOp::BitAnd | BinaryOp::And => (WideKind::And, false),
            BinaryOp::BitOr | BinaryOp::Or => (WideKind::Or, false),
            BinaryOp::BitXor => (WideKind::Xor, false),
            BinaryOp::Concat => (WideKind::Concat, false),
            BinaryOp::Equal => (WideKind::Equal, false),
            BinaryOp::NotEqual => (WideKind::NotEqual, false),
            BinaryOp::Less => (WideKind::Less, false),
            BinaryOp::LessEqual => (WideKind::LessEqual, false),
            BinaryOp::Greater => (WideKind::Less, true),
            BinaryOp::GreaterEqual => (WideKind::LessEqual, true),
        };
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        self.wide(kind, dst, a, b, 0);
    }

    /// Compiles a wide operation to one-limb operations, where possible.
    fn limb_by_limb(&mut self, op: BinaryOp, dst: Slot, a: Slot, b: Slot) -> bool {
        let count = dst.limbs();
        let c = cut(dst.width() - (count - 1) * 64);
        match op {
            BinaryOp::Add => {
                self.emit(Op::AddLimbs { dst: dst.at, a: a.at, b: b.at, count: count as u8, cut: c });
            }
            BinaryOp::Sub => {
                self.emit(Op::SubLimbs { dst: dst.at, a: a.at, b: b.at, count: count as u8, cut: c });
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                for limb in 0..count {
                    let (dst, a, b) = (dst.at + limb, a.at + limb, b.at + limb);
                    self.emit(match op {
                        BinaryOp::BitAnd => Op::And { dst, a, b },
                        BinaryOp::BitOr => Op::Or { dst, a, b },
                        _ => Op::Xor { dst, a, b },
                    });
                }
            }
            _ => return false,
        }
        true
    }

    fn slice(&mut self, of: &Expr, high: u32, low: u32, ty: ScalarKind, want: Option<At>) -> Result<Slot> {
        let a = self.expr(of, None)?;
        if high < low || high >= a.width() || ty.width() != high - low + 1 {
            return self.malformed(format!("slice [{high}:{low}] of {} bits", a.width()));
        }
        if ty.width() == a.width() {
            return Ok(Slot { kind: ty, ..a });
        }
        let dst = self.target(ty, want);
        if narrow(a.kind) {
            self.emit(Op::Slice { dst: dst.at, a: a.at, by: low as u8, cut: cut(ty.width()) });
        } else {
            self.wide(WideKind::Slice, dst, a, a, low);
        }
        Ok(dst)
    }

    fn cast(&mut self, operand: &Expr, ty: ScalarKind, want: Option<At>) -> Result<Slot> {
        let a = self.expr(operand, None)?;
        let (from, to) = (a.width(), ty.width());
        if !(narrow(a.kind) && narrow(ty)) {
            if from == to && !a.is_varbit() && !matches!(ty, ScalarKind::Varbit(_)) {
                return Ok(Slot { kind: ty, ..a });
            }
            let dst = self.target(ty, want);
            self.wide(WideKind::Cast, dst, a, a, 0);
            return Ok(dst);
        }
        if to == from || (to > from && !a.is_signed()) {
            return Ok(Slot { kind: ty, ..a });
        }
        let dst = self.target(ty, want);
        if to < from {
            self.emit(Op::Cut { dst: dst.at, src: a.at, cut: cut(to) });
        } else {
            self.emit(Op::SignExtend { dst: dst.at, src: a.at, from: cut(from), cut: cut(to) });
        }
        Ok(dst)
    }

    fn stack_field(
        &mut self,
        stack: StackId,
        index: &Expr,
        member: usize,
        field: usize,
        ty: ScalarKind,
        want: Option<At>,
    ) -> Result<Slot> {
        let place = self.header(&HeaderRef::Element { stack, index: Box::new(index.clone()), member })?;
        match place {
            HeaderOperand::Known(header) => {
                let slot = self.field(header, field)?;
                Ok(Slot { kind: ty, ..self.same_limbs(slot, ty)? })
            }
            HeaderOperand::At(header) => {
                let offset = self.field_offset(stack, member, field)?;
                let dst = self.target(ty, want);
                self.site(Site::LoadField { dst, header, offset });
                Ok(dst)
            }
        }
    }

    /// Returns the slot of a header's field.
    pub(super) fn field(&self, header: u32, field: usize) -> Result<Slot> {
        let layout = self.layout.header(p4_lang::ir::HeaderId(header))?;
        match layout.fields.get(field) {
            Some(field) => Ok(field.slot),
            None => self.malformed(format!("header {header} has no field {field}")),
        }
    }

    /// Returns the number of limbs from a header's validity to a field, which is equal for all elements of a stack.
    pub(super) fn field_offset(&self, stack: StackId, member: usize, field: usize) -> Result<u32> {
        match self.stack_headers(stack, member)?.first() {
            Some(first) => Ok(self.field(first.0, field)?.at - self.layout.header(*first)?.valid),
            None => self.malformed(format!("stack {} is empty", stack.0)),
        }
    }

    /// Returns the limb of the validity bit, and the number of limbs of all fields.
    pub(super) fn code_header(&self, header: u32) -> Result<(At, u32)> {
        let layout = self.layout.header(p4_lang::ir::HeaderId(header))?;
        Ok((layout.valid, layout.cells))
    }

    /// Resolves a header reference, at compile time where possible.
    pub(super) fn header(&mut self, header: &HeaderRef) -> Result<HeaderOperand> {
        match header {
            HeaderRef::Static(id) => {
                self.layout.header(*id)?;
                Ok(HeaderOperand::Known(id.0))
            }
            HeaderRef::Element { stack, index, member } => {
                let headers = self.stack_headers(*stack, *member)?;
                if let ExprKind::Const(bits) = &index.kind {
                    let index = bits.to_u128().and_then(|i| usize::try_from(i).ok());
                    return Ok(match index.and_then(|i| headers.get(i)) {
                        Some(header) => HeaderOperand::Known(header.0),
                        None => HeaderOperand::At(self.number(NO_HEADER)),
                    });
                }
                let index = self.index(index)?;
                let dst = self.temporary(ScalarKind::Unsigned(64)).at;
                let headers = headers.iter().map(|h| h.0).collect();
                self.site(Site::Element { dst, headers, index });
                Ok(HeaderOperand::At(dst))
            }
            HeaderRef::Next { stack, member } => self.next_or_last(*stack, *member, false),
            HeaderRef::Last { stack, member } => self.next_or_last(*stack, *member, true),
        }
    }

    fn next_or_last(&mut self, stack: StackId, member: usize, last: bool) -> Result<HeaderOperand> {
        if !self.in_parser {
            return self.malformed("`next` or `last` outside a parser");
        }
        let headers = self.stack_headers(stack, member)?.iter().map(|h| h.0).collect();
        let next_index = self.layout.stack(stack)?.next_index.at;
        let error = self.error_number("StackOutOfBounds");
        let error = self.number(error);
        let dst = self.temporary(ScalarKind::Unsigned(64)).at;
        self.site(Site::NextOrLast { dst, headers, next_index, last, error });
        Ok(HeaderOperand::At(dst))
    }

    /// Emits jumps that are taken if `e` equals `when`; the caller sets their targets.
    pub(super) fn branch(&mut self, e: &Expr, when: bool) -> Result<Vec<Pc>> {
        match &e.kind {
            ExprKind::Const(bits) => {
                let value = bits.limbs().first().is_some_and(|l| l & 1 == 1);
                Ok(if value == when { vec![self.emit(Op::Jump { to: 0 })] } else { Vec::new() })
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.branch(operand, !when),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                // A zero decides `and`, a one decides `or`.
                let deciding = *op == BinaryOp::Or;
                if when == deciding {
                    let mut jumps = self.branch(a, when)?;
                    jumps.extend(self.branch(b, when)?);
                    Ok(jumps)
                } else {
                    let decided = self.branch(a, deciding)?;
                    let jumps = self.branch(b, when)?;
                    self.set_target_here(&decided);
                    Ok(jumps)
                }
            }
            ExprKind::Binary(op, a, b) if narrow(a.ty) && narrow(b.ty) => {
                self.branch_compare(e, *op, a, b, when)
            }
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), a, b)
                if is_wide(a.ty) && a.ty.width() == b.ty.width() =>
            {
                let (a, b) = (self.expr(a, None)?, self.expr(b, None)?);
                Ok(self.jump_if_same(a, b, (*op == BinaryOp::Equal) == when))
            }
            _ => self.branch_value(e, when),
        }
    }

    /// Emits jumps that are taken if two wide values are equal, or if they differ.
    fn jump_if_same(&mut self, a: Slot, b: Slot, same: bool) -> Vec<Pc> {
        let last = a.limbs() - 1;
        let different: Vec<Pc> = (0..if same { last } else { last + 1 })
            .map(|limb| self.emit(Op::JumpNotEqual { a: a.at + limb, b: b.at + limb, to: 0 }))
            .collect();
        if !same {
            return different;
        }
        let jump = self.emit(Op::JumpEqual { a: a.at + last, b: b.at + last, to: 0 });
        self.set_target_here(&different);
        vec![jump]
    }

    fn branch_value(&mut self, e: &Expr, when: bool) -> Result<Vec<Pc>> {
        let a = self.expr(e, None)?.at;
        let op = if when { Op::JumpIf { a, to: 0 } } else { Op::JumpUnless { a, to: 0 } };
        Ok(vec![self.emit(op)])
    }

    fn branch_compare(&mut self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr, when: bool) -> Result<Vec<Pc>> {
        let signed = matches!(a.ty, ScalarKind::Signed(_));
        let ordering =
            matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual);
        if !(matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) || (ordering && !signed)) {
            return self.branch_value(e, when);
        }
        let a = self.expr(a, None)?.at;
        let b = self.expr(b, None)?.at;
        let to = 0;
        let op = match (op, when) {
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => Op::JumpEqual { a, b, to },
            (BinaryOp::Equal, false) | (BinaryOp::NotEqual, true) => Op::JumpNotEqual { a, b, to },
            (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => Op::JumpLess { a, b, to },
            (BinaryOp::Less, false) | (BinaryOp::GreaterEqual, true) => Op::JumpNotLess { a, b, to },
            (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => Op::JumpLess { a: b, b: a, to },
            _ => Op::JumpNotLess { a: b, b: a, to },
        };
        Ok(vec![self.emit(op)])
    }

    /// Emits jumps that are taken if a value does not match a pattern. The caller handles value sets.
    pub(super) fn unless_matches(&mut self, value: Slot, pattern: &p4_lang::ir::Pattern) -> Result<Vec<Pc>> {
        use p4_lang::ir::Pattern;
        match pattern {
            Pattern::Any => Ok(Vec::new()),
            Pattern::Value(wanted) => {
                let wanted = self.constant(wanted, value.kind);
                self.unless(WideKind::Equal, value, wanted)
            }
            Pattern::Mask { value: wanted, mask } => self.unless_masked(value, wanted, mask),
            Pattern::Range { low, high, signed } => {
                let kind = match *signed {
                    true => ScalarKind::Signed(value.width()),
                    false => ScalarKind::Unsigned(value.width()),
                };
                let value = Slot { kind, ..value };
                let low = self.constant(low, kind);
                let high = self.constant(high, kind);
                let mut jumps = self.unless(WideKind::LessEqual, low, value)?;
                jumps.extend(self.unless(WideKind::LessEqual, value, high)?);
                Ok(jumps)
            }
            Pattern::ValueSet(_) => self.malformed("a value set outside a select"),
        }
    }

    fn unless_masked(&mut self, value: Slot, wanted: &Bits, mask: &Bits) -> Result<Vec<Pc>> {
        let both = wanted.limbs().iter().zip(mask.limbs()).map(|(v, m)| v & m).collect();
        let wanted = Bits::from_limbs(wanted.width(), both);
        if narrow(value.kind) {
            let limb = |bits: &Bits| bits.limbs().first().copied().unwrap_or(0);
            let pair = self.constant_limbs(&[limb(mask), limb(&wanted)]);
            return Ok(vec![self.emit(Op::JumpNotMasked { a: value.at, mask: pair, to: 0 })]);
        }
        let mask = self.constant(mask, value.kind);
        let masked = self.temporary(value.kind);
        self.wide(WideKind::And, masked, value, mask, 0);
        let wanted = self.constant(&wanted, value.kind);
        self.unless(WideKind::Equal, masked, wanted)
    }

    /// Emits a jump that is taken if a comparison does not hold.
    fn unless(&mut self, kind: WideKind, a: Slot, b: Slot) -> Result<Vec<Pc>> {
        let to = 0;
        if narrow(a.kind) && narrow(b.kind) && !a.is_signed() {
            let (a, b) = (a.at, b.at);
            let op = match kind {
                WideKind::Equal => Op::JumpNotEqual { a, b, to },
                // The negation of (a <= b) is b < a.
                _ => Op::JumpLess { a: b, b: a, to },
            };
            return Ok(vec![self.emit(op)]);
        }
        if kind == WideKind::Equal && is_wide(a.kind) && a.width() == b.width() {
            return Ok(self.jump_if_same(a, b, false));
        }
        let dst = self.temporary(BOOL);
        self.wide(kind, dst, a, b, 0);
        Ok(vec![self.emit(Op::JumpUnless { a: dst.at, to })])
    }
}
