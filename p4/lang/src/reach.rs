//! The parsers, controls, tables and functions reachable from `main`. The rest of a program is not analysed: it may be
//! a library, and the reference compiler removes it before its data-flow analysis and its back end.

use std::collections::BTreeSet;

use crate::hir::{
    ActionId, Callee, ControlId, Expr, ExprKind, FunctionId, Local, Module, ParserId, Stmt, TableId,
    Transition, Type, visit_expr, visit_stmts,
};

/// The parsers, controls, tables and functions reachable from `main`.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    pub(crate) parsers: BTreeSet<ParserId>,
    pub(crate) controls: BTreeSet<ControlId>,
    pub(crate) functions: BTreeSet<FunctionId>,
    actions: BTreeSet<ActionId>,
    pub(crate) tables: BTreeSet<TableId>,
}

/// Returns what is reachable from `main`; nothing if there is no `main`.
pub(crate) fn from_main(module: &Module) -> Reached {
    let mut reached = Reached::default();
    let is_main = |var: crate::hir::VarId| module.vars.get(var.index()).is_some_and(|v| &*v.name == "main");
    if module.instances.iter().any(|i| is_main(i.var)) {
        for instance in &module.instances {
            reached.expr(module, &instance.construct);
        }
    }
    reached
}

impl Reached {
    fn expr(&mut self, module: &Module, expr: &Expr) {
        let mut inner = Vec::new();
        visit_expr(expr, &mut |e| inner.extend(Reach::of(e)));
        self.follow(module, inner);
    }

    fn stmts(&mut self, module: &Module, stmts: &[Stmt]) {
        let mut inner = Vec::new();
        visit_stmts(stmts, &mut |e| inner.extend(Reach::of(e)));
        crate::hir::visit_switched_tables(stmts, &mut |table| inner.push(Reach::Table(table)));
        self.follow(module, inner);
    }

    fn follow(&mut self, module: &Module, found: Vec<Reach>) {
        for reach in found {
            match reach {
                Reach::Parser(id) => self.parser(module, id),
                Reach::Control(id) => self.control(module, id),
                Reach::Function(id) => {
                    if self.functions.insert(id)
                        && let Some(function) = module.functions.get(id.index())
                    {
                        self.stmts(module, &function.body);
                    }
                }
                Reach::Action(id) => {
                    if self.actions.insert(id)
                        && let Some(action) = module.actions.get(id.index())
                    {
                        self.stmts(module, &action.body);
                    }
                }
                Reach::Table(id) => self.table(module, id),
            }
        }
    }

    fn parser(&mut self, module: &Module, id: ParserId) {
        let Some(parser) = module.parsers.get(id.index()).filter(|_| self.parsers.insert(id)) else { return };
        self.locals(module, &parser.locals);
        for state in &parser.states {
            self.stmts(module, &state.body);
            if let Transition::Select { keys, .. } = &state.transition {
                keys.iter().for_each(|key| self.expr(module, key));
            }
        }
    }

    fn control(&mut self, module: &Module, id: ControlId) {
        let Some(control) = module.controls.get(id.index()).filter(|_| self.controls.insert(id)) else {
            return;
        };
        self.locals(module, &control.locals);
        self.stmts(module, &control.body);
    }

    fn locals(&mut self, module: &Module, locals: &[Local]) {
        for local in locals {
            match local {
                Local::Var(_, Some(init)) => self.expr(module, init),
                Local::Instance(instance) => self.expr(module, &instance.construct),
                Local::Var(_, None) | Local::ValueSet { .. } => {}
            }
        }
    }

    fn table(&mut self, module: &Module, id: TableId) {
        let Some(table) = module.tables.get(id.index()).filter(|_| self.tables.insert(id)) else { return };
        table.keys.iter().for_each(|key| self.expr(module, &key.expr));
        for action in &table.actions {
            action.bound.iter().for_each(|arg| self.expr(module, arg));
            self.follow(module, vec![Reach::Action(action.action)]);
        }
    }
}

/// A declaration that an expression refers to.
enum Reach {
    Parser(ParserId),
    Control(ControlId),
    Function(FunctionId),
    Action(ActionId),
    Table(TableId),
}

impl Reach {
    fn of(expr: &Expr) -> Option<Reach> {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Construct(_) | ExprKind::Var(_), Type::Parser(id, _)) => Some(Reach::Parser(*id)),
            (ExprKind::Construct(_) | ExprKind::Var(_), Type::Control(id, _)) => Some(Reach::Control(*id)),
            (ExprKind::Hit(id) | ExprKind::Miss(id), _) => Some(Reach::Table(*id)),
            (ExprKind::Call(call), _) => match call.callee {
                Callee::Function(id) => Some(Reach::Function(id)),
                Callee::Action(id) => Some(Reach::Action(id)),
                Callee::Table(id) => Some(Reach::Table(id)),
                _ => None,
            },
            _ => None,
        }
    }
}
