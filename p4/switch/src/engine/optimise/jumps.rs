//! Jumps that lead to jumps, and code that nothing leads to.

use crate::engine::code::{Code, Op, Pc};

/// How far a chain of jumps is followed; a program that jumps in circles has its own limit at run time.
const MOST_JUMPS: usize = 64;

/// The first operation at or after `pc` that is no plain jump.
fn destination(ops: &[Op], pc: Pc) -> Pc {
    let mut at = pc;
    for _ in 0..MOST_JUMPS {
        match ops.get(at as usize) {
            Some(Op::Jump { to }) if *to != at => at = *to,
            _ => break,
        }
    }
    at
}

/// Aims all jumps at where they lead in the end, and closes the gaps that operations without effect leave.
pub(super) fn compact(code: &mut Code) {
    let ops = code.ops.clone();
    retarget(code, |pc| destination(&ops, pc));
    let reached = reached(code);
    let mut place = Vec::with_capacity(code.ops.len() + 1);
    let mut kept = Vec::with_capacity(code.ops.len());
    for (pc, op) in code.ops.iter().enumerate() {
        place.push(kept.len() as Pc);
        // A jump to what follows, gaps not counted, does nothing.
        let falls = |to: Pc| to as usize > pc && (pc + 1..to as usize).all(|between| !reached[between]);
        let needed = reached[pc] && !matches!(op, Op::Jump { to } if falls(*to));
        if needed {
            kept.push(*op);
        }
    }
    place.push(kept.len() as Pc);
    code.ops = kept;
    retarget(code, |pc| place.get(pc as usize).copied().unwrap_or(0));
}

fn retarget(code: &mut Code, to: impl Fn(Pc) -> Pc) {
    for op in &mut code.ops {
        if let Some(target) = op.target_mut() {
            *target = to(*target);
        }
    }
    for table in &mut code.switches {
        table.targets.iter_mut().for_each(|target| *target = to(*target));
        table.otherwise = to(table.otherwise);
    }
    for action in &mut code.actions {
        action.entry = to(action.entry);
    }
    let e = &mut code.entries;
    for entry in [
        &mut e.parser,
        &mut e.verify_checksum,
        &mut e.ingress,
        &mut e.egress,
        &mut e.compute_checksum,
        &mut e.deparser,
    ] {
        *entry = to(*entry);
    }
}

/// What blocks, actions and jumps lead to.
fn reached(code: &Code) -> Vec<bool> {
    let mut seen = vec![false; code.ops.len()];
    let mut waiting: Vec<Pc> = super::flow::entries(code).to_vec();
    waiting.extend(code.actions.iter().map(|action| action.entry));
    while let Some(pc) = waiting.pop() {
        if pc as usize >= seen.len() || std::mem::replace(&mut seen[pc as usize], true) {
            continue;
        }
        let op = code.ops[pc as usize];
        waiting.extend(op.target());
        match op {
            Op::JumpTable { table, .. } => {
                if let Some(table) = code.switches.get(table as usize) {
                    waiting.extend(table.targets.iter().copied().chain([table.otherwise]));
                }
            }
            Op::Jump { .. } | Op::JumpBack { .. } | Op::End | Op::Return | Op::Reject { .. } => {}
            _ => waiting.push(pc + 1),
        }
    }
    seen
}
