//! Entries that repeat an earlier entry are not parsed again; the result is the same as if they were.

#![allow(clippy::disallowed_methods, reason = "the test reads the shipped files")]

use buffer_config::input;
use buffer_config::json::{self, Node, Value};
use proptest::prelude::*;

/// Asserts that tables, entries and fields have the spans of the tree of the same text.
#[track_caller]
fn check(name: &str, text: &str) {
    let db = input::load(text);
    let json = json::parse(text);
    let Some(root) = &json.root else { return };
    let is_object = |node: &&Node<'_>| matches!(node.value, Value::Object(_));
    let tables: Vec<&Node<'_>> = json.children(&root.value).iter().filter(is_object).collect();
    assert_eq!(db.tables.len(), tables.len(), "{name}");
    for (table, node) in db.tables.iter().zip(tables) {
        assert_eq!(table.name, node.key, "{name}");
        let entries: Vec<&Node<'_>> = json.children(&node.value).iter().filter(is_object).collect();
        assert_eq!(db.entries_of(table).len(), entries.len(), "{name} {}", table.name);
        for (entry, node) in db.entries_of(table).iter().zip(entries) {
            assert_eq!((&entry.key, entry.key_span, entry.span), (&node.key, node.key_span, node.span));
            let fields = json.children(&node.value).iter();
            let fields: Vec<_> = fields.filter(|f| f.key != "NULL" && !is_object(f)).collect();
            let found: Vec<_> = db.fields_of(entry).collect();
            assert_eq!(found.len(), fields.len(), "{name} {}|{}", table.name, entry.key);
            for (field, node) in found.iter().zip(fields) {
                let place = |span: buffer_config::source::Span| (span.start, span.end);
                assert_eq!(field.name, node.key.trim_end_matches('@'), "{name}");
                assert_eq!(place(field.name_span), place(node.key_span), "{name}: {field:?}");
                assert_eq!(place(field.span), place(node.span), "{name}: {field:?}");
                if let Value::Text(value) = &node.value {
                    assert_eq!(field.value, value, "{name}: {field:?}");
                }
                let pointer = db.pointer(&table.name, entry, Some(field.name));
                assert!(pointer.ends_with(node.key.as_ref()), "{name}: {pointer}");
            }
        }
    }
}

#[test]
fn shipped_switches_read_like_their_trees() {
    let Some(folder) = crate::support::data("switches") else { return };
    for path in crate::support::files(&folder, ".json") {
        check(&path.display().to_string(), &crate::support::read(&path));
    }
}

/// Equal objects, similar ones, and objects that must not be shared: invalid ones and one with a duplicate name.
const BODIES: &[&str] = &[
    r#"{"profile": "a"}"#,
    r#"{"profile": "a" }"#,
    r#"{"profile": "ab"}"#,
    r#"{"profile": "\u0061", "n": 1}"#,
    r#"{"list@": "a,b", "l": ["1", 2]}"#,
    r#"{"NULL": "NULL"}"#,
    r#"{}"#,
    "{\n  \"profile\": \"a\",\n  \"é\": \"ü\"\n}",
    r#"{"profile": "a",}"#,
    r#"{"profile": "a" "x": "y"}"#,
    r#"{"profile": "a", "profile": "b"}"#,
    r#"{"o": {"p": "q"}, "profile": "a"}"#,
];

proptest! {
    #[test]
    fn repeated_objects_in_any_order_read_the_same(
        tables in prop::collection::vec(prop::collection::vec((0..BODIES.len(), 0..40usize), 0..40), 1..4),
    ) {
        let mut text = "{".to_string();
        for (t, entries) in tables.iter().enumerate() {
            text += &format!("{}\n \"T{t}\": {{", if t > 0 { "," } else { "" });
            for (i, (body, blanks)) in entries.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                text += &format!("{comma}\n{:blanks$}\"Ethernet{i}\": {}", "", BODIES[*body]);
            }
            text += "}";
        }
        text += "}";
        check("generated", &text);
    }

    /// A problem of an object is reported for each repetition.
    #[test]
    fn problems_are_reported_for_each_repetition(body in 8..BODIES.len(), count in 1..20usize) {
        let entries: Vec<String> = (0..count).map(|i| format!("\"E{i}\": {}", BODIES[body])).collect();
        let text = format!("{{\"T\": {{{}}}}}", entries.join(",\n"));
        let db = input::load(&text);
        prop_assert_eq!(db.problems.len() + db.duplicates.len(), count);
    }
}
