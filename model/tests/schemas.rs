//! The JSON Schemas in `docs` equal those of the types.
#![cfg(feature = "openapi")]

use harrier_model::schema;
use serde_json::Value;

#[track_caller]
fn check(name: &str, committed: &str, made: &Value) {
    let committed: Value = serde_json::from_str(committed).expect("the schema is JSON");
    assert!(
        committed == *made,
        "run `cargo run -p harrier-model --features openapi --example json_schema {name} > docs/{name}.schema.json` \
         and look at the difference"
    );
}

#[test]
fn the_schemas_in_docs_equal_those_of_the_types() {
    check("snapshot", include_str!("../../docs/snapshot.schema.json"), &schema::snapshot());
    check("job", include_str!("../../docs/job.schema.json"), &schema::job());
    check("host-report", include_str!("../../docs/host-report.schema.json"), &schema::host_report());
}

#[test]
fn schemas_are_self_contained() {
    for schema in [schema::snapshot(), schema::job(), schema::host_report()] {
        let text = schema.to_string();
        assert!(!text.contains("#/components"), "{text}");
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().expect("a pointer");
            assert!(schema.pointer(pointer).is_some(), "{pointer} is not there");
        }
    }
}

/// Returns the regular expression of the texts of a type, without its anchors.
fn pattern<T: utoipa::PartialSchema>() -> String {
    let schema = serde_json::to_value(T::schema()).unwrap();
    let pattern = schema["pattern"].as_str().expect("a pattern");
    pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')).expect("anchors").to_string()
}

/// Checks that every text of the pattern is one of the type.
fn check_texts<T: utoipa::PartialSchema + std::str::FromStr<Err: std::fmt::Display>>() {
    let texts = proptest::string::string_regex(&pattern::<T>()).unwrap();
    proptest::proptest!(|(text in texts)| {
        if let Err(error) = text.parse::<T>() {
            panic!("`{text}` is in the schema: {error}");
        }
    });
}

#[test]
fn every_text_of_the_schema_of_a_flow_or_port_is_one() {
    check_texts::<harrier_model::FlowKey>();
    check_texts::<harrier_model::PortRef>();
}
