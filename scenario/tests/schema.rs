//! The committed JSON Schema lists the keys of the reader, and the scenarios of the library are valid by it.
#![allow(clippy::disallowed_methods, reason = "a test reads the committed file")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("library/scenario.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn properties(schema: &Value, definition: &str) -> BTreeSet<String> {
    let at = if definition.is_empty() { schema } else { &schema["$defs"][definition] };
    at["properties"].as_object().expect(definition).keys().cloned().collect()
}

/// The keys of the section at the end of `snippet`, from the reader's message about an unknown key.
fn known(snippet: &str) -> BTreeSet<String> {
    let text = format!("{snippet}\nno_such_key = 1\n");
    let problems = scenario::parse("x", &text).expect_err("there is an unknown key").to_string();
    let line = problems.lines().find(|line| line.contains("`no_such_key`")).expect(&problems);
    line.split_once("known are ").expect(line).1.split(", ").map(str::to_string).collect()
}

/// The keys of a definition in the schema are those that the reader accepts in these sections.
fn check(definition: &str, snippets: &[&str]) {
    let read: BTreeSet<String> = snippets.iter().flat_map(|snippet| known(snippet)).collect();
    assert_eq!(properties(&schema(), definition), read, "{definition}");
}

#[test]
fn the_schema_lists_the_keys_of_the_reader() {
    check("", &[""]);
    let kinds = ["links", "fat-tree", "leaf-spine", "podset", "json"];
    let topologies = kinds.map(|kind| format!("[topology]\nkind = \"{kind}\""));
    check("topology", &topologies.each_ref().map(String::as_str));
    for (definition, snippet) in [
        ("link", "[[link]]"),
        ("pick", "[[pick]]"),
        ("switch", "[switch]"),
        ("switch_one", "[switches.x]"),
        ("ecn", "[[switch.ecn]]\nrate = \"1Gbps\"\nkmin = \"1kB\"\nkmax = \"1kB\"\npmax = 1"),
        ("host", "[host]"),
        ("host", "[hosts.x]"),
        ("dcqcn", "[host.dcqcn]"),
        ("routing", "[routing]"),
        ("route", "[[route]]"),
        ("flow", "[[flow]]"),
        ("tenant", "[[tenant]]"),
        ("agent", "[agent]"),
        ("expect", "[expect]"),
        ("expect_also", "[[expect.also]]"),
    ] {
        check(definition, &[snippet]);
    }
    check("failure", &["[[failure]]", "[[failure]]\nlink = \"a:1\""]);
    let kinds = [
        "storm",
        "slow_receiver",
        "mtt_misses",
        "context_misses",
        "receive_wqe_misses",
        "host_bus",
        "stopped_pipeline",
        "poll_gaps",
    ];
    let faults = kinds.map(|kind| {
        format!("[[fault]]\nkind = \"{kind}\"\nrate = \"1Gbps\"\nregion = \"1MB\"\nqueue_pairs = 9")
    });
    check("fault", &faults.each_ref().map(String::as_str));
    let workloads = ["poisson", "storage-reads", "incast", "all-to-all"]
        .map(|kind| format!("[[workload]]\nkind = \"{kind}\"\nsize = \"1kB\"\nsizes = \"hadoop\""));
    let mut all: BTreeSet<String> = workloads.iter().flat_map(|snippet| known(snippet)).collect();
    all.remove("no_such_key");
    assert_eq!(properties(&schema(), "workload"), all);
}

/// Adds the violations of the schema in `value` to `wrong`.
fn validate(root: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        validate(root, &root["$defs"][name], value, at, wrong);
        return;
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = choices.iter().filter(|choice| {
            let mut wrong = Vec::new();
            validate(root, choice, value, at, &mut wrong);
            wrong.is_empty()
        });
        if fits.count() != 1 {
            wrong.push(format!("{at}: {value} fits none of the choices"));
        }
        return;
    }
    if let Some(values) = schema["enum"].as_array() {
        if !values.contains(value) {
            wrong.push(format!("{at}: {value} is not listed"));
        }
        return;
    }
    let kind = match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    };
    let is = |wanted: &Value| wanted == kind || wanted == "number" && kind == "integer";
    let allowed = schema["type"].as_array().map_or(is(&schema["type"]), |kinds| kinds.iter().any(is));
    if !allowed {
        wrong.push(format!("{at}: {value} is no {}", schema["type"]));
    }
    for (position, item) in value.as_array().into_iter().flatten().enumerate() {
        validate(root, &schema["items"], item, &format!("{at}[{position}]"), wrong);
    }
    let Some(object) = value.as_object() else { return };
    for (key, value) in object {
        let at = format!("{at}.{key}");
        match (&schema["properties"][key], &schema["additionalProperties"]) {
            (Value::Null, Value::Object(_)) => {
                validate(root, &schema["additionalProperties"], value, &at, wrong);
            }
            (Value::Null, _) => wrong.push(format!("{at} is unknown")),
            (known, _) => validate(root, known, value, &at, wrong),
        }
    }
    for key in schema["required"].as_array().into_iter().flatten() {
        if !object.contains_key(key.as_str().unwrap()) {
            wrong.push(format!("{at}.{key} is missing"));
        }
    }
}

#[test]
fn the_library_and_generated_scenarios_are_valid_by_the_schema() {
    let schema = schema();
    for name in scenario::builtin_names() {
        let text = scenario::builtin_source(name).unwrap();
        let document: toml::Table = toml::from_str(text).unwrap();
        let mut wrong = Vec::new();
        validate(&schema, &schema, &serde_json::to_value(document).unwrap(), name, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
    }
    for seed in 1..=100 {
        let document: toml::Table = toml::from_str(&scenario::generate(seed).text).unwrap();
        let mut wrong = Vec::new();
        let name = format!("seed {seed}");
        validate(&schema, &schema, &serde_json::to_value(document).unwrap(), &name, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
    }
    let mut wrong = Vec::new();
    validate(&schema, &schema, &serde_json::json!({ "name": 3, "speed": 1 }), "x", &mut wrong);
    assert_eq!(wrong.len(), 4, "{wrong:?}");
}
