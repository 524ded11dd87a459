//! Visitors for expressions and statements.

use super::{Callee, Expr, ExprKind, Stmt, StmtKind, TableId};

/// Calls `visit` for each expression in some statements, outer expressions first.
pub(crate) fn visit_stmts(stmts: &[Stmt], visit: &mut impl FnMut(&Expr)) {
    for stmt in stmts {
        visit_stmt(stmt, visit);
    }
}

fn visit_stmt(stmt: &Stmt, visit: &mut impl FnMut(&Expr)) {
    match &stmt.kind {
        StmtKind::Block(inner) => visit_stmts(inner, visit),
        StmtKind::Var(_, init) => init.iter().for_each(|e| visit_expr(e, visit)),
        StmtKind::Assign(a, b) | StmtKind::Update(a, _, b) => {
            visit_expr(a, visit);
            visit_expr(b, visit);
        }
        StmtKind::Call(e) => visit_expr(e, visit),
        StmtKind::If(condition, then, otherwise) => {
            visit_expr(condition, visit);
            visit_stmts(then, visit);
            visit_stmts(otherwise, visit);
        }
        StmtKind::Switch(key, cases) => {
            visit_expr(key, visit);
            for case in cases {
                case.labels.iter().for_each(|l| visit_expr(l, visit));
                visit_stmts(&case.body, visit);
            }
        }
        StmtKind::SwitchAction(_, cases, default) => {
            cases.iter().for_each(|(_, body)| visit_stmts(body, visit));
            visit_stmts(default, visit);
        }
        StmtKind::For { init, condition, update, body } => {
            visit_stmts(init, visit);
            visit_expr(condition, visit);
            visit_stmts(update, visit);
            visit_stmts(body, visit);
        }
        StmtKind::ForRange { low, high, body, .. } => {
            visit_expr(low, visit);
            visit_expr(high, visit);
            visit_stmts(body, visit);
        }
        StmtKind::ForEach { over, body, .. } => {
            visit_expr(over, visit);
            visit_stmts(body, visit);
        }
        StmtKind::Return(value) => value.iter().for_each(|e| visit_expr(e, visit)),
        StmtKind::Exit | StmtKind::Break | StmtKind::Continue => {}
    }
}

/// Calls `visit` for each table whose `action_run` a `switch` uses.
pub(crate) fn visit_switched_tables(stmts: &[Stmt], visit: &mut impl FnMut(TableId)) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::SwitchAction(table, cases, default) => {
                visit(*table);
                cases.iter().for_each(|(_, body)| visit_switched_tables(body, visit));
                visit_switched_tables(default, visit);
            }
            StmtKind::Block(body)
            | StmtKind::For { body, .. }
            | StmtKind::ForRange { body, .. }
            | StmtKind::ForEach { body, .. } => visit_switched_tables(body, visit),
            StmtKind::If(_, then, otherwise) => {
                visit_switched_tables(then, visit);
                visit_switched_tables(otherwise, visit);
            }
            StmtKind::Switch(_, cases) => {
                cases.iter().for_each(|case| visit_switched_tables(&case.body, visit));
            }
            _ => {}
        }
    }
}

/// Calls `visit` for an expression and all its subexpressions.
pub(crate) fn visit_expr(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Field(a, _)
        | ExprKind::Next(a)
        | ExprKind::Last(a)
        | ExprKind::LastIndex(a)
        | ExprKind::Slice(a, _, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Cast(a) => visit_expr(a, visit),
        ExprKind::Index(a, b) | ExprKind::PlusSlice(a, b, _) | ExprKind::Binary(_, a, b) => {
            visit_expr(a, visit);
            visit_expr(b, visit);
        }
        ExprKind::Mux(a, b, c) => [a, b, c].into_iter().for_each(|e| visit_expr(e, visit)),
        ExprKind::Items(items) => items.iter().for_each(|e| visit_expr(e, visit)),
        ExprKind::Construct(construct) => {
            construct.args.iter().flatten().for_each(|e| visit_expr(e, visit));
        }
        ExprKind::Call(call) => {
            match &call.callee {
                Callee::Method { object, .. } | Callee::Header(_, object) | Callee::Apply(object) => {
                    visit_expr(object, visit);
                }
                Callee::Function(_) | Callee::ExternFunction(_) | Callee::Table(_) | Callee::Action(_) => {}
            }
            call.args.iter().flatten().for_each(|e| visit_expr(e, visit));
        }
        ExprKind::Bad
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Invalid
        | ExprKind::Default
        | ExprKind::Hit(_)
        | ExprKind::Miss(_) => {}
    }
}
