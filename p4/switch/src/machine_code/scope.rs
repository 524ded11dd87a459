//! Which limbs a function can keep in processor registers, and which actions become part of their caller.

use std::collections::{BTreeMap, BTreeSet};

use super::operation::in_memory;
use crate::engine::code::{At, Code, Pc};
use crate::engine::optimise::effects::{Range, effects};
use crate::engine::optimise::flow::{self, BLOCKS, Flow};
use crate::engine::optimise::liveness::Liveness;
use crate::engine::run::MAX_DEPTH;

/// An action with more operations than this is a function of its own if several calls or tables use it.
const SMALL: usize = 16;
/// Operations after inlining. Larger programs run as bytecode: register allocation takes more than linear time.
const MAX_OPERATIONS: usize = 20_000;

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
        let inlined = inlined(code);
        let entries = flow::entries(code);
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
        let carried = live.carried(code).into_iter().flat_map(|(at, count)| at..at + count).collect();
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

fn functions(code: &Code, inlined: &BTreeSet<Pc>, entries: &[Pc]) -> Option<BTreeMap<Pc, Vec<Pc>>> {
    let mut functions = BTreeMap::new();
    let mut open: Vec<(Pc, usize)> = entries.iter().map(|entry| (*entry, 0)).collect();
    let mut total = 0;
    while let Some((entry, depth)) = open.pop() {
        if functions.contains_key(&entry) {
            continue;
        }
        let mut found = Vec::new();
        let mut bodies = vec![(entry, depth)];
        while let Some((entry, depth)) = bodies.pop() {
            let body = body(code, entry);
            total += body.len();
            if total > MAX_OPERATIONS || depth > MAX_DEPTH {
                return None;
            }
            for pc in body {
                found.push(pc);
                let Some(op) = code.ops.get(pc as usize) else { continue };
                for called in flow::called(code, op) {
                    let list = if inlined.contains(&called) { &mut bodies } else { &mut open };
                    list.push((called, depth + 1));
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
