//! Actions (`JSON_format.md`, "actions").

use p4_lang::ir::{self, Action, ActionId, BinaryOp, Expr, ExprKind, Param, ScalarKind, Stmt};

use super::graph::{self, Block, Next};
use super::node::Node;
use super::operand::Scope;
use super::{MAX_FIELD_BITS, Reader};

const BOOL: ScalarKind = ScalarKind::Unsigned(1);

impl<'j> Reader<'j> {
    pub(super) fn actions(&mut self, root: &Node<'j>) {
        for (at, node) in root.get("actions").items().iter().enumerate() {
            let (Some(name), Some(number)) = (self.text(node, "name"), self.integer(node, "id")) else {
                continue;
            };
            let params = self.params(node);
            let body = self.body(node, &params);
            let id = ActionId(self.program.actions.len() as u32);
            let preamble = Reader::preamble(name, vec![0, 5, at as u32]);
            self.program.actions.push(Action { preamble, params, body });
            if self.actions.insert(number, id).is_some() {
                self.error(&node.get("id"), format!("there are two actions with id {number}"));
            }
            self.action_names.entry(name).or_insert(id);
        }
    }

    fn params(&mut self, node: &Node<'j>) -> Vec<Param> {
        let mut params = Vec::new();
        for (at, param) in node.get("runtime_data").items().iter().enumerate() {
            let name = self.text(param, "name").unwrap_or("?");
            let width = param.get("bitwidth").integer().and_then(|w| u32::try_from(w).ok());
            let width = width.filter(|width| (1..=MAX_FIELD_BITS).contains(width));
            let width = width.or_else(|| self.expected(&param.get("bitwidth"), "a width in bits"));
            let kind = ScalarKind::Unsigned(width.unwrap_or(1));
            let action = node.get("name").text().unwrap_or("?");
            let scalar = self.scalar(param, format!("{action}.{name}"), kind);
            params.push(Param {
                id: at as u32 + 1,
                name: name.to_owned(),
                scalar,
                kind,
                type_name: None,
                annotations: Vec::new(),
            });
        }
        params
    }

    /// Reads the primitives; jumps among them become branches.
    fn body(&mut self, node: &Node<'j>, params: &[Param]) -> Vec<Stmt> {
        let list = node.get("primitives");
        let primitives = list.items();
        let last = primitives.len();
        if last > graph::MAX_NODES {
            self.error(&list, format!("an action has more than {} primitives", graph::MAX_NODES));
            return Vec::new();
        }
        let mut blocks = Vec::with_capacity(last);
        for (at, primitive) in primitives.iter().enumerate() {
            let mut scope = Scope::action(params);
            let block = self.jump(primitive, &mut scope, at, last).unwrap_or_else(|| Block {
                stmts: self.primitive(primitive, &mut scope).unwrap_or_default(),
                next: Next::To(following(at + 1, last)),
            });
            blocks.push(block);
        }
        let delayed = self.delay_exits(&mut blocks);
        let entry = following(0, last);
        let structured = graph::structure(blocks, entry, &mut || self.temporary(graph::NEXT_KIND));
        match structured {
            Ok(body) => delayed.wrap(body),
            Err(graph::Cycle(at)) => {
                self.error(&list.at(at), "a jump leads back to this primitive; actions have no loops");
                Vec::new()
            }
        }
    }

    /// Reads `_jump` and `_jump_if_zero`.
    fn jump(&mut self, node: &Node<'j>, scope: &mut Scope<'_>, at: usize, last: usize) -> Option<Block> {
        let op = node.get("op").text().filter(|op| matches!(*op, "_jump" | "_jump_if_zero"))?;
        let params = node.get("parameters");
        let target = params.at(usize::from(op == "_jump_if_zero"));
        let to = self.constant_number(&target, scope).and_then(|to| usize::try_from(to).ok());
        let to = match to {
            Some(to) if to <= last => following(to, last),
            Some(_) => self.expected(&target, &format!("the index of a primitive, at most {last}")),
            None => None,
        };
        if op == "_jump" {
            return Some(Block { stmts: Vec::new(), next: Next::To(to) });
        }
        let condition_node = params.at(0);
        let next = match self.test(&condition_node, scope) {
            Some(test) => {
                let made = self.translator.test(&test);
                let then = following(at + 1, last);
                self.translated(&condition_node, made).map(|condition| Next::If {
                    condition,
                    then,
                    otherwise: to,
                })
            }
            None => None,
        };
        let stmts = std::mem::take(&mut scope.before);
        Some(Block { stmts, next: next.unwrap_or(Next::To(to)) })
    }

    /// In this format, `exit` ends the pipeline after the action: the primitives behind it are still executed. An
    /// `exit` that primitives follow sets a flag.
    fn delay_exits(&mut self, blocks: &mut [Block]) -> Delayed {
        let ends = |mut at: Option<usize>| {
            // Jumps do nothing.
            for _ in 0..=blocks.len() {
                match at.and_then(|at| blocks.get(at)) {
                    None => return true,
                    Some(Block { stmts, next: Next::To(to) }) if stmts.is_empty() => at = *to,
                    Some(_) => return false,
                }
            }
            false
        };
        let is_exit = |block: &Block| block.stmts.last() == Some(&Stmt::Exit);
        let early: Vec<usize> = blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| is_exit(block) && !matches!(block.next, Next::To(to) if ends(to)))
            .map(|(at, _)| at)
            .collect();
        if early.is_empty() {
            return Delayed(None);
        }
        let flag = self.temporary(BOOL);
        for at in early {
            if let Some(last) = blocks.get_mut(at).and_then(|block| block.stmts.last_mut()) {
                *last = Stmt::Assign(flag, truth(true));
            }
        }
        Delayed(Some(flag))
    }

    /// Reads an action's id: `action_id`.
    pub(super) fn action(&mut self, node: &Node<'j>) -> Option<ActionId> {
        match node.integer().and_then(|id| self.actions.get(&id)) {
            Some(id) => Some(*id),
            None => self.expected(node, "the id of an action"),
        }
    }
}

/// The flag of an `exit` that is executed after the action.
struct Delayed(Option<ir::ScalarId>);

impl Delayed {
    fn wrap(self, mut body: Vec<Stmt>) -> Vec<Stmt> {
        let Some(flag) = self.0 else { return body };
        body.insert(0, Stmt::Assign(flag, truth(false)));
        let condition = Expr { kind: ExprKind::Scalar(flag), ty: BOOL };
        body.push(Stmt::If { condition, then: vec![Stmt::Exit], otherwise: Vec::new() });
        body
    }
}

fn following(at: usize, last: usize) -> Option<usize> {
    (at < last).then_some(at)
}

fn truth(value: bool) -> Expr {
    Expr { kind: ExprKind::Const(ir::Bits::new(1, u128::from(value))), ty: BOOL }
}

/// Returns `a == b`.
pub(super) fn equal(a: Expr, b: Expr) -> Expr {
    Expr { kind: ExprKind::Binary(BinaryOp::Equal, Box::new(a), Box::new(b)), ty: BOOL }
}
