//! P4 constructs that v1model rejects: duplicate control-plane names if P4Info is generated, and statements that bmv2
//! does not support. The checks follow p4c's back end for bmv2.

use std::collections::BTreeMap;

use super::Lowerer;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{self, Stmt, StmtKind, Type};
use crate::ir::identity::IdClash;
use crate::source::Span;

/// Locations of the declarations that the control plane sees, by full name.
#[derive(Clone, Debug, Default)]
pub(super) struct ControlNames {
    actions: BTreeMap<String, Vec<Span>>,
    tables: BTreeMap<String, Vec<Span>>,
    counters: BTreeMap<String, Vec<Span>>,
    direct_counters: BTreeMap<String, Vec<Span>>,
    meters: BTreeMap<String, Vec<Span>>,
    direct_meters: BTreeMap<String, Vec<Span>>,
    registers: BTreeMap<String, Vec<Span>>,
    profiles: BTreeMap<String, Vec<Span>>,
    /// `@id` annotations, by the name of the object.
    ids: BTreeMap<String, Span>,
}

impl Lowerer<'_> {
    /// Records the control-plane name of an action.
    pub(super) fn record_action_name(&mut self, name: &str, declared: Span) {
        let spans = self.control_names.actions.entry(name.to_owned()).or_default();
        // A declaration may be used several times.
        if !spans.contains(&declared) {
            spans.push(declared);
        }
    }

    /// Records the control-plane name of a table.
    pub(super) fn record_table_name(&mut self, name: &str, declared: Span) {
        self.control_names.tables.entry(name.to_owned()).or_default().push(declared);
    }

    /// Records the control-plane name of an extern object.
    pub(super) fn record_object_name(&mut self, extern_type: &str, name: &str, declared: Span) {
        let names = &mut self.control_names;
        let list = match extern_type {
            "counter" => &mut names.counters,
            "direct_counter" => &mut names.direct_counters,
            "meter" => &mut names.meters,
            "direct_meter" => &mut names.direct_meters,
            "register" => &mut names.registers,
            "action_profile" | "action_selector" => &mut names.profiles,
            _ => return,
        };
        let spans = list.entry(name.to_owned()).or_default();
        if !spans.contains(&declared) {
            spans.push(declared);
        }
    }

    /// Records an `@id`.
    pub(super) fn record_id(&mut self, name: &str, annotation: Span) {
        self.control_names.ids.insert(name.to_owned(), annotation);
    }

    /// Reports duplicate ids.
    pub(super) fn check_ids(&mut self, clashes: &[IdClash]) {
        for IdClash { id, first, second } in clashes {
            let (Some(one), Some(other)) =
                (self.control_names.ids.get(first).copied(), self.control_names.ids.get(second).copied())
            else {
                continue;
            };
            let message = format!("`{first}` and `{second}` have the same id {id:#010x}");
            let mut diagnostic = Diagnostic::error(codes::BAD_ANNOTATION, other, message);
            diagnostic = match one == other {
                true => diagnostic
                    .note("each instance has its own copy of the object, and copies cannot share an `@id`"),
                false => diagnostic.also(one, format!("id of `{first}`")),
            };
            self.sink.push(diagnostic);
        }
    }

    /// Reports objects of the same kind that have the same control-plane name.
    pub(super) fn check_control_names(&mut self) {
        let names = std::mem::take(&mut self.control_names);
        self.control_names.ids = names.ids;
        let kinds = [
            ("action", names.actions),
            ("table", names.tables),
            ("counter", names.counters),
            ("direct counter", names.direct_counters),
            ("meter", names.meters),
            ("direct meter", names.direct_meters),
            ("register", names.registers),
            ("action profile", names.profiles),
        ];
        for (what, list) in kinds {
            for (name, mut spans) in list {
                spans.sort_unstable();
                let Some((first, others)) = spans.split_first() else { continue };
                for other in others {
                    let message = format!("multiple {what}s have the control-plane name `{name}`");
                    let diagnostic = match self.p4info {
                        true => Diagnostic::error(codes::DUPLICATE_NAME, *other, message),
                        false => Diagnostic::warning(codes::SAME_CONTROL_NAME, *other, message),
                    };
                    self.sink.push(
                        diagnostic.also(*first, format!("first {what} with this name")).note(
                            "`@name` sets the control-plane name; a name with a leading dot is absolute",
                        ),
                    );
                }
            }
        }
    }

    /// Reports a `switch` in an action, which the target does not support.
    pub(super) fn check_action_body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Switch(key, _) => {
                    let head = Span { end: key.span.end.max(stmt.span.start), ..stmt.span };
                    self.unsupported(head, "v1model does not support `switch` in actions; use `if`");
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

    /// Reports a non-v1model extern function that returns more than a scalar.
    pub(super) fn check_foreign_result(&mut self, ty: &Type, span: Span) {
        if self.module.fields(ty).is_some() {
            let message =
                format!("v1model does not support extern functions that return `{}`", self.module.show(ty));
            self.unsupported(span, message);
        }
    }

    /// Reports action data that P4Info cannot represent.
    pub(super) fn check_action_data(&mut self, param: &hir::Param, ty: &Type) {
        if self.module.fields(ty).is_some() || matches!(ty, Type::Stack(..) | Type::Varbit(_)) {
            let message = format!("action data cannot have type `{}`", self.module.show(ty));
            self.sink.push(
                Diagnostic::error(codes::UNSUPPORTED, param.span, message)
                    .note("P4Info supports only `bit`, `int`, `bool`, and enums and `type`s based on them"),
            );
        }
    }
}
