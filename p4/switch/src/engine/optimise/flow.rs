//! The control-flow graph of the bytecode.

use smallvec::{SmallVec, smallvec};

use crate::engine::code::{Code, Op, Pc};

/// The blocks of a pass, in order.
pub(crate) const BLOCKS: usize = 6;
pub(crate) const PARSER: usize = 0;
pub(super) const EGRESS: usize = 3;
pub(crate) const DEPARSER: usize = 5;

/// Blocks that may follow each block on the same frame. A clone from ingress goes from the parser to egress, a clone
/// from egress goes back to egress.
pub(super) const FOLLOWING: [&[usize]; BLOCKS] = [&[1, EGRESS], &[2], &[EGRESS], &[4, EGRESS], &[5], &[]];

/// Entries of the blocks, in order.
pub(crate) fn entries(code: &Code) -> [Pc; BLOCKS] {
    let e = &code.entries;
    [e.parser, e.verify_checksum, e.ingress, e.egress, e.compute_checksum, e.deparser]
}

/// Successors and blocks of all operations.
pub(crate) struct Flow {
    /// Calls and tables lead to actions; returns lead back to all possible call sites.
    pub(super) next: Vec<SmallVec<[Pc; 2]>>,
    /// Blocks in which an operation may run, as bits.
    pub(super) blocks: Vec<u8>,
}

/// Returns the successors within a function; a called action counts as part of its call.
pub(crate) fn local(code: &Code, pc: Pc) -> SmallVec<[Pc; 2]> {
    match code.ops[pc as usize] {
        Op::Jump { to } | Op::JumpBack { to } => smallvec![to],
        Op::JumpTable { table, .. } => match code.switches.get(table as usize) {
            Some(table) => table.targets.iter().copied().chain([table.otherwise]).collect(),
            None => SmallVec::new(),
        },
        Op::End | Op::Reject { .. } | Op::Return => SmallVec::new(),
        op => match op.target() {
            Some(to) if !matches!(op, Op::Call { .. }) => smallvec![pc + 1, to],
            _ => smallvec![pc + 1],
        },
    }
}

/// Returns the entries of the actions that an operation may call.
pub(crate) fn called(code: &Code, op: &Op) -> SmallVec<[Pc; 2]> {
    match *op {
        Op::Call { to } => smallvec![to],
        Op::Apply(index) => code.applies.get(index as usize).map_or_else(SmallVec::new, |apply| {
            let actions = apply.actions.iter().filter_map(|a| code.actions.get(*a as usize));
            actions.filter(|a| !a.empty).map(|a| a.entry).collect()
        }),
        _ => SmallVec::new(),
    }
}

/// Visits all operations that are reachable from `start`.
pub(crate) fn reach(code: &Code, start: Pc, into_actions: bool, mut visit: impl FnMut(Pc) -> bool) {
    let mut waiting = vec![start];
    while let Some(pc) = waiting.pop() {
        if pc as usize >= code.ops.len() || !visit(pc) {
            continue;
        }
        waiting.extend(local(code, pc));
        if into_actions {
            waiting.extend(called(code, &code.ops[pc as usize]));
        }
    }
}

impl Flow {
    pub(crate) fn new(code: &Code) -> Flow {
        let count = code.ops.len();
        let mut next: Vec<SmallVec<[Pc; 2]>> = (0..count as Pc).map(|pc| local(code, pc)).collect();
        let mut returns: std::collections::BTreeMap<Pc, Vec<Pc>> = std::collections::BTreeMap::new();
        for (pc, op) in code.ops.iter().enumerate() {
            let callees = called(code, op);
            if matches!(op, Op::Call { .. }) {
                next[pc].clear();
            }
            for entry in callees {
                next[pc].push(entry);
                returns.entry(entry).or_default().push(pc as Pc + 1);
            }
        }
        for (entry, sites) in &returns {
            let mut seen = vec![false; count];
            reach(code, *entry, false, |pc| {
                let fresh = !std::mem::replace(&mut seen[pc as usize], true);
                if fresh && code.ops[pc as usize] == Op::Return {
                    next[pc as usize].extend(sites.iter().copied());
                }
                fresh
            });
        }
        let mut blocks = vec![0u8; count];
        for (number, entry) in entries(code).into_iter().enumerate() {
            let bit = 1 << number;
            reach(code, entry, true, |pc| {
                let block = &mut blocks[pc as usize];
                let fresh = *block & bit == 0;
                *block |= bit;
                fresh
            });
        }
        Flow { next, blocks }
    }

    /// Returns the blocks in which an operation may run.
    pub(super) fn blocks_of(&self, pc: usize) -> impl Iterator<Item = usize> {
        let bits = self.blocks[pc];
        (0..BLOCKS).filter(move |block| bits >> block & 1 == 1)
    }
}
