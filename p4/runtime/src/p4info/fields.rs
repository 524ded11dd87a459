//! Comparison of two P4Infos in every field: order, documentation and annotations included.
//!
//! Used to compare the generated P4Info with that of p4c. The server compares with [`super::differences`], which
//! ignores parts that no request depends on.

use super::text::dynamic;
use crate::proto::p4::config::v1 as config;
use prost_reflect::{DynamicMessage, MapKey, ReflectMessage, Value};
use std::collections::BTreeMap;

/// Returns the differences, one line per field: path, our value, their value. Empty if the messages are equal.
pub fn field_differences(ours: &config::P4Info, theirs: &config::P4Info) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(ours), Some(theirs)) = (dynamic(ours), dynamic(theirs)) {
        compare_messages(&mut found, "", &ours, &theirs);
    }
    found
}

fn compare_messages(found: &mut Vec<String>, path: &str, ours: &DynamicMessage, theirs: &DynamicMessage) {
    for field in ours.descriptor().fields() {
        let here =
            if path.is_empty() { field.name().to_string() } else { format!("{path}.{}", field.name()) };
        match (ours.has_field(&field), theirs.has_field(&field)) {
            (false, false) => {}
            (true, false) => found.push(format!("{here}: only ours has {}", ours.get_field(&field))),
            (false, true) => found.push(format!("{here}: only theirs has {}", theirs.get_field(&field))),
            (true, true) => {
                compare_values(found, &here, &ours.get_field(&field), &theirs.get_field(&field));
            }
        }
    }
}

fn compare_values(found: &mut Vec<String>, path: &str, ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Message(ours), Value::Message(theirs)) => compare_messages(found, path, ours, theirs),
        (Value::List(ours), Value::List(theirs)) => compare_lists(found, path, ours, theirs),
        (Value::Map(ours), Value::Map(theirs)) => {
            let sorted = |map: &std::collections::HashMap<MapKey, Value>| -> BTreeMap<String, Value> {
                map.iter().map(|(key, value)| (format!("{key:?}"), value.clone())).collect()
            };
            let (ours, theirs) = (sorted(ours), sorted(theirs));
            for (key, value) in &ours {
                match theirs.get(key) {
                    Some(other) => compare_values(found, &format!("{path}[{key}]"), value, other),
                    None => found.push(format!("{path}[{key}]: only ours")),
                }
            }
            let missing = theirs.keys().filter(|key| !ours.contains_key(*key));
            found.extend(missing.map(|key| format!("{path}[{key}]: only theirs")));
        }
        (ours, theirs) if ours == theirs => {}
        (ours, theirs) => found.push(format!("{path}: ours {ours}, theirs {theirs}")),
    }
}

/// Lists of objects with names are compared by name, and then their order; others element by element.
fn compare_lists(found: &mut Vec<String>, path: &str, ours: &[Value], theirs: &[Value]) {
    let (our_names, their_names) = (names(ours), names(theirs));
    let (Some(our_names), Some(their_names)) = (our_names, their_names) else {
        if ours.len() != theirs.len() {
            found.push(format!("{path}: ours has {} elements, theirs {}", ours.len(), theirs.len()));
        }
        for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            compare_values(found, &format!("{path}[{i}]"), ours, theirs);
        }
        return;
    };
    for (name, value) in our_names.iter().zip(ours) {
        match their_names.iter().position(|other| other == name).and_then(|at| theirs.get(at)) {
            Some(other) => compare_values(found, &format!("{path}[{name}]"), value, other),
            None => found.push(format!("{path}[{name}]: only ours")),
        }
    }
    let mut missing: Vec<&String> = their_names.iter().filter(|name| !our_names.contains(name)).collect();
    if missing.is_empty() && our_names.len() == their_names.len() && our_names != their_names {
        found.push(format!("{path}: ours in the order {our_names:?}, theirs {their_names:?}"));
    }
    found.extend(missing.drain(..).map(|name| format!("{path}[{name}]: only theirs")));
}

/// The names of the elements, if all have one.
fn names(values: &[Value]) -> Option<Vec<String>> {
    values.iter().map(name).collect()
}

fn name(value: &Value) -> Option<String> {
    let message = value.as_message()?;
    let named = match message.get_field_by_name("preamble") {
        Some(preamble) => preamble.as_message()?.get_field_by_name("name")?.as_str()?.to_string(),
        None => message.get_field_by_name("name")?.as_str()?.to_string(),
    };
    (!named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ours: &str, theirs: &str, expected: &[&str]) {
        let parse = |text: &str| super::super::from_text(text).expect("a P4Info");
        assert_eq!(field_differences(&parse(ours), &parse(theirs)), expected);
    }

    #[test]
    fn every_field_is_compared() {
        let table = r#"tables { preamble { id: 1 name: "a" alias: "a" } size: 3 }"#;
        check(table, table, &[]);
        check(
            table,
            r#"tables { preamble { id: 1 name: "a" alias: "b" annotations: "@x" } size: 3 }"#,
            &[
                r#"tables[a].preamble.alias: ours "a", theirs "b""#,
                r#"tables[a].preamble.annotations: only theirs has ["@x"]"#,
            ],
        );
    }

    #[test]
    fn order_and_presence_are_compared() {
        let (a, b) = (r#"actions { preamble { name: "a" } }"#, r#"actions { preamble { name: "b" } }"#);
        check(
            &format!("{a} {b}"),
            &format!("{b} {a}"),
            &[r#"actions: ours in the order ["a", "b"], theirs ["b", "a"]"#],
        );
        check("type_info {}", "", &["type_info: only ours has {}"]);
        check(a, b, &["actions[a]: only ours", "actions[b]: only theirs"]);
    }

    #[test]
    fn maps_are_compared_by_key() {
        check(
            r#"type_info { structs { key: "s" value { members { name: "x" } } } }"#,
            r#"type_info { structs { key: "s" value { } } structs { key: "t" value { } } }"#,
            &[
                r#"type_info.structs[String("s")].members: only ours has [{name:"x"}]"#,
                r#"type_info.structs[String("t")]: only theirs"#,
            ],
        );
    }
}
