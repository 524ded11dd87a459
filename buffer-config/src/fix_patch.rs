//! Repairs of a file as one JSON Patch (RFC 6902), each tried before it is offered.
//!
//! A rule knows its own field only; whether its repair breaks something else is seen by making it and checking again.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::finding::{Finding, PatchOp, Severity};
use crate::lookup::Lookup;
use crate::rules::{Options, check_file};
use crate::source::SourceText;

/// What a patch does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The operations, in the order in which they apply; those that a live switch refuses say why.
    pub operations: Vec<PatchOp>,
    /// Findings whose repair is not in the patch, with the reason.
    pub left_out: Vec<(&'static str, String)>,
}

/// Applies one operation. Only members of objects are added, removed and replaced: a configuration has no other values.
///
/// # Errors
/// When the operation's place is not there, or is no member of an object.
pub fn apply(document: &mut Value, op: &PatchOp) -> Result<(), String> {
    let (parent, last) = op.path.rsplit_once('/').ok_or("the whole document cannot be replaced")?;
    let last = last.replace("~1", "/").replace("~0", "~");
    let object = document.pointer_mut(parent).and_then(Value::as_object_mut);
    let object = object.ok_or_else(|| format!("{parent} is no object of the document"))?;
    match (op.op, &op.value) {
        ("replace" | "remove", _) if !object.contains_key(&last) => Err(format!("{} is not there", op.path)),
        ("add" | "replace", Some(value)) => {
            object.insert(last, value.clone());
            Ok(())
        }
        ("remove", None) => {
            object.remove(&last);
            Ok(())
        }
        (op, _) => Err(format!("`{op}` is no operation that a repair uses")),
    }
}

/// The operation with a number where it replaces one: YANG files write small numbers without quotes.
fn like_before(document: &Value, op: &PatchOp) -> PatchOp {
    let is_number = document.pointer(&op.path).is_some_and(Value::is_number);
    let number = op.value.as_ref().and_then(Value::as_str).and_then(|text| text.parse::<i64>().ok());
    match number.filter(|_| is_number && op.op == "replace") {
        Some(number) => PatchOp { value: Some(number.into()), ..op.clone() },
        None => op.clone(),
    }
}

/// A patch with the repairs of those of `findings` that are warnings or errors. A repair that does not remove its
/// finding, or that makes a new warning or error, is left out.
///
/// # Errors
/// When the text is no JSON: a patch has nothing to apply to.
pub fn plan(
    source: SourceText<'_>,
    findings: &[Finding],
    lookup: Option<&Lookup>,
    options: &Options,
) -> Result<Plan, String> {
    let mut document: Value = serde_json::from_str(source.text).map_err(|e| e.to_string())?;
    let run = |document: &Value| {
        let text = document.to_string();
        check_file(SourceText { name: source.name, text: &text }, lookup, options).findings
    };
    let places = |findings: &[Finding]| -> BTreeSet<(&'static str, String)> {
        let bad = findings.iter().filter(|f| f.severity > Severity::Info);
        bad.map(|f| (f.code, f.pointer.clone())).collect()
    };
    let mut plan = Plan::default();
    let mut known = places(&run(&document));
    for finding in findings.iter().filter(|f| f.severity > Severity::Info && !f.patch.is_empty()) {
        let place = (finding.code, finding.pointer.clone());
        if !known.contains(&place) {
            // A repair before this one has removed it.
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
            plan.left_out.push((finding.code, "its repair does not suffice".into()));
        } else if let Some((code, pointer)) = after.difference(&known).next() {
            plan.left_out.push((finding.code, format!("its repair alone would make {code} at {pointer}")));
        } else {
            plan.operations.extend(ops);
            (document, known) = (repaired, after);
        }
    }
    Ok(plan)
}
