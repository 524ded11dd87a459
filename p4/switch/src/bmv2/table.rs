//! Tables and their entries (`JSON_format.md`, "pipelines" and "match-action entry format").

use p4_lang::ir::{
    self, Action, ActionId, ActionRef, ActionScope, BinaryOp, Bits, BoundAction, Entry, Expr, ExprKind,
    HeaderRef, Key, MatchKind, Pattern, ScalarKind,
};

use super::node::Node;
use super::number::bits;
use super::pipeline::field_name;
use super::{Array, Reader};

/// The size of a table that specifies none, as in p4c.
const DEFAULT_SIZE: u64 = 1_024;

/// A table without its name and properties.
pub(super) struct Made {
    preamble: ir::Preamble,
    keys: Vec<Key>,
    pub(super) actions: Vec<ActionRef>,
    /// The number of actions that the file lists; another one is the default action.
    pub(super) named_actions: usize,
    default_action: BoundAction,
    const_default: bool,
    entries: Vec<Entry>,
    size: u64,
    implementation: Option<ir::ActionProfileId>,
    direct_counter: Option<ir::CounterId>,
    direct_meter: Option<ir::MeterId>,
}

impl Made {
    pub(super) fn table(self, node: &Node<'_>) -> ir::Table {
        let hidden = self.preamble.annotations.iter().any(|text| text == "@hidden");
        ir::Table {
            preamble: self.preamble,
            keys: self.keys,
            actions: self.actions,
            default_action: self.default_action,
            const_default: self.const_default,
            // Entries of the file cannot be changed.
            const_entries: !node.get("entries").is_null(),
            entries: self.entries,
            largest_priority_wins: false,
            size: self.size,
            implementation: self.implementation,
            direct_counter: self.direct_counter,
            direct_meter: self.direct_meter,
            idle_timeout: node.get("support_timeout").flag().unwrap_or(false),
            hidden,
        }
    }
}

impl<'j> Reader<'j> {
    pub(super) fn table(&mut self, node: &Node<'j>, position: Vec<u32>) -> Option<Made> {
        let name = self.text(node, "name")?;
        let mut keys = self.keys(node);
        let mut actions = self.table_actions(node);
        let named_actions = actions.len();
        let default = node.get("default_entry");
        let const_default =
            ["action_const", "action_entry_const"].iter().any(|key| default.get(key).flag().unwrap_or(false));
        let default_action = match default.is_object() {
            true => self.bound_action(&default, &mut actions)?,
            false => BoundAction { action: self.nothing(&mut actions), args: Vec::new() },
        };
        let mut preamble = Reader::preamble(name, position);
        // p4c makes such tables of statements.
        if keys.is_empty() && const_default {
            preamble.annotations.push("@hidden".to_owned());
        } else {
            self.listed.extend(actions.iter().map(|a| a.action));
        }
        let entries = self.entries(node, &keys, &mut actions);
        let implementation = self.implementation(node, &mut keys);
        let size = match self.size(node, "max_size", DEFAULT_SIZE) {
            0 => DEFAULT_SIZE,
            size => size,
        };
        let direct_counter = self.direct_counter(node, name);
        let direct_meter = self.direct_meter(node);
        Some(Made {
            preamble,
            keys,
            actions,
            named_actions,
            default_action,
            const_default,
            entries,
            size,
            implementation,
            direct_counter,
            direct_meter,
        })
    }

    fn keys(&mut self, node: &Node<'j>) -> Vec<Key> {
        let mut keys = Vec::new();
        for (at, key) in node.get("key").items().iter().enumerate() {
            let target = key.get("target");
            let (match_kind, expr) = match self.text(key, "match_type") {
                Some("valid") => {
                    let header = self.real_header(&target).map(HeaderRef::Static);
                    let valid =
                        header.map(|h| Expr { kind: ExprKind::IsValid(h), ty: ScalarKind::Unsigned(1) });
                    (MatchKind::Exact, valid)
                }
                Some(kind) => match match_kind(kind) {
                    Some(kind) => (kind, self.key_field(&target, &key.get("mask"))),
                    None => {
                        let what = "`exact`, `lpm`, `ternary`, `range`, `optional` or `valid`";
                        self.expected::<()>(&key.get("match_type"), what);
                        continue;
                    }
                },
                None => continue,
            };
            let name = key.get("name").text().map_or_else(|| field_name(&target), str::to_owned);
            keys.extend(expr.map(|expr| Key {
                id: at as u32 + 1,
                name,
                expr,
                match_kind,
                type_name: None,
                annotations: Vec::new(),
            }));
        }
        if keys.iter().filter(|key| key.match_kind == MatchKind::Lpm).count() > 1 {
            self.error(&node.get("key"), "a table has at most one key of kind `lpm`");
        }
        keys
    }

