//! `exit`: it ends the whole block, but all `out` and `inout` arguments of the calls it is in are copied out
//! first (specification 1.2.5, section 12.5).
//!
//! In a control's own statements the calls around are known, and their copies are written before the `exit`.
//! An action that tables run is one object for all places that apply them, so it cannot know: it sets a flag and
//! returns, and each place that applies such a table looks at the flag, copies out and exits.

use std::collections::BTreeSet;

use super::{Lowerer, build};
use crate::hir::{self, ActionId, Callee, ExprKind, StmtKind};
use crate::ir::{ScalarId, ScalarKind, Stmt};

impl Lowerer<'_> {
    /// The statement.
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

    /// After an inlined call that may have asked to exit: the scope around it is left too.
    pub(super) fn go_on_leaving(&mut self) {
        if let Some(flag) = self.leaving {
            let condition = self.scalar(flag);
            self.emit(Stmt::If { condition, then: vec![Stmt::Return], otherwise: Vec::new() });
        }
    }

    /// Whether an action leaves its `exit` to the places that apply its tables. Where only the architecture
    /// runs the control, there is nothing to copy, and the action exits by itself.
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

    /// After a table has been applied: does what its action asked for.
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

/// Whether an `exit` is among the statements.
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

/// Whether a `return` of this scope is among the statements.
pub(super) fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match s {
        Stmt::Return => true,
        Stmt::If { then, otherwise, .. } => returns(then) || returns(otherwise),
        Stmt::Switch { cases, default, .. } => returns(default) || cases.iter().any(|(_, b)| returns(b)),
        Stmt::While { body, update, .. } => returns(body) || returns(update),
        _ => false,
    })
}
