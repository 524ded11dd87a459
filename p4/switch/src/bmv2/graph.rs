//! From control-flow graphs to structured statements.
//!
//! In the JSON format, tables, conditions and jumps name the node that follows. The graphs have no cycles. A branch is
//! structured up to its immediate post-dominator (Ferrante, Ottenstein and Warren, "The Program Dependence Graph"):
//! the first node on all paths to the end. Branches that meet before, because one of them leaves early, are executed
//! in topological order; a scalar says which node is next.

use p4_lang::ir::{BinaryOp, Bits, Expr, ExprKind, Pattern, ScalarId, ScalarKind, Stmt};

/// Maximum number of nodes of a graph.
pub(super) const MAX_NODES: usize = 20_000;
/// Nesting depth from which branches are executed in topological order instead of nested.
const MAX_DEPTH: usize = 60;

/// The type of the scalar that says which node is next.
pub(super) const NEXT_KIND: ScalarKind = ScalarKind::Unsigned(32);

/// A node: statements, and what follows. `None` is the end.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) stmts: Vec<Stmt>,
    pub(super) next: Next,
}

/// What follows a node.
#[derive(Clone, Debug)]
pub(super) enum Next {
    To(Option<usize>),
    If { condition: Expr, then: Option<usize>, otherwise: Option<usize> },
    Switch { key: Expr, cases: Vec<(Vec<Pattern>, Option<usize>)>, default: Option<usize> },
}

impl Next {
    fn targets(&self) -> Vec<Option<usize>> {
        match self {
            Next::To(to) => vec![*to],
            Next::If { then, otherwise, .. } => vec![*then, *otherwise],
            Next::Switch { cases, default, .. } => {
                cases.iter().map(|(_, to)| *to).chain([*default]).collect()
            }
        }
    }
}

/// Why a graph has no statements: this node can be reached from itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cycle(pub(super) usize);

/// Returns the statements of a graph. `scalar` allocates a scalar of type [`NEXT_KIND`].
pub(super) fn structure(
    blocks: Vec<Block>,
    entry: Option<usize>,
    scalar: &mut dyn FnMut() -> ScalarId,
) -> Result<Vec<Stmt>, Cycle> {
    let Some(entry) = entry else { return Ok(Vec::new()) };
    let order = topological(&blocks, entry)?;
    let end = order.len();
    let mut position = vec![end; blocks.len()];
    for (at, node) in order.iter().enumerate() {
        position[*node] = at;
    }
    let place = |to: Option<usize>| to.and_then(|to| position.get(to)).copied().unwrap_or(end);
    let successors: Vec<Vec<usize>> =
        order.iter().map(|node| blocks[*node].next.targets().into_iter().map(place).collect()).collect();
    let joins = post_dominators(&successors);
    let mut taken: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let in_order = order.iter().map(|node| taken[*node].take()).collect();
    let mut structurer = Structurer {
        blocks: in_order,
        position,
        successors,
        joins,
        owner: vec![0; end + 1],
        stamp: 0,
        scalar,
    };
    let mut out = Vec::new();
    structurer.region(0, end, 0, &mut out);
    Ok(out)
}

/// Returns the reachable nodes in topological order.
fn topological(blocks: &[Block], entry: usize) -> Result<Vec<usize>, Cycle> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; blocks.len()];
    let mut finished = Vec::new();
    let mut stack = vec![(entry, None)];
    while let Some((node, targets)) = stack.pop() {
        let mut targets = match targets {
            Some(targets) => targets,
            None if marks[node] != Mark::New => continue,
            None => {
                marks[node] = Mark::Open;
                blocks[node].next.targets().into_iter().flatten().collect::<Vec<_>>()
            }
        };
        match targets.pop() {
            Some(target) => {
                stack.push((node, Some(targets)));
                match marks.get(target) {
                    Some(Mark::Open) => return Err(Cycle(target)),
                    Some(Mark::New) => stack.push((target, None)),
                    _ => {}
                }
            }
            None => {
                marks[node] = Mark::Done;
                finished.push(node);
            }
        }
    }
    finished.reverse();
    Ok(finished)
}

/// Returns the immediate post-dominator of each node, by position; the last position is the end.
fn post_dominators(successors: &[Vec<usize>]) -> Vec<usize> {
    let end = successors.len();
    let mut joins = vec![end; end + 1];
    for at in (0..end).rev() {
        let mut join: Option<usize> = None;
        for successor in &successors[at] {
            join = Some(match join {
                None => *successor,
                Some(mut one) => {
                    // All positions on the way to the end grow, so the smaller one moves.
                    let mut other = *successor;
                    while one != other {
                        if one < other {
                            one = joins[one];
                        } else {
                            other = joins[other];
                        }
                    }
                    one
                }
            });
        }
        joins[at] = join.unwrap_or(end);
    }
    joins
}