    /// Reads a field of a key, under a mask if there is one.
    fn key_field(&mut self, target: &Node<'j>, mask: &Node<'j>) -> Option<Expr> {
        let (id, ty) = self.field(target)?;
        if matches!(ty, ScalarKind::Varbit(_)) {
            return self.expected(target, "a field of fixed width");
        }
        // The control plane sees bits.
        let ty = ScalarKind::Unsigned(ty.width());
        let field = Expr { kind: ExprKind::Scalar(id), ty };
        if mask.is_null() {
            return Some(field);
        }
        let mask = bits(&self.constant(mask)?, ty.width());
        if mask == Bits::ones(ty.width()) {
            return Some(field);
        }
        let mask = Expr { kind: ExprKind::Const(mask), ty };
        Some(Expr { kind: ExprKind::Binary(BinaryOp::BitAnd, Box::new(field), Box::new(mask)), ty })
    }

    /// Reads the actions: by id, or by name in old versions.
    fn table_actions(&mut self, node: &Node<'j>) -> Vec<ActionRef> {
        let (ids, names) = (node.get("action_ids"), node.get("actions"));
        let mut found = Vec::new();
        if ids.is_array() {
            for id in ids.items() {
                found.extend(self.action(&id));
            }
        } else {
            for name in names.items() {
                match name.text().and_then(|name| self.action_names.get(name)) {
                    Some(id) => found.push(*id),
                    None => {
                        self.unknown::<()>(&name, "action");
                    }
                }
            }
        }
        found.into_iter().map(|action| reference(action, ActionScope::TableAndDefault)).collect()
    }

    /// Reads an action with its arguments; it is added to the actions of the table if it is not among them.
    fn bound_action(&mut self, node: &Node<'j>, actions: &mut Vec<ActionRef>) -> Option<BoundAction> {
        let id = self.action(&node.get("action_id"))?;
        let kinds: Vec<ScalarKind> =
            self.program.actions.get(id.index())?.params.iter().map(|p| p.kind).collect();
        let data = node.get("action_data");
        let given = data.items();
        if given.len() != kinds.len() {
            let (wanted, found) = (kinds.len(), given.len());
            self.error(&data, format!("the action has {wanted} parameters, found {found} values"));
            return None;
        }
        let mut args = Vec::new();
        for (value, kind) in given.iter().zip(kinds) {
            args.push(bits(&self.constant(value)?, kind.width()));
        }
        let at = actions.iter().position(|a| a.action == id).unwrap_or_else(|| {
            actions.push(reference(id, ActionScope::DefaultOnly));
            actions.len() - 1
        });
        Some(BoundAction { action: at, args })
    }

    /// Returns the default action of a table that specifies none: it does nothing.
    fn nothing(&mut self, actions: &mut Vec<ActionRef>) -> usize {
        let known = self.program.actions.iter().position(|a| a.preamble.name == "$nothing");
        let id = known.unwrap_or_else(|| {
            let mut preamble = Reader::preamble("$nothing", vec![0, 7]);
            preamble.annotations.push("@hidden".to_owned());
            self.program.actions.push(Action { preamble, params: Vec::new(), body: Vec::new() });
            self.program.actions.len() - 1
        });
        actions.push(reference(ActionId(id as u32), ActionScope::DefaultOnly));
        actions.len() - 1
    }

    fn entries(&mut self, node: &Node<'j>, keys: &[Key], actions: &mut Vec<ActionRef>) -> Vec<Entry> {
        let ranked = keys
            .iter()
            .any(|key| matches!(key.match_kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional));
        let mut read = Vec::new();
        for entry in node.get("entries").items() {
            let match_key = entry.get("match_key");
            let parts = match_key.items();
            if parts.len() != keys.len() {
                let (wanted, found) = (keys.len(), parts.len());
                self.error(&match_key, format!("the table has {wanted} keys, found {found}"));
                continue;
            }
            let patterns: Option<Vec<Pattern>> =
                parts.iter().zip(keys).map(|(part, key)| self.pattern(part, key)).collect();
            let action = self.bound_action(&entry.get("action_entry"), actions);
            let priority = match ranked {
                true => self.integer(&entry, "priority"),
                false => Some(0),
            };
            if let (Some(patterns), Some(action), Some(priority)) = (patterns, action, priority) {
                read.push((patterns, action, priority));
            }
        }
        // Here the smallest number wins; in P4Runtime the largest one does, and numbers are positive.
        let lowest = read.iter().map(|(_, _, priority)| *priority).max().unwrap_or(0);
        let rank = |priority: i64| {
            i32::try_from(lowest.saturating_sub(priority).saturating_add(1)).unwrap_or(i32::MAX)
        };
        let entry = |(patterns, action, priority): (Vec<Pattern>, BoundAction, i64)| Entry {
            patterns,
            action,
            priority: ranked.then(|| rank(priority)),
            is_const: true,
        };
        read.into_iter().map(entry).collect()
    }

