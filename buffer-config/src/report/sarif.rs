//! SARIF 2.1.0 (OASIS) for code scanning services: all rules, and results with fingerprints.

use serde_json::{Value, json};

use super::{Catalogue, Unread};
use crate::finding::{Finding, Severity};

/// The published documentation. A build sets HARRIER_DOCS_URL to the address of its own copy; without one, the address
/// is a name that never resolves (RFC 6761), because code scanning services require an absolute URI.
const DOCUMENTATION: &str = match option_env!("HARRIER_DOCS_URL") {
    Some(url) => url,
    None => "https://harrier.invalid",
};

/// The page of a rule in the published documentation.
fn help_uri(code: &str) -> String {
    format!("{}/docs/rules/{code}/", DOCUMENTATION.trim_end_matches('/'))
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Percent-encodes a path.
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

/// The text before the results: the tool with all its rules.
pub(super) fn head(catalogue: &Catalogue) -> String {
    let declared: Vec<Value> = catalogue
        .rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code,
                "name": rule.name,
                "helpUri": help_uri(rule.code),
                "shortDescription": { "text": rule.summary },
                "fullDescription": { "text": rule.why },
                "help": { "text": rule.fix, "markdown": rule.page },
                "defaultConfiguration": { "level": level(rule.severity) },
            })
        })
        .collect();
    let tool = json!({ "driver": {
        "name": "harrier",
        "informationUri": DOCUMENTATION,
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": declared,
    } });
    format!(
        r#"{{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {{
      "tool": {},
      "columnKind": "unicodeCodePoints",
      "results": ["#,
        super::indented(&tool, "      ")
    )
}

/// The run, with the inputs that could not be read (SARIF 2.1.0, sections 3.20 and 3.58).
pub(super) fn invocation(unread: &[Unread]) -> Value {
    let notification = |unread: &Unread| {
        json!({
            "level": "error",
            "message": { "text": format!("not checked: {}", unread.reason) },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&unread.file) } } }],
        })
    };
    let notifications: Vec<Value> = unread.iter().map(notification).collect();
    json!({ "executionSuccessful": unread.is_empty(), "toolExecutionNotifications": notifications })
}

/// A result.
pub(super) fn result(f: &Finding, catalogue: &Catalogue) -> Value {
    let mut result = json!({
        "ruleId": f.code,
        "level": level(f.severity),
        "message": { "text": f.message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&f.file) },
                "region": { "startLine": f.position.line.max(1), "startColumn": f.position.column.max(1) },
            },
            "logicalLocations": [{ "fullyQualifiedName": f.pointer }],
        }],
        "partialFingerprints": { "harrier/v1": f.fingerprint() },
    });
    // SARIF's kind `open` would fit, but requires the level `none`, which services do not show.
    let mut properties = serde_json::Map::new();
    if f.is_not_provable() {
        properties.insert("verdict".into(), "not_provable".into());
    }
    // SARIF's `fixes` are replaced regions of files; commands for a switch are a property.
    if !f.commands.is_empty() {
        properties.insert("commands".into(), json!(f.commands));
    }
    if let Some(object) = result.as_object_mut().filter(|_| !properties.is_empty()) {
        object.insert("properties".into(), properties.into());
    }
    let index = catalogue.rules.iter().position(|rule| rule.code == f.code);
    if let (Some(index), Some(object)) = (index, result.as_object_mut()) {
        object.insert("ruleIndex".into(), index.into());
    }
    result
}
