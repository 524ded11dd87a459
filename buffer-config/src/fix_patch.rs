//! The fixes for a file as one JSON Patch (RFC 6902).
//!
//! A rule knows only its own field. Each fix is therefore applied and the result checked again before it is offered.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::finding::{Finding, PatchOp, Severity};
use crate::lookup::Lookup;
use crate::rules::{Options, check_file};
use crate::source::SourceText;

/// A patch with the fixes of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixPatch {
    /// The operations, in order. Those that a live switch rejects state the reason.
    pub operations: Vec<PatchOp>,
    /// Findings whose fix is not in the patch, with the reason.
    pub left_out: Vec<(&'static str, String)>,
}

/// Applies one operation. Only members of objects are added, removed or replaced.
///
/// # Errors
/// If the path does not exist, or is not a member of an object.
pub fn apply(document: &mut Value, op: &PatchOp) -> Result<(), String> {
    let (parent, last) = op.path.rsplit_once('/').ok_or("the whole document cannot be replaced")?;
    let last = last.replace("~1", "/").replace("~0", "~");
    let object = document.pointer_mut(parent).and_then(Value::as_object_mut);
    let object = object.ok_or_else(|| format!("{parent} is not an object of the document"))?;
    match (op.op, &op.value) {
        ("replace" | "remove", _) if !object.contains_key(&last) => {
            Err(format!("{} does not exist", op.path))
        }
        ("add" | "replace", Some(value)) => {
            object.insert(last, value.clone());
            Ok(())
        }
        ("remove", None) => {
            object.remove(&last);
            Ok(())
        }
        (op, _) => Err(format!("fixes do not use the operation `{op}`")),
    }
}

/// The operation with a number if it replaces a number: YANG files write small numbers without quotes.
fn like_before(document: &Value, op: &PatchOp) -> PatchOp {
    let is_number = document.pointer(&op.path).is_some_and(Value::is_number);
    let number = op.value.as_ref().and_then(Value::as_str).and_then(|text| text.parse::<i64>().ok());
    match number.filter(|_| is_number && op.op == "replace") {
        Some(number) => PatchOp { value: Some(number.into()), ..op.clone() },
        None => op.clone(),
    }
}

/// Makes a patch with the fixes of the warnings and errors in `findings`. A fix that does not remove its finding, or
/// that causes a new warning or error, is left out.
///
/// # Errors
/// If the text is not valid JSON.
pub fn plan(
    source: SourceText<'_>,
    findings: &[Finding],
    lookup: Option<&Lookup>,
    options: &Options,
) -> Result<FixPatch, String> {
    let mut document: Value = serde_json::from_str(source.text).map_err(|e| e.to_string())?;
    let run = |document: &Value| {
        let text = document.to_string();
        check_file(SourceText { name: source.name, text: &text }, lookup, options).findings
    };
    let places = |findings: &[Finding]| -> BTreeSet<(&'static str, String)> {
        let bad = findings.iter().filter(|f| f.severity > Severity::Info);
        bad.map(|f| (f.code, f.pointer.clone())).collect()
    };
    let mut plan = FixPatch::default();
    let mut known = places(&run(&document));
    for finding in findings.iter().filter(|f| f.severity > Severity::Info && !f.patch.is_empty()) {
        let place = (finding.code, finding.pointer.clone());
        if !known.contains(&place) {
            // A previous fix has removed it.
            continue;
        }
        let mut repaired = document.clone();
        let ops: Vec<PatchOp> = finding.patch.iter().map(|op| like_before(&document, op)).collect();
        if let Err(error) = ops.iter().try_for_each(|op| apply(&mut repaired, op)) {
            plan.left_out.push((finding.code, error));
            continue;
        }
        let after = places(&run(&repaired));
        if after.contains(&place) {
            plan.left_out.push((finding.code, "its fix does not remove the finding".into()));
        } else if let Some((code, pointer)) = after.difference(&known).next() {
            plan.left_out.push((finding.code, format!("its fix alone would cause {code} at {pointer}")));
        } else {
            plan.operations.extend(ops);
            (document, known) = (repaired, after);
        }
    }
    Ok(plan)
}
