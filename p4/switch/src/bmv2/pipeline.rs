//! Pipelines: tables, conditions and calls of actions, each of which names the node that follows (`JSON_format.md`,
//! "pipelines").

use std::collections::BTreeMap;

use p4_lang::ir::{self, Bits, Expr, ExprKind, Pattern, ScalarKind, Stmt, TableId};

use super::Reader;
use super::action::equal;
use super::graph::{self, Block, Next};
use super::node::Node;
use super::operand::Scope;

impl<'j> Reader<'j> {
    pub(super) fn pipelines(&mut self, root: &Node<'j>) {
        for pipeline in root.get("pipelines").items() {
            self.action_profiles(&pipeline);
        }
        if let Some(ingress) = self.named(root, "pipelines", "ingress") {
            let mut body = self.no_error();
            body.extend(self.pipeline(&ingress, 1));
            self.program.ingress.body = body;
        }
        if let Some(egress) = self.named(root, "pipelines", "egress") {
            self.program.egress.body = self.pipeline(&egress, 2);
        }
    }

    /// The parser reports success as 0. If the file has another number for `NoError`, ingress starts with it.
    fn no_error(&mut self) -> Vec<Stmt> {
        let number = self.program.errors.iter().position(|name| name == "NoError").unwrap_or(0);
        let Some(id) = self.program.storage.standard_metadata.get("parser_error").copied() else {
            return Vec::new();
        };
        if number == 0 {
            return Vec::new();
        }
        let ty = self.kind(id);
        let constant =
            |value: usize| Expr { kind: ExprKind::Const(Bits::new(ty.width(), value as u128)), ty };
        vec![Stmt::If {
            condition: equal(Expr { kind: ExprKind::Scalar(id), ty }, constant(0)),
            then: vec![Stmt::Assign(id, constant(number))],
            otherwise: Vec::new(),
        }]
    }

    fn pipeline(&mut self, node: &Node<'j>, block: u32) -> Vec<Stmt> {
        let (tables, conditionals, calls) =
            (node.get("tables"), node.get("conditionals"), node.get("action_calls"));
        let all: Vec<Node<'j>> = [&tables, &conditionals, &calls].into_iter().flat_map(Node::items).collect();
        if all.len() > graph::MAX_NODES {
            self.error(node, format!("a pipeline has more than {} tables and conditions", graph::MAX_NODES));
            return Vec::new();
        }
        let mut numbers = BTreeMap::new();
        for (at, node) in all.iter().enumerate() {
            if let Some(name) = self.text(node, "name")
                && numbers.insert(name, at).is_some()
            {
                self.error(&node.get("name"), format!("there are two nodes `{name}`"));
            }
        }
        let mut blocks = Vec::with_capacity(all.len());
        for (at, table) in tables.items().iter().enumerate() {
            blocks.push(self.table_block(table, vec![block, 0, at as u32], &numbers));
        }
        for conditional in conditionals.items() {
            blocks.push(self.conditional(&conditional, &numbers));
        }
        for call in calls.items() {
            let action = self.action(&call.get("action_id"));
            let declared = action.and_then(|id| self.program.actions.get(id.index()));
            if declared.is_some_and(|action| !action.params.is_empty()) {
                self.error(&call.get("action_id"), "an action with parameters cannot be called directly");
            }
            let next = self.next(&call.get("next_node"), &numbers);
            blocks.push(Block {
                stmts: action.map(Stmt::CallAction).into_iter().collect(),
                next: Next::To(next),
            });
        }
        let entry = self.next(&node.get("init_table"), &numbers);
        match graph::structure(blocks, entry, &mut || self.temporary(graph::NEXT_KIND)) {
            Ok(body) => body,
            Err(graph::Cycle(at)) => {
                let at = all.get(at).unwrap_or(node);
                self.error(at, "this node follows itself; a pipeline has no loops");
                Vec::new()
            }
        }
    }

    /// Reads the name of the node that follows.
    fn next(&mut self, node: &Node<'j>, numbers: &BTreeMap<&'j str, usize>) -> Option<usize> {
        if node.is_null() {
            return None;
        }
        match node.text().and_then(|name| numbers.get(name)) {
            Some(at) => Some(*at),
            None => self.unknown(node, "table, condition or action call"),
        }
    }

    fn conditional(&mut self, node: &Node<'j>, numbers: &BTreeMap<&'j str, usize>) -> Block {
        let expression = node.get("expression");
        let then = self.next(&node.get("true_next"), numbers);
        let otherwise = self.next(&node.get("false_next"), numbers);
        let mut scope = Scope::control();
        let condition = match self.test(&expression, &mut scope) {
            Some(test) => {
                let made = self.translator.test(&test);
                self.translated(&expression, made)
            }
            None => None,
        };
        let next = match condition {
            Some(condition) => Next::If { condition, then, otherwise },
            None => Next::To(then),
        };
        Block { stmts: scope.before, next }
    }

