//! A validator for the subset of JSON Schema that the schemas of this crate use. Any other keyword is an error, so that
//! no constraint is ignored.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use regex::Regex;
use serde_json::Value;

/// The violations of the schema in `value`, each with its JSON pointer.
pub(crate) fn refusals(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Some(keywords) = schema.as_object() else { return };
    for (keyword, wanted) in keywords {
        let good = match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "$defs" | "examples" | "format" => true,
            "$ref" => {
                let pointer = wanted.as_str().and_then(|r| r.strip_prefix('#')).expect("a local reference");
                check(root, root.pointer(pointer).expect("the definition is there"), value, at, found);
                true
            }
            "oneOf" => {
                let accepts = |schema: &&Value| {
                    let mut refused = Vec::new();
                    check(root, schema, value, at, &mut refused);
                    refused.is_empty()
                };
                wanted.as_array().expect("schemas").iter().filter(accepts).count() == 1
            }
            "allOf" => {
                for schema in wanted.as_array().expect("schemas") {
                    check(root, schema, value, at, found);
                }
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|one| is_type(one, value)),
                one => is_type(one, value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().expect("values").contains(value),
            "minimum" => value.as_f64().is_none_or(|n| n >= wanted.as_f64().expect("a number")),
            "minItems" => {
                value.as_array().is_none_or(|a| a.len() as u64 >= wanted.as_u64().expect("a number"))
            }
            "minLength" => {
                value.as_str().is_none_or(|s| s.chars().count() as u64 >= wanted.as_u64().expect("a number"))
            }
            "pattern" => value.as_str().is_none_or(|s| matches(wanted.as_str().expect("a pattern"), s)),
            "uniqueItems" => value.as_array().is_none_or(|all| {
                all.iter().enumerate().all(|(i, item)| all.iter().take(i).all(|earlier| earlier != item))
            }),
            "required" => {
                let missing =
                    |name: &&Value| value.is_object() && value.get(name.as_str().expect("a name")).is_none();
                let all = wanted.as_array().expect("names");
                found.extend(all.iter().filter(missing).map(|name| format!("{at}: {name} is missing")));
                true
            }
            "properties" => {
                for (name, inner) in wanted.as_object().expect("properties") {
                    if let Some(member) = value.get(name) {
                        check(root, inner, member, &format!("{at}/{name}"), found);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (name, member) in value.as_object().into_iter().flatten() {
                    if known.is_some_and(|k| k.contains_key(name)) {
                        continue;
                    }
                    match wanted {
                        Value::Bool(false) => found.push(format!("{at}: unknown member {name}")),
                        inner => check(root, inner, member, &format!("{at}/{name}"), found),
                    }
                }
                true
            }
            "prefixItems" => {
                let schemas = wanted.as_array().expect("schemas");
                let items = value.as_array().into_iter().flatten();
                for (i, (schema, item)) in schemas.iter().zip(items).enumerate() {
                    check(root, schema, item, &format!("{at}/{i}"), found);
                }
                true
            }
            "items" if *wanted == Value::Bool(false) => {
                let most = schema["prefixItems"].as_array().map_or(0, Vec::len);
                value.as_array().is_none_or(|items| items.len() <= most)
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{at}/{i}"), found);
                }
                true
            }
            other => panic!("the validator does not know the keyword {other}"),
        };
        if !good {
            found.push(format!("{at}: {value} against {keyword} {wanted}"));
        }
    }
}

fn is_type(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the validator does not know the type {other}"),
    }
}

/// Whether `text` matches the regular expression. Each is compiled once: that of a flow takes longer than a snapshot has
/// flows to check.
fn matches(pattern: &str, text: &str) -> bool {
    static COMPILED: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().expect("no test panics while it holds the lock");
    compiled
        .entry(pattern.to_string())
        .or_insert_with(|| Regex::new(pattern).expect("a regular expression"))
        .is_match(text)
}
