//! Statements.

use super::{Checker, Context, Enclosing, Entity};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Expr, ExprKind, Signature, Stmt, StmtKind, SwitchCase, TableId, Type, VarId, VarKind};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, DeclKind, ExprKind as Ast, StmtKind as AstStmt};

/// The maximum number of elements that the run-time indices of one assignment target may select among.
const MAX_CHOICES: u32 = 128;

impl Checker<'_> {
    /// Checks a block, which has its own scope.
    pub(super) fn block(&mut self, block: &ast::Block) -> Vec<Stmt> {
        self.check_annotations(&block.annotations);
        self.usage.suppress(&block.annotations, block.span);
        self.scoped(|c| c.stmts(&block.stmts))
    }

    pub(super) fn stmts(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        stmts.iter().filter_map(|s| self.stmt(s)).collect()
    }

    /// Checks the body of a statement, which has its own scope.
    fn body(&mut self, stmt: &ast::Stmt) -> Vec<Stmt> {
        self.scoped(|c| c.stmt(stmt).into_iter().collect())
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        let span = stmt.span;
        if !self.spend(1, span) {
            return None;
        }
        let kind = match &stmt.kind {
            AstStmt::Empty => return None,
            AstStmt::Block(block) => StmtKind::Block(self.block(block)),
            AstStmt::Decl(decl) => self.local_decl(decl)?,
            AstStmt::Assign { target, op, value } => self.assign(target, *op, value, span)?,
            AstStmt::Call(expr) => self.call_stmt(expr)?,
            AstStmt::If { condition, then, otherwise } => {
                let condition = self.expr_as(condition, &Type::Bool);
                let then = self.body(then);
                let otherwise = otherwise.as_ref().map_or_else(Vec::new, |o| self.body(o));
                StmtKind::If(condition, then, otherwise)
            }
            AstStmt::Switch { on, cases } => self.switch(on, cases, span)?,
            AstStmt::For { init, condition, update, body } => self.scoped(|c| {
                let init = c.stmts(init);
                let condition = c.expr_as(condition, &Type::Bool);
                let update = c.stmts(update);
                c.context.loops += 1;
                let body = c.body(body);
                c.context.loops -= 1;
                StmtKind::For { init, condition, update, body }
            }),
            AstStmt::ForIn { variable, over, body } => self.for_in(variable, over, body)?,
            AstStmt::Return(value) => self.return_stmt(value.as_ref(), span)?,
            AstStmt::Exit => {
                if !matches!(self.context.enclosing, Enclosing::Apply | Enclosing::Action) {
                    self.error(codes::BAD_STATEMENT, span, "`exit` is allowed only in controls and actions");
                    return None;
                }
                StmtKind::Exit
            }
            AstStmt::Break | AstStmt::Continue => {
                if self.context.loops == 0 {
                    let word = if matches!(stmt.kind, AstStmt::Break) { "break" } else { "continue" };
                    self.error(codes::BAD_STATEMENT, span, format!("`{word}` outside of a loop"));
                    return None;
                }
                if matches!(stmt.kind, AstStmt::Break) { StmtKind::Break } else { StmtKind::Continue }
            }
        };
        Some(Stmt { kind, span })
    }

    fn local_decl(&mut self, decl: &ast::Decl) -> Option<StmtKind> {
        match &decl.kind {
            DeclKind::Variable(variable) if variable.is_const => {
                self.constant(variable);
                None
            }
            DeclKind::Variable(variable) => {
                let (id, init) = self.variable(variable);
                Some(StmtKind::Var(id, init))
            }
            DeclKind::Instance(instance) => {
                let message = "objects cannot be instantiated among statements";
                self.error(codes::MISPLACED, instance.name.span, message);
                None
            }
            _ => {
                self.error(codes::MISPLACED, decl.span, "declaration is not allowed among statements");
                None
            }
        }
    }

    /// Declares a variable.
    pub(super) fn variable(&mut self, variable: &ast::Variable) -> (VarId, Option<Expr>) {
        self.check_annotations(&variable.annotations);
        let written = self.ty(&variable.ty);
        let ty = self.storable(&written, variable.ty.span, "variable");
        let init = variable.init.as_ref().map(|init| self.initial_value(variable, init, &ty));
        self.check_written(&variable.ty);
        self.usage.declare("variable", &variable.name, &variable.annotations);
        let id = self.declare_var(&variable.name, ty, VarKind::Local);
        (id, init)
    }

    fn assign(
        &mut self,
        target: &ast::Expr,
        op: Option<BinaryOp>,
        value: &ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        let target = self.lvalue(target);
        self.check_choices(&target);
        let Some(op) = op else {
            let value = self.expr_as(value, &target.ty.clone());
            return Some(StmtKind::Assign(target, value));
        };
        let value = self.expr(value, Some(&target.ty.clone()));
        let before = self.deferred.len();
        let combined = self.binary_values(op, target.clone(), value, span);
        if let (ExprKind::Var(id), true) = (&target.kind, self.deferred.len() > before) {
            self.quotients.insert(*id, before);
        }
        let combined = self.coerce(combined, &target.ty.clone());
        match combined.kind {
            ExprKind::Binary(op, _, value) => Some(StmtKind::Update(target, op, *value)),
            _ => Some(StmtKind::Assign(target, combined)),
        }
    }

    /// Reports an assignment target with too many run-time indices: they select among all combinations of elements.
    fn check_choices(&mut self, target: &Expr) {
        let (mut indices, mut choices) = (0, 1u32);
        let mut at = target;
        loop {
            at = match &at.kind {
                ExprKind::Index(of, index) => {
                    if let (Type::Stack(_, count), true, None) =
                        (&of.ty, self.module.is_array(&of.ty), index.as_int())
                    {
                        indices += 1;
                        choices = choices.saturating_mul(*count);
                    }
                    of
                }
                ExprKind::Field(of, _) | ExprKind::Slice(of, _, _) | ExprKind::PlusSlice(of, _, _) => of,
                _ => break,
            };
        }
        if indices > 1 && choices > MAX_CHOICES {
            let message = format!(
                "{indices} run-time indices select one of {choices} elements; the maximum is {MAX_CHOICES}"
            );
            self.report(Diagnostic::error(codes::TOO_LARGE, target.span, message).help(
                "copy the inner array, modify the copy and copy it back, so that each copy has one index",
            ));
        }
    }

    fn call_stmt(&mut self, expr: &ast::Expr) -> Option<StmtKind> {
        let call = match &expr.kind {
            Ast::Call { .. } => self.expr(expr, None),
            Ast::Bad => return None,
            _ => {
                self.expr(expr, None);
                return None;
            }
        };
        match &call.kind {
            ExprKind::Call(_) => Some(StmtKind::Call(call)),
            ExprKind::Construct(_) => {
                self.error(codes::MISPLACED, expr.span, "the constructed object is unused");
                None
            }
            _ => None,
        }
    }

    fn for_in(&mut self, variable: &ast::Variable, over: &ast::Expr, body: &ast::Stmt) -> Option<StmtKind> {
        let ty = self.ty(&variable.ty);
        let range = match &over.kind {
            Ast::Range(low, high) => {
                let bound_ty = self.module.representation(&ty);
                if !matches!(bound_ty, Type::Bit(_) | Type::Signed(_) | Type::Int | Type::Bad) {
                    let message = format!("cannot iterate over a range of `{}`", self.show(&ty));
                    self.error(codes::TYPE_MISMATCH, variable.ty.span, message);
                }
                let low = self.expr_as(low, &ty);
                let high = self.expr_as(high, &ty);
                Some((low, high))
            }
            _ => None,
        };
        let each = if range.is_none() {
            let value = self.expr(over, Some(&Type::List(std::rc::Rc::new(ty.clone()))));
            let value = match &value.ty {
                Type::Seq(_) => self.coerce(value, &Type::List(std::rc::Rc::new(ty.clone()))),
                _ => value,
            };
            let element = match &value.ty {
                Type::Stack(of, _) | Type::List(of) => Some((**of).clone()),
                Type::Bad => Some(Type::Bad),
                _ => None,
            };
            match element {
                Some(element) if self.unify(&element, &ty) => {}
                _ => {
                    let message = format!(
                        "cannot iterate over `{}` with a variable of type `{}`",
                        self.show(&value.ty),
                        self.show(&ty)
                    );
                    self.error(codes::TYPE_MISMATCH, over.span, message);
                    return None;
                }
            }
            Some(value)
        } else {
            None
        };
        self.scoped(|c| {
            let var = c.declare_var(&variable.name, ty, VarKind::Local);
            c.context.loops += 1;
            let body = c.body(body);
            c.context.loops -= 1;
            match (range, each) {
                (Some((low, high)), _) => Some(StmtKind::ForRange { var, low, high, body }),
                (None, Some(over)) => Some(StmtKind::ForEach { var, over, body }),
                (None, None) => None,
            }
        })
    }

    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        match self.context.enclosing {
            Enclosing::State | Enclosing::ParserLocals => {
                self.error(codes::BAD_STATEMENT, span, "`return` is not allowed in a parser");
                return None;
            }
            Enclosing::Function => {
                let result = self.context.result.clone().unwrap_or(Type::Void);
                return match (value, &result) {
                    (None, Type::Void) => Some(StmtKind::Return(None)),
                    (None, _) => {
                        let message = format!("missing return value of type `{}`", self.show(&result));
                        self.error(codes::BAD_STATEMENT, span, message);
                        Some(StmtKind::Return(None))
                    }
                    (Some(value), Type::Void) => {
                        self.expr(value, None);
                        self.error(
                            codes::BAD_STATEMENT,
                            value.span,
                            "a `void` function cannot return a value",
                        );
                        None
                    }
                    (Some(value), _) => {
                        let value = self.expr_as(value, &result);
                        Some(StmtKind::Return(Some(value)))
                    }
                };
            }
            _ => {}
        }
        if let Some(value) = value {
            self.expr(value, None);
            self.error(
                codes::BAD_STATEMENT,
                value.span,
                "`return` with a value is allowed only in functions",
            );
        }
        Some(StmtKind::Return(None))
    }

    // --- switch ---

    fn switch(&mut self, on: &ast::Expr, cases: &[ast::SwitchCase], span: Span) -> Option<StmtKind> {
        if self.context.enclosing == Enclosing::State {
            self.error(
                codes::BAD_STATEMENT,
                span,
                "`switch` is not allowed in a parser; use `transition select`",
            );
        }
        if let Ast::Member(base, member) = &on.kind
            && &*member.name == "action_run"
        {
            let applied = self.expr(base, None);
            return match applied.ty {
                Type::ApplyResult(table) => self.switch_action(table, cases, span_head(span, on.span)),
                Type::Bad => None,
                _ => {
                    self.error(
                        codes::BAD_SWITCH,
                        on.span,
                        "`action_run` is available only on the result of a table's `apply`",
                    );
                    None
                }
            };
        }
        let value = self.expr(on, None);
        let ty = self.zonk(&value.ty);
        let fine = matches!(
            ty,
            Type::Bit(_)
                | Type::Signed(_)
                | Type::Enum(_)
                | Type::Error
                | Type::Bad
                | Type::Bool
                | Type::New(_)
        );
        if !fine {
            let message = format!("cannot `switch` on a value of type `{}`", self.show(&ty));
            self.error(codes::BAD_SWITCH, on.span, message);
        }
        let mut out: Vec<SwitchCase> = Vec::new();
        let mut pending: Vec<Expr> = Vec::new();
        let mut pending_default = false;
        let mut seen: Vec<Expr> = Vec::new();
        let head = span_head(span, on.span);
        self.check_default_last(cases, head);
        let labelled = |c: &ast::SwitchCase| !matches!(c.label.kind, Ast::Default | Ast::DontCare);
        if cases.iter().any(labelled) {
            self.check_exact_exists(head);
        }
        for case in cases {
            if matches!(case.label.kind, Ast::Default | Ast::DontCare) {
                pending_default = true;
            } else {
                let label = self.reported_at(head, "this value", |c| c.switch_label(&case.label, &ty));
                self.require_known(&label);
                if let Some(before) = seen
                    .iter()
                    .find(|s| s.kind == label.kind && label.is_const() && label.kind != ExprKind::Bad)
                {
                    let before = before.span;
                    self.report(
                        Diagnostic::error(codes::BAD_SWITCH, label.span, "duplicate label")
                            .also(before, "here"),
                    );
                }
                seen.push(label.clone());
                pending.push(label);
            }
            if let Some(body) = &case.body {
                let body = self.block(body);
                let labels = std::mem::take(&mut pending);
                if !labels.is_empty() {
                    out.push(SwitchCase { labels, body: body.clone() });
                }
                if std::mem::take(&mut pending_default) {
                    out.push(SwitchCase { labels: Vec::new(), body });
                }
            }
        }
        Some(StmtKind::Switch(value, out))
    }

    /// Checks a label of a `switch` on a value. An enum can be compared only with its members.
    fn switch_label(&mut self, label: &ast::Expr, ty: &Type) -> Expr {
        let value = self.expr(label, Some(ty));
        self.coerce(value, ty)
    }

    /// `default` may occur once, as the last label.
    fn check_default_last(&mut self, cases: &[ast::SwitchCase], head: Span) {
        let is_default = |c: &ast::SwitchCase| matches!(c.label.kind, Ast::Default | Ast::DontCare);
        let Some(first) = cases.iter().position(is_default) else { return };
        let (Some(default), Some(next)) = (cases.get(first), cases.get(first + 1)) else { return };
        let message =
            if is_default(next) { "duplicate `default` label" } else { "`default` must be the last label" };
        self.report(
            Diagnostic::error(codes::BAD_SWITCH, head, message)
                .label("in this `switch`")
                .also(default.label.span, "`default`")
                .also(next.label.span, "label after `default`"),
        );
    }

    /// A `switch` on a value uses the match kind `exact` of `core.p4`.
    fn check_exact_exists(&mut self, head: Span) {
        if !self.module.match_kinds.iter().any(|k| &**k == "exact") {
            self.deferred.push(
                Diagnostic::error(
                    codes::UNKNOWN_NAME,
                    head,
                    "match kind `exact` is not declared, but `switch` uses it",
                )
                .help("include `core.p4`"),
            );
        }
    }

    fn switch_action(&mut self, table: TableId, cases: &[ast::SwitchCase], head: Span) -> Option<StmtKind> {
        let listed: Vec<_> = self
            .module
            .tables
            .get(table.index())
            .map(|t| t.actions.iter().map(|a| a.action).collect())
            .unwrap_or_default();
        let mut out = Vec::new();
        let mut default = Vec::new();
        let mut pending: Vec<usize> = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        let mut pending_default = false;
        self.check_default_last(cases, head);
        for case in cases {
            match &case.label.kind {
                Ast::Default | Ast::DontCare => pending_default = true,
                Ast::Name(path) => match self.lookup(path) {
                    Some(Entity::Action(action)) => match listed.iter().position(|a| *a == action) {
                        Some(position) => {
                            if seen.contains(&position) {
                                let message = format!("duplicate label `{}`", path.ident.name);
                                self.error(codes::BAD_SWITCH, case.label.span, message);
                            }
                            seen.push(position);
                            pending.push(position);
                        }
                        None => {
                            let message = format!("`{}` is not an action of this table", path.ident.name);
                            self.error(codes::BAD_SWITCH, case.label.span, message);
                        }
                    },
                    Some(_) => {
                        let message = format!("`{}` is not an action", path.ident.name);
                        self.error(codes::BAD_SWITCH, case.label.span, message);
                    }
                    None => {}
                },
                _ => {
                    let message = "the labels of a `switch` on `action_run` must be action names";
                    self.error(codes::BAD_SWITCH, case.label.span, message);
                }
            }
            if let Some(body) = &case.body {
                let body = self.block(body);
                let labels = std::mem::take(&mut pending);
                if std::mem::take(&mut pending_default) {
                    default = body.clone();
                }
                if !labels.is_empty() {
                    out.push((labels, body));
                }
            }
        }
        Some(StmtKind::SwitchAction(table, out, default))
    }

    // --- functions ---

    /// Checks the body of a function; reports paths that end without a return value.
    pub(super) fn function_body(
        &mut self,
        body: &ast::Block,
        signature: &Signature,
        enclosing: Enclosing,
    ) -> Vec<Stmt> {
        self.function_body_of(body, signature, enclosing, None)
    }

    /// The same for a method of the object `this`.
    pub(super) fn function_body_of(
        &mut self,
        body: &ast::Block,
        signature: &Signature,
        enclosing: Enclosing,
        this: Option<(VarId, Type)>,
    ) -> Vec<Stmt> {
        let result = &signature.result;
        let context = Context { enclosing, result: Some(result.clone()), this, ..Context::default() };
        let stmts = self.within(context, |c| c.block(body));
        if *result != Type::Void && !result.is_bad() && !returns(&stmts) {
            let end = Span { start: body.span.end.saturating_sub(1), ..body.span };
            let message = format!("not all paths through `{}` return a value", signature.name);
            self.report(
                Diagnostic::error(codes::MISSING_RETURN, signature.span, message)
                    .label(format!("returns `{}`", self.show(result)))
                    .also(end, "end of the function reached without `return`"),
            );
        }
        stmts
    }
}

/// Returns the span of a statement up to the end of its head.
fn span_head(statement: Span, head: Span) -> Span {
    Span { end: head.end.max(statement.start), ..statement }
}

/// Returns whether each path through the statements returns or exits.
fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Return(_) | StmtKind::Exit => true,
        StmtKind::Block(inner) => returns(inner),
        StmtKind::If(condition, then, otherwise) => match condition.kind {
            ExprKind::Bool(true) => returns(then),
            ExprKind::Bool(false) => returns(otherwise),
            _ => returns(then) && returns(otherwise),
        },
        StmtKind::Switch(_, cases) => {
            cases.iter().any(|c| c.labels.is_empty()) && cases.iter().all(|c| returns(&c.body))
        }
        StmtKind::SwitchAction(_, cases, default) => {
            returns(default) && cases.iter().all(|(_, body)| returns(body))
        }
        _ => false,
    })
}
