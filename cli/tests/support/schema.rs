//! A validator for the part of JSON Schema that the schemas of the model use; any other keyword is an error, so that
//! nothing is passed over in silence.

#![allow(dead_code, reason = "every suite uses its part")]

use serde_json::Value;

/// What of `value` the schema refuses, each with its JSON pointer.
pub(crate) fn refusals(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Some(keywords) = schema.as_object() else { return };
    for (keyword, wanted) in keywords {
        let inner = |schema: &Value| {
            let mut found = Vec::new();
            check(root, schema, value, at, &mut found);
            found
        };
        let list = || wanted.as_array().expect("a list");
        let good = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "examples" | "format" => true,
            "$ref" => {
                let pointer = wanted.as_str().and_then(|r| r.strip_prefix('#')).expect("a local reference");
                found.extend(inner(root.pointer(pointer).expect("the definition is there")));
                true
            }
            "oneOf" => list().iter().filter(|schema| inner(schema).is_empty()).count() == 1,
            "type" if wanted.is_array() => list().iter().any(|name| is_type(name, value)),
            "type" => is_type(wanted, value),
            "enum" => list().contains(value),
            "minimum" => value.as_f64().is_none_or(|n| n >= wanted.as_f64().expect("a number")),
            "required" => list()
                .iter()
                .all(|name| value.get(name.as_str().expect("a name")).is_some() || !value.is_object()),
            "properties" => {
                for (name, schema) in wanted.as_object().expect("properties") {
                    if let Some(member) = value.get(name) {
                        check(root, schema, member, &format!("{at}/{name}"), found);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().expect("properties");
                assert_eq!(*wanted, Value::Bool(false), "the validator knows no other value");
                value.as_object().is_none_or(|members| members.keys().all(|name| known.contains_key(name)))
            }
            "prefixItems" => {
                for (i, schema) in list().iter().enumerate().filter(|_| value.is_array()) {
                    check(root, schema, &value[i], &format!("{at}/{i}"), found);
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
