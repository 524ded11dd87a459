//! Which limbs a function can keep in processor registers, and which actions become part of their caller.

use std::collections::{BTreeMap, BTreeSet};

use super::operation::in_memory;
use crate::engine::code::{At, Code, Op, Pc};
use crate::engine::optimise::effects::{Range, effects};
use crate::engine::optimise::flow::{self, BLOCKS, Flow};
use crate::engine::optimise::is_too_large;
use crate::engine::optimise::liveness::Liveness;
use crate::engine::run::MAX_DEPTH;

/// An action with more operations than this is a function of its own if several calls or tables use it.
const SMALL: usize = 16;
/// Estimated instructions of all functions. Larger programs run as bytecode: a compilation, which a controller can ask for,
/// stays below about a second.
const MAX_INSTRUCTIONS: usize = 150_000;
/// Limbs that a packet carries; their functions are not part of the estimate.
const MAX_CARRIED: usize = 4_096;

/// The functions of a program and their limbs.
#[derive(Debug)]
pub(super) struct Scope {
    /// The operations of each function, by its entry, with those of the actions that became part of it.
    pub(super) functions: BTreeMap<Pc, Vec<Pc>>,
    /// Entries of the actions that become part of the functions that call them.
    inlined: BTreeSet<Pc>,
    /// For each function, the limbs that nothing else accesses while it runs, and whose values are not needed after it.
    pub(super) private: BTreeMap<Pc, BTreeSet<At>>,
    /// For each block, the limbs that must be zero when it starts, except private ones.
    pub(super) clears: [Vec<Range>; BLOCKS],
    /// The limbs that a packet carries from ingress to egress.
    pub(super) carried: Vec<At>,
}

impl Scope {
    /// Returns `None` for a program that is too large, or whose actions are nested too deeply.
    pub(super) fn new(code: &Code) -> Option<Scope> {
        let entries = flow::entries(code);
        if is_too_large(code) || !is_shallow(code, &entries) {
            return None;
        }
        let inlined = inlined(code);
        let functions = functions(code, &inlined, &entries)?;
        let live = Liveness::new(code, &Flow::new(code));
        let private = private(code, &live, &functions, &entries);
        let mut clears = live.clears(code);
        for (block, ranges) in clears.iter_mut().enumerate() {
            let private = private.get(&entries[block]);
            let is_private = |at: &At| private.is_some_and(|limbs| limbs.contains(at));
            let limbs = ranges.iter().flat_map(|(at, count)| *at..*at + *count);
            *ranges = joined(limbs.filter(|at| !is_private(at)));
        }
        let carried: Vec<At> =
            live.carried(code).into_iter().flat_map(|(at, count)| at..at + count).collect();
        if carried.len() > MAX_CARRIED {
            return None;
        }
        Some(Scope { functions, inlined, private, clears, carried })
    }

    /// Whether an action becomes part of the functions that call it.
    pub(super) fn is_inlined(&self, entry: Pc) -> bool {
        self.inlined.contains(&entry)
    }
}

/// Joins limbs in ascending order to ranges.
fn joined(limbs: impl Iterator<Item = At>) -> Vec<Range> {
    let mut made: Vec<Range> = Vec::new();
    for at in limbs {
        match made.last_mut() {
            Some((first, count)) if *first + *count == at => *count += 1,
            _ => made.push((at, 1)),
        }
    }
    made
}

/// Returns the operations between the entry of a block or action and its ends.
pub(super) fn body(code: &Code, entry: Pc) -> BTreeSet<Pc> {
    let mut found = BTreeSet::new();
    flow::reach(code, entry, false, |pc| found.insert(pc));
    found
}

/// Returns the entries of the actions that are called once, or are small.
fn inlined(code: &Code) -> BTreeSet<Pc> {
    let mut calls: BTreeMap<Pc, usize> = BTreeMap::new();
    for op in &code.ops {
        let called: BTreeSet<Pc> = flow::called(code, op).into_iter().collect();
        called.into_iter().for_each(|entry| *calls.entry(entry).or_default() += 1);
    }
    let is_small = |entry: Pc, calls: usize| calls == 1 || body(code, entry).len() <= SMALL;
    calls.into_iter().filter(|(entry, calls)| is_small(*entry, *calls)).map(|(entry, _)| entry).collect()
}

/// Whether no chain of calls is longer than bytecode allows.
fn is_shallow(code: &Code, entries: &[Pc]) -> bool {
    let mut known = BTreeMap::new();
    entries.iter().all(|entry| height(code, *entry, 0, &mut known).is_some_and(|height| height <= MAX_DEPTH))
}

/// Returns the length of the longest chain of calls from a block or action; `None` if it is too long.
fn height(code: &Code, entry: Pc, level: usize, known: &mut BTreeMap<Pc, usize>) -> Option<usize> {
    if let Some(height) = known.get(&entry) {
        return Some(*height);
    }
    if level > MAX_DEPTH {
        return None;
    }
    let mut highest = 0;
    for op in body(code, entry).iter().filter_map(|pc| code.ops.get(*pc as usize)) {
        for called in flow::called(code, op) {
            highest = highest.max(height(code, called, level + 1, known)? + 1);
        }
    }
    known.insert(entry, highest);
    Some(highest)
}