    /// Reads a table and what follows it: by hit and miss, or by the action that was executed.
    fn table_block(
        &mut self,
        node: &Node<'j>,
        position: Vec<u32>,
        numbers: &BTreeMap<&'j str, usize>,
    ) -> Block {
        let Some(made) = self.table(node, position) else {
            return Block { stmts: Vec::new(), next: Next::To(None) };
        };
        let id = TableId(self.program.tables.len() as u32);
        let actions: Vec<String> = made
            .actions
            .iter()
            .filter_map(|a| self.program.actions.get(a.action.index()))
            .map(|a| a.preamble.name.clone())
            .collect();
        // A default action that the file does not name leads to the node for a miss.
        let implied = made.actions.len() > made.named_actions;
        self.program.tables.push(made.table(node));
        let next_tables = node.get("next_tables");
        let mut by_name: BTreeMap<&'j str, Option<usize>> = BTreeMap::new();
        for (name, to) in next_tables.members() {
            let to = self.next(&to, numbers);
            by_name.insert(name, to);
        }
        let default_next = self.next(&node.get("base_default_next"), numbers);
        let apply = |hit, action_run| vec![Stmt::ApplyTable { table: id, hit, action_run }];
        if let (Some(hit), Some(miss)) = (by_name.get("__HIT__"), by_name.get("__MISS__")) {
            let ty = ScalarKind::Unsigned(1);
            let scalar = self.temporary(ty);
            let condition = Expr { kind: ExprKind::Scalar(scalar), ty };
            let next = Next::If { condition, then: *hit, otherwise: *miss };
            return Block { stmts: apply(Some(scalar), None), next };
        }
        let mut targets = Vec::new();
        for (at, name) in actions.iter().enumerate() {
            targets.push(match by_name.get(name.as_str()) {
                _ if implied && at + 1 == actions.len() => default_next,
                Some(to) => *to,
                None => {
                    self.error(&next_tables, format!("no node is given for action `{name}`"));
                    None
                }
            });
        }
        let first = targets.first().copied().unwrap_or(default_next);
        if targets.iter().all(|to| *to == first) {
            return Block { stmts: apply(None, None), next: Next::To(first) };
        }
        let ty = ScalarKind::Unsigned(32);
        let scalar = self.temporary(ty);
        let value = |at: usize| vec![Pattern::Value(Bits::new(32, at as u128))];
        let cases = targets.iter().enumerate().map(|(at, to)| (value(at), *to)).collect();
        let key = Expr { kind: ExprKind::Scalar(scalar), ty };
        Block { stmts: apply(None, Some(scalar)), next: Next::Switch { key, cases, default: None } }
    }

    /// Reads the action profiles and selectors.
    fn action_profiles(&mut self, pipeline: &Node<'j>) {
        for node in pipeline.get("action_profiles").items() {
            let Some(name) = self.text(&node, "name") else { continue };
            let size = self.size(&node, "max_size", 0);
            self.action_profile(&node, name, size, &node.get("selector"));
        }
        // In old versions, a table describes its profile itself.
        for table in pipeline.get("tables").items() {
            if let Some(name) = table.get("act_prof_name").text() {
                self.action_profile(&table, name, 0, &table.get("selector"));
            }
        }
    }

    fn action_profile(&mut self, node: &Node<'j>, name: &'j str, size: u64, selector: &Node<'j>) {
        let id = ir::ActionProfileId(self.program.action_profiles.len() as u32);
        let mut keys = Vec::new();
        let mut made = None;
        if selector.is_object() {
            for input in selector.get("input").items() {
                let mut scope = Scope::control();
                let expr = self.operand_expr(&input, &mut scope);
                let field = input.get("value");
                keys.extend(expr.map(|expr| ir::Key {
                    id: 0,
                    name: field_name(&field),
                    expr,
                    match_kind: ir::MatchKind::Selector,
                    type_name: None,
                    annotations: Vec::new(),
                }));
            }
            let algo = selector.get("algo");
            let algorithm = algo.text().and_then(super::checksum::algorithm).unwrap_or_else(|| {
                self.warning(&algo, "unknown hash algorithm; members are selected by CRC-32");
                ir::HashAlgorithm::Crc32
            });
            made = Some(ir::Selector { algorithm, output_width: 32, max_group_size: 0 });
        }
        let position = vec![0, 6, id.0];
        let preamble = Reader::preamble(name, position);
        self.program.action_profiles.push(ir::ActionProfile { preamble, size, selector: made });
        if self.profiles.insert(name, (id, keys)).is_some() {
            self.error(node, format!("there are two action profiles `{name}`"));
        }
    }

    pub(super) fn operand_expr(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Expr> {
        let number = self.number(node, scope)?;
        let made = self.translator.exact(&number);
        self.translated(node, made)
    }
}

/// Returns `header.field`.
pub(super) fn field_name(node: &Node<'_>) -> String {
    match (node.at(0).text(), node.at(1).text()) {
        (Some(header), Some("$valid$")) => format!("{header}.$valid$"),
        (Some(header), Some(field)) => format!("{header}.{field}"),
        _ => node.text().unwrap_or("?").to_owned(),
    }
}
