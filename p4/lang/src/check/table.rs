//! Tables.

use std::collections::BTreeMap;

use super::{Checker, Context, Enclosing, Entity, share};
use crate::diagnostic::{Diagnostic, codes, given, plural};
use crate::hir::{
    Callee, Expr, ExprKind, Keyset, Param, Table, TableAction, TableActionCall, TableEntry, TableId,
    TableKey, Type,
};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{self, ActionRef, Arg, Direction, ExprKind as Ast, Path, PropertyValue};

impl Checker<'_> {
    /// Declares a table.
    pub(super) fn table(&mut self, table: &ast::Table) -> TableId {
        self.check_annotations(&table.annotations);
        let context = Context {
            enclosing: Enclosing::Table,
            table: Some(table.name.name.clone()),
            ..Context::default()
        };
        let checked = self.within(context, |c| c.table_body(table));
        let id = TableId(self.module.tables.len() as u32);
        self.module.tables.push(checked);
        self.usage.declare("table", &table.name, &table.annotations);
        self.declare(&table.name, Entity::Table(id));
        id
    }

    fn table_body(&mut self, table: &ast::Table) -> Table {
        let mut checked = Table {
            name: table.name.name.clone(),
            keys: Vec::new(),
            actions: Vec::new(),
            default_action: None,
            entries: Vec::new(),
            const_entries: false,
            size: None,
            properties: Vec::new(),
            annotations: share(&table.annotations),
            span: table.name.span,
        };
        self.check_properties(table);
        // Entries and the default action refer to keys and actions, whatever the order of the properties.
        for property in &table.properties {
            match &property.value {
                PropertyValue::Key(keys) => {
                    checked.keys = keys.iter().map(|k| self.table_key(k)).collect();
                }
                PropertyValue::Actions(actions) => self.table_actions(&mut checked, actions),
                _ => {}
            }
        }
        for property in &table.properties {
            match (&property.value, &*property.name.name) {
                (PropertyValue::Expr(value), "default_action") => {
                    let call = self.action_value(value).and_then(|a| self.table_call(&checked, &a, true));
                    checked.default_action = call.map(|call| (call, property.is_const));
                }
                (PropertyValue::Expr(value), "size") => {
                    checked.size = Some(self.size_expr(value, "the size of a table"));
                }
                (PropertyValue::Entries(entries), _) => {
                    let end = entries.last().map_or(property.name.span, |e| e.span);
                    self.usage.suppress(&property.annotations, property.name.span.to(end));
                    checked.const_entries = property.is_const;
                    if entries.is_empty() {
                        self.report(Diagnostic::warning(
                            codes::NO_MATCH,
                            property.name.span,
                            "the list of entries is empty",
                        ));
                    }
                    checked.entries =
                        entries.iter().filter_map(|e| self.entry(&checked, e, property.is_const)).collect();
                }
                (PropertyValue::Expr(value), _) => {
                    if let Some(value) = self.table_property(&property.name, value) {
                        let annotations = share(&property.annotations);
                        checked.properties.push((property.name.name.clone(), value, annotations));
                    }
                }
                _ => {}
            }
        }
        self.check_priorities(&checked, table);
        self.check_same_keys(&checked);
        self.warn_covered_entries(&checked);
        if !table.properties.iter().any(|p| &*p.name.name == "default_action") {
            self.check_no_action(&checked);
        }
        checked
    }

    fn check_properties(&mut self, table: &ast::Table) {
        let mut seen: BTreeMap<Name, Span> = BTreeMap::new();
        for property in &table.properties {
            self.check_annotations(&property.annotations);
            if let Some(before) = seen.insert(property.name.name.clone(), property.name.span) {
                let message = format!("property `{}` is given more than once", property.name.name);
                self.report(
                    Diagnostic::error(codes::BAD_TABLE, property.name.span, message)
                        .also(before, "first given here"),
                );
            }
            if property.is_const && matches!(&*property.name.name, "key" | "actions") {
                let message = format!("`{}` cannot be `const`", property.name.name);
                self.error(codes::BAD_TABLE, property.name.span, message);
            }
        }
        if !seen.contains_key("actions") {
            let message = format!("table `{}` has no `actions` property", table.name.name);
            self.error(codes::BAD_TABLE, table.name.span, message);
        }
        self.check_entries_need_key(table);
        self.check_default_after_actions(table);
    }

    fn table_key(&mut self, key: &ast::KeyElement) -> TableKey {
        self.check_annotations(&key.annotations);
        let expr = self.expr(&key.expr, None);
        let expr = match expr.ty {
            Type::Int => {
                self.error(codes::BAD_KEY, key.expr.span, "a table key must have a width");
                Expr::bad(key.expr.span)
            }
            _ => expr,
        };
        if !self.module.match_kinds.contains(&key.match_kind.name) {
            let message = format!("unknown match kind `{}`", key.match_kind.name);
            let kinds: Vec<Name> = self.module.match_kinds.clone();
            let mut diagnostic = Diagnostic::error(codes::BAD_KEY, key.match_kind.span, message);
            if let Some(near) = self.closest(&key.match_kind.name, kinds.iter().map(|k| &**k)) {
                diagnostic =
                    diagnostic.suggest("a match kind with a similar name exists", key.match_kind.span, near);
            }
            self.report(diagnostic);
        }
        self.check_key_type(&expr, &key.match_kind.name);
        self.warn_constant_key(&expr);
        TableKey {
            name: super::key_name::key_name(&self.module, &key.expr, Some(&expr)),
            expr,
            match_kind: key.match_kind.name.clone(),
            annotations: share(&key.annotations),
            span: key.expr.span,
        }
    }

    fn table_actions(&mut self, table: &mut Table, actions: &[ActionRef]) {
        for action in actions {
            self.check_annotations(&action.annotations);
            let Some(id) = self.action_path(&action.path) else { continue };
            if table.actions.iter().any(|a| a.action == id) {
                let message = format!("action `{}` is listed more than once", action.path.ident.name);
                self.error(codes::DUPLICATE_NAME, action.span, message);
                continue;
            }
            let params = self.module.actions.get(id.index()).map(|a| a.params.clone()).unwrap_or_default();
            let directional: Vec<Param> =
                params.iter().filter(|p| p.direction != Direction::None).cloned().collect();
            let args: &[Arg] = action.args.as_deref().unwrap_or_default();
            if args.len() > directional.len() {
                let message = format!(
                    "`{}` has {}; the control plane supplies the other arguments",
                    action.path.ident.name,
                    plural(directional.len(), "directional parameter")
                );
                self.error(codes::BAD_ACTION, action.span, message);
                continue;
            }
            if args.len() < directional.len() {
                let missing = directional.get(args.len()).map_or("", |p| &p.name).to_owned();
                let message = format!("missing argument for directional parameter `{missing}`");
                self.error(codes::BAD_ACTION, action.span, message);
                continue;
            }
            let bound = self.bound_args(&directional, args);
            table.actions.push(TableAction {
                action: id,
                bound,
                annotations: share(&action.annotations),
                span: action.span,
            });
        }
    }

    /// Checks the arguments for directional parameters, by position or name.
    fn bound_args(&mut self, params: &[Param], args: &[Arg]) -> Vec<Expr> {
        let mut bound = Vec::new();
        let outer = std::mem::replace(&mut self.context.bound, true);
        for (i, param) in params.iter().enumerate() {
            let arg = args
                .iter()
                .find(|a| a.name.as_ref().is_some_and(|n| n.name == param.name))
                .or_else(|| args.get(i).filter(|a| a.name.is_none()));
            let Some(value) = arg.and_then(|a| a.value.as_ref()) else {
                let span = arg.map_or(param.span, |a| a.span);
                self.error(codes::BAD_ACTION, span, "expected a value");
                bound.push(Expr::bad(span));
                continue;
            };
            let value = if param.direction == Direction::In {
                self.expr_as(value, &param.ty)
            } else {
                let value = self.lvalue(value);
                self.coerce(value, &param.ty)
            };
            bound.push(value);
        }
        self.context.bound = outer;
        bound
    }

    fn action_path(&mut self, path: &Path) -> Option<crate::hir::ActionId> {
        match self.lookup(path)? {
            Entity::Action(id) => Some(id),
            _ => {
                let message = format!("`{}` is not an action", path.ident.name);
                self.error(codes::BAD_ACTION, path.ident.span, message);
                None
            }
        }
    }

    /// Checks `default_action = a;` and `default_action = a(x);`.
    fn action_value(&mut self, value: &ast::Expr) -> Option<ActionRef> {
        let make = |path: &Path, args: Option<Vec<Arg>>| ActionRef {
            annotations: Vec::new(),
            path: path.clone(),
            args,
            span: value.span,
        };
        match &value.kind {
            Ast::Name(path) => Some(make(path, None)),
            Ast::Call { callee, args, .. } => match &callee.kind {
                Ast::Name(path) => Some(make(path, Some(args.clone()))),
                _ => {
                    self.error(codes::BAD_ACTION, value.span, "expected an action");
                    None
                }
            },
            _ => {
                self.error(codes::BAD_ACTION, value.span, "expected an action");
                None
            }
        }
    }

    /// Checks the use of an action of the table's list with its data.
    fn table_call(&mut self, table: &Table, action: &ActionRef, default: bool) -> Option<TableActionCall> {
        let id = self.action_path(&action.path)?;
        let name = &action.path.ident.name;
        let Some(position) = table.actions.iter().position(|a| a.action == id) else {
            let message = format!("action `{name}` is not in the `actions` of this table");
            self.report(
                Diagnostic::error(codes::BAD_ACTION, action.span, message)
                    .label("not among the actions")
                    .also(table.span, "in this table")
                    .help(format!("add `{name};` to its `actions`")),
            );
            return None;
        };
        self.check_action_scope(&table.actions[position], default, action.span);
        let params = self.module.actions.get(id.index()).map(|a| a.params.clone()).unwrap_or_default();
        let (directional, data): (Vec<Param>, Vec<Param>) =
            params.iter().cloned().partition(|p| p.direction != Direction::None);
        let args: &[Arg] = action.args.as_deref().unwrap_or_default();
        let defaults = data.iter().filter(|p| p.default.is_some()).count();
        let repeated = args.len() + defaults >= directional.len() + data.len()
            && !directional.is_empty()
            && args.len() > data.len();
        let data_args = if repeated {
            let given = self.bound_args(&directional, args);
            self.check_same_binding(&table.actions[position].bound, &given);
            &args[directional.len()..]
        } else {
            args
        };
        if data_args.len() > data.len() || data_args.len() + defaults < data.len() {
            let message = format!(
                "action `{name}` takes {}, but {}",
                plural(data.len(), "data argument"),
                given(data_args.len())
            );
            self.error(codes::BAD_ACTION, action.span, message);
            return None;
        }
        let mut values = Vec::new();
        for (i, param) in data.iter().enumerate() {
            let arg = data_args
                .iter()
                .find(|a| a.name.as_ref().is_some_and(|n| n.name == param.name))
                .or_else(|| data_args.get(i).filter(|a| a.name.is_none()));
            let value = match arg.and_then(|a| a.value.as_ref()) {
                Some(value) => self.expr_as(value, &param.ty),
                None => match &param.default {
                    Some(default) => (**default).clone(),
                    None => {
                        let message = format!("missing action data `{}`", param.name);
                        self.error(codes::BAD_ACTION, action.span, message);
                        Expr::bad(action.span)
                    }
                },
            };
            if !value.ty.is_bad() {
                self.require_known(&value);
            }
            values.push(value);
        }
        Some(TableActionCall { action: position, args: values })
    }

    fn check_same_binding(&mut self, list: &[Expr], given: &[Expr]) {
        for (a, b) in list.iter().zip(given) {
            if !same_expr(a, b) {
                let message = "argument differs from the one bound in `actions`";
                self.report(Diagnostic::error(codes::BAD_ACTION, b.span, message).also(a.span, "bound here"));
            }
        }
    }

    fn entry(&mut self, table: &Table, entry: &ast::Entry, list_const: bool) -> Option<TableEntry> {
        self.check_annotations(&entry.annotations);
        if entry.annotations.iter().any(|a| &*a.name.name == "priority") {
            self.report(
                Diagnostic::warning(
                    codes::DEPRECATED,
                    entry.span,
                    "`@priority` is not a standard annotation",
                )
                .help("write `priority = 10 : key : action();`"),
            );
        }
        let types: Vec<Type> = table.keys.iter().map(|k| self.zonk(&k.expr.ty)).collect();
        let keysets = self.keysets(&entry.keysets, &types, entry.span);
        for (set, key) in keysets.iter().zip(&table.keys) {
            self.check_entry_set(set, &key.match_kind, entry.span);
        }
        let priority = entry.priority.as_ref().map(|p| self.size_expr(p, "a priority"));
        if let (Some(priority), true) = (&priority, list_const) {
            let message = "constant entries cannot have priorities: their order determines precedence";
            self.error(codes::BAD_ENTRY, priority.span, message);
        }
        let action = self.table_call(table, &entry.action, false)?;
        Some(TableEntry {
            keysets,
            action,
            priority,
            rank: crate::lower::rank_annotation(&entry.annotations),
            is_const: entry.is_const || list_const,
            span: entry.span,
        })
    }

    fn check_entry_set(&mut self, set: &Keyset, kind: &str, span: Span) {
        let fine = match set {
            Keyset::Any => kind != "exact",
            Keyset::Value(_) => true,
            Keyset::Mask(..) => matches!(kind, "ternary" | "lpm"),
            Keyset::Range(..) => kind == "range",
            Keyset::Items(_) => true,
            Keyset::ValueSet(_) => false,
        };
        if !fine {
            let message = format!("key set does not fit match kind `{kind}`");
            self.in_program.push(Diagnostic::error(codes::BAD_ENTRY, span, message));
        }
        if let (Keyset::Mask(_, mask), "lpm") = (set, kind)
            && let (Some(value), Some(width)) = (mask.as_int(), mask.ty.fixed_width())
        {
            // The complement of a prefix mask is one less than a power of two.
            let rest = crate::constant::power_of_two(width) - 1 - value;
            if (&rest & (&rest + 1)) != 0.into() {
                self.error(codes::BAD_ENTRY, mask.span, "the mask of an `lpm` key must be a prefix mask");
            }
        }
        if matches!(kind, "ternary" | "lpm") {
            self.warn_masked_bits(set);
        }
        let mut check = |value: &Expr| {
            if !value.ty.is_bad() {
                self.require_known(value);
            }
        };
        match set {
            Keyset::Value(value) => check(value),
            Keyset::Mask(a, b) | Keyset::Range(a, b) => {
                check(a);
                check(b);
            }
            _ => {}
        }
    }

    /// Checks a property that the architecture defines.
    fn table_property(&mut self, name: &ast::Ident, value: &ast::Expr) -> Option<Expr> {
        // Objects may be constructed here.
        let value = self.expr(value, None);
        self.check_table_property(name, &value);
        (!value.ty.is_bad()).then_some(value)
    }
}

