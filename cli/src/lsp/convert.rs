//! Findings and edits in the types of the protocol.

use std::path::PathBuf;

use buffer_config::editor::{Edit, Place, place_of};
use buffer_config::finding::{Finding, Severity};
use buffer_config::source::Span;
use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range, TextEdit, Uri};

/// The name of the tool in diagnostics.
const SOURCE: &str = "harrier";

pub(super) fn position(place: Place) -> Position {
    Position { line: place.line, character: place.character }
}

pub(super) fn place(position: Position) -> Place {
    Place { line: position.line, character: position.character }
}

pub(super) fn range(text: &str, span: Span) -> Range {
    Range { start: position(place_of(text, span.start)), end: position(place_of(text, span.end)) }
}

/// A finding as a diagnostic.
pub(super) fn diagnostic(text: &str, finding: &Finding) -> Diagnostic {
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
    };
    Diagnostic {
        range: range(text, finding.span),
        severity: Some(severity),
        code: Some(NumberOrString::String(finding.code.to_string())),
        source: Some(SOURCE.to_string()),
        message: finding.message.clone(),
        ..Diagnostic::default()
    }
}

pub(super) fn text_edit(text: &str, edit: Edit) -> TextEdit {
    TextEdit { range: range(text, edit.span), new_text: edit.text }
}

/// The file of a `file:` URI. Other documents, such as unsaved ones, have no file.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // The host is empty or `localhost` (RFC 8089).
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    path.starts_with('/').then(|| PathBuf::from(decoded(path)))
}

/// The text with `%41` as `A` (RFC 3986, section 2.1).
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match (byte, code.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(value)) => {
                out.push(value);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_uris_become_paths() {
        let check = |uri: &str, expected: Option<&str>| {
            let uri: Uri = uri.parse().expect("a URI");
            assert_eq!(path(&uri), expected.map(PathBuf::from));
        };
        check("file:///a/b%20c/config_db.json", Some("/a/b c/config_db.json"));
        check("file://localhost/a", Some("/a"));
        check("untitled:Untitled-1", None);
    }
}
