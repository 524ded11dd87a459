//! The findings that rules report, with their fixes.

use std::cmp::Ordering;

use model::config_finding::Deviation;
use serde_json::Value;

use super::Meta;
use crate::finding::{Finding, PatchOp, Severity};
use crate::source::{Position, SourceText, Span};

/// The findings reported so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Report>);

/// A finding and the entry that it is about.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) finding: Finding,
    pub(super) object: Object,
}

/// What a finding is about.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// Empty for findings about the text.
    pub(super) table: String,
    /// The first key is the one that the finding points to.
    pub(super) keys: Vec<String>,
    /// Empty for findings about entries.
    pub(super) field: String,
}

impl Findings {
    pub(super) fn push(
        &mut self,
        meta: &'static Meta,
        severity: Severity,
        span: Span,
        pointer: String,
        message: String,
    ) -> Reported<'_> {
        let position = Position { line: 0, column: 0 };
        let file = String::new();
        let (code, rule) = (meta.code, meta.name);
        let finding = Finding {
            code,
            rule,
            severity,
            message,
            file,
            span,
            position,
            pointer,
            ports: Vec::new(),
            deviation: None,
            patch: Vec::new(),
            commands: Vec::new(),
            causes: Vec::new(),
        };
        self.0.push(Report { finding, object: Object::default() });
        Reported { report: self.0.last_mut(), target: Target::Neither, present: None }
    }

    /// All reports so far.
    pub(super) fn reports(&mut self) -> &mut [Report] {
        &mut self.0
    }

    /// Sorts the findings in the order of the file and sets their positions.
    pub(super) fn finish(self, source: SourceText<'_>) -> Vec<Finding> {
        let mut all: Vec<Finding> = self.0.into_iter().map(|report| report.finding).collect();
        all.sort_by(|a, b| a.span.cmp(&b.span).then(a.code.cmp(b.code)));
        // One pass over the text, because the findings are sorted.
        let text = source.text.as_bytes();
        let (mut at, mut line, mut line_start) = (0usize, 1u32, 0usize);
        for finding in &mut all {
            finding.file = source.name.to_string();
            let start = (finding.span.start as usize).min(text.len());
            let between = text.get(at..start).unwrap_or_default();
            let ends = lines(between);
            if ends > 0 {
                line += ends;
                line_start = start - between.iter().rev().position(|b| *b == b'\n').unwrap_or(0);
            }
            at = start;
            let column = source.text.get(line_start..start).map_or(0, |text| text.chars().count()) as u32 + 1;
            finding.position = Position { line, column };
        }
        all
    }
}

/// The number of line ends in a text, summed in bytes so that the loop vectorises.
fn lines(text: &[u8]) -> u32 {
    let of = |part: &[u8]| part.iter().fold(0u8, |n, b| n + u8::from(*b == b'\n'));
    text.chunks(usize::from(u8::MAX)).map(|part| u32::from(of(part))).sum()
}

/// What a finding points to, which determines the possible fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// An existing field.
    Field,
    /// An existing entry.
    Entry,
    /// Neither: no fix is possible.
    Neither,
}

/// The finding just reported.
pub(super) struct Reported<'o> {
    report: Option<&'o mut Report>,
    target: Target,
    /// The value of the field that it points to.
    present: Option<Box<str>>,
}

impl Reported<'_> {
    /// States the entry, and the field if there is one, that the finding is about.
    pub(super) fn about(mut self, table: &str, key: &str, field: Option<&str>) -> Self {
        if let Some(report) = self.report.as_mut() {
            let (table, field) = (table.to_string(), field.unwrap_or("").to_string());
            report.object = Object { table, keys: vec![key.to_string()], field };
        }
        self
    }

    /// Names further entries of the table that have the same defect.
    pub(super) fn also<'k>(mut self, keys: impl IntoIterator<Item = &'k str>) -> Self {
        if let Some(report) = self.report.as_mut() {
            report.object.keys.extend(keys.into_iter().map(str::to_string));
        }
        self
    }

    /// States what the finding points to, and the value if it is a field.
    pub(super) fn at(self, target: Target, present: Option<&str>) -> Self {
        Self { target, present: present.map(Box::from), ..self }
    }

    /// Sets another severity than the rule's.
    pub(super) fn severity(mut self, severity: Severity) -> Self {
        if let Some(report) = self.report.as_mut() {
            report.finding.severity = severity;
        }
        self
    }

    /// Sets the ports that the finding applies to.
    pub(super) fn of_ports(self, ports: &[&str]) {
        if let Some(report) = self.report {
            report.finding.ports = ports.iter().map(ToString::to_string).collect();
        }
    }

    /// States that the value is lower or higher than expected.
    pub(super) fn deviates(self, order: Ordering) {
        if let Some(report) = self.report {
            report.finding.deviation = match order {
                Ordering::Less => Some(Deviation::Less),
                Ordering::Equal => None,
                Ordering::Greater => Some(Deviation::More),
            };
        }
    }

    /// Adds a fix that replaces the value that the finding points to, unless it is this value already: then the cause
    /// is elsewhere.
    pub(super) fn replace(self, value: impl Into<String>) -> Self {
        let value: String = value.into();
        if self.present.as_deref() == Some(value.as_str()) {
            return self;
        }
        let value = Value::String(value);
        self.fix(Target::Field, |path| PatchOp::new("replace", path.into(), Some(value)))
    }

    /// Adds a fix that removes the field that the finding points to.
    pub(super) fn remove(self) -> Self {
        self.fix(Target::Field, |path| PatchOp::new("remove", path.into(), None))
    }

    /// Adds a fix that adds a field to the entry that the finding points to.
    pub(super) fn add(self, name: &str, value: impl Into<String>) -> Self {
        let (name, value) = (crate::db::escape(name).into_owned(), Value::String(value.into()));
        self.fix(Target::Entry, |path| PatchOp::new("add", format!("{path}/{name}"), Some(value)))
    }

    /// Adds a replacement of another value to the finding's fix.
    pub(super) fn with(mut self, pointer: String, value: impl Into<String>) -> Self {
        if let Some(report) = self.report.as_mut().filter(|report| !report.finding.patch.is_empty()) {
            let value = Some(Value::String(value.into()));
            report.finding.patch.push(PatchOp::new("replace", pointer, value));
        }
        self
    }

    /// Adds operations to the finding's fix.
    pub(super) fn operations(mut self, operations: impl IntoIterator<Item = PatchOp>) -> Self {
        if let Some(report) = self.report.as_mut() {
            report.finding.patch.extend(operations);
        }
        self
    }

    fn fix(mut self, target: Target, op: impl FnOnce(&str) -> PatchOp) -> Self {
        if let Some(report) = self.report.as_mut().filter(|_| self.target == target) {
            let op = op(&report.finding.pointer);
            report.finding.patch.push(op);
        }
        self
    }
}
