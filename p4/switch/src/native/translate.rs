//! Prints compiled code as Rust: functions and the way through them.
//!
//! Most jumps go forward. A function is printed as nested labelled blocks, one for each place that is jumped to, which all begin with the function and end at their place: a jump
//! forward is a `break`. A jump backwards ends the function and says where to go on, which is a function of its own,
//! like each block of the program and each action.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::statement;
use crate::engine::code::{Code, Op, Pc};
use crate::prepared::Prepared;

/// Why a program cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untranslatable {
    /// It is not run from compiled code.
    #[error("the program was prepared for the plain interpreter; prepare it for compiled code")]
    NotCompiled,
    /// Actions call one another more deeply than compiled code may.
    #[error("actions are nested more deeply than {0}")]
    Depth(usize),
}

/// A prepared program as a Rust module that has one item, `TRANSLATION`, a [`super::Translation`].
pub fn translate(prepared: &Prepared) -> Result<String, Untranslatable> {
    let code = prepared.code().ok_or(Untranslatable::NotCompiled)?;
    let functions = functions(code)?;
    let mut out = String::new();
    out.push_str(HEAD);
    let _ = writeln!(
        out,
        "pub(crate) static TRANSLATION: Translation = Translation {{ fingerprint: {:#x}, run }};\n",
        prepared.fingerprint()
    );
    out.push_str("/// Runs from an operation on, jumps backwards included.\n");
    out.push_str("fn run(mut pc: u32, f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {\n    loop {\n");
    out.push_str("        let ending = match pc {\n");
    for entry in functions.keys() {
        let _ = writeln!(out, "            {entry} => at_{entry}(f, r),");
    }
    out.push_str("            _ => Ending::Done,\n        };\n");
    out.push_str(
        "        let Ending::Back(to) = ending else { return ending };\n        pc = to;\n    }\n}\n",
    );
    for (entry, reached) in &functions {
        print_function(code, *entry, reached, &mut out);
    }
    Ok(out)
}

const HEAD: &str = "\
// Printed by `p4_switch::native::translate`; not to be edited.

use p4_switch::native::{Ending, Limbs, Runtime, Translation, words};

";

/// All functions by the operation that they begin with: the operations that they reach.
fn functions(code: &Code) -> Result<BTreeMap<Pc, BTreeSet<Pc>>, Untranslatable> {
    let entries = &code.entries;
    let mut wanted = vec![
        entries.parser,
        entries.verify_checksum,
        entries.ingress,
        entries.egress,
        entries.compute_checksum,
        entries.deparser,
    ];
    let mut found = BTreeMap::new();
    while let Some(entry) = wanted.pop() {
        if let Entry::Vacant(place) = found.entry(entry) {
            place.insert(reach(code, entry, &mut wanted));
        }
    }
    check_depth(code, &found)?;
    Ok(found)
}

/// The operations of the function at `entry`; functions that it needs are added to `wanted`.
fn reach(code: &Code, entry: Pc, wanted: &mut Vec<Pc>) -> BTreeSet<Pc> {
    let mut reached = BTreeSet::new();
    let mut open = vec![entry];
    while let Some(pc) = open.pop() {
        let Some(op) = code.ops.get(pc as usize).filter(|_| reached.insert(pc)) else { continue };
        for to in targets(code, *op) {
            match route(code, pc, to) {
                Route::Ends(_) => {}
                Route::On => open.push(to),
                Route::Back(to) => wanted.push(to),
            }
        }
        match *op {
            Op::Call { to } => wanted.push(to),
            Op::Apply(site) => wanted.extend(actions_of(code, site)),
            _ => {}
        }
        if !ends(*op) && !matches!(op, Op::Jump { .. } | Op::JumpBack { .. } | Op::JumpTable { .. }) {
            open.push(pc + 1);
        }
    }
    reached
}

/// Where the actions of a table begin.
pub(super) fn actions_of(code: &Code, site: u32) -> BTreeSet<Pc> {
    let actions = code.applies.get(site as usize).map_or(&[][..], |site| &site.actions);
    let action = |number: &u32| code.actions.get(*number as usize).filter(|action| !action.empty);
    actions.iter().filter_map(action).map(|action| action.entry).collect()
}

/// Where an operation jumps to.
fn targets(code: &Code, op: Op) -> Vec<Pc> {
    match op {
        Op::Call { .. } => Vec::new(),
        Op::JumpTable { table, .. } => {
            let table = &code.switches[table as usize];
            table.targets.iter().copied().chain([table.otherwise]).collect()
        }
        op => op.target().into_iter().collect(),
    }
}

fn ends(op: Op) -> bool {
    matches!(op, Op::End | Op::Return | Op::Reject { .. })
}

/// How a jump is printed.
pub(super) enum Route {
    /// As what is there, which ends the function.
    Ends(Op),
    /// As a jump forward.
    On,
    /// As the end of the function, which goes on there.
    Back(Pc),
}

/// The way of a jump from `from` to `to`.
pub(super) fn route(code: &Code, from: Pc, to: Pc) -> Route {
    match code.ops.get(to as usize) {
        Some(op) if ends(*op) => Route::Ends(*op),
        _ if to > from => Route::On,
        _ => Route::Back(to),
    }
}

/// Refuses calls inside of calls that compiled code would stop: what a translation does is never another thing.
fn check_depth(code: &Code, functions: &BTreeMap<Pc, BTreeSet<Pc>>) -> Result<(), Untranslatable> {
    const MOST: usize = crate::engine::run::MAX_DEPTH;
    let mut depth: BTreeMap<Pc, usize> = functions.keys().map(|entry| (*entry, 0)).collect();
    // Longest ways of calls, by as many rounds as they may be long.
    for _ in 0..=MOST {
        let mut deeper = false;
        for (entry, reached) in functions {
            let inside = depth.get(entry).copied().unwrap_or(0);
            for pc in reached {
                let called: Vec<(Pc, usize)> = match code.ops.get(*pc as usize) {
                    Some(Op::Call { to }) => vec![(*to, inside + 1)],
                    Some(op @ Op::JumpBack { .. }) => {
                        targets(code, *op).into_iter().map(|to| (to, inside)).collect()
                    }
                    Some(Op::Apply(site)) => {
                        actions_of(code, *site).into_iter().map(|to| (to, inside + 1)).collect()
                    }
                    _ => continue,
                };
                for (to, at) in called {
                    let known = depth.entry(to).or_default();
                    deeper |= at > *known;
                    *known = at.max(*known);
                }
            }
        }
        if !deeper {
            return Ok(());
        }
    }
    Err(Untranslatable::Depth(MOST))
}

fn print_function(code: &Code, entry: Pc, reached: &BTreeSet<Pc>, out: &mut String) {
    let mut places: BTreeSet<Pc> = BTreeSet::new();
    for pc in reached {
        if let Some(op) = code.ops.get(*pc as usize) {
            let on = |to: &Pc| matches!(route(code, *pc, *to), Route::On);
            places.extend(targets(code, *op).into_iter().filter(on));
        }
    }
    let _ = writeln!(out, "\nfn at_{entry}(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {{");
    for place in places.iter().rev() {
        let _ = writeln!(out, "'to_{place}: {{");
    }
    for pc in reached {
        if places.contains(pc) {
            out.push_str("}\n");
        }
        if let Some(op) = code.ops.get(*pc as usize) {
            statement::print(code, *pc, *op, out);
        }
    }
    // Every way ends before; the Rust compiler need not see it.
    out.push_str("Ending::Done\n}\n");
}