/// Nodes are numbered by position.
struct Structurer<'s> {
    blocks: Vec<Option<Block>>,
    position: Vec<usize>,
    successors: Vec<Vec<usize>>,
    joins: Vec<usize>,
    /// The branch that last reached each node.
    owner: Vec<u64>,
    stamp: u64,
    scalar: &'s mut dyn FnMut() -> ScalarId,
}

impl Structurer<'_> {
    fn end(&self) -> usize {
        self.successors.len()
    }

    fn place(&self, to: Option<usize>) -> usize {
        to.and_then(|to| self.position.get(to)).copied().unwrap_or(self.end())
    }

    /// Emits the nodes from `at` to the node before `stop`, which post-dominates `at`.
    fn region(&mut self, mut at: usize, stop: usize, depth: usize, out: &mut Vec<Stmt>) {
        while at < stop {
            let join = self.joins[at];
            let branches = self.branches(at);
            if branches.len() > 1 && (depth >= MAX_DEPTH || self.meet(&branches, join)) {
                self.in_order(at, join, out);
                at = join;
                continue;
            }
            // Each node is emitted once: nodes that several branches reach are executed in order.
            let Some(block) = self.blocks[at].take() else { return };
            out.extend(block.stmts);
            if branches.len() > 1 {
                let statement = self.branch(block.next, join, depth);
                out.push(statement);
            }
            at = if branches.len() > 1 { join } else { branches.first().copied().unwrap_or(stop) };
        }
    }

    /// Returns the different successors of a node.
    fn branches(&self, at: usize) -> Vec<usize> {
        let mut branches = self.successors[at].clone();
        branches.sort_unstable();
        branches.dedup();
        branches
    }

    /// Returns whether branches reach the same node before `join`.
    fn meet(&mut self, branches: &[usize], join: usize) -> bool {
        let first = self.stamp + 1;
        for branch in branches {
            self.stamp += 1;
            let mut stack = vec![*branch];
            while let Some(at) = stack.pop() {
                if at >= join || self.owner[at] == self.stamp {
                    continue;
                }
                if self.owner[at] >= first {
                    return true;
                }
                self.owner[at] = self.stamp;
                stack.extend(&self.successors[at]);
            }
        }
        false
    }

    fn branch(&mut self, next: Next, join: usize, depth: usize) -> Stmt {
        let body = |s: &mut Self, to: Option<usize>| {
            let mut out = Vec::new();
            let at = s.place(to);
            s.region(at, join, depth + 1, &mut out);
            out
        };
        match next {
            Next::To(to) => Stmt::Scope(body(self, to)),
            Next::If { condition, then, otherwise } => {
                Stmt::If { condition, then: body(self, then), otherwise: body(self, otherwise) }
            }
            Next::Switch { key, cases, default } => {
                // Cases with the same successor share a body; those of the default are left to it.
                let mut merged: Vec<(Vec<Pattern>, Option<usize>)> = Vec::new();
                for (patterns, to) in cases {
                    match merged.iter_mut().find(|(_, other)| self.place(*other) == self.place(to)) {
                        Some((known, _)) => known.extend(patterns),
                        None if self.place(to) == self.place(default) => {}
                        None => merged.push((patterns, to)),
                    }
                }
                let cases = merged.into_iter().map(|(patterns, to)| (patterns, body(self, to))).collect();
                Stmt::Switch { key, cases, default: body(self, default) }
            }
        }
    }

    /// Emits the nodes from `first` to the node before `join` in topological order.
    fn in_order(&mut self, first: usize, join: usize, out: &mut Vec<Stmt>) {
        let next = (self.scalar)();
        self.stamp += 1;
        let mut stack = vec![first];
        let mut region = Vec::new();
        while let Some(at) = stack.pop() {
            if at < join && self.owner[at] != self.stamp {
                self.owner[at] = self.stamp;
                region.push(at);
                stack.extend(&self.successors[at]);
            }
        }
        region.sort_unstable();
        for at in region {
            let Some(mut block) = self.blocks[at].take() else { continue };
            let stmts = self.choose(next, block.next);
            block.stmts.extend(stmts);
            match at == first {
                true => out.extend(block.stmts),
                false => out.push(Stmt::If {
                    condition: is_next(next, at),
                    then: block.stmts,
                    otherwise: Vec::new(),
                }),
            }
        }
    }

    /// Returns the statements that store the successor of a node.
    fn choose(&self, next: ScalarId, after: Next) -> Vec<Stmt> {
        let set = |to| vec![Stmt::Assign(next, number(self.place(to)))];
        match after {
            Next::To(to) => set(to),
            Next::If { condition, then, otherwise } => {
                vec![Stmt::If { condition, then: set(then), otherwise: set(otherwise) }]
            }
            Next::Switch { key, cases, default } => vec![Stmt::Switch {
                key,
                cases: cases.into_iter().map(|(patterns, to)| (patterns, set(to))).collect(),
                default: set(default),
            }],
        }
    }
}

fn number(at: usize) -> Expr {
    Expr { kind: ExprKind::Const(Bits::new(NEXT_KIND.width(), at as u128)), ty: NEXT_KIND }
}

