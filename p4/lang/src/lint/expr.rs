//! Expressions: what they read and write.

use super::flow::Flow;
use super::state::Validity;
use super::storage::{Loc, Node};
use crate::diagnostic::codes;
use crate::hir::{Expr, ExprKind, Type};
use crate::syntax::ast::BinaryOp;

impl Flow<'_> {
    /// Returns the locations that an expression denotes; empty if it is not an l-value.
    pub(super) fn locs(&mut self, expr: &Expr) -> Vec<Loc> {
        match &expr.kind {
            ExprKind::Var(id) => self.location(*id).into_iter().collect(),
            ExprKind::Field(base, field) => {
                let base = self.locs(base);
                self.storage.field(&base, *field)
            }
            ExprKind::Index(base, index) => {
                let base = self.locs(base);
                let index = index.as_int().map(|i| usize::try_from(i).unwrap_or(usize::MAX));
                self.storage.elements(&base, index)
            }
            ExprKind::Next(base) | ExprKind::Last(base) => {
                let base = self.locs(base);
                self.storage.elements(&base, None)
            }
            ExprKind::Slice(base, _, _) | ExprKind::PlusSlice(base, _, _) => self.locs(base),
            _ => Vec::new(),
        }
    }

    /// Reads the whole value of an expression.
    pub(super) fn read(&mut self, expr: &Expr) {
        if self.state.dead {
            return;
        }
        self.read_parts(expr);
        let stored = matches!(expr.kind, ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Index(..));
        if stored {
            self.check_written(expr);
        }
    }

    /// Evaluates an expression without reading its own value.
    pub(super) fn read_parts(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Next(_)
            | ExprKind::Last(_) => self.lvalue(expr, false),
            ExprKind::LastIndex(base) => self.lvalue(base, false),
            ExprKind::Slice(of, _, _) | ExprKind::Unary(_, of) | ExprKind::Cast(of) => self.read(of),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.read(a);
                let before = self.state.clone();
                self.read(b);
                self.meet(before);
            }
            ExprKind::Binary(_, a, b) | ExprKind::PlusSlice(a, b, _) => {
                self.read(a);
                self.read(b);
            }
            ExprKind::Mux(condition, a, b) => {
                self.read(condition);
                let before = self.state.clone();
                self.read(a);
                let first = std::mem::replace(&mut self.state, before);
                self.read(b);
                self.meet(first);
            }
            ExprKind::Items(items) => items.iter().for_each(|item| self.read(item)),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Hit(table) | ExprKind::Miss(table) => self.apply_table(*table),
            ExprKind::Construct(_)
            | ExprKind::Bad
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Str(_)
            | ExprKind::Invalid
            | ExprKind::Default => {}
        }
    }

    /// Joins two ways to evaluate an expression: validity checks on either of them count.
    fn meet(&mut self, other: super::state::State) {
        let mut checked = self.state.checked.clone();
        checked.extend(other.checked.iter().copied());
        let state = std::mem::take(&mut self.state);
        self.state = state.join(other);
        self.state.checked = checked;
    }

    /// Checks the parts of an l-value: indices are read, and fields must belong to valid headers.
    pub(super) fn lvalue(&mut self, expr: &Expr, written: bool) {
        match &expr.kind {
            ExprKind::Var(_) => {}
            ExprKind::Field(base, _) => {
                self.lvalue(base, written);
                if self.module.is_header(&base.ty) {
                    self.check_valid(base);
                }
            }
            ExprKind::Index(base, index) => {
                self.lvalue(base, written);
                self.read(index);
            }
            ExprKind::Next(base) => {
                self.lvalue(base, written);
                if !written {
                    let message = format!("`{}` is read before it is extracted", self.text(expr));
                    self.warn("uninitialized", codes::UNINITIALIZED, expr.span, message, "");
                }
            }
            ExprKind::Last(base) => self.lvalue(base, written),
            // The other bits keep their value, so they are read.
            ExprKind::Slice(of, _, _) if written => self.read(of),
            ExprKind::PlusSlice(of, low, _) if written => {
                self.read(of);
                self.read(low);
            }
            _ => self.read_parts(expr),
        }
    }

    /// Marks a target as completely written; an unknown stack index is taken to write the whole stack.
    pub(super) fn write(&mut self, target: &Expr) {
        let locs = self.locs(target);
        self.set_written(&locs, true);
    }

    pub(super) fn text(&self, expr: &Expr) -> String {
        self.sources.text(expr.span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn unwritten(&self, locs: &[Loc]) -> bool {
        let mut scalars = Vec::new();
        locs.iter().for_each(|loc| self.storage.scalars(*loc, true, &mut scalars));
        scalars.iter().any(|scalar| self.state.may_be_unwritten(*scalar))
    }

    fn check_written(&mut self, expr: &Expr) {
        let locs = self.locs(expr);
        if !self.unwritten(&locs) || !locs.iter().any(|loc| self.union_unwritten(*loc)) {
            return;
        }
        const NOTE: &str = "it is not written on every path to this use";
        let text = self.text(expr);
        if let Some(fields) = self.module.fields(&expr.ty).filter(|_| matches!(expr.ty, Type::Aggregate(..)))
        {
            for (index, (name, _)) in fields.iter().enumerate() {
                let field = self.storage.field(&locs, index);
                if self.unwritten(&field) {
                    let message = format!("`{text}.{name}` may be uninitialised");
                    self.warn("uninitialized-use", codes::UNINITIALIZED, expr.span, message, NOTE);
                }
            }
            return;
        }
        let message = match expr.ty {
            Type::Stack(..) | Type::Tuple(_) => format!("`{text}` may not be completely initialised"),
            _ => format!("`{text}` may be uninitialised"),
        };
        self.warn("uninitialized-use", codes::UNINITIALIZED, expr.span, message, NOTE);
    }

    /// A union has a value as soon as one member has one; other types need all parts.
    fn union_unwritten(&self, loc: Loc) -> bool {
        match self.storage.node_at(loc) {
            Node::Union(members) => members.iter().all(|member| self.unwritten(&[*member])),
            Node::Stack(elements) => elements.iter().any(|element| self.union_unwritten(*element)),
            _ => true,
        }
    }

    fn check_valid(&mut self, header: &Expr) {
        let locs = self.locs(header);
        let message = match self.state.validity_of_any(&locs) {
            Validity::Yes => return,
            Validity::Maybe => {
                format!("header `{}` may be invalid when its field is accessed", self.text(header))
            }
            Validity::No => format!("header `{}` is invalid when its field is accessed", self.text(header)),
        };
        const NOTE: &str =
            "reading a field of an invalid header returns an undefined value; writing one has no effect";
        self.warn("invalid-header", codes::INVALID_HEADER, header.span, message, NOTE);
    }
}
