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
}

#[test]
fn schemas_are_self_contained() {
    for schema in [schema::snapshot(), schema::job()] {
        let text = schema.to_string();
        assert!(!text.contains("#/components"), "{text}");
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().expect("a pointer");
            assert!(schema.pointer(pointer).is_some(), "{pointer} is not there");
        }
    }
}
