//! Prints the extraction and emission of headers.
//!
//! Only the usual case is printed: the header starts at a byte boundary and lies in the stored bytes of the packet.
//! All other cases call the functions that untranslated bytecode uses.

use std::fmt::Write;

use super::statement::{limb, piece};
use crate::engine::code::{Code, Emission, Extraction, Op};

/// Returns the statements for an extraction or emission.
pub(super) fn statement(code: &Code, op: Op) -> Option<String> {
    match op {
        Op::ExtractFields(plan) => Some(extraction(plan, &code.extracts[plan as usize])),
        Op::EmitFields(plan) => Some(emission(code, plan, &code.emits[plan as usize])),
        _ => None,
    }
}

fn extraction(number: u32, plan: &Extraction) -> String {
    let slow = format!("if let Err(error) = r.extract(f, {number}) {{ return Ending::Rejected(error); }}");
    if plan.windows.is_empty() && !plan.loads.is_empty() {
        return slow;
    }
    let mut out = format!("if let Some(header) = r.header::<{}>() {{\n", plan.bytes);
    let mut cuts = plan.cuts.iter();
    let mut made = 0;
    for window in &plan.windows {
        let _ = writeln!(out, "let word = words::load(header, {});", window.at);
        for cut in cuts.by_ref().take((window.end - made) as usize) {
            let _ = writeln!(out, "f[{}] = word << {} >> {};", cut.limb, cut.left, cut.right);
        }
        made = window.end;
    }
    for at in &plan.ones {
        let _ = writeln!(out, "f[{at}] = 1;");
    }
    for at in &plan.zeros {
        let _ = writeln!(out, "f[{at}] = 0;");
    }
    if let Some(at) = plan.origin {
        let _ = writeln!(out, "f[{at}] = r.place();");
    }
    let _ = write!(out, "r.advance({});\n}} else {slow}", u64::from(plan.bytes) * 8);
    out
}

fn emission(code: &Code, number: u32, plan: &Emission) -> String {
    let valid = limb(code, plan.valid);
    let slow = format!("r.emit(f, {number});");
    if plan.patches.is_empty() && !plan.stores.is_empty() {
        return format!("if {valid} & 1 != 0 {{ {slow} }}");
    }
    let name = if plan.patches.is_empty() { "_" } else { "header" };
    let mut out = format!(
        "if {valid} & 1 != 0 {{\nif let Some({name}) = r.emitted_in_place::<{}>({}) {{\n",
        plan.bytes,
        limb(code, plan.origin)
    );
    let mut pieces = plan.pieces.iter();
    let mut placed = 0;
    for patch in &plan.patches {
        let _ = write!(out, "let word = words::load(header, {}) & {:#x}", patch.at, patch.kept);
        for one in pieces.by_ref().take((patch.end - placed) as usize) {
            let _ = write!(out, " | {}", piece(code, one));
        }
        let _ = writeln!(out, ";\nwords::store(header, {}, word);", patch.at);
        placed = patch.end;
    }
    let _ = write!(out, "}} else {{ {slow} }}\n}}");
    out
}
