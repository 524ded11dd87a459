//! Statements: the paths through a body, and what holds on them.

use std::collections::BTreeMap;

use super::state::{State, Validity};
use super::storage::{Loc, Storage};
use super::{Usage, is_suppressed_by};
use crate::diagnostic::{Code, Diagnostic, Sink, codes};
use crate::hir::{
    Control, Expr, ExprKind, Function, Local, Module, Param, Parser, StateTarget, Stmt, StmtKind, SwitchCase,
    Transition, VarId, visit_expr,
};
use crate::lex::Name;
use crate::reach;
use crate::source::{SourceMap, Span};
use crate::syntax::ast::Direction;

/// The maximum number of statements analysed in one parser, control or function; a larger one is skipped. Actions are
/// analysed at each call.
const MAX_STEPS: usize = 200_000;
/// The number of iterations after which the state of a loop is taken as final.
const MAX_ITERATIONS: usize = 16;

/// Analyses all parsers, controls and functions.
pub(super) fn report(module: &Module, usage: &Usage, sources: &SourceMap, sink: &mut Sink) {
    let reached = reach::from_main(module);
    let mut found: BTreeMap<(Span, String), Diagnostic> = BTreeMap::new();
    let mut run = |span: Span, look: &dyn Fn(&mut Flow<'_>)| {
        if sources.is_library(span.file) {
            return;
        }
        let mut flow = Flow::new(module, usage, sources);
        look(&mut flow);
        if flow.steps < MAX_STEPS {
            found.extend(flow.found);
        }
    };
    for id in &reached.functions {
        let Some(function) = module.functions.get(id.index()) else { continue };
        run(function.signature.span, &|flow| flow.function(function));
    }
    for id in &reached.parsers {
        let Some(parser) = module.parsers.get(id.index()) else { continue };
        run(parser.span, &|flow| flow.parser(parser));
    }
    for id in &reached.controls {
        let Some(control) = module.controls.get(id.index()) else { continue };
        run(control.span, &|flow| flow.control(control));
    }
    for diagnostic in found.into_values() {
        sink.push(diagnostic);
    }
}

/// The analysis of one parser, control or function.
pub(super) struct Flow<'a> {
    pub(super) module: &'a Module,
    usage: &'a Usage,
    pub(super) sources: &'a SourceMap,
    pub(super) storage: Storage,
    vars: BTreeMap<VarId, Option<Loc>>,
    pub(super) state: State,
    /// States at the `return`s of the calls being followed.
    returned: Vec<State>,
    exited: State,
    /// States at the `break`s and `continue`s of the enclosing loops.
    broken: Vec<State>,
    continued: Vec<State>,
    /// False while the state of a loop is still being computed.
    pub(super) reporting: bool,
    steps: usize,
    found: BTreeMap<(Span, String), Diagnostic>,
}

