//! Statements.

use num_bigint::BigInt;

use super::lvalue::LValue;
use super::value::Val;
use super::{Binding, Lowerer, build};
use crate::hir::{self, Expr, StmtKind, SwitchCase, Type};
use crate::ir::{self, Pattern, ScalarKind, Stmt};
use crate::source::Span;
use crate::syntax::ast::BinaryOp;

/// The maximum number of iterations of an unrolled loop.
const MAX_UNROLLED: u64 = 4096;

impl Lowerer<'_> {
    pub(super) fn stmts(&mut self, stmts: &[hir::Stmt]) {
        for stmt in stmts {
            if self.limit_exceeded() {
                return;
            }
            self.stmt(stmt);
            let leaves = matches!(
                stmt.kind,
                StmtKind::Return(_) | StmtKind::Exit | StmtKind::Break | StmtKind::Continue
            );
            // The following statements are unreachable; tables applied only there are not visible to the control plane.
            if leaves {
                break;
            }
        }
    }

    fn stmt(&mut self, stmt: &hir::Stmt) {
        let span = stmt.span;
        self.at = span;
        match &stmt.kind {
            StmtKind::Block(inner) => self.stmts(inner),
            StmtKind::Var(id, init) => self.declare(*id, init.as_ref(), span),
            StmtKind::Assign(target, value) => self.assignment(target, value, span),
            StmtKind::Update(target, op, value) => self.update(target, *op, value, span),
            StmtKind::Call(call) => {
                self.eval(call);
            }
            StmtKind::If(condition, then, otherwise) => self.if_stmt(condition, then, otherwise),
            StmtKind::Switch(key, cases) => self.switch_stmt(key, cases),
            StmtKind::SwitchAction(table, cases, default) => {
                let run = self.temporary("action_run", ScalarKind::Unsigned(32));
                self.apply_table(*table, None, Some(run), span);
                let key = self.scalar(run);
                let cases = cases
                    .iter()
                    .map(|(positions, body)| {
                        let patterns = positions
                            .iter()
                            .map(|p| Pattern::Value(build::bits(&BigInt::from(*p), 32)))
                            .collect();
                        (patterns, self.collect(|l| l.stmts(body)))
                    })
                    .collect();
                let default = self.collect(|l| l.stmts(default));
                self.emit(Stmt::Switch { key, cases, default });
            }
            StmtKind::For { init, condition, update, body } => {
                self.stmts(init);
                self.while_loop(condition, body, update);
            }
            StmtKind::ForRange { var, low, high, body } => self.for_range(*var, low, high, body, span),
            StmtKind::ForEach { var, over, body } => self.for_each(*var, over, body, span),
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), span),
            StmtKind::Exit => self.exit(),
            StmtKind::Break => self.emit(Stmt::Break),
            StmtKind::Continue => self.emit(Stmt::Continue),
        }
    }

    /// Allocates a variable, with its headers invalid.
    pub(super) fn declare(&mut self, id: hir::VarId, init: Option<&Expr>, span: Span) {
        let Some(var) = self.module.vars.get(id.index()) else { return };
        let (ty, name) = (var.ty.clone(), var.name.clone());
        // The initialiser may refer to a shadowed variable, but not to this one.
        let value = init.map(|init| self.eval(init));
        let lvalue = self.allocate(&ty, &name);
        match value {
            Some(value) => self.assign(&lvalue, value, &ty, span),
            None => self.reset_headers(&lvalue),
        }
        self.env.vars.insert(id, Binding::LValue(lvalue));
    }

    fn assignment(&mut self, target: &Expr, value: &Expr, span: Span) {
        let Some(lvalue) = self.lvalue_of(target) else {
            self.eval(value);
            self.unsupported(target.span, "expression is not an l-value");
            return;
        };
        let mark = self.out.len();
        let value = self.eval(value);
        let lvalue = if self.out.len() > mark { self.fix_lvalue(lvalue, mark) } else { lvalue };
        self.assign(&lvalue, value, &target.ty, span);
    }

    /// Returns the l-value as it was before the statements from `mark` on: run-time indices are saved.
    pub(super) fn fix_lvalue(&mut self, lvalue: LValue, mark: usize) -> LValue {
        let later = self.out.split_off(mark.min(self.out.len()));
        let lvalue = self.save_index(lvalue);
        self.out.extend(later);
        lvalue
    }

    fn save_index(&mut self, lvalue: LValue) -> LValue {
        use crate::ir::HeaderRef;
        match lvalue {
            LValue::StackField { stack, index, member, field, kind } => {
                LValue::StackField { stack, index: self.save(index), member, field, kind }
            }
            LValue::Slice(of, high, low) => LValue::Slice(Box::new(self.save_index(*of)), high, low),
            LValue::PlusSlice(of, low, width) => {
                LValue::PlusSlice(Box::new(self.save_index(*of)), self.save(low), width)
            }
            LValue::Struct(parts) => LValue::Struct(parts.into_iter().map(|p| self.save_index(p)).collect()),
            LValue::Header(HeaderRef::Element { stack, index, member }) => {
                LValue::Header(HeaderRef::Element { stack, index: Box::new(self.save(*index)), member })
            }
            LValue::UnionElement { stack, index } => LValue::UnionElement { stack, index: self.save(index) },
            other => other,
        }
    }

    pub(super) fn save(&mut self, index: ir::Expr) -> ir::Expr {
        if build::is_const(&index) {
            return index;
        }
        let copy = self.temporary("index", index.ty);
        self.emit(Stmt::Assign(copy, index));
        self.scalar(copy)
    }

    /// Lowers `target op= value`: the index of the target is evaluated once.
    fn update(&mut self, target: &Expr, op: BinaryOp, value: &Expr, span: Span) {
        let Some(lvalue) = self.lvalue_of(target) else {
            self.unsupported(target.span, "expression is not an l-value");
            return;
        };
        let mark = self.out.len();
        let value = self.eval(value);
        let (mut old, mut lvalue) = (self.load(&lvalue), lvalue);
        if self.out.len() > mark {
            old = self.spill(old, &target.ty, mark, span);
            lvalue = self.fix_lvalue(lvalue, mark);
        }
        let kind = self.scalar_kind(&target.ty).unwrap_or(ScalarKind::Unsigned(32));
        let (Some(old), Some(value)) = (self.as_scalar(old, kind), self.as_scalar(value, kind)) else {
            self.unsupported(span, "operator is not supported for these operands");
            return;
        };
        let new = match op {
            BinaryOp::Div | BinaryOp::Mod => self.divide(op, old, value, span),
            _ => build::binary(build::from_ast(op), old, value),
        };
        self.assign(&lvalue, Val::Scalar(new), &target.ty, span);
    }

    fn if_stmt(&mut self, condition: &Expr, then: &[hir::Stmt], otherwise: &[hir::Stmt]) {
        let condition = self.eval_scalar(condition);
        if let Some(known) = build::value_of(&condition) {
            let taken = if known == BigInt::from(0) { otherwise } else { then };
            self.stmts(taken);
            return;
        }
        if self.parser.is_some() && (super::parser::applies(then) || super::parser::applies(otherwise)) {
            self.branch_states(condition, then, otherwise);
            return;
        }
        let then = self.collect(|l| l.stmts(then));
        let otherwise = self.collect(|l| l.stmts(otherwise));
        self.emit(Stmt::If { condition, then, otherwise });
    }

    fn switch_stmt(&mut self, key: &Expr, cases: &[SwitchCase]) {
        let key_value = self.eval_scalar(key);
        let mut out = Vec::new();
        let mut default = Vec::new();
        for case in cases {
            let mut patterns = Vec::new();
            for label in &case.labels {
                match self.eval_number(label) {
                    Some(value) => {
                        patterns.push(Pattern::Value(build::bits(&value, key_value.ty.width())));
                    }
                    None => self.unsupported(label.span, "the label of a `switch` must be a constant"),
                }
            }
            let body = self.collect(|l| l.stmts(&case.body));
            if case.labels.is_empty() {
                default = body;
            } else {
                out.push((patterns, body));
            }
        }
        self.emit(Stmt::Switch { key: key_value, cases: out, default });
    }

    // --- loops ---

    fn while_loop(&mut self, condition: &Expr, body: &[hir::Stmt], update: &[hir::Stmt]) {
        let mut value = build::truth(true);
        let effects = self.collect(|l| value = l.eval_scalar(condition));
        let lowered = self.collect(|l| l.stmts(body));
        let update = self.collect(|l| l.stmts(update));
        if effects.is_empty() {
            self.emit(Stmt::While { condition: value, body: lowered, update });
            return;
        }
        let mut whole = effects;
        let leave = vec![Stmt::Break];
        whole.push(Stmt::If { condition: value, then: Vec::new(), otherwise: leave });
        whole.extend(lowered);
        self.emit(Stmt::While { condition: build::truth(true), body: whole, update });
    }

    /// Lowers `for (T x in low..high)`. The range is inclusive, so the counter must not be incremented beyond the type.
    fn for_range(&mut self, var: hir::VarId, low: &Expr, high: &Expr, body: &[hir::Stmt], span: Span) {
        let ty = low.ty.clone();
        let Some(kind) = self.scalar_kind(&ty) else {
            self.for_constants(var, low, high, body, span);
            return;
        };
        let bounds = self.eval_scalars(&[low, high]);
        let [low, high] = bounds.as_slice() else { return };
        let name = self.module.vars.get(var.index()).map_or("i", |v| &*v.name).to_owned();
        let counter = self.new_scalar(name, kind);
        let last = self.temporary("last", kind);
        let go = self.temporary("go", ScalarKind::Unsigned(1));
        self.emit(Stmt::Assign(counter, low.clone()));
        self.emit(Stmt::Assign(last, high.clone()));
        let (at, end) = (self.scalar(counter), self.scalar(last));
        self.emit(Stmt::Assign(go, build::binary(ir::BinaryOp::LessEqual, at.clone(), end.clone())));
        // The body may modify its own copy, but not the counter.
        let lvalue = self.allocate(&ty, "$turn");
        self.env.vars.insert(var, Binding::LValue(lvalue.clone()));
        let body = self.collect(|l| {
            l.assign(&lvalue, Val::Scalar(at.clone()), &ty, span);
            l.stmts(body);
        });
        let one = build::number(&1.into(), kind);
        let update = vec![
            Stmt::Assign(go, build::binary(ir::BinaryOp::NotEqual, at.clone(), end)),
            Stmt::Assign(counter, build::binary(ir::BinaryOp::Add, at, one)),
        ];
        let condition = self.scalar(go);
        self.emit(Stmt::While { condition, body, update });
    }

    /// Unrolls a loop over arbitrary-precision integers.
    fn for_constants(&mut self, var: hir::VarId, low: &Expr, high: &Expr, body: &[hir::Stmt], span: Span) {
        let (Some(low), Some(high)) = (self.eval_number(low), self.eval_number(high)) else {
            self.unsupported(span, "the bounds of this loop must be constants");
            return;
        };
        let mut values = Vec::new();
        let mut at = low;
        while at <= high {
            if values.len() as u64 >= MAX_UNROLLED {
                self.unsupported(span, "loop has too many iterations to be unrolled");
                return;
            }
            values.push(Binding::Value(Val::Int(at.clone())));
            at += 1;
        }
        self.unroll(var, values, body);
    }

    /// Lowers `for (T x in stack)`: one iteration for each element. All elements are copied before the first iteration,
    /// and the body may modify the copies.
    fn for_each(&mut self, var: hir::VarId, over: &Expr, body: &[hir::Stmt], span: Span) {
        let ty = match self.ty(&over.ty) {
            Type::Stack(of, _) | Type::List(of) => (*of).clone(),
            _ => return,
        };
        let value = self.eval(over);
        let parts = self.parts(&value);
        let mut values = Vec::new();
        for part in parts {
            values.push(match part {
                Val::Int(_) | Val::Str(_) | Val::Object(_) | Val::Void | Val::List(_) => Binding::Value(part),
                part => {
                    let lvalue = self.allocate(&ty, "$turn");
                    self.assign(&lvalue, part, &ty, span);
                    Binding::LValue(lvalue)
                }
            });
        }
        self.unroll(var, values, body);
    }

    /// Emits the body once for each value, each time in a loop of one iteration, so that `break` and `continue` work.
    fn unroll(&mut self, var: hir::VarId, values: Vec<Binding>, body: &[hir::Stmt]) {
        let broken = self.temporary("stop", ScalarKind::Unsigned(1));
        self.emit(Stmt::Assign(broken, build::truth(false)));
        for value in values {
            self.env.vars.insert(var, value);
            let mut turn = vec![Stmt::Assign(broken, build::truth(true))];
            turn.extend(self.collect(|l| l.stmts(body)));
            // `continue` and the end of the body arrive here, `break` does not.
            let ending = self.temporary("turn", ScalarKind::Unsigned(1));
            self.emit(Stmt::Assign(ending, build::not(self.scalar(broken))));
            let update =
                vec![Stmt::Assign(broken, build::truth(false)), Stmt::Assign(ending, build::truth(false))];
            let condition = self.scalar(ending);
            self.emit(Stmt::While { condition, body: turn, update });
        }
    }

    fn return_stmt(&mut self, value: Option<&Expr>, span: Span) {
        if let Some(value) = value {
            let result = self.eval(value);
            if let Some(Some(lvalue)) = self.results.last().cloned() {
                self.assign(&lvalue, result, &value.ty, span);
            }
        }
        self.emit(Stmt::Return);
    }

    /// Emits statements that `return` leaves.
    pub(super) fn scope(&mut self, mut stmts: Vec<Stmt>) {
        if stmts.last() == Some(&Stmt::Return) {
            stmts.pop();
        }
        if super::exit::returns(&stmts) {
            self.emit(Stmt::Scope(stmts));
        } else {
            for stmt in stmts {
                self.emit(stmt);
            }
        }
    }
}
