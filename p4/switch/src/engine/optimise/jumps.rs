//! Jump threading, and removal of unreachable code.

use crate::engine::code::{Code, Op, Pc};

/// Maximum length of a chain of jumps that is followed; endless loops of jumps are stopped by the run-time limit.
const MAX_CHAIN: usize = 64;

/// Returns the first operation at or after `pc` that is not an unconditional jump.
fn destination(ops: &[Op], pc: Pc) -> Pc {
    let mut at = pc;
    for _ in 0..MAX_CHAIN {
        match ops.get(at as usize) {
            Some(Op::Jump { to }) if *to != at => at = *to,
            _ => break,
        }
    }
    at
}

/// Redirects all jumps to their final targets and removes operations without effect.
pub(super) fn compact(code: &mut Code) {
    let ops = code.ops.clone();
    retarget(code, |pc| destination(&ops, pc));
    let reached = reached(code);
    let mut new_pc = Vec::with_capacity(code.ops.len() + 1);
    let mut kept = Vec::with_capacity(code.ops.len());
    for (pc, op) in code.ops.iter().enumerate() {
        new_pc.push(kept.len() as Pc);
        // A jump to the next reachable operation has no effect.
        let falls = |to: Pc| to as usize > pc && (pc + 1..to as usize).all(|between| !reached[between]);
        let needed = reached[pc] && !matches!(op, Op::Jump { to } if falls(*to));
        if needed {
            kept.push(*op);
        }
    }
    new_pc.push(kept.len() as Pc);
    code.ops = kept;
    retarget(code, |pc| new_pc.get(pc as usize).copied().unwrap_or(0));
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

/// Returns which operations are reachable from blocks, actions and jumps.
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
