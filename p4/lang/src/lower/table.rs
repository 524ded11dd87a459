//! Tables.

use num_traits::ToPrimitive as _;

use super::Lowerer;
use super::objects::Object;
use super::value::Val;
use crate::diagnostic::codes;
use crate::hir::{self, Expr, TableId, Type};
use crate::ir::{self, ActionRef, ActionScope, BoundAction, Entry, Key, MatchKind, Pattern, ScalarId, Stmt};
use crate::source::Span;
use crate::syntax::ast::Annotations;

/// The size of a table that specifies none (as in p4c's P4Info).
const DEFAULT_SIZE: u64 = 1024;

/// A table of an instance.
#[derive(Clone, Debug)]
pub(super) struct TableInfo {
    pub(super) id: ir::TableId,
    /// The statements that compute the key.
    pub(super) prelude: Vec<Stmt>,
}

impl Lowerer<'_> {
    pub(super) fn apply_table(
        &mut self,
        table: TableId,
        hit: Option<ScalarId>,
        action_run: Option<ScalarId>,
        span: Span,
    ) {
        let Some(info) = self.table_info(table) else {
            self.unsupported(span, "table cannot be applied here");
            return;
        };
        for stmt in info.prelude {
            self.emit(stmt);
        }
        self.emit(Stmt::ApplyTable { table: info.id, hit, action_run });
        if let Some(table) = self.module.tables.get(table.index()) {
            self.exit_after_table(table);
        }
    }

    /// Returns a table of the instance whose environment is current. It is created on its first application: tables
    /// that are never applied are not visible to the control plane.
    fn table_info(&mut self, id: TableId) -> Option<TableInfo> {
        let instance = self.env.instance?;
        if let Some(info) = self.instances.get(instance)?.tables.get(&id) {
            return Some(info.clone());
        }
        let info = self.make_table(id)?;
        self.instances.get_mut(instance)?.tables.insert(id, info.clone());
        Some(info)
    }

    fn make_table(&mut self, id: TableId) -> Option<TableInfo> {
        let module = self.module;
        let table = module.tables.get(id.index())?;
        let path = self.env.path.clone();
        let position = self.position_of(hir::Declared::Table(id));
        let preamble = ir::Preamble { position, ..self.preamble(&path, &table.name, &table.annotations) };
        self.record_table_name(&preamble.name, table.span);
        let mut keys = Vec::new();
        let prelude = self.collect(|l| keys = l.table_keys(table));
        let mut actions: Vec<ActionRef> = Vec::new();
        for action in &table.actions {
            actions.push(ActionRef {
                action: self.table_action(action.action, &action.bound, action.span),
                scope: action_scope(action),
                annotations: self.annotation_texts(&action.annotations),
            });
        }
        let default_action = match &table.default_action {
            Some((call, _)) => BoundAction { action: call.action, args: self.action_data(&call.args) },
            None => BoundAction { action: self.no_action(table, &mut actions), args: Vec::new() },
        };
        let types: Vec<Type> = table.keys.iter().map(|k| k.expr.ty.clone()).collect();
        let largest = self.flag(table, "largest_priority_wins").unwrap_or(true);
        let entries = self.entries(table, &types, &keys, largest);
        let size = match &table.size {
            Some(size) => match self.eval_size(size, "the size of a table") {
                0 => DEFAULT_SIZE,
                size => size,
            },
            None => DEFAULT_SIZE,
        };
        let hidden = table.annotations.iter().any(|a| &*a.name.name == "hidden");
        let mut made = ir::Table {
            preamble,
            keys,
            actions,
            default_action,
            const_default: table.default_action.as_ref().is_some_and(|(_, c)| *c),
            entries,
            const_entries: table.const_entries,
            largest_priority_wins: largest,
            size,
            implementation: None,
            direct_counter: None,
            direct_meter: None,
            idle_timeout: self.flag(table, "support_timeout").unwrap_or(false),
            hidden,
        };
        self.listed.extend(made.actions.iter().map(|reference| reference.action));
        self.attach(table, &mut made);
        let ir_id = ir::TableId(self.program.tables.len() as u32);
        self.program.tables.push(made);
        Some(TableInfo { id: ir_id, prelude })
    }

    fn table_keys(&mut self, table: &hir::Table) -> Vec<Key> {
        let mut keys = Vec::new();
        let ids = self.field_ids(table.keys.iter().map(|key| &*key.annotations));
        for (key, id) in table.keys.iter().zip(ids) {
            let ty = self.ty(&key.expr.ty);
            let expr = self.eval_scalar(&key.expr);
            let written = self.name_annotation(&key.annotations).or_else(|| key.name.clone());
            let name = match written {
                Some(name) => name,
                None => {
                    let text = self.sources.text(key.span).to_owned();
                    self.error(
                        codes::BAD_KEY,
                        key.span,
                        format!("key `{text}` needs a control-plane name: add `@name(\"...\")`"),
                    );
                    text
                }
            };
            keys.push(Key {
                id,
                name,
                expr,
                match_kind: match_kind(&key.match_kind),
                type_name: self.user_type_name(&ty),
                annotations: self.annotation_texts(&key.annotations),
            });
        }
        keys
    }

    /// Returns the default action of a table that specifies none: `NoAction`, which entries may use only if it is
    /// listed.
    fn no_action(&mut self, table: &hir::Table, actions: &mut Vec<ActionRef>) -> usize {
        let module = self.module;
        let is_no_action = |id: hir::ActionId| {
            module.actions.get(id.index()).is_some_and(|a| a.global && &*a.name == "NoAction")
        };
        if let Some(position) = table.actions.iter().position(|a| is_no_action(a.action)) {
            return position;
        }
        let known = (0..module.actions.len()).map(|i| hir::ActionId(i as u32)).find(|id| is_no_action(*id));
        let Some(id) = known else {
            self.unsupported(table.span, "`NoAction` is not declared");
            return 0;
        };
        actions.push(ActionRef {
            action: self.table_action(id, &[], table.span),
            scope: ActionScope::DefaultOnly,
            annotations: vec!["@defaultonly".to_owned()],
        });
        actions.len() - 1
    }

    fn flag(&mut self, table: &hir::Table, name: &str) -> Option<bool> {
        let (_, value, _) = table.properties.iter().find(|(n, _, _)| &**n == name)?;
        let value = value.clone();
        self.eval_number(&value).map(|v| v != 0.into())
    }

    fn entries(
        &mut self,
        table: &hir::Table,
        types: &[Type],
        keys: &[Key],
        largest_wins: bool,
    ) -> Vec<Entry> {
        let needs_priority = keys
            .iter()
            .any(|k| matches!(k.match_kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional));
        let delta =
            table.properties.iter().find(|(n, _, _)| &**n == "priority_delta").map(|(_, v, _)| v.clone());
        let delta = delta.and_then(|d| self.eval_number(&d)).and_then(|d| d.to_i64()).unwrap_or(1);
        let count = table.entries.len() as i64;
        let mut written: Vec<i64> = Vec::new();
        for entry in &table.entries {
            let given = entry.priority.as_ref().and_then(|p| self.eval_number(p)).and_then(|p| p.to_i64());
            let priority = match (given, written.last(), largest_wins) {
                (Some(given), _, _) => given,
                (None, None, true) => (count - 1) * delta + 1,
                (None, Some(before), true) => before - delta,
                (None, None, false) => 1,
                (None, Some(before), false) => before + delta,
            };
            written.push(priority);
        }
        let ranked = table.entries.iter().any(|entry| entry.rank.is_some());
        if ranked {
            written = (1..).zip(&table.entries).map(|(n, e)| e.rank.map_or(n, i64::from)).collect();
        }
        let largest_wins = largest_wins && !ranked;
        // In P4Runtime, larger priorities win, and priorities are positive.
        let highest = written.iter().copied().max().unwrap_or(0);
        let mut out = Vec::new();
        for (entry, priority) in table.entries.iter().zip(written) {
            let priority = if largest_wins { priority } else { highest + 1 - priority };
            let patterns = self.entry_patterns(&entry.keysets, types, entry.span);
            let patterns = patterns.into_iter().zip(keys).map(|(p, k)| normal(p, k)).collect();
            let args = self.action_data(&entry.action.args);
            out.push(Entry {
                patterns,
                action: BoundAction { action: entry.action.action, args },
                priority: needs_priority.then(|| i32::try_from(priority).unwrap_or(i32::MAX)),
                is_const: entry.is_const,
            });
        }
        out
    }

    /// Attaches the counters, meters and action profiles of the table properties.
    fn attach(&mut self, table: &hir::Table, made: &mut ir::Table) {
        for (name, value, annotations) in &table.properties {
            match &**name {
                "implementation" => match self.property_object(value, table, annotations, &made.preamble) {
                    Some(Object::ActionProfile(id)) => made.implementation = Some(id),
                    _ => self.bad_property(value, "an action profile or selector"),
                },
                "counters" => match self.property_object(value, table, annotations, &made.preamble) {
                    Some(Object::Counter(id)) => {
                        let owner = self.program.tables.iter().find(|t| t.direct_counter == Some(id));
                        let owner = owner.map(|t| t.preamble.name.clone());
                        self.check_owner(owner, value, "direct counter");
                        made.direct_counter = Some(id);
                    }
                    _ => self.bad_property(value, "a direct counter"),
                },
                "meters" => match self.property_object(value, table, annotations, &made.preamble) {
                    Some(Object::Meter(id)) => {
                        let owner = self.program.tables.iter().find(|t| t.direct_meter == Some(id));
                        let owner = owner.map(|t| t.preamble.name.clone());
                        self.check_owner(owner, value, "direct meter");
                        made.direct_meter = Some(id);
                    }
                    _ => self.bad_property(value, "a direct meter"),
                },
                _ => {}
            }
        }
    }

    /// Reports a direct counter or meter of two tables: its cells belong to the entries of one table.
    fn check_owner(&mut self, owner: Option<String>, value: &Expr, what: &str) {
        if let Some(owner) = owner {
            let message = format!("{what} is already attached to table `{owner}`");
            self.error(codes::BAD_EXTERN, value.span, message);
        }
    }

    fn bad_property(&mut self, value: &Expr, what: &str) {
        let message = format!("expected {what}");
        self.error(codes::BAD_TABLE, value.span, message);
    }

    fn property_object(
        &mut self,
        value: &Expr,
        table: &hir::Table,
        annotations: &Annotations,
        owner: &ir::Preamble,
    ) -> Option<Object> {
        if let hir::ExprKind::Construct(_) = &value.kind {
            return self.construct_for_table(value, &table.name, annotations, owner);
        }
        match self.eval(value) {
            Val::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Returns the pattern of an entry in the form that its match kind requires.
fn normal(pattern: Pattern, key: &Key) -> Pattern {
    match (pattern, key.match_kind) {
        // A mask of all ones is an exact match.
        (Pattern::Mask { value, mask }, MatchKind::Exact) if mask == ir::Bits::ones(mask.width()) => {
            Pattern::Value(value)
        }
        (pattern, _) => pattern,
    }
}

fn action_scope(action: &hir::TableAction) -> ActionScope {
    let marked = |name: &str| action.annotations.iter().any(|a| &*a.name.name == name);
    if marked("tableonly") {
        ActionScope::TableOnly
    } else if marked("defaultonly") {
        ActionScope::DefaultOnly
    } else {
        ActionScope::TableAndDefault
    }
}

pub(super) fn match_kind(name: &str) -> MatchKind {
    match name {
        "lpm" => MatchKind::Lpm,
        "ternary" => MatchKind::Ternary,
        "range" => MatchKind::Range,
        "optional" => MatchKind::Optional,
        "selector" => MatchKind::Selector,
        _ => MatchKind::Exact,
    }
}
