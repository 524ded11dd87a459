//! Operators.

use num_bigint::BigInt;

use super::Checker;
use super::types::MAX_WIDTH;
use crate::constant;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Expr, ExprKind, Type, VarId};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, UnaryOp};

/// The maximum length of a string that `++` produces, in bytes.
const MAX_TEXT: usize = 1 << 16;

impl Checker<'_> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let value = self.expr(operand, want);
        let value = self.as_representation(value);
        let ty = self.zonk(&value.ty);
        if ty.is_bad() {
            return Expr::bad(span);
        }
        let fine = match op {
            UnaryOp::Not => ty == Type::Bool,
            UnaryOp::BitNot => ty.fixed_width().is_some(),
            UnaryOp::Negate | UnaryOp::Plus => ty == Type::Int || ty.fixed_width().is_some(),
        };
        if !fine {
            let message = format!("operator `{}` is not defined for `{}`", unary_text(op), self.show(&ty));
            self.error(codes::BAD_OPERANDS, span, message);
            return Expr::bad(span);
        }
        match (&value.kind, op) {
            (ExprKind::Bool(b), UnaryOp::Not) => Expr { kind: ExprKind::Bool(!b), ty, span },
            (ExprKind::Int(a), _) => Expr { kind: ExprKind::Int(constant::unary(op, a, &ty)), ty, span },
            (_, UnaryOp::Plus) => Expr { span, ..value },
            _ => Expr { kind: ExprKind::Unary(op, Box::new(value)), ty, span },
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        use BinaryOp as B;
        let hint = match op {
            B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge | B::Concat => None,
            _ => want,
        };
        let left = self.expr(left, hint);
        let hint_right = (!matches!(op, B::Shl | B::Shr | B::Concat)).then(|| left.ty.clone());
        let right = self.expr(right, hint_right.as_ref());
        self.binary_values(op, left, right, span)
    }

    /// Applies an operator to checked operands.
    pub(super) fn binary_values(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        use BinaryOp as B;
        if left.ty.is_bad() || right.ty.is_bad() {
            let ty = match op {
                B::And | B::Or | B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge => Type::Bool,
                _ => Type::Bad,
            };
            return Expr { kind: ExprKind::Bad, ty, span };
        }
        match op {
            B::And | B::Or => self.logic(op, left, right, span),
            B::Eq | B::Ne => self.equality(op, left, right, span),
            B::Shl | B::Shr => self.shift(op, left, right, span),
            B::Concat => self.concat(left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    fn bad_operands(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Expr {
        let (a, b) = (self.show(&left.ty), self.show(&right.ty));
        let mut diagnostic = Diagnostic::error(
            codes::BAD_OPERANDS,
            span,
            format!("operator `{}` is not defined for `{a}` and `{b}`", binary_text(op)),
        )
        .also(left.span, format!("`{a}`"))
        .also(right.span, format!("`{b}`"));
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if op == BinaryOp::Concat && (left.ty == Type::Int || right.ty == Type::Int) {
            let bare = if left.ty == Type::Int { left } else { right };
            let value = bare.as_int().map_or_else(|| "1".to_owned(), ToString::to_string);
            diagnostic = diagnostic
                .help(format!("`++` needs the width of both operands; write for example `8w{value}`"));
        } else if shift && matches!(right.ty, Type::Signed(_)) {
            diagnostic = diagnostic.note("the shift amount must be unsigned");
        } else if !shift && left.ty.fixed_width().is_some() && right.ty.fixed_width().is_some() {
            diagnostic = diagnostic.note("both operands must have the same width and sign");
        }
        self.report(diagnostic);
        Expr::bad(span)
    }

    fn logic(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        if left.ty != Type::Bool || right.ty != Type::Bool {
            return self.bad_operands(op, &left, &right, span);
        }
        let kind = match (&left.kind, &right.kind) {
            (ExprKind::Bool(a), ExprKind::Bool(b)) => {
                ExprKind::Bool(if op == BinaryOp::And { *a && *b } else { *a || *b })
            }
            _ => ExprKind::Binary(op, Box::new(left), Box::new(right)),
        };
        Expr { kind, ty: Type::Bool, span }
    }

    /// Converts two operands to a common type: literals take the type of the other operand, serialisable enums become
    /// their underlying type.
    fn balance(&mut self, left: Expr, right: Expr) -> (Expr, Expr) {
        if left.ty == right.ty {
            return (left, right);
        }
        let (left, right) = (self.as_representation(left), self.as_representation(right));
        if left.ty == Type::Int && right.ty.fixed_width().is_some() {
            let ty = right.ty.clone();
            (self.coerce(left, &ty), right)
        } else if right.ty == Type::Int && left.ty.fixed_width().is_some() {
            let ty = left.ty.clone();
            let right = self.coerce(right, &ty);
            (left, right)
        } else {
            (left, right)
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        use BinaryOp as B;
        let (left, right) = (self.as_representation(left), self.as_representation(right));
        if matches!(op, B::Div | B::Mod) && !self.check_division(&left, &right) {
            return Expr { kind: ExprKind::Bad, ty: Type::Bad, span };
        }
        let (left, right) = self.balance(left, right);
        let compares = matches!(op, B::Lt | B::Le | B::Gt | B::Ge);
        let saturates = matches!(op, B::AddSat | B::SubSat);
        let divides = matches!(op, B::Div | B::Mod);
        let fine = left.ty == right.ty
            && match &left.ty {
                Type::Bit(_) => true,
                Type::Signed(_) => !divides,
                Type::Int => !saturates,
                _ => false,
            };
        if !fine {
            return self.bad_operands(op, &left, &right, span);
        }
        let operand_ty = left.ty.clone();
        let ty = if compares { Type::Bool } else { operand_ty.clone() };
        if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
            return self.folded(constant::binary(op, a, b, &operand_ty), ty, span);
        }
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
    }

    /// Division and remainder need non-negative operands, a divisor other than zero, and compile-time known values. The
    /// target implements division by powers of two as shifts and masks.
    fn check_division(&mut self, left: &Expr, right: &Expr) -> bool {
        for operand in [left, right] {
            if operand.as_int().is_some_and(|v| *v < BigInt::from(0)) {
                self.error(
                    codes::BAD_ARITHMETIC,
                    operand.span,
                    "division and remainder are not defined for negative numbers",
                );
                return false;
            }
        }
        let divisor = right.as_int();
        if divisor.is_some_and(|d| *d == BigInt::from(0)) {
            self.error(codes::BAD_ARITHMETIC, right.span, "division by zero");
            return false;
        }
        let shifts = left.as_int().is_some_and(|v| *v == BigInt::from(0))
            || divisor.is_some_and(|d| (d & (d - 1)) == BigInt::from(0));
        let known = self.is_known(left) && self.is_known(right);
        if !shifts && !known {
            let operand = if divisor.is_some() { left } else { right };
            let message = "division of run-time values is not supported";
            self.deferred.push(
                Diagnostic::error(codes::NOT_CONSTANT, operand.span, message)
                    .label("not known at compile time")
                    .note("run-time values can be divided only by constant powers of two"),
            );
        }
        true
    }

    /// Reports the deferred error about a quotient where the variable that holds it is read.
    pub(super) fn record_quotient(&mut self, var: VarId, span: Span) {
        let Some(position) = self.quotients.remove(&var) else { return };
        if let Some(diagnostic) = self.deferred.get_mut(position) {
            let computed = std::mem::replace(&mut diagnostic.primary.span, span);
            diagnostic
                .secondary
                .push(crate::diagnostic::Label { span: computed, text: "quotient computed here".into() });
        }
    }

    fn folded(&mut self, result: Result<BigInt, constant::ArithmeticError>, ty: Type, span: Span) -> Expr {
        match result {
            Ok(value) if ty == Type::Bool => {
                Expr { kind: ExprKind::Bool(value != BigInt::from(0)), ty, span }
            }
            Ok(value) => Expr { kind: ExprKind::Int(value), ty, span },
            Err(error) => {
                self.error(codes::BAD_ARITHMETIC, span, error.to_string());
                Expr { kind: ExprKind::Bad, ty, span }
            }
        }
    }

    fn shift(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = (self.as_representation(left), self.as_representation(right));
        let left_fine = left.ty == Type::Int || left.ty.fixed_width().is_some();
        let right_fine = match &right.ty {
            Type::Bit(_) => true,
            Type::Int | Type::Signed(_) => right.as_int().is_some() || right.ty == Type::Int,
            _ => false,
        };
        if !left_fine || !right_fine {
            return self.bad_operands(op, &left, &right, span);
        }
        if right.as_int().is_some_and(|d| *d < BigInt::from(0)) {
            self.error(codes::BAD_ARITHMETIC, right.span, "the shift amount must not be negative");
            return Expr { kind: ExprKind::Bad, ty: left.ty, span };
        }
        let ty = left.ty.clone();
        if let (Some(width), Some(distance)) = (ty.fixed_width(), right.as_int())
            && *distance >= BigInt::from(width)
        {
            let message = format!("shift amount {distance} is not less than the width of {width} bits");
            self.warn(codes::TRUNCATED, span, message);
        }
        if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
            return self.folded(constant::binary(op, a, b, &ty), ty.clone(), span);
        }
        if ty == Type::Int && right.ty != Type::Int {
            let message = "the shifted number needs a width";
            let value = left.as_int().map_or_else(|| "1".to_owned(), ToString::to_string);
            self.report(
                Diagnostic::error(codes::CANNOT_INFER, left.span, message)
                    .label("has no width")
                    .help(format!("write its width, for example `32w{value}`")),
            );
            return Expr::bad(span);
        }
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
    }

    fn concat(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = (self.as_representation(left), self.as_representation(right));
        if let (ExprKind::Str(a), ExprKind::Str(b)) = (&left.kind, &right.kind) {
            if a.len() + b.len() > MAX_TEXT {
                let message = format!("string is longer than {MAX_TEXT} bytes");
                self.error(codes::TOO_LARGE, span, message);
                return Expr::bad(span);
            }
            return Expr { kind: ExprKind::Str(format!("{a}{b}").into()), ty: Type::Str, span };
        }
        let (Some(a), Some(b)) = (left.ty.fixed_width(), right.ty.fixed_width()) else {
            return self.bad_operands(BinaryOp::Concat, &left, &right, span);
        };
        let width = a.saturating_add(b);
        if width > MAX_WIDTH {
            let message = format!("the result has {width} bits, more than the maximum of {MAX_WIDTH}");
            self.error(codes::BAD_WIDTH, span, message);
            return Expr::bad(span);
        }
        let ty = if matches!(left.ty, Type::Signed(_)) { Type::Signed(width) } else { Type::Bit(width) };
        if let (Some(x), Some(y)) = (left.as_int(), right.as_int()) {
            let value = constant::concat(x, y, b, &ty);
            return Expr { kind: ExprKind::Int(value), ty, span };
        }
        Expr { kind: ExprKind::Binary(BinaryOp::Concat, Box::new(left), Box::new(right)), ty, span }
    }

    fn equality(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let untyped = |e: &Expr| matches!(e.ty, Type::Seq(_) | Type::Record(_) | Type::Untyped);
        let (left, right) = match (untyped(&left), untyped(&right)) {
            (true, false) => {
                let ty = right.ty.clone();
                (self.coerce(left, &ty), right)
            }
            (false, true) => {
                let ty = left.ty.clone();
                let right = self.coerce(right, &ty);
                (left, right)
            }
            (true, true) => {
                let (left, right) = (self.settle(left), self.settle(right));
                if matches!((&left.ty, &right.ty), (Type::Record(_), Type::Record(_))) {
                    self.report(
                        Diagnostic::error(
                            codes::CANNOT_INFER,
                            span,
                            "cannot infer the struct type of these operands",
                        )
                        .help("cast one of them: `(struct_type) {name = value}`"),
                    );
                    return Expr { kind: ExprKind::Bad, ty: Type::Bool, span };
                }
                let ty = left.ty.clone();
                let right = self.coerce(right, &ty);
                (left, right)
            }
            _ => self.balance(left, right),
        };
        if left.ty.is_bad() || right.ty.is_bad() {
            return Expr { kind: ExprKind::Bad, ty: Type::Bool, span };
        }
        let comparable = |ty: &Type| {
            !matches!(
                ty,
                Type::Void
                    | Type::Extern(..)
                    | Type::Parser(..)
                    | Type::Control(..)
                    | Type::Arch(..)
                    | Type::Package(..)
                    | Type::ApplyResult(_)
                    | Type::Untyped
                    | Type::Param(_)
            )
        };
        if !self.unify(&left.ty, &right.ty) || !comparable(&left.ty) {
            return self.bad_operands(op, &left, &right, span);
        }
        let equal = known_equal(&left, &right);
        let kind = match equal {
            Some(equal) => ExprKind::Bool(equal == (op == BinaryOp::Eq)),
            None => ExprKind::Binary(op, Box::new(left), Box::new(right)),
        };
        Expr { kind, ty: Type::Bool, span }
    }

    pub(super) fn mux(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let condition = self.expr_as(condition, &Type::Bool);
        let then = self.expr(then, want);
        let otherwise = self.expr(otherwise, want);
        let (mut then, mut otherwise) = self.balance(then, otherwise);
        if let Some(want) = want.filter(|w| !matches!(w, Type::Var(_))) {
            let untyped = |e: &Expr| matches!(e.ty, Type::Seq(_) | Type::Record(_) | Type::Untyped);
            let literal = |e: &Expr| e.ty == Type::Int;
            if untyped(&then) || (literal(&then) && literal(&otherwise)) {
                then = self.coerce(then, want);
            }
            if untyped(&otherwise) || literal(&otherwise) {
                otherwise = self.coerce(otherwise, want);
            }
        }
        if then.ty == Type::Int && otherwise.ty == Type::Int && !matches!(condition.kind, ExprKind::Bool(_)) {
            let message = "the operands of `?:` need a width";
            self.error(codes::CANNOT_INFER, span, message);
            return Expr::bad(span);
        }
        if !self.unify(&then.ty, &otherwise.ty) {
            let (a, b) = (self.show(&then.ty), self.show(&otherwise.ty));
            self.report(
                Diagnostic::error(codes::BAD_OPERANDS, span, "the branches of `?:` have different types")
                    .also(then.span, format!("`{a}`"))
                    .also(otherwise.span, format!("`{b}`")),
            );
            return Expr::bad(span);
        }
        if let ExprKind::Bool(value) = condition.kind {
            return if value { then } else { otherwise };
        }
        let ty = self.zonk(&then.ty);
        Expr { kind: ExprKind::Mux(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span }
    }
}

/// Returns whether two values are equal, if both are known.
fn known_equal(left: &Expr, right: &Expr) -> Option<bool> {
    match (&left.kind, &right.kind) {
        (ExprKind::Bool(a), ExprKind::Bool(b)) => Some(a == b),
        (ExprKind::Int(a), ExprKind::Int(b)) => Some(a == b),
        (ExprKind::Str(a), ExprKind::Str(b)) => Some(a == b),
        (ExprKind::Items(a), ExprKind::Items(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_fold(true, |same, (a, b)| Some(known_equal(a, b)? && same))
        }
        _ => None,
    }
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Plus => "+",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    use BinaryOp as B;
    match op {
        B::Add => "+",
        B::Sub => "-",
        B::Mul => "*",
        B::Div => "/",
        B::Mod => "%",
        B::AddSat => "|+|",
        B::SubSat => "|-|",
        B::Shl => "<<",
        B::Shr => ">>",
        B::And => "&&",
        B::Or => "||",
        B::BitAnd => "&",
        B::BitOr => "|",
        B::BitXor => "^",
        B::Concat => "++",
        B::Eq => "==",
        B::Ne => "!=",
        B::Lt => "<",
        B::Le => "<=",
        B::Gt => ">",
        B::Ge => ">=",
    }
}
