//! `exit`: ends the whole block after copying out the `out` and `inout` arguments of all enclosing calls (specification
//! 1.2.5, section 12.5).
//!
//! In the statements of a control, the enclosing calls are known, and their copies are emitted before the `exit`. An
//! action that tables execute is one object for all tables that use it, so its enclosing calls are unknown: it sets a
//! flag and returns, and the code after each application of such a table checks the flag, copies out and exits.

use std::collections::BTreeSet;

use super::{Lowerer, build};
use crate::hir::{self, ActionId, Callee, ExprKind, StmtKind};
use crate::ir::{ScalarId, ScalarKind, Stmt};

impl Lowerer<'_> {
    /// Lowers the statement.
    pub(super) fn exit(&mut self) {
        match self.leaving {
            Some(flag) => {
                self.emit(Stmt::Assign(flag, build::truth(true)));
                self.emit(Stmt::Return);
            }
            None => self.leave_block(),
        }
    }

    fn leave_block(&mut self) {
        for copies in self.copy_outs.clone().into_iter().rev() {
            for copy in copies {
                self.emit(copy);
            }
        }
        self.emit(Stmt::Exit);
    }

    /// After an inlined call that may have requested to exit: leaves the enclosing scope, too.
    pub(super) fn propagate_exit(&mut self) {
        if let Some(flag) = self.leaving {
            let condition = self.scalar(flag);
            self.emit(Stmt::If { condition, then: vec![Stmt::Return], otherwise: Vec::new() });
        }
    }

    /// Returns whether an action signals `exit` by a flag. If only the architecture runs the control, there is nothing
    /// to copy out and the action exits directly.
    pub(super) fn exits_by_flag(&self, id: ActionId) -> bool {
        let Some(action) = self.module.actions.get(id.index()) else { return false };
        let nested = self.env.instance.and_then(|i| self.instances.get(i)).is_some_and(|i| !i.top);
        (nested || action.global) && self.may_exit(id, &mut BTreeSet::new())
    }

    fn may_exit(&self, id: ActionId, seen: &mut BTreeSet<ActionId>) -> bool {
        if !seen.insert(id) {
            return false;
        }
        let Some(action) = self.module.actions.get(id.index()) else { return false };
        let mut called = Vec::new();
        hir::visit_stmts(&action.body, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind
                && let Callee::Action(id) = call.callee
            {
                called.push(id);
            }
        });
        exits(&action.body) || called.into_iter().any(|id| self.may_exit(id, seen))
    }

    pub(super) fn exit_flag(&mut self) -> ScalarId {
        match self.exit_flag {
            Some(flag) => flag,
            None => {
                let flag = self.temporary("exit", ScalarKind::Unsigned(1));
                self.exit_flag = Some(flag);
                flag
            }
        }
    }

    /// After a table was applied: exits if its action requested it.
    pub(super) fn exit_after_table(&mut self, table: &hir::Table) {
        if !table.actions.iter().any(|a| self.exits_by_flag(a.action)) {
            return;
        }
        let flag = self.exit_flag();
        let then = self.collect(|l| {
            l.emit(Stmt::Assign(flag, build::truth(false)));
            l.leave_block();
        });
        let condition = self.scalar(flag);
        self.emit(Stmt::If { condition, then, otherwise: Vec::new() });
    }
}

/// Returns whether the statements contain an `exit`.
fn exits(stmts: &[hir::Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Exit => true,
        StmtKind::Block(body)
        | StmtKind::For { body, .. }
        | StmtKind::ForRange { body, .. }
        | StmtKind::ForEach { body, .. } => exits(body),
        StmtKind::If(_, then, otherwise) => exits(then) || exits(otherwise),
        StmtKind::Switch(_, cases) => cases.iter().any(|c| exits(&c.body)),
        StmtKind::SwitchAction(_, cases, default) => {
            exits(default) || cases.iter().any(|(_, body)| exits(body))
        }
        _ => false,
    })
}

/// Returns whether the statements contain a `return` from this scope.
pub(super) fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match s {
        Stmt::Return => true,
        Stmt::If { then, otherwise, .. } => returns(then) || returns(otherwise),
        Stmt::Switch { cases, default, .. } => returns(default) || cases.iter().any(|(_, b)| returns(b)),
        Stmt::While { body, update, .. } => returns(body) || returns(update),
        _ => false,
    })
}