/// Returns whether two bound arguments are the same expression.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    if a.ty.is_bad() || b.ty.is_bad() {
        return true;
    }
    match (&a.kind, &b.kind) {
        (K::Field(x, i), K::Field(y, j)) => i == j && same_expr(x, y),
        (K::Index(x, i), K::Index(y, j)) => same_expr(x, y) && same_expr(i, j),
        (K::Slice(x, h, l), K::Slice(y, i, m)) => h == i && l == m && same_expr(x, y),
        (K::Cast(x), K::Cast(y)) => a.ty == b.ty && same_expr(x, y),
        (K::Unary(o, x), K::Unary(p, y)) => o == p && same_expr(x, y),
        (K::Binary(o, x, u), K::Binary(p, y, v)) => o == p && same_expr(x, y) && same_expr(u, v),
        (K::PlusSlice(x, l, n), K::PlusSlice(y, m, o)) => n == o && same_expr(x, y) && same_expr(l, m),
        (K::Items(x), K::Items(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_expr(x, y)),
        (K::Call(x), K::Call(y)) => {
            let callee = match (&x.callee, &y.callee) {
                (Callee::Method { object: a, method: m }, Callee::Method { object: b, method: n }) => {
                    m == n && same_expr(a, b)
                }
                (Callee::Header(m, a), Callee::Header(n, b)) => m == n && same_expr(a, b),
                (a, b) => a == b,
            };
            callee && x.args.len() == y.args.len() && {
                x.args.iter().zip(&y.args).all(|pair| match pair {
                    (Some(a), Some(b)) => same_expr(a, b),
                    (a, b) => a.is_none() == b.is_none(),
                })
            }
        }
        (x, y) => x == y,
    }
}
