//! Rules for a whole table: its default action, and conflicts between its entries (specification, "Table properties").

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::{Checker, Declared, Entity};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{ExprKind, Keyset, Table};
use crate::source::Span;
use crate::syntax::ast::{self, PropertyValue};

/// The largest priority: P4Runtime transmits priorities as positive 32-bit signed integers.
const MAX_PRIORITY: u32 = i32::MAX as u32;

impl Checker<'_> {
    /// A table without a default action uses `NoAction`.
    pub(super) fn check_no_action(&mut self, table: &Table) {
        let Some(Declared { entity, span }) = self.find("NoAction").cloned() else {
            self.report(
                Diagnostic::error(
                    codes::BAD_TABLE,
                    table.span,
                    "`NoAction` is not declared, but is the default action of this table",
                )
                .help("include `core.p4`, or add a `default_action`"),
            );
            return;
        };
        let plain = match entity {
            Entity::Action(id) => self.module.actions.get(id.index()).is_some_and(|a| a.params.is_empty()),
            _ => false,
        };
        if !plain {
            self.report(
                Diagnostic::error(codes::BAD_ACTION, span, "`NoAction` must be an action without parameters")
                    .also(table.span, "it is the default action of this table")
                    .note("`core.p4` declares `action NoAction() {}`"),
            );
        }
    }

    /// Reports entries of a table without a key.
    pub(super) fn check_entries_need_key(&mut self, table: &ast::Table) {
        let entries = table.properties.iter().find_map(|p| match &p.value {
            PropertyValue::Entries(list) if !list.is_empty() => Some(p.name.span),
            _ => None,
        });
        let keyed =
            table.properties.iter().any(|p| matches!(&p.value, PropertyValue::Key(k) if !k.is_empty()));
        if let (Some(entries), false) = (entries, keyed) {
            self.report(
                Diagnostic::error(
                    codes::BAD_TABLE,
                    table.name.span,
                    "a table without a key cannot have entries",
                )
                .also(entries, "entries"),
            );
        }
    }

    /// The default action must be in the list of actions, which therefore must come first.
    pub(super) fn check_default_after_actions(&mut self, table: &ast::Table) {
        let position = |name: &str| table.properties.iter().position(|p| &*p.name.name == name);
        let (Some(default), Some(actions)) = (position("default_action"), position("actions")) else {
            return;
        };
        if default < actions {
            let place = |i: usize| table.properties.get(i).map_or(table.name.span, |p| p.name.span);
            self.report(
                Diagnostic::error(
                    codes::BAD_TABLE,
                    table.name.span,
                    "`default_action` must come after `actions`",
                )
                .also(place(default), "default action")
                .also(place(actions), "list of actions"),
            );
        }
    }

    /// In a table with only exact keys, two entries with the same key contradict each other.
    pub(super) fn check_same_keys(&mut self, table: &Table) {
        if table.keys.iter().any(|k| &*k.match_kind != "exact") {
            return;
        }
        let mut seen: BTreeMap<Vec<BigInt>, Span> = BTreeMap::new();
        for entry in &table.entries {
            let values: Option<Vec<BigInt>> = entry
                .keysets
                .iter()
                .map(|set| match set {
                    Keyset::Value(value) => match &value.kind {
                        ExprKind::Bool(bit) => Some(u8::from(*bit).into()),
                        _ => value.as_int().cloned(),
                    },
                    _ => None,
                })
                .collect();
            let Some(values) = values else { continue };
            if let Some(before) = seen.get(&values).copied() {
                self.report(
                    Diagnostic::error(codes::BAD_ENTRY, entry.span, "duplicate entry key")
                        .label("this entry never matches")
                        .also(before, "first entry with this key"),
                );
            } else {
                seen.insert(values, entry.span);
            }
        }
    }

    /// Checks that the priorities derived from preceding entries stay within the range.
    pub(super) fn check_priority_range(&mut self, table: &Table) {
        let property = |name: &str| table.properties.iter().find(|(n, ..)| &**n == name).map(|(_, v, _)| v);
        let delta = property("priority_delta").and_then(|v| v.as_int()).cloned().unwrap_or_else(|| 1.into());
        let falling =
            !matches!(property("largest_priority_wins").map(|v| &v.kind), Some(ExprKind::Bool(false)));
        let mut last: Option<BigInt> = None;
        let mut priorities = Vec::new();
        for entry in &table.entries {
            let given = entry.priority.as_ref().and_then(|p| p.as_int()).cloned();
            let next = |before: &BigInt| if falling { before - &delta } else { before + &delta };
            let Some(priority) = given.or_else(|| last.as_ref().map(next)) else { return };
            priorities.push((priority.clone(), entry.span));
            if priority < BigInt::from(0) || priority > BigInt::from(MAX_PRIORITY) {
                self.report(
                    Diagnostic::error(
                        codes::BAD_ENTRY,
                        table.span,
                        format!("entry priority {priority} is out of range"),
                    )
                    .label("in this table")
                    .also(entry.span, "derived for this entry")
                    .note("an entry without a priority differs from the preceding one by `priority_delta`"),
                );
                return;
            }
            last = Some(priority);
        }
        self.warn_priority_order(&priorities, falling);
    }
}
