//! SARIF 2.1.0 (OASIS), as code scanning services take it: all rules declared, results with fingerprints.

use serde_json::{Value, json};

use super::Report;
use crate::finding::{Finding, Severity};
use crate::rules;

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Characters that a URI path may not hold as they are.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> String {
    let all: Vec<&rules::Rule> = rules::all().collect();
    let declared: Vec<Value> = all
        .iter()
        .map(|rule| {
            json!({
                "id": rule.meta.code,
                "name": rule.meta.name,
                "shortDescription": { "text": rule.summary() },
                "fullDescription": { "text": rule.section("Why it matters") },
                "help": { "text": rule.section("Fix"), "markdown": rule.page() },
                "defaultConfiguration": { "level": level(rule.meta.severity) },
            })
        })
        .collect();
    let results: Vec<Value> = report.findings.iter().map(|f| result(&all, f)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "harrier",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": declared,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn result(all: &[&rules::Rule], f: &Finding) -> Value {
    let mut result = json!({
        "ruleId": f.code,
        "level": level(f.severity),
        "message": { "text": f.message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&f.file) },
                "region": { "startLine": f.place.line.max(1), "startColumn": f.place.column.max(1) },
            },
            "logicalLocations": [{ "fullyQualifiedName": f.pointer }],
        }],
        "partialFingerprints": { "harrier/v1": f.fingerprint() },
    });
    if let (Some(index), Some(object)) =
        (all.iter().position(|r| r.meta.code == f.code), result.as_object_mut())
    {
        object.insert("ruleIndex".into(), index.into());
    }
    result
}
