//! The table of an evaluation as CSV (RFC 4180).

use eval::table::Row;
use serde_json::Value;

/// Returns the rows with a line of column names: the keys of the JSON form that have one value. The reliability diagram
/// is in the JSON form only.
pub(crate) fn table<'r>(rows: impl Iterator<Item = &'r Row>) -> anyhow::Result<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in rows {
        let Value::Object(cells) = serde_json::to_value(row)? else { continue };
        let cells: Vec<(&String, &Value)> =
            cells.iter().filter(|(_, value)| !value.is_object() && !value.is_array()).collect();
        if lines.is_empty() {
            lines.push(cells.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(","));
        }
        lines.push(cells.iter().map(|(_, value)| cell(value)).collect::<Vec<_>>().join(","));
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use eval::table::{Observation, rows};

    use super::*;

    #[test]
    fn every_row_has_a_cell_for_every_column() {
        let of = |name: &str| Observation { scenario: name.to_string(), ..Observation::default() };
        let text = table(rows(&[of("a, \"b\""), of("c")]).iter()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("\"a, \"\"b\"\"\""), "{text}");
        let columns = lines[0].split(',').count();
        assert_eq!(lines[2].split(',').count(), columns);
        for column in ["scenario", "precision", "alarm_precision", "incident_precision", "top_3"] {
            assert!(lines[0].split(',').any(|name| name == column), "{column}");
        }
    }
}
