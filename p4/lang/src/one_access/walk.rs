//! All paths of a packet through a control.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::objects::{Object, Objects, RegisterId, Scope, bind};
use super::state::{Route, State};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Call, Callee, Expr, ExprKind, Module, Param, Stmt, StmtKind, TableId};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::BinaryOp;

/// The maximum number of statements followed in one block of the pipeline; a larger one is rejected.
const MAX_STEPS: usize = 200_000;
/// The maximum depth of calls.
const MAX_DEPTH: usize = 64;

/// The blocks that use each register: the name of the first one, and an access there.
pub(super) type Used = BTreeMap<RegisterId, (Name, Span)>;
/// What was found, by location.
pub(super) type Found = BTreeMap<(Span, RegisterId), Diagnostic>;

/// Checks one control of the package, named after its parameter.
pub(super) fn block<'a>(
    module: &'a Module,
    objects: &mut Objects<'a>,
    name: &Name,
    construct: &Expr,
    used: &mut Used,
    found: &mut Found,
) {
    let Object::Control(instance) = objects.object(construct, &Scope::new()) else { return };
    let Some(control) = module.controls.get(instance.control.index()) else { return };
    let mut walk = Walk {
        module,
        objects,
        block: name,
        scope: instance.scope.clone(),
        state: State::default(),
        returned: Vec::new(),
        left: Vec::new(),
        loops: Vec::new(),
        route: Vec::new(),
        steps: 0,
        used,
        found,
    };
    walk.body(&control.body);
    if walk.steps >= MAX_STEPS {
        let message = format!("`{}` is too large to check its accesses to registers", control.name);
        found.insert(
            (control.span, RegisterId::MAX),
            Diagnostic::error(codes::TOO_LARGE, control.span, message),
        );
    }
}

struct Walk<'a, 'b> {
    module: &'a Module,
    objects: &'b mut Objects<'a>,
    block: &'b Name,
    /// The objects visible in the control being followed.
    scope: Rc<Scope>,
    state: State,
    /// States at the `return`s of the calls being followed.
    returned: Vec<State>,
    /// States at the `break`s and `continue`s of the enclosing loops.
    left: Vec<State>,
    /// The number of calls that lead to each enclosing loop.
    loops: Vec<usize>,
    /// The calls being followed.
    route: Route,
    steps: usize,
    used: &'b mut Used,
    found: &'b mut Found,
}

impl Walk<'_, '_> {
    // --- accesses ---

    fn access(&mut self, register: RegisterId, span: Span) {
        if self.state.dead {
            return;
        }
        self.route.push(span);
        if let Some(earlier) = self.state.access(register, &self.route) {
            self.report_second(register, &earlier);
        }
        self.route.pop();
        match self.used.get(&register) {
            Some((block, first)) if block != self.block => {
                let message = format!(
                    "register `{}` is used in `{block}` and in `{}`",
                    self.register_name(register),
                    self.block
                );
                let diagnostic = Diagnostic::error(codes::SHARED_REGISTER, span, message)
                    .also(*first, format!("used in `{block}`"))
                    .note("a register belongs to one stage of one pipeline, either of ingress or of egress");
                self.found.entry((span, register)).or_insert(diagnostic);
            }
            Some(_) => {}
            None => {
                self.used.insert(register, (self.block.clone(), span));
            }
        }
    }

    /// Reports the access at the end of the current route. The location is that of the calls or accesses where the two
    /// routes part.
    fn report_second(&mut self, register: RegisterId, earlier: &Route) {
        let parting = self.route.iter().zip(earlier).position(|(a, b)| a != b);
        // Equal routes are those of two iterations.
        let index = parting.or(self.loops.last().copied()).unwrap_or_default();
        let Some(at) = self.route.get(index).copied() else { return };
        let message =
            format!("a packet may access register `{}` more than once", self.register_name(register));
        let mut diagnostic = Diagnostic::error(codes::SECOND_ACCESS, at, message);
        match parting.and_then(|index| earlier.get(index)) {
            Some(first) => diagnostic = diagnostic.label("second access").also(*first, "first access"),
            None => diagnostic = diagnostic.label("accessed in each iteration"),
        }
        if let Some((_, declared)) = self.objects.register(register) {
            diagnostic = diagnostic.also(*declared, "the register");
        }
        diagnostic = diagnostic.note(
            "a stage has one stateful ALU for a register, which executes one access for each packet; exclusive are the \
             branches of a statement and the actions of a table",
        );
        self.found.entry((at, register)).or_insert(diagnostic);
    }