fn is_next(next: ScalarId, at: usize) -> Expr {
    let current = Expr { kind: ExprKind::Scalar(next), ty: NEXT_KIND };
    let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(current), Box::new(number(at)));
    Expr { kind, ty: ScalarKind::Unsigned(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const TRACE: u32 = 1_000_000;
    const BOOL: ScalarKind = ScalarKind::Unsigned(1);

    /// A graph whose node `i` branches by input `i` to two later nodes.
    fn graph(targets: &[(usize, usize)]) -> Vec<Block> {
        let to = |target: usize| (target < targets.len()).then_some(target);
        let block = |(i, (then, otherwise)): (usize, &(usize, usize))| {
            let id = ScalarId(i as u32);
            let (then, otherwise) = (to(i + 1 + then), to(i + 1 + otherwise));
            let visit = Stmt::Assign(ScalarId(TRACE), number(i));
            let input = |ty| Expr { kind: ExprKind::Scalar(id), ty };
            let next = match i % 3 {
                0 => Next::If { condition: input(BOOL), then, otherwise },
                1 => Next::Switch {
                    key: input(BOOL),
                    cases: vec![(vec![Pattern::Value(Bits::new(1, 1))], then)],
                    default: otherwise,
                },
                _ => Next::To(then),
            };
            Block { stmts: vec![visit], next }
        };
        targets.iter().enumerate().map(block).collect()
    }

    fn follow(blocks: &[Block], inputs: u64) -> Vec<usize> {
        let mut at = Some(0);
        let mut visited = Vec::new();
        while let Some(node) = at {
            visited.push(node);
            let yes = inputs >> (node % 64) & 1 == 1;
            at = match &blocks[node].next {
                Next::To(to) => *to,
                Next::If { then, otherwise, .. } => {
                    if yes {
                        *then
                    } else {
                        *otherwise
                    }
                }
                Next::Switch { cases, default, .. } => {
                    if yes {
                        cases[0].1
                    } else {
                        *default
                    }
                }
            };
        }
        visited
    }

    struct Machine {
        values: BTreeMap<u32, u64>,
        inputs: u64,
        visited: Vec<usize>,
    }

    impl Machine {
        fn value(&self, e: &Expr) -> u64 {
            match &e.kind {
                ExprKind::Const(bits) => bits.limbs()[0],
                ExprKind::Scalar(id) if e.ty == BOOL => self.inputs >> (id.0 % 64) & 1,
                ExprKind::Scalar(id) => self.values.get(&id.0).copied().unwrap_or(0),
                ExprKind::Binary(BinaryOp::Equal, a, b) => u64::from(self.value(a) == self.value(b)),
                other => panic!("{other:?} is not expected"),
            }
        }

        fn run(&mut self, stmts: &[Stmt]) {
            for stmt in stmts {
                match stmt {
                    Stmt::Assign(ScalarId(TRACE), e) => self.visited.push(self.value(e) as usize),
                    Stmt::Assign(id, e) => {
                        self.values.insert(id.0, self.value(e));
                    }
                    Stmt::If { condition, then, otherwise } => {
                        let chosen = if self.value(condition) == 1 { then } else { otherwise };
                        self.run(chosen);
                    }
                    Stmt::Switch { key, cases, default } => {
                        let key = Bits::new(1, u128::from(self.value(key)));
                        let found = cases
                            .iter()
                            .find(|(patterns, _)| patterns.contains(&Pattern::Value(key.clone())));
                        self.run(found.map_or(default, |(_, body)| body));
                    }
                    other => panic!("{other:?} is not expected"),
                }
            }
        }
    }

    fn run(blocks: Vec<Block>, inputs: u64) -> Vec<usize> {
        let mut fresh = TRACE;
        let stmts = structure(blocks, Some(0), &mut || {
            fresh += 1;
            ScalarId(fresh)
        });
        let mut machine = Machine { values: BTreeMap::new(), inputs, visited: Vec::new() };
        machine.run(&stmts.expect("the graph has no cycle"));
        machine.visited
    }

    proptest! {
        #[test]
        fn statements_visit_the_nodes_of_the_path(
            targets in prop::collection::vec((0usize..5, 0usize..5), 1..24),
            inputs in any::<u64>(),
        ) {
            prop_assert_eq!(run(graph(&targets), inputs), follow(&graph(&targets), inputs));
        }
    }

    #[test]
    fn deep_branches_are_executed_in_order() {
        // Each node leads to the next one or to the end.
        let targets: Vec<(usize, usize)> = (0..3_000).map(|_| (0, 3_000)).collect();
        for inputs in [u64::MAX, !(1 << 60)] {
            assert_eq!(run(graph(&targets), inputs), follow(&graph(&targets), inputs));
        }
    }

    #[test]
    fn a_cycle_is_reported() {
        let block = |to| Block { stmts: Vec::new(), next: Next::To(Some(to)) };
        let found = structure(vec![block(1), block(2), block(1)], Some(0), &mut || ScalarId(0));
        assert_eq!(found, Err(Cycle(1)));
    }
}
