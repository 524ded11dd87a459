//! Texts that are not judged, because findings about the part that can be read would be misleading.

use crate::device;
use crate::json::{self, Value};
use crate::schema;
use crate::source::position;

/// Why a text is not judged: it is empty, truncated, in UTF-16, not JSON, or has no table. `None` for texts that the
/// rules can check; they may still have syntax errors.
pub fn refusal(text: &str) -> Option<String> {
    let body = text.trim_start_matches('\u{feff}').trim();
    if body.is_empty() {
        return Some("the text is empty".into());
    }
    if body.bytes().take(64).any(|byte| byte == 0) {
        return Some(
            "the text is not UTF-8, but probably UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`".into(),
        );
    }
    if let Some(system) = device::system_of(text) {
        return device::refusal(system, text);
    }
    let json = json::parse(text);
    let at = |problem: &json::Problem| format!("{}: {}", position(text, problem.span.start), problem.message);
    let is_open = |problem: &&json::Problem| problem.message.ends_with(json::NEVER_CLOSED);
    if let Some(problem) = json.problems.iter().find(is_open) {
        return Some(format!("{}: the text is truncated, or a bracket is missing", at(problem)));
    }
    let root = json.root.as_ref().map(|root| &root.value);
    let is_collection = matches!(root, Some(Value::Object(_) | Value::Array(_)));
    match json.problems.first() {
        Some(problem) if json.problems_left_out > 0 => {
            let count = json.problems.len() + json.problems_left_out;
            Some(format!("the text has {count} syntax errors; the first: {}", at(problem)))
        }
        Some(problem) if !is_collection => Some(format!(
            "the text is neither JSON nor a configuration of NVUE, EOS or NX-OS: {}",
            at(problem)
        )),
        None if !is_collection => Some("the text is a JSON value, but not an object with tables".into()),
        None if root.is_some_and(|root| json.children(root).is_empty()) => {
            Some("the configuration is empty: it has no table".into())
        }
        _ => None,
    }
}

/// Whether a text has a table that the rules check. Other JSON files of a repository have none.
pub fn has_known_table(text: &str) -> bool {
    device::system_of(text).is_some()
        || super::load_all(text)
            .iter()
            .any(|chip| chip.db.tables.iter().any(|table| schema::is_table(&table.name)))
}