    fn register_name(&self, register: RegisterId) -> Name {
        self.objects.register(register).map_or_else(|| "".into(), |(name, _)| name.clone())
    }

    // --- statements ---

    /// Follows a body that `return` leaves.
    fn body(&mut self, body: &[Stmt]) {
        self.returned.push(State::dead());
        self.stmts(body);
        let returned = self.returned.pop().unwrap_or_default();
        let state = std::mem::take(&mut self.state);
        self.state = state.join(returned);
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.steps += 1;
            if self.state.dead || self.steps >= MAX_STEPS {
                return;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(inner) => self.stmts(inner),
            StmtKind::Var(_, init) => init.iter().for_each(|e| self.expr(e)),
            StmtKind::Assign(target, value) | StmtKind::Update(target, _, value) => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::Call(call) => self.expr(call),
            StmtKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.branches([then.as_slice(), otherwise.as_slice()]);
            }
            StmtKind::Switch(key, cases) => {
                self.expr(key);
                let default = cases.iter().any(|case| case.labels.is_empty());
                let empty: &[Stmt] = &[];
                let none = if default { None } else { Some(empty) };
                self.branches(cases.iter().map(|case| case.body.as_slice()).chain(none));
            }
            StmtKind::SwitchAction(table, cases, default) => {
                self.switch_action(*table, stmt.span, cases, default);
            }
            StmtKind::For { init, condition, update, body } => {
                self.stmts(init);
                self.repeat(|walk| {
                    walk.expr(condition);
                    walk.stmts(body);
                    walk.stmts(update);
                });
            }
            StmtKind::ForRange { low, high, body, .. } => {
                self.expr(low);
                self.expr(high);
                self.repeat(|walk| walk.stmts(body));
            }
            StmtKind::ForEach { over, body, .. } => {
                self.expr(over);
                self.repeat(|walk| walk.stmts(body));
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|e| self.expr(e));
                let state = std::mem::replace(&mut self.state, State::dead());
                if let Some(returned) = self.returned.pop() {
                    self.returned.push(returned.join(state));
                }
            }
            StmtKind::Exit => self.state = State::dead(),
            StmtKind::Break | StmtKind::Continue => {
                let state = std::mem::replace(&mut self.state, State::dead());
                if let Some(left) = self.left.pop() {
                    self.left.push(left.join(state));
                }
            }
        }
    }

    /// Follows exclusive bodies.
    fn branches<'s>(&mut self, bodies: impl IntoIterator<Item = &'s [Stmt]>) {
        let before = std::mem::take(&mut self.state);
        let mut after = State::dead();
        for body in bodies {
            self.state = before.clone();
            self.stmts(body);
            after = after.join(std::mem::take(&mut self.state));
        }
        self.state = after;
    }

    /// Follows two iterations of a loop, so that an access in the loop is one of each.
    fn repeat(&mut self, mut iteration: impl FnMut(&mut Self)) {
        self.left.push(State::dead());
        self.loops.push(self.route.len());
        let mut after = self.state.clone();
        for _ in 0..2 {
            iteration(self);
            // `continue` starts the next iteration, and `break` leaves: both are joined to the next one, which can only
            // report more.
            let left = self.left.last_mut().map(|left| std::mem::replace(left, State::dead()));
            let state = std::mem::take(&mut self.state);
            self.state = state.join(left.unwrap_or_else(State::dead));
            after = after.join(self.state.clone());
        }
        self.left.pop();
        self.loops.pop();
        self.state = after;
    }

    // --- tables ---

    /// Follows the action that a table executes; returns the state after each of its actions, and after none.
    fn table_actions(&mut self, id: TableId, span: Span) -> (Vec<State>, State) {
        let module = self.module;
        let Some(table) = module.tables.get(id.index()) else { return (Vec::new(), self.state.clone()) };
        table.keys.iter().for_each(|key| self.expr(&key.expr));
        let before = std::mem::take(&mut self.state);
        self.route.push(span);
        let mut after = Vec::new();
        for listed in &table.actions {
            self.state = before.clone();
            listed.bound.iter().for_each(|arg| self.expr(arg));
            if let Some(action) = module.actions.get(listed.action.index())
                && self.route.len() < MAX_DEPTH
            {
                self.body(&action.body);
            }
            after.push(std::mem::take(&mut self.state));
        }
        self.route.pop();
        // A table without a default action of its own may execute none.
        let none =
            if table.default_action.is_none() || table.actions.is_empty() { before } else { State::dead() };
        (after, none)
    }

    fn apply_table(&mut self, id: TableId, span: Span) {
        let (after, none) = self.table_actions(id, span);
        self.state = after.into_iter().fold(none, State::join);
    }

    /// Follows a `switch` on the action that a table executed: each case continues after its own actions only.
    fn switch_action(
        &mut self,
        id: TableId,
        span: Span,
        cases: &[(Vec<usize>, Vec<Stmt>)],
        default: &[Stmt],
    ) {
        let (after, none) = self.table_actions(id, span);
        let mut end = State::dead();
        for (labels, body) in cases {
            let states = labels.iter().filter_map(|label| after.get(*label).cloned());
            self.state = states.fold(State::dead(), State::join);
            self.stmts(body);
            end = end.join(std::mem::take(&mut self.state));
        }
        let is_labelled = |index: usize| cases.iter().any(|(labels, _)| labels.contains(&index));
        let others = after.into_iter().enumerate().filter(|(index, _)| !is_labelled(*index));
        self.state = others.map(|(_, state)| state).fold(none, State::join);
        self.stmts(default);
        self.state = end.join(std::mem::take(&mut self.state));
    }

    // --- expressions ---

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Field(a, _)
            | ExprKind::Next(a)
            | ExprKind::Last(a)
            | ExprKind::LastIndex(a)
            | ExprKind::Slice(a, _, _)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a) => self.expr(a),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.expr(a);
                let before = self.state.clone();
                self.expr(b);
                self.state = std::mem::take(&mut self.state).join(before);
            }
            ExprKind::Index(a, b) | ExprKind::PlusSlice(a, b, _) | ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Mux(condition, then, otherwise) => {
                self.expr(condition);
                let before = self.state.clone();
                self.expr(then);
                let after = std::mem::replace(&mut self.state, before);
                self.expr(otherwise);
                self.state = std::mem::take(&mut self.state).join(after);
            }
            ExprKind::Items(items) => items.iter().for_each(|item| self.expr(item)),
            ExprKind::Call(call) => self.call(call, expr.span),
            ExprKind::Hit(table) | ExprKind::Miss(table) => self.apply_table(*table, expr.span),
            ExprKind::Bad
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::Invalid
            | ExprKind::Default
            | ExprKind::Construct(_) => {}
        }
    }

    fn call(&mut self, call: &Call, span: Span) {
        call.args.iter().flatten().for_each(|arg| self.expr(arg));
        if self.route.len() >= MAX_DEPTH {
            return;
        }
        let module = self.module;
        match &call.callee {
            Callee::Header(_, object) => self.expr(object),
            Callee::ExternFunction(_) => {}
            Callee::Table(table) => self.apply_table(*table, span),
            Callee::Action(id) => {
                if let Some(action) = module.actions.get(id.index()) {
                    self.called(span, self.scope.clone(), &action.body);
                }
            }
            Callee::Function(id) => {
                if let Some(function) = module.functions.get(id.index()) {
                    let scope = self.bind_args(&self.scope.clone(), &function.signature.params, call);
                    self.called(span, scope, &function.body);
                }
            }
            Callee::Method { object, .. } => {
                if let Object::Register(register) = self.objects.object(object, &self.scope) {
                    self.access(register, span);
                }
            }
            Callee::Apply(object) => {
                let Object::Control(instance) = self.objects.object(object, &self.scope) else { return };
                if let Some(control) = module.controls.get(instance.control.index()) {
                    let scope = self.bind_args(&instance.scope, &control.params, call);
                    self.called(span, scope, &control.body);
                }
            }
        }
    }

    /// Returns a scope with the objects among the arguments.
    fn bind_args(&mut self, scope: &Rc<Scope>, params: &[Param], call: &Call) -> Rc<Scope> {
        let args: Vec<Object> = call
            .args
            .iter()
            .map(|arg| arg.as_ref().map_or(Object::Other, |arg| self.objects.object(arg, &self.scope)))
            .collect();
        if args.iter().all(|arg| matches!(arg, Object::Other)) {
            return scope.clone();
        }
        let mut bound = Scope::clone(scope);
        bind(&mut bound, params, args);
        Rc::new(bound)
    }

    fn called(&mut self, span: Span, scope: Rc<Scope>, body: &[Stmt]) {
        let outer = std::mem::replace(&mut self.scope, scope);
        self.route.push(span);
        self.body(body);
        self.route.pop();
        self.scope = outer;
    }
}
