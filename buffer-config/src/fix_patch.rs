//! The fixes for a file: one JSON Patch (RFC 6902) for SONiC, and added commands for running configurations.
//!
//! A rule knows only its own field. Each fix is therefore applied and the result checked again before it is offered.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::device;
use crate::finding::{Finding, PatchOp, Severity};
use crate::json::edit;
use crate::lookup::Lookup;
use crate::rules::{Options, check_file, one_per_defect};
use crate::source::SourceText;

/// A patch with the fixes of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixPatch {
    /// The operations, in order. Those that a live switch rejects state the reason. Empty for other systems than SONiC.
    pub operations: Vec<PatchOp>,
    /// The commands that are added to a running configuration, in order. Empty for SONiC.
    pub commands: Vec<String>,
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

fn places<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Places {
    let mut places = Places::new();
    for finding in findings.into_iter().filter(|f| f.severity > Severity::Info) {
        *places.entry((finding.code, finding.pointer.clone())).or_default() += 1;
    }
    places
}

/// The warnings and errors of a text: all, those that are reported because no stronger one is about the same defect,
/// and the errors among these.
struct Judged {
    all: Places,
    reported: Places,
    errors: Places,
}

impl Judged {
    fn of(mut findings: Vec<Finding>) -> Self {
        let all = places(&findings);
        one_per_defect(&mut findings);
        let errors = places(findings.iter().filter(|f| f.severity == Severity::Error));
        Self { all, reported: places(&findings), errors }
    }

    /// A warning or error that is new, or that is reported only now: a consequence of a defect is reported once its cause is
    /// gone.
    fn new_since<'j>(&'j self, before: &Self) -> Option<&'j (&'static str, String)> {
        let new = |now: &'j Places, then: &Places| {
            now.iter()
                .find(|(place, count)| then.get(*place).is_none_or(|n| n < *count))
                .map(|(place, _)| place)
        };
        new(&self.all, &before.all)
            .or_else(|| new(&self.reported, &before.reported))
            .or_else(|| new(&self.errors, &before.errors))
    }
}

/// A text after one fix, and what the fix consists of.
struct Fixed {
    text: String,
    operations: Vec<PatchOp>,
    commands: Vec<String>,
}

/// Applies the fix of one finding.
///
/// # Errors
/// Why it cannot be applied to this text.
fn fixed(text: &str, finding: &Finding) -> Result<Fixed, String> {
    if !finding.commands.is_empty() {
        let (text, commands) = device::with_commands(text, &finding.commands)?;
        return Ok(Fixed { text, operations: Vec::new(), commands });
    }
    let operations: Vec<PatchOp> = finding.patch.iter().map(|op| like_before(text, op)).collect();
    let text = operations.iter().try_fold(text.to_string(), |text, op| apply_to_text(&text, op))?;
    Ok(Fixed { text, operations, commands: Vec::new() })
}

/// Makes a patch with the fixes of the warnings and errors in `findings`. A fix that does not remove its finding, or
/// that causes a new warning or error, is left out.
///
/// # Errors
/// If the text is neither valid JSON nor a configuration of a system that [`device::read`] reads.
pub fn plan(
    source: SourceText<'_>,
    findings: &[Finding],
    lookup: Option<&Lookup>,
    options: &Options,
) -> Result<FixPatch, String> {
    if device::system_of(source.text).is_none() {
        let plain = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
        serde_json::from_str::<serde::de::IgnoredAny>(plain).map_err(|e| e.to_string())?;
    }
    let run =
        |text: &str| Judged::of(check_file(SourceText { name: source.name, text }, lookup, options).findings);
    let mut plan = FixPatch { text: source.text.to_string(), ..FixPatch::default() };
    let mut known = run(&plan.text);
    let has_fix = |f: &&Finding| !(f.patch.is_empty() && f.commands.is_empty());
    for finding in findings.iter().filter(|f| f.severity > Severity::Info).filter(has_fix) {
        let place = (finding.code, finding.pointer.clone());
        let Some(count) = known.all.get(&place).copied() else {
            // A previous fix has removed it.
            plan.fixed.push(finding.code);
            continue;
        };
        let fix = match fixed(&plan.text, finding) {
            Ok(fix) => fix,
            Err(reason) => {
                plan.left_out.push((finding.code, reason));
                continue;
            }
        };
        let after = run(&fix.text);
        if after.all.get(&place).is_some_and(|left| *left >= count) {
            plan.left_out.push((finding.code, "its fix does not remove the finding".into()));
        } else if let Some((code, pointer)) = after.new_since(&known) {
            plan.left_out.push((finding.code, format!("its fix alone would cause {code} at {pointer}")));
        } else {
            plan.operations.extend(fix.operations);
            plan.commands.extend(fix.commands);
            plan.fixed.push(finding.code);
            (plan.text, known) = (fix.text, after);
        }
    }
    Ok(plan)
}
