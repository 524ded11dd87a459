//! What v1model refuses although it is P4: where P4Info is asked for, two things of one control-plane name, and statements that bmv2's
//! architecture has nothing for. p4c's back end for it draws the same lines.

use std::collections::BTreeMap;

use super::Lowerer;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{self, Stmt, StmtKind, Type};
use crate::source::Span;

/// Where actions and tables are declared, by full name.
#[derive(Clone, Debug, Default)]
pub(super) struct ControlNames {
    actions: BTreeMap<String, Vec<Span>>,
    tables: BTreeMap<String, Vec<Span>>,
}

impl Lowerer<'_> {
    /// Notes that a declared action is known by a name.
    pub(super) fn note_action_name(&mut self, name: &str, declared: Span) {
        let places = self.control_names.actions.entry(name.to_owned()).or_default();
        // One declaration may be used in many places.
        if !places.contains(&declared) {
            places.push(declared);
        }
    }

    /// Notes that one more table is known by a name.
    pub(super) fn note_table_name(&mut self, name: &str, declared: Span) {
        self.control_names.tables.entry(name.to_owned()).or_default().push(declared);
    }

    /// Reports actions, and tables, that the control plane cannot tell apart.
    pub(super) fn check_control_names(&mut self) {
        let names = std::mem::take(&mut self.control_names);
        for (what, list) in [("action", names.actions), ("table", names.tables)] {
            for (name, mut places) in list {
                places.sort_unstable();
                let Some((first, others)) = places.split_first() else { continue };
                for other in others {
                    let message = format!("another {what} is known to the control plane as `{name}`");
                    let diagnostic = match self.p4info {
                        true => Diagnostic::error(codes::DUPLICATE_NAME, *other, message),
                        false => Diagnostic::warning(codes::SAME_CONTROL_NAME, *other, message),
                    };
                    self.sink.push(
                        diagnostic
                            .also(*first, format!("this {what} is `{name}` as well"))
                            .note("`@name` gives a name; one that starts with a dot is absolute"),
                    );
                }
            }
        }
    }

    /// Reports a `switch` in an action: the target's actions have no branches of that kind.
    pub(super) fn check_action_body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Switch(key, _) => {
                    let head = Span { end: key.span.end.max(stmt.span.start), ..stmt.span };
                    self.unsupported(head, "v1model has no `switch` in actions; use `if`");
                }
                StmtKind::Block(inner) => self.check_action_body(inner),
                StmtKind::If(_, then, otherwise) => {
                    self.check_action_body(then);
                    self.check_action_body(otherwise);
                }
                StmtKind::For { body, .. }
                | StmtKind::ForRange { body, .. }
                | StmtKind::ForEach { body, .. } => self.check_action_body(body),
                _ => {}
            }
        }
    }

    /// Reports a function of the program's own architecture that gives more than a scalar.
    pub(super) fn check_foreign_result(&mut self, ty: &Type, span: Span) {
        if self.module.fields(ty).is_some() {
            let message = format!("v1model calls no extern function that gives a `{}`", self.module.show(ty));
            self.unsupported(span, message);
        }
    }

    /// Reports action data that P4Info cannot describe.
    pub(super) fn check_action_data(&mut self, param: &hir::Param, ty: &Type) {
        if self.module.fields(ty).is_some() || matches!(ty, Type::Stack(..) | Type::Varbit(_)) {
            let message = format!("action data cannot be a `{}`", self.module.show(ty));
            self.sink.push(
                Diagnostic::error(codes::UNSUPPORTED, param.span, message)
                    .note("P4Info has `bit`, `int`, `bool`, and types and enums made of them"),
            );
        }
    }
}