/// Returns about how many instructions an operation becomes, and how many limbs the analyses visit for it.
fn cost(code: &Code, op: &Op) -> usize {
    let e = effects(code, op);
    let ranges = e.reads.iter().chain(&e.writes).chain(&e.may_write);
    let limbs: usize = ranges.map(|(_, count)| *count as usize).sum();
    let more = match *op {
        Op::JumpTable { table, .. } => {
            code.switches.get(table as usize).map_or(0, |table| table.values.len())
        }
        Op::Gather { count, .. } => count as usize,
        Op::EmitFields(plan) => code.emits.get(plan as usize).map_or(0, |plan| plan.pieces.len()),
        _ => 0,
    };
    4 + 3 * (limbs + more)
}

/// Returns the operations of each function; `None` if they become too many instructions.
fn functions(code: &Code, inlined: &BTreeSet<Pc>, entries: &[Pc]) -> Option<BTreeMap<Pc, Vec<Pc>>> {
    let mut functions = BTreeMap::new();
    let mut open: Vec<Pc> = entries.to_vec();
    let mut instructions = 0;
    while let Some(entry) = open.pop() {
        if functions.contains_key(&entry) {
            continue;
        }
        let mut found = Vec::new();
        let mut bodies = vec![entry];
        while let Some(entry) = bodies.pop() {
            for pc in body(code, entry) {
                found.push(pc);
                let Some(op) = code.ops.get(pc as usize) else { continue };
                instructions += cost(code, op);
                if instructions > MAX_INSTRUCTIONS {
                    return None;
                }
                for called in flow::called(code, op) {
                    let list = if inlined.contains(&called) { &mut bodies } else { &mut open };
                    list.push(called);
                }
            }
        }
        functions.insert(entry, found);
    }
    Some(functions)
}

fn private(
    code: &Code,
    live: &Liveness,
    functions: &BTreeMap<Pc, Vec<Pc>>,
    entries: &[Pc],
) -> BTreeMap<Pc, BTreeSet<At>> {
    let mut shared = live.outlive_blocks(code);
    let mut touched: BTreeMap<Pc, BTreeSet<At>> = BTreeMap::new();
    for (entry, operations) in functions {
        let touched = touched.entry(*entry).or_default();
        for op in operations.iter().filter_map(|pc| code.ops.get(*pc as usize)) {
            let e = effects(code, op);
            let all = e.reads.iter().chain(&e.writes).chain(&e.may_write);
            touched.extend(all.flat_map(|(at, count)| *at..*at + *count));
            shared.extend(in_memory(code, op).into_iter().flat_map(|(at, count)| at..at + count));
        }
    }
    // An action that is a function of its own runs while another function does.
    let actions = touched.iter().filter(|(entry, _)| !entries.contains(entry));
    let of_actions: BTreeSet<At> = actions.flat_map(|(_, limbs)| limbs.iter().copied()).collect();
    let is_private =
        |at: &At| !shared.contains(at) && !of_actions.contains(at) && code.constant(*at).is_none();
    touched
        .into_iter()
        .map(|(entry, limbs)| (entry, limbs.into_iter().filter(is_private).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::code::Entries;

    /// A program whose ingress, from operation 1 on, and actions are these operations; all other blocks are empty.
    fn code(operations: impl IntoIterator<Item = Op>) -> Code {
        let ops: Vec<Op> = std::iter::once(Op::End).chain(operations).collect();
        let entries = Entries { ingress: 1, ..Entries::default() };
        Code { ops, entries, frame: vec![0; 8], ..Code::default() }
    }

    /// Ingress that calls an action twice, which copies `copies` times.
    fn called_twice(copies: usize) -> Code {
        let ingress = [Op::Call { to: 4 }, Op::Call { to: 4 }, Op::End];
        let action = std::iter::repeat_n(Op::Copy { dst: 1, src: 2 }, copies).chain([Op::Return]);
        code(ingress.into_iter().chain(action))
    }

    #[test]
    fn an_action_that_is_called_twice_is_a_function_unless_it_is_small() {
        let large = Scope::new(&called_twice(SMALL)).expect("it is not too large");
        assert!(!large.is_inlined(4));
        assert_eq!(large.functions.keys().copied().collect::<Vec<_>>(), [0, 1, 4]);
        // Ingress and the action share its limbs, so that they are in memory.
        assert!(large.private.values().all(BTreeSet::is_empty), "{:?}", large.private);
        let small = Scope::new(&called_twice(SMALL - 1)).expect("it is not too large");
        assert!(small.is_inlined(4));
        assert_eq!(small.private[&1], BTreeSet::from([1, 2]));
    }

    /// Action n calls action n + 1, the last one returns.
    #[test]
    fn the_longest_chain_of_calls_counts_also_if_ingress_calls_its_parts() {
        let chain = |actions: usize| {
            let first = 1 + actions as u32 + 1;
            let at = |action: usize| first + 2 * action as u32;
            let ingress = (0..actions).map(move |action| Op::Call { to: at(action) }).chain([Op::End]);
            let body = move |action: usize| match action + 1 == actions {
                true => [Op::Return, Op::Return],
                false => [Op::Call { to: at(action + 1) }, Op::Return],
            };
            code(ingress.chain((0..actions).flat_map(body)))
        };
        assert!(Scope::new(&chain(MAX_DEPTH)).is_some());
        assert!(Scope::new(&chain(MAX_DEPTH + 1)).is_none());
    }
}