    fn pattern(&mut self, node: &Node<'j>, key: &Key) -> Option<Pattern> {
        let width = key.expr.ty.width();
        let mut value = |name: &'j str| {
            let node = node.get(name);
            match node.flag() {
                // `valid` has true and false.
                Some(flag) => Some(Bits::new(width, u128::from(flag))),
                None => self.constant(&node).map(|number| bits(&number, width)),
            }
        };
        match key.match_kind {
            MatchKind::Lpm => {
                let value = value("key")?;
                let prefix = node.get("prefix_length");
                let length = prefix.integer().and_then(|length| u32::try_from(length).ok());
                let Some(length) = length.filter(|length| *length <= width) else {
                    return self.expected(&prefix, &format!("a length from 0 to {width}"));
                };
                let ones = (num_bigint::BigInt::from(1) << length) - 1;
                Some(masked(value, bits(&(ones << (width - length)), width)))
            }
            MatchKind::Ternary | MatchKind::Optional => {
                let (value, mask) = (value("key")?, value("mask")?);
                Some(match masked(value, mask) {
                    Pattern::Mask { value, .. } if key.match_kind == MatchKind::Optional => {
                        Pattern::Value(value)
                    }
                    pattern => pattern,
                })
            }
            MatchKind::Range => {
                let (low, high) = (value("start")?, value("end")?);
                Some(Pattern::Range { low, high, signed: false })
            }
            MatchKind::Exact | MatchKind::Selector => Some(Pattern::Value(value("key")?)),
        }
    }

    fn implementation(&mut self, node: &Node<'j>, keys: &mut Vec<Key>) -> Option<ir::ActionProfileId> {
        match self.text(node, "type")? {
            "simple" => None,
            "indirect" | "indirect_ws" => {
                let key =
                    if node.get("action_profile").is_null() { "act_prof_name" } else { "action_profile" };
                let name = node.get(key);
                match name.text().and_then(|name| self.profiles.get(name)).cloned() {
                    Some((id, inputs)) => {
                        keys.extend(inputs);
                        Some(id)
                    }
                    None => self.unknown(&name, "action profile"),
                }
            }
            _ => self.expected(&node.get("type"), "`simple`, `indirect` or `indirect_ws`"),
        }
    }

    /// Returns the direct counter of a table: the array that names the table as its `binding`.
    fn direct_counter(&mut self, node: &Node<'j>, table: &str) -> Option<ir::CounterId> {
        if !node.get("with_counters").flag().unwrap_or(false) {
            return None;
        }
        match self.bindings.get(table).and_then(|name| self.counters.get(name)) {
            Some(Array::Counter(id)) => Some(*id),
            _ => None,
        }
    }

    fn direct_meter(&mut self, node: &Node<'j>) -> Option<ir::MeterId> {
        let name = node.get("direct_meters");
        if name.is_null() {
            return None;
        }
        match name.text().and_then(|name| self.meters.get(name)) {
            Some(Array::Meter(id)) if self.program.meters.get(id.index()).is_some_and(|m| m.direct) => {
                Some(*id)
            }
            _ => self.unknown(&name, "direct meter array"),
        }
    }
}

fn reference(action: ActionId, scope: ActionScope) -> ActionRef {
    ActionRef { action, scope, annotations: Vec::new() }
}

/// Returns the pattern of a value under a mask.
fn masked(value: Bits, mask: Bits) -> Pattern {
    if mask == Bits::ones(mask.width()) {
        return Pattern::Value(value);
    }
    if mask.limbs().iter().all(|limb| *limb == 0) {
        return Pattern::Any;
    }
    let both = value.limbs().iter().zip(mask.limbs()).map(|(v, m)| v & m).collect();
    Pattern::Mask { value: Bits::from_limbs(mask.width(), both), mask }
}

fn match_kind(name: &str) -> Option<MatchKind> {
    Some(match name {
        "exact" => MatchKind::Exact,
        "lpm" => MatchKind::Lpm,
        "ternary" => MatchKind::Ternary,
        "range" => MatchKind::Range,
        "optional" => MatchKind::Optional,
        _ => return None,
    })
}
