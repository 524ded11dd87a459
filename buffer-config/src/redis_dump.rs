//! The hashes of a Redis database as a flat dump in JSON, which [`crate::input`] reads.

use serde_json::{Map, Value};

/// The entries of a dump.
#[derive(Debug, Default)]
pub struct RedisDump(Vec<(String, Value)>);

impl RedisDump {
    /// Adds the fields of a hash. A key without `|` names no table and is ignored, and so is a hash without fields: the
    /// key was deleted after it was listed.
    pub fn add(&mut self, key: String, fields: impl Iterator<Item = (String, String)>) {
        let fields: Map<String, Value> = fields.map(|(name, value)| (name, Value::String(value))).collect();
        if key.contains('|') && !fields.is_empty() {
            self.0.push((key, fields.into()));
        }
    }

    /// The dump as JSON, with keys in natural order: `Ethernet4` before `Ethernet10`.
    pub fn into_json(mut self) -> String {
        self.0.sort_by_cached_key(|(key, _)| natural(key));
        // A map of serde_json would sort the keys by bytes.
        let entry = |(key, fields): (String, Value)| format!("  {}: {fields:#}", Value::String(key));
        let entries: Vec<String> = self.0.into_iter().map(entry).collect();
        format!("{{\n{}\n}}\n", entries.join(",\n"))
    }
}

/// A sort key: words, each with the number that follows it.
fn natural(key: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut word = String::new();
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(digit) = c.to_digit(10) else {
            word.push(c);
            continue;
        };
        let mut n = u64::from(digit);
        while let Some(digit) = chars.peek().and_then(|d| d.to_digit(10)) {
            n = n.saturating_mul(10).saturating_add(u64::from(digit));
            chars.next();
        }
        parts.push((std::mem::take(&mut word), n));
    }
    parts.push((word, 0));
    parts
}

#[cfg(test)]
mod tests {
    use super::RedisDump;

    #[test]
    fn a_dump_has_tables_only_in_natural_order_and_reads_back() {
        let mut dump = RedisDump::default();
        let field = |value: &str| vec![("lanes".to_string(), value.to_string())].into_iter();
        dump.add("PORT|Ethernet10".into(), field("\"1\""));
        dump.add("PORT|Ethernet4".into(), field("2"));
        dump.add("CONFIG_DB_INITIALIZED".into(), field("3"));
        dump.add("PORT|Ethernet8".into(), Vec::new().into_iter());
        let text = dump.into_json();
        let db = crate::input::load(&text);
        let ports: Vec<&str> = db.rows("PORT").iter().map(|entry| entry.key.as_ref()).collect();
        assert_eq!(ports, ["Ethernet4", "Ethernet10"], "{text}");
        assert_eq!(db.value("PORT", "Ethernet10", "lanes"), Some("\"1\""));
        assert!(db.problems.is_empty(), "{text}");
    }
}
