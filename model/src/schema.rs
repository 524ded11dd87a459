//! JSON schemas: of types with a text form, for the description of the REST interface, and of files that other tools
//! write.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use serde_json::{Map, Value, json};

use crate::flow::FlowKey;
use crate::job::JobDescription;
use crate::port::PortRef;
use crate::snapshot::Snapshot;

/// Returns the schema of a snapshot file, as `harrier run --save-snapshots` writes it and `harrier analyze` reads it.
pub fn snapshot() -> Value {
    document::<Snapshot>("The telemetry of one event, as Harrier saves and analyses it")
}

/// Returns the schema of a job file, as `harrier analyze --job` reads it.
pub fn job() -> Value {
    document::<JobDescription>("A collective operation: which flow belongs to which step")
}

/// Returns a self-contained document: the schema of a type and of all types in it.
fn document<T: ToSchema>(title: &str) -> Value {
    let mut parts = Vec::new();
    T::schemas(&mut parts);
    let text = |schema: &RefOr<Schema>| serde_json::to_value(schema).unwrap_or_default();
    let mut root = local(text(&T::schema()));
    let mut definitions: Map<String, Value> = Map::new();
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, schema) in &parts {
        definitions.insert(name.clone(), local(text(schema)));
    }
    if let Value::Object(members) = &mut root {
        members.insert("$schema".to_string(), json!("https://json-schema.org/draft/2020-12/schema"));
        members.insert("title".to_string(), json!(title));
        members.insert("$defs".to_string(), Value::Object(definitions));
    }
    root
}

/// Rewrites references into an OpenAPI document as references into this one.
fn local(schema: Value) -> Value {
    match schema {
        Value::Object(members) => {
            let inner = |(name, value): (String, Value)| match (name.as_str(), value) {
                ("$ref", Value::String(to)) => (name, json!(to.replace("#/components/schemas/", "#/$defs/"))),
                (_, value) => (name, local(value)),
            };
            Value::Object(members.into_iter().map(inner).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(local).collect()),
        plain => plain,
    }
}

fn text(description: &str, example: &str) -> RefOr<Schema> {
    RefOr::T(Schema::Object(
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(description))
            .examples([example])
            .build(),
    ))
}

impl PartialSchema for FlowKey {
    fn schema() -> RefOr<Schema> {
        text(
            "A flow, written `src:sport>dst:dport/proto`; IPv6 addresses in brackets.",
            "10.0.0.1:10000>10.0.3.1:4791/udp",
        )
    }
}

impl ToSchema for FlowKey {}

impl PartialSchema for PortRef {
    fn schema() -> RefOr<Schema> {
        text("A port, written `switch:port`; numbers start at 1.", "sw4:1")
    }
}

impl ToSchema for PortRef {}
