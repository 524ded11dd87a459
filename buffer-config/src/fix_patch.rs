//! The fixes for a file as one JSON Patch (RFC 6902).
//!
//! A rule knows only its own field. Each fix is therefore applied and the result checked again before it is offered.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::finding::{Finding, PatchOp, Severity};
use crate::json::edit;
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
    /// The rules of the findings that the patch removes.
    pub fixed: Vec<&'static str>,
    /// The text after the patch. Everything that the patch does not change is as it was written.
    pub text: String,
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

/// Applies one operation to a text and leaves everything else as it was written.
///
/// # Errors
/// If the text is not valid JSON, the path does not exist, or it is not a member of an object.
pub fn apply_to_text(text: &str, op: &PatchOp) -> Result<String, String> {
    match (op.op, &op.value) {
        ("replace", Some(_)) if !edit::exists(text, &op.path) => Err(format!("{} does not exist", op.path)),
        ("add" | "replace", Some(value)) => edit::set(text, &op.path, value),
        ("remove", None) => edit::remove(text, &op.path),
        (op, _) => Err(format!("fixes do not use the operation `{op}`")),
    }
}

/// The operation with a number if it replaces a number: YANG files write small numbers without quotes.
fn like_before(text: &str, op: &PatchOp) -> PatchOp {
    let number = op.value.as_ref().and_then(Value::as_str).and_then(|text| text.parse::<i64>().ok());
    match number.filter(|_| op.op == "replace" && edit::is_number(text, &op.path)) {
        Some(number) => PatchOp { value: Some(number.into()), ..op.clone() },
        None => op.clone(),
    }
}

/// The number of warnings and errors of each rule at each place. Several findings can share a place.
type Places = BTreeMap<(&'static str, String), usize>;

fn places(findings: &[Finding]) -> Places {
    let mut places = Places::new();
    for finding in findings.iter().filter(|f| f.severity > Severity::Info) {
        *places.entry((finding.code, finding.pointer.clone())).or_default() += 1;
    }
    places
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
    let plain = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
    serde_json::from_str::<serde::de::IgnoredAny>(plain).map_err(|e| e.to_string())?;
    let run =
        |text: &str| places(&check_file(SourceText { name: source.name, text }, lookup, options).findings);
    let mut plan = FixPatch { text: source.text.to_string(), ..FixPatch::default() };
    let mut known = run(&plan.text);
    for finding in findings.iter().filter(|f| f.severity > Severity::Info && !f.patch.is_empty()) {
        let place = (finding.code, finding.pointer.clone());
        let Some(count) = known.get(&place).copied() else {
            // A previous fix has removed it.
            plan.fixed.push(finding.code);
            continue;
        };
        let mut repaired = plan.text.clone();
        let ops: Vec<PatchOp> = finding.patch.iter().map(|op| like_before(&repaired, op)).collect();
        let applied = ops.iter().try_for_each(|op| {
            repaired = apply_to_text(&repaired, op)?;
            Ok::<(), String>(())
        });
        if let Err(error) = applied {
            plan.left_out.push((finding.code, error));
            continue;
        }
        let after = run(&repaired);
        let is_more =
            |(place, count): &(&(&str, String), &usize)| known.get(*place).is_none_or(|n| n < *count);
        if after.get(&place).is_some_and(|left| *left >= count) {
            plan.left_out.push((finding.code, "its fix does not remove the finding".into()));
        } else if let Some(((code, pointer), _)) = after.iter().find(is_more) {
            plan.left_out.push((finding.code, format!("its fix alone would cause {code} at {pointer}")));
        } else {
            plan.operations.extend(ops);
            plan.fixed.push(finding.code);
            (plan.text, known) = (repaired, after);
        }
    }
    Ok(plan)
}
