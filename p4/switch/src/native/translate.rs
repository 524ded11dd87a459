//! Prints bytecode as Rust: functions and control flow.
//!
//! Most jumps go forward. A function is printed as nested labelled blocks, one per jump target. All blocks start at
//! the beginning of the function and end at their target, so a forward jump is a `break`. A backward jump ends the
//! function and returns the operation to continue with. Its target starts a function of its own, like each block and
//! each action of the program.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::statement;
use crate::engine::code::{Code, Op, Pc};
use crate::prepared::Prepared;

/// Why a program cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untranslatable {
    /// The program was prepared for the interpreter.
    #[error("the program was prepared for the plain interpreter; prepare it for compiled code")]
    NotCompiled,
    /// Action calls are nested more deeply than bytecode allows.
    #[error("actions are nested more deeply than {0}")]
    Depth(usize),
}

/// Prints a prepared program as a Rust module with one public item, `TRANSLATION`, a [`super::Translation`].
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

/// Returns all functions: the operations that are reachable from each entry.
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

/// Returns the operations that are reachable from `entry`, and adds the functions that they call to `wanted`.
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

/// Returns where the actions of a table start.
pub(super) fn actions_of(code: &Code, site: u32) -> BTreeSet<Pc> {
    let actions = code.applies.get(site as usize).map_or(&[][..], |site| &site.actions);
    let action = |number: &u32| code.actions.get(*number as usize).filter(|action| !action.empty);
    actions.iter().filter_map(action).map(|action| action.entry).collect()
}

/// Returns the targets of an operation.
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
    /// As the operation at its target, which ends the function.
    Ends(Op),
    /// As a forward jump.
    On,
    /// As the end of the function; execution continues at this operation.
    Back(Pc),
}

/// Returns how a jump from `from` to `to` is printed.
pub(super) fn route(code: &Code, from: Pc, to: Pc) -> Route {
    match code.ops.get(to as usize) {
        Some(op) if ends(*op) => Route::Ends(*op),
        _ if to > from => Route::On,
        _ => Route::Back(to),
    }
}

/// Rejects nested calls that bytecode would stop at run time, so that a translation never behaves differently.
fn check_depth(code: &Code, functions: &BTreeMap<Pc, BTreeSet<Pc>>) -> Result<(), Untranslatable> {
    const LIMIT: usize = crate::engine::run::MAX_DEPTH;
    let mut depth: BTreeMap<Pc, usize> = functions.keys().map(|entry| (*entry, 0)).collect();
    // Computes the longest call chains; the number of rounds is bounded by the maximum depth.
    for _ in 0..=LIMIT {
        let mut deeper = false;
        for (entry, reached) in functions {
            let inside = depth.get(entry).copied().unwrap_or(0);
            for pc in reached {
                let callees: Vec<(Pc, usize)> = match code.ops.get(*pc as usize) {
                    Some(Op::Call { to }) => vec![(*to, inside + 1)],
                    Some(op @ Op::JumpBack { .. }) => {
                        targets(code, *op).into_iter().map(|to| (to, inside)).collect()
                    }
                    Some(Op::Apply(site)) => {
                        actions_of(code, *site).into_iter().map(|to| (to, inside + 1)).collect()
                    }
                    _ => continue,
                };
                for (to, at) in callees {
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
    Err(Untranslatable::Depth(LIMIT))
}

fn print_function(code: &Code, entry: Pc, reached: &BTreeSet<Pc>, out: &mut String) {
    let mut labels: BTreeSet<Pc> = BTreeSet::new();
    for pc in reached {
        if let Some(op) = code.ops.get(*pc as usize) {
            let on = |to: &Pc| matches!(route(code, *pc, *to), Route::On);
            labels.extend(targets(code, *op).into_iter().filter(on));
        }
    }
    let _ = writeln!(out, "\nfn at_{entry}(f: &mut Limbs, r: &mut Runtime<'_>) -> Ending {{");
    for place in labels.iter().rev() {
        let _ = writeln!(out, "'to_{place}: {{");
    }
    for pc in reached {
        if labels.contains(pc) {
            out.push_str("}\n");
        }
        if let Some(op) = code.ops.get(*pc as usize) {
            statement::print(code, *pc, *op, out);
        }
    }
    // Unreachable, but the Rust compiler needs a value.
    out.push_str("Ending::Done\n}\n");
}