impl<'a> Flow<'a> {
    fn new(module: &'a Module, usage: &'a Usage, sources: &'a SourceMap) -> Flow<'a> {
        Flow {
            module,
            usage,
            sources,
            storage: Storage::default(),
            vars: BTreeMap::new(),
            state: State::default(),
            returned: Vec::new(),
            exited: State::dead(),
            broken: Vec::new(),
            continued: Vec::new(),
            reporting: true,
            steps: 0,
            found: BTreeMap::new(),
        }
    }

    /// Warns unless `@noWarn(name)` applies here.
    pub(super) fn warn(&mut self, name: &str, code: Code, span: Span, message: String, note: &str) {
        if !self.reporting || self.state.dead || self.sources.is_library(span.file) {
            return;
        }
        if self.usage.is_suppressed(name, span) {
            return;
        }
        let mut diagnostic = Diagnostic::warning(code, span, message.clone());
        if !note.is_empty() {
            diagnostic = diagnostic.note(note);
        }
        self.found.entry((span, message)).or_insert(diagnostic);
    }

    /// The depth of the calls being followed.
    pub(super) fn depth(&self) -> usize {
        self.returned.len()
    }

    // --- variables ---

    /// Returns the location of a variable, if it is tracked.
    pub(super) fn location(&mut self, id: VarId) -> Option<Loc> {
        if let Some(known) = self.vars.get(&id) {
            return *known;
        }
        let ty = self.module.vars.get(id.index()).map(|v| v.ty.clone())?;
        let loc = self.storage.create(self.module, &ty);
        self.vars.insert(id, loc);
        loc
    }

    /// Creates a variable: all of it is written, or nothing, and its headers are valid or invalid accordingly.
    pub(super) fn enter(&mut self, id: VarId, written: bool) {
        if let Some(loc) = self.location(id) {
            self.set_written(&[loc], written);
            self.set_headers(&[loc], if written { Validity::Yes } else { Validity::No });
        }
    }

    pub(super) fn set_written(&mut self, locs: &[Loc], written: bool) {
        let mut scalars = Vec::new();
        locs.iter().for_each(|loc| self.storage.scalars(*loc, true, &mut scalars));
        for scalar in scalars {
            self.state.set_written(scalar, written);
        }
    }

    fn params(&mut self, params: &[Param]) {
        for param in params {
            self.enter(param.var, param.direction != Direction::Out);
        }
    }

    /// Reports `out` parameters that may be unwritten when a parser, control, action or function ends.
    pub(super) fn check_outs(&mut self, params: &[Param], name: &Name) {
        for param in params.iter().filter(|p| p.direction == Direction::Out) {
            let Some(loc) = self.location(param.var) else { continue };
            let mut scalars = Vec::new();
            self.storage.scalars(loc, false, &mut scalars);
            let unwritten = scalars.iter().any(|s| self.state.may_be_unwritten(*s));
            if unwritten && !is_suppressed_by(&param.annotations, "uninitialized-out-param") {
                let message =
                    format!("`out` parameter `{}` may be uninitialised when `{name}` ends", param.name);
                self.warn("uninitialized-out-param", codes::UNINITIALIZED, param.span, message, "");
            }
        }
    }

    // --- units ---

    fn function(&mut self, function: &Function) {
        self.params(&function.signature.params);
        self.called(&function.body);
        self.check_outs(&function.signature.params, &function.signature.name);
    }

    fn control(&mut self, control: &Control) {
        self.params(&control.params);
        self.locals(&control.locals);
        self.called(&control.body);
        let exited = std::mem::replace(&mut self.exited, State::dead());
        let state = std::mem::take(&mut self.state);
        self.state = state.join(exited);
        self.check_outs(&control.params, &control.name);
    }

    fn locals(&mut self, locals: &[Local]) {
        for local in locals {
            if let Local::Var(id, init) = local {
                self.declare(*id, init.as_ref());
            }
        }
    }

    fn parser(&mut self, parser: &Parser) {
        self.params(&parser.params);
        self.locals(&parser.locals);
        if parser.states.is_empty() {
            return;
        }
        let mut at: Vec<State> = vec![State::dead(); parser.states.len()];
        at[0] = std::mem::take(&mut self.state);
        let mut work = vec![0];
        let mut ends = State::dead();
        self.reporting = false;
        while let Some(index) = work.pop() {
            for (target, state) in self.parser_state(parser, index, &at) {
                match target {
                    StateTarget::State(next) => {
                        let joined = at[next].clone().join(state);
                        if joined != at[next] {
                            at[next] = joined;
                            work.push(next);
                        }
                    }
                    StateTarget::Accept | StateTarget::Reject => ends = ends.join(state),
                }
            }
            if self.steps >= MAX_STEPS {
                return;
            }
        }
        self.reporting = true;
        for index in 0..parser.states.len() {
            self.parser_state(parser, index, &at);
        }
        self.state = ends;
        self.check_outs(&parser.params, &parser.name);
    }

    /// Runs a state; returns the targets of its transitions with the state that holds there.
    fn parser_state(&mut self, parser: &Parser, index: usize, at: &[State]) -> Vec<(StateTarget, State)> {
        let (Some(state), Some(before)) = (parser.states.get(index), at.get(index)) else {
            return Vec::new();
        };
        if before.dead {
            return Vec::new();
        }
        self.state = before.clone();
        self.stmts(&state.body);
        let mut targets = Vec::new();
        match &state.transition {
            Transition::To(target) => targets.push(*target),
            Transition::Select { keys, cases } => {
                keys.iter().for_each(|key| self.read(key));
                targets.extend(cases.iter().map(|(_, target)| *target));
            }
        }
        self.state.checked.clear();
        let after = self.state.clone();
        targets.into_iter().map(|target| (target, after.clone())).collect()
    }

    // --- statements ---

    /// Runs a body that `return` leaves.
    pub(super) fn called(&mut self, body: &[Stmt]) {
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
            StmtKind::Var(id, init) => self.declare(*id, init.as_ref()),
            StmtKind::Assign(target, value) => self.assign(target, value),
            StmtKind::Update(target, _, value) => {
                self.read(target);
                self.read(value);
                self.lvalue(target, true);
                self.write(target);
            }
            StmtKind::Call(call) => self.read_parts(call),
            StmtKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            StmtKind::Switch(key, cases) if key.as_int().is_some() => {
                let chosen =
                    |c: &&SwitchCase| c.labels.is_empty() || c.labels.iter().any(|l| l.kind == key.kind);
                if let Some(case) = cases.iter().find(chosen) {
                    self.stmts(&case.body);
                }
            }
            StmtKind::Switch(key, cases) => {
                let checked = self.state.checked.clone();
                self.read(key);
                let bodies: Vec<&[Stmt]> = cases.iter().map(|c| c.body.as_slice()).collect();
                let default = cases.iter().any(|c| c.labels.is_empty());
                self.branches(&bodies, default);
                self.state.checked = checked;
            }
            StmtKind::SwitchAction(table, cases, default) => {
                let checked = self.state.checked.clone();
                self.apply_table(*table);
                let mut bodies: Vec<&[Stmt]> = cases.iter().map(|(_, body)| body.as_slice()).collect();
                bodies.push(default);
                let listed = self.module.tables.get(table.index()).map_or(0, |t| t.actions.len());
                let covered = cases.iter().map(|(labels, _)| labels.len()).sum::<usize>() == listed;
                if covered {
                    bodies.pop();
                }
                self.branches(&bodies, true);
                self.state.checked = checked;
            }
            StmtKind::For { init, condition, update, body } => {
                self.stmts(init);
                self.repeat(|flow| {
                    flow.read(condition);
                    let left = flow.state.clone();
                    flow.iteration(body);
                    flow.stmts(update);
                    left
                });
            }
            StmtKind::ForRange { var, low, high, body } => {
                self.read(low);
                self.read(high);
                self.each(*var, body);
            }
            StmtKind::ForEach { var, over, body } => {
                self.read(over);
                self.each(*var, body);
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.read(value));
                let state = std::mem::replace(&mut self.state, State::dead());
                if let Some(returned) = self.returned.last_mut() {
                    *returned = std::mem::take(returned).join(state);
                }
            }
            StmtKind::Exit => {
                let state = std::mem::replace(&mut self.state, State::dead());
                self.exited = std::mem::take(&mut self.exited).join(state);
            }
            StmtKind::Break => {
                let state = std::mem::replace(&mut self.state, State::dead());
                if let Some(broken) = self.broken.last_mut() {
                    *broken = std::mem::take(broken).join(state);
                }
            }
            StmtKind::Continue => {
                let state = std::mem::replace(&mut self.state, State::dead());
                if let Some(continued) = self.continued.last_mut() {
                    *continued = std::mem::take(continued).join(state);
                }
            }
        }
    }

    fn declare(&mut self, id: VarId, init: Option<&Expr>) {
        let Some(var) = self.module.vars.get(id.index()) else { return };
        // An unused variable is reported as such; its initialiser is not analysed.
        let used = self.usage.is_used(var.span) || init.is_some_and(contains_call);
        if let (Some(init), true) = (init, used) {
            self.read(init);
        }
        self.enter(id, init.is_some());
        if let (Some(init), Some(loc)) = (init, self.location(id)) {
            self.set_headers(&[loc], Validity::No);
            self.transfer(&[loc], init);
        }
    }

    fn assign(&mut self, target: &Expr, value: &Expr) {
        self.lvalue(target, true);
        self.read(value);
        self.assign_validity(target, value);
        self.write(target);
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        match condition.kind {
            ExprKind::Bool(true) => return self.stmts(then),
            ExprKind::Bool(false) => return self.stmts(otherwise),
            _ => {}
        }
        let checked = self.state.checked.clone();
        self.read(condition);
        self.branches(&[then, otherwise], true);
        self.state.checked = checked;
    }

    /// One of several bodies runs, or, unless `one_runs`, none.
    fn branches(&mut self, bodies: &[&[Stmt]], one_runs: bool) {
        let before = std::mem::take(&mut self.state);
        let mut after = if one_runs { State::dead() } else { before.clone() };
        for body in bodies {
            self.state = before.clone();
            self.stmts(body);
            after = after.join(std::mem::take(&mut self.state));
        }
        self.state = after;
    }

    // --- loops ---

    fn each(&mut self, var: VarId, body: &[Stmt]) {
        self.repeat(|flow| {
            let left = flow.state.clone();
            flow.enter(var, true);
            flow.iteration(body);
            left
        });
    }

    /// Runs the body of a loop up to the start of the next iteration.
    fn iteration(&mut self, body: &[Stmt]) {
        self.continued.push(State::dead());
        self.stmts(body);
        let continued = self.continued.pop().unwrap_or_default();
        let state = std::mem::take(&mut self.state);
        self.state = state.join(continued);
    }

    /// Iterates until the state at the loop head no longer changes; then reports. `iteration` returns the state in which the
    /// loop may be left.
    fn repeat(&mut self, iteration: impl Fn(&mut Flow<'a>) -> State) {
        let reporting = std::mem::replace(&mut self.reporting, false);
        let mut before = self.state.clone();
        for _ in 0..MAX_ITERATIONS {
            self.broken.push(State::dead());
            self.state = before.clone();
            iteration(self);
            self.broken.pop();
            let joined = before.clone().join(std::mem::take(&mut self.state));
            if joined == before || self.steps >= MAX_STEPS {
                break;
            }
            before = joined;
        }
        self.reporting = reporting;
        self.broken.push(State::dead());
        self.state = before;
        let left = iteration(self);
        let broken = self.broken.pop().unwrap_or_default();
        self.state = left.join(broken);
    }
}

fn contains_call(expr: &Expr) -> bool {
    let mut found = false;
    visit_expr(expr, &mut |e| {
        found |= matches!(e.kind, ExprKind::Call(_) | ExprKind::Hit(_) | ExprKind::Miss(_))
    });
    found
}
