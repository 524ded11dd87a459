//! Expressions other than operators and calls.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use super::{Checker, Enclosing, Entity, TypeEntity};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Expr, ExprKind, Type, VarId, VarKind};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{self, AggregateKind, ExprKind as Ast, Ident, Path};

impl Checker<'_> {
    /// Checks an expression. `want` is a hint for expressions without a type of their own.
    pub(super) fn expr(&mut self, expr: &ast::Expr, want: Option<&Type>) -> Expr {
        let span = expr.span;
        let make = |kind, ty| Expr { kind, ty, span };
        if !self.spend(1, span) {
            return Expr::bad(span);
        }
        match &expr.kind {
            Ast::Bad => Expr::bad(span),
            Ast::Bool(value) => make(ExprKind::Bool(*value), Type::Bool),
            Ast::Str(text) => make(ExprKind::Str(text.clone()), Type::Str),
            Ast::Int(literal) => self.literal_expr(literal, span),
            Ast::Name(path) => self.name_expr(path, span),
            Ast::Type(ty) => {
                let message = "expected a value, found a type";
                self.ty(ty);
                self.error(codes::NOT_A_VALUE, span, message);
                Expr::bad(span)
            }
            Ast::This => {
                if let Some((object, ty)) = self.context.this.clone() {
                    return make(ExprKind::Var(object), ty);
                }
                self.error(codes::UNSUPPORTED, span, "`this` is allowed only in abstract methods");
                Expr::bad(span)
            }
            Ast::Member(base, member) => self.member(base, member, span),
            Ast::Index(base, index) => self.index(base, index, span),
            Ast::Slice(base, high, low) => self.slice(base, high, low, span),
            Ast::PlusSlice(base, low, width) => self.plus_slice(base, low, width, span),
            Ast::Unary(op, operand) => self.unary(*op, operand, want, span),
            Ast::Binary(op, left, right) => self.binary(*op, left, right, want, span),
            Ast::Mux(condition, then, otherwise) => self.mux(condition, then, otherwise, want, span),
            Ast::Cast(ty, operand) => {
                let to = self.ty(ty);
                let value = self.expr(operand, Some(&to));
                self.cast(value, &to, span)
            }
            Ast::Call { callee, type_args, args } => self.call(callee, type_args, args, want, span),
            Ast::List { items, dots } => self.list(items, *dots, want, span),
            Ast::Record { fields, dots } => self.record_expr(fields, *dots, want, span),
            Ast::InvalidHeader => make(ExprKind::Invalid, Type::Untyped),
            Ast::Dots => make(ExprKind::Default, Type::Untyped),
            Ast::DontCare | Ast::Default | Ast::Mask(..) | Ast::Range(..) => {
                self.error(codes::NOT_A_VALUE, span, "expected a value, found a key set");
                Expr::bad(span)
            }
        }
    }

    fn literal_expr(&mut self, literal: &crate::lex::IntLiteral, span: Span) -> Expr {
        let value = literal.value.clone();
        let Some((width, signed)) = literal.width else {
            return Expr { kind: ExprKind::Int(value), ty: Type::Int, span };
        };
        if signed && width == 0 {
            self.error(codes::BAD_WIDTH, span, "a signed number must have at least one bit");
            return Expr::bad(span);
        }
        let ty = if signed { Type::Signed(width) } else { Type::Bit(width) };
        let number = Expr { kind: ExprKind::Int(value), ty: Type::Int, span };
        self.coerce(number, &ty)
    }

    fn name_expr(&mut self, path: &Path, span: Span) -> Expr {
        match self.lookup(path) {
            None => Expr::bad(span),
            Some(Entity::Var(id)) => {
                self.record_quotient(id, span);
                self.var_expr(id, span)
            }
            Some(Entity::MatchKind(number)) => {
                Expr { kind: ExprKind::Int(number.into()), ty: Type::MatchKind, span }
            }
            Some(entity) => {
                let what = match entity {
                    Entity::Type(_) => "type",
                    Entity::Functions(_) => "function",
                    Entity::Action(_) => "action",
                    _ => "table",
                };
                let message = format!("expected a value, found {what} `{}`", path.ident.name);
                self.error(codes::NOT_A_VALUE, span, message);
                Expr::bad(span)
            }
        }
    }

    /// Returns a variable, or the value of a constant.
    pub(super) fn var_expr(&self, id: VarId, span: Span) -> Expr {
        match self.module.vars.get(id.index()) {
            None => Expr::bad(span),
            Some(var) => match &var.kind {
                // An erroneous initial value was reported at the declaration.
                VarKind::Const(value) if value.kind == ExprKind::Bad => Expr::bad(span),
                VarKind::Const(value) if value.is_const() => Expr { span, ..(**value).clone() },
                _ => Expr { kind: ExprKind::Var(id), ty: var.ty.clone(), span },
            },
        }
    }

    fn member(&mut self, base: &ast::Expr, member: &Ident, span: Span) -> Expr {
        if let Some(ty) = self.as_type(base) {
            return self.type_member(&ty, member, span);
        }
        let base = self.expr(base, None);
        let ty = self.zonk(&base.ty);
        if ty.is_bad() {
            return Expr::bad(span);
        }
        if let Type::ApplyResult(table) = ty {
            let kind = match &*member.name {
                "hit" => ExprKind::Hit(table),
                "miss" => ExprKind::Miss(table),
                "action_run" => {
                    let message = "`action_run` is allowed only as the expression of a `switch`";
                    self.error(codes::BAD_SWITCH, span, message);
                    return Expr::bad(span);
                }
                _ => return self.no_member(&ty, member, &["hit", "miss", "action_run"]),
            };
            return Expr { kind, ty: Type::Bool, span };
        }
        if self.module.is_array(&ty) {
            return self.no_member(&ty, member, &[]);
        }
        if let Type::Stack(of, size) = &ty {
            return self.stack_member(base.clone(), of, *size, member, span);
        }
        let fields = match &ty {
            Type::Aggregate(..) | Type::Record(_) => self.module.fields(&ty).unwrap_or_default(),
            _ => Vec::new(),
        };
        if !self.spend(fields.len() / 16, span) {
            return Expr::bad(span);
        }
        let Some(position) = fields.iter().position(|(name, _)| *name == member.name) else {
            let names: Vec<&str> = fields.iter().map(|(n, _)| &**n).collect();
            return self.no_member(&ty, member, &names);
        };
        let field_ty = fields[position].1.clone();
        if let ExprKind::Items(items) = &base.kind
            && let Some(item) = items.get(position)
            && base.is_const()
        {
            return Expr { span, ..item.clone() };
        }
        Expr { kind: ExprKind::Field(Box::new(base), position), ty: field_ty, span }
    }

    pub(super) fn no_member(&mut self, ty: &Type, member: &Ident, names: &[&str]) -> Expr {
        let message = format!("no member `{1}` in type `{0}`", self.show(ty), member.name);
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_MEMBER, member.span, message).label("unknown member");
        if let Some(near) = self.closest(&member.name, names.iter().copied()) {
            diagnostic = diagnostic.suggest("a member with a similar name exists", member.span, near);
        } else if !names.is_empty() && names.len() <= 12 {
            diagnostic = diagnostic.note(format!("available members: {}", names.join(", ")));
        }
        let diagnostic = self.hint_at_packet(diagnostic, &member.name);
        self.report(diagnostic);
        Expr::bad(member.span)
    }

    fn stack_member(&mut self, base: Expr, of: &Type, size: u32, member: &Ident, span: Span) -> Expr {
        let ty = base.ty.clone();
        let base = Box::new(base);
        let (kind, ty) = match &*member.name {
            "size" => (ExprKind::Int(size.into()), Type::Bit(32)),
            "next" => (ExprKind::Next(base), of.clone()),
            "last" => (ExprKind::Last(base), of.clone()),
            "lastIndex" => (ExprKind::LastIndex(base), Type::Bit(32)),
            _ => return self.no_member(&ty, member, &["size", "next", "last", "lastIndex"]),
        };
        let in_parser = matches!(
            self.context.enclosing,
            Enclosing::State | Enclosing::Function | Enclosing::ParserLocals
        );
        if !in_parser && &*member.name != "size" {
            let message = format!("`{}` of a stack is available only in parsers", member.name);
            self.error(codes::BAD_INDEX, span, message);
        }
        Expr { kind, ty, span }
    }

    /// Returns the type that an expression names, if it names one.
    pub(super) fn as_type(&mut self, expr: &ast::Expr) -> Option<Type> {
        match &expr.kind {
            Ast::Type(ty) => Some(self.constructed_type(ty)),
            Ast::Name(path) => {
                let found = if path.global {
                    self.scopes[0].get(&path.ident.name)
                } else {
                    self.find(&path.ident.name)
                };
                let super::Declared { entity, span } = found.cloned()?;
                let ty = match entity {
                    Entity::Type(TypeEntity::Plain(ty) | TypeEntity::Generic(ty, _)) => ty,
                    Entity::Type(TypeEntity::Param(id)) => Type::Param(id),
                    _ => return None,
                };
                self.usage.mark(span);
                Some(ty)
            }
            _ => None,
        }
    }

    /// Checks `Enum.member` and `error.Member`.
    fn type_member(&mut self, ty: &Type, member: &Ident, span: Span) -> Expr {
        match ty {
            Type::Bad => Expr::bad(span),
            Type::Error => match self.error_index.get(&member.name) {
                Some(index) => Expr { kind: ExprKind::Int((*index).into()), ty: Type::Error, span },
                None => {
                    let names: Vec<Name> = self.module.errors.clone();
                    let names: Vec<&str> = names.iter().map(|n| &**n).collect();
                    self.no_member(ty, member, &names)
                }
            },
            Type::MatchKind => {
                let index = self.module.match_kinds.iter().position(|n| *n == member.name);
                match index {
                    Some(index) => Expr { kind: ExprKind::Int(index.into()), ty: ty.clone(), span },
                    None => self.no_member(ty, member, &[]),
                }
            }
            Type::Enum(id) => {
                let members =
                    self.module.enums.get(id.index()).map(|e| e.members.clone()).unwrap_or_default();
                match members.iter().find(|(n, _)| *n == member.name) {
                    Some((_, value)) => Expr { kind: ExprKind::Int(value.clone()), ty: ty.clone(), span },
                    None => {
                        let names: Vec<&str> = members.iter().map(|(n, _)| &**n).collect();
                        self.no_member(ty, member, &names)
                    }
                }
            }
            _ => self.no_member(ty, member, &[]),
        }
    }

    fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        let base = self.settle(base);
        let index_value = self.expr(index, None);
        let index_value = self.as_representation(index_value);
        let base_ty = self.zonk(&base.ty);
        if base_ty.is_bad() || index_value.ty.is_bad() {
            return Expr::bad(span);
        }
        if !matches!(index_value.ty, Type::Int | Type::Bit(_) | Type::Signed(_)) {
            let message = format!("an index must be a number, found `{}`", self.show(&index_value.ty));
            self.error(codes::BAD_INDEX, index.span, message);
            return Expr::bad(span);
        }
        let known = index_value.as_int().cloned();
        let count = match &base_ty {
            Type::Stack(_, size) => *size as usize,
            Type::Tuple(items) => items.len(),
            _ => {
                let message = format!("cannot index into a value of type `{}`", self.show(&base_ty));
                self.error(codes::BAD_INDEX, base.span, message);
                return Expr::bad(span);
            }
        };
        if let Some(known) = &known
            && known.to_usize().is_none_or(|i| i >= count)
        {
            let message = format!("index {known} is out of bounds: there are {count} elements");
            self.error(codes::BAD_INDEX, index.span, message);
            return Expr::bad(span);
        }
        match &base_ty {
            Type::Stack(of, _)
                if known.is_none()
                    && self.context.enclosing == Enclosing::State
                    && self.module.is_union(of)
                    && !self.is_known(&index_value) =>
            {
                let message = "the index into a stack of header unions must be a constant";
                self.error(codes::BAD_INDEX, index.span, message);
                Expr::bad(span)
            }
            Type::Stack(of, _) => {
                let ty = (**of).clone();
                if let (ExprKind::Items(values), Some(position)) =
                    (&base.kind, known.as_ref().and_then(|k| k.to_usize()))
                    && let Some(value) = values.get(position).filter(|_| base.is_const())
                {
                    return Expr { span, ..value.clone() };
                }
                Expr { kind: ExprKind::Index(Box::new(base), Box::new(index_value)), ty, span }
            }
            Type::Tuple(items) => {
                let position = known.and_then(|k| k.to_usize());
                match position.and_then(|p| items.get(p).map(|ty| (p, ty.clone()))) {
                    Some((p, ty)) => match &base.kind {
                        ExprKind::Items(values) if base.is_const() && p < values.len() => {
                            Expr { span, ..values[p].clone() }
                        }
                        _ => Expr { kind: ExprKind::Field(Box::new(base), p), ty, span },
                    },
                    None => {
                        self.error(
                            codes::NOT_CONSTANT,
                            index.span,
                            "the index into a tuple must be a constant",
                        );
                        Expr::bad(span)
                    }
                }
            }
            _ => Expr::bad(span),
        }
    }

    fn slice(&mut self, base: &ast::Expr, high: &ast::Expr, low: &ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        let high_value = self.constant_int(high, "the bound of a slice");
        let low_value = self.constant_int(low, "the bound of a slice");
        let (Some(high), Some(low)) = (high_value, low_value) else { return Expr::bad(span) };
        self.make_slice(base, &high, &low, span)
    }

    fn plus_slice(&mut self, base: &ast::Expr, low: &ast::Expr, width: &ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        let low = self.expr(low, None);
        let low = self.as_representation(low);
        let width = self.constant_int(width, "the width of a slice");
        let Some(width) = width else { return Expr::bad(span) };
        if let Some(low) = low.as_int() {
            return self.make_slice(base, &(low + &width - 1), low, span);
        }
        let base = self.as_representation(base);
        let ty = self.zonk(&base.ty);
        if ty.is_bad() || low.ty.is_bad() {
            return Expr::bad(span);
        }
        if !matches!(low.ty, Type::Bit(_)) {
            let message =
                format!("the lowest bit of a slice must be unsigned, found `{}`", self.show(&low.ty));
            self.error(codes::BAD_SLICE, low.span, message);
            return Expr::bad(span);
        }
        let Some(limit) = ty.fixed_width() else {
            let message = format!("cannot slice a value of type `{}`", self.show(&ty));
            self.error(codes::BAD_SLICE, span, message);
            return Expr::bad(span);
        };
        let Some(count) = width.to_u32().filter(|w| (1..=limit).contains(w)) else {
            let message = format!("a slice of {width} bits is out of range for `{}`", self.show(&ty));
            self.error(codes::BAD_SLICE, span, message);
            return Expr::bad(span);
        };
        let kind = ExprKind::PlusSlice(Box::new(base), Box::new(low), count);
        Expr { kind, ty: Type::Bit(count), span }
    }

    fn make_slice(&mut self, base: Expr, high: &BigInt, low: &BigInt, span: Span) -> Expr {
        let base = self.as_representation(base);
        let ty = self.zonk(&base.ty);
        let limit = match &ty {
            Type::Bad => return Expr::bad(span),
            Type::Int if base.as_int().is_some() => u32::MAX,
            _ => match ty.fixed_width() {
                Some(width) => width,
                None => {
                    let message = format!("cannot slice a value of type `{}`", self.show(&ty));
                    self.error(codes::BAD_SLICE, span, message);
                    return Expr::bad(span);
                }
            },
        };
        let (high, low) = match (high.to_u32(), low.to_u32()) {
            (Some(high), Some(low)) if high >= low && high < limit && high - low < (1 << 16) => (high, low),
            _ => {
                let mut diagnostic =
                    Diagnostic::error(codes::BAD_SLICE, span, format!("invalid slice [{high}:{low}]"));
                if high < low {
                    diagnostic = diagnostic.help("write the higher bit first");
                } else {
                    diagnostic = diagnostic.note(format!("the value has type `{}`", self.show(&ty)));
                }
                self.report(diagnostic);
                return Expr::bad(span);
            }
        };
        let result = Type::Bit(high - low + 1);
        if let Some(value) = base.as_int() {
            let value = crate::constant::slice(value, high, low);
            return Expr { kind: ExprKind::Int(value), ty: result, span };
        }
        Expr { kind: ExprKind::Slice(Box::new(base), high, low), ty: result, span }
    }

    fn list(&mut self, items: &[ast::Expr], dots: bool, want: Option<&Type>, span: Span) -> Expr {
        let want = want.map(|w| self.zonk(w));
        let hints: Vec<Option<Type>> = match &want {
            Some(Type::List(of)) => vec![Some((**of).clone()); items.len()],
            Some(Type::Stack(of, _)) => vec![Some((**of).clone()); items.len()],
            Some(ty) => match self.module.fields(ty) {
                Some(fields) => (0..items.len()).map(|i| fields.get(i).map(|(_, t)| t.clone())).collect(),
                None => vec![None; items.len()],
            },
            None => vec![None; items.len()],
        };
        let mut values: Vec<Expr> =
            items.iter().zip(&hints).map(|(item, hint)| self.expr(item, hint.as_ref())).collect();
        if dots {
            values.push(Expr { kind: ExprKind::Default, ty: Type::Untyped, span });
        }
        let types: Rc<[Type]> = values.iter().map(|v| v.ty.clone()).collect();
        Expr { kind: ExprKind::Items(values), ty: Type::Seq(types), span }
    }

    fn record_expr(
        &mut self,
        fields: &[(Ident, ast::Expr)],
        dots: bool,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let hints = want.and_then(|w| self.module.fields(&self.zonk(w))).unwrap_or_default();
        let mut names: Vec<(Name, Type)> = Vec::new();
        let mut values = Vec::new();
        for (name, value) in fields {
            if names.iter().any(|(n, _)| *n == name.name) {
                let message = format!("field `{}` is initialised more than once", name.name);
                self.error(codes::DUPLICATE_NAME, name.span, message);
                continue;
            }
            let hint = hints.iter().find(|(n, _)| *n == name.name).map(|(_, t)| t.clone());
            let value = self.expr(value, hint.as_ref());
            names.push((name.name.clone(), value.ty.clone()));
            values.push(value);
        }
        if dots {
            names.push(("...".into(), Type::Untyped));
            values.push(Expr { kind: ExprKind::Default, ty: Type::Untyped, span });
        }
        Expr { kind: ExprKind::Items(values), ty: Type::Record(names.into()), span }
    }

    // --- constants ---

    /// Evaluates an integer constant expression.
    pub(super) fn constant_int(&mut self, expr: &ast::Expr, what: &str) -> Option<BigInt> {
        let value = self.expr(expr, None);
        let value = self.as_representation(value);
        if value.ty.is_bad() {
            return None;
        }
        if !matches!(value.ty, Type::Int | Type::Bit(_) | Type::Signed(_)) {
            let message = format!("{what} must be a number, found `{}`", self.show(&value.ty));
            self.error(codes::TYPE_MISMATCH, expr.span, message);
            return None;
        }
        match value.as_int() {
            Some(value) => Some(value.clone()),
            None => {
                let message = format!("{what} is not known at compile time");
                self.error(codes::NOT_CONSTANT, expr.span, message);
                None
            }
        }
    }

    /// Converts a serialisable enum to its underlying type.
    pub(super) fn as_representation(&mut self, value: Expr) -> Expr {
        match &value.ty {
            Type::Enum(_) => {
                let repr = self.module.representation(&value.ty);
                if repr == value.ty { value } else { self.coerce(value, &repr) }
            }
            _ => value,
        }
    }

    // --- l-values ---

    /// Checks an expression that is written.
    pub(super) fn lvalue(&mut self, expr: &ast::Expr) -> Expr {
        let value = self.expr(expr, None);
        self.check_lvalue(&value, Some(expr));
        value
    }

    /// Reports an expression that is not an l-value. `written` is the source of the expression, which names constants.
    pub(super) fn check_lvalue(&mut self, value: &Expr, written: Option<&ast::Expr>) {
        match &value.kind {
            ExprKind::Bad => {}
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Slice(base, _, _)
            | ExprKind::PlusSlice(base, _, _) => {
                self.check_lvalue(base, written);
            }
            ExprKind::Next(base) | ExprKind::Last(base) => self.check_lvalue(base, written),
            ExprKind::Var(id) => self.check_assignable(*id, value.span),
            // A constant is its value already.
            _ => match written.and_then(|expr| self.constant_of(expr)) {
                Some(id) => self.check_assignable(id, value.span),
                None => self.error(codes::NOT_ASSIGNABLE, value.span, "expression is not an l-value"),
            },
        }
    }

    /// Reports a variable that cannot be written.
    fn check_assignable(&mut self, id: VarId, span: Span) {
        let Some(var) = self.module.vars.get(id.index()) else { return };
        let why = match &var.kind {
            VarKind::Local => return,
            VarKind::Param(ast::Direction::Out | ast::Direction::InOut) => return,
            VarKind::Param(ast::Direction::In) => "an `in` parameter",
            VarKind::Param(ast::Direction::None) => "a directionless parameter",
            VarKind::Const(_) => "a constant",
            VarKind::ConstructorParam => "a constructor parameter",
            VarKind::Instance | VarKind::ValueSet => "an object",
        };
        let (name, declared) = (var.name.clone(), var.span);
        let message = format!("cannot assign to `{name}`, {why}");
        self.report(
            Diagnostic::error(codes::NOT_ASSIGNABLE, span, message)
                .label("not assignable")
                .also(declared, "declared here"),
        );
    }

    /// Returns the constant that an expression names, or of which it is a field, an element or bits.
    fn constant_of(&self, expr: &ast::Expr) -> Option<VarId> {
        match &expr.kind {
            Ast::Name(path) => {
                let name = &path.ident.name;
                let declared = if path.global { self.scopes[0].get(name) } else { self.find(name) };
                let Entity::Var(id) = &declared?.entity else { return None };
                matches!(self.module.vars.get(id.index())?.kind, VarKind::Const(_)).then_some(*id)
            }
            Ast::Member(base, _)
            | Ast::Index(base, _)
            | Ast::Slice(base, _, _)
            | Ast::PlusSlice(base, _, _) => self.constant_of(base),
            _ => None,
        }
    }

    /// Returns whether a type is a header union.
    pub(super) fn is_union(&self, ty: &Type) -> bool {
        self.module.aggregate_kind(ty) == Some(AggregateKind::Union)
    }
}
