//! JSON schemas: of types with a text form, for the description of the REST interface, and of files that other tools
//! write.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use serde_json::{Map, Value, json};

use crate::flow::FlowKey;
use crate::host::HostReport;
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

/// Returns the schema of a host report, as agents write it and `harrier host check` reads it.
pub fn host_report() -> Value {
    document::<HostReport>("The report of a host about its RNICs, links, tenants and workload")
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

/// The regular expression of a protocol: `udp`, `tcp` or a number.
pub const PROTOCOL: &str = "([uU][dD][pP]|[tT][cC][pP]|25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
/// The regular expression of a number from 0 to 65535.
const PORT: &str = "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4})";
const OCTET: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

/// The regular expression of an IPv4 address.
fn ipv4() -> String {
    format!(r"{OCTET}(\.{OCTET}){{3}}")
}

/// The regular expression of an IPv6 address (RFC 4291, section 2.2): whole, or with one `::` for groups of zeros; an IPv4
/// address at the end only after `::` or `::ffff:`, as it is written for addresses of IPv4 nodes.
fn ipv6() -> String {
    const GROUP: &str = "[0-9a-fA-F]{1,4}";
    let mut forms = vec![format!("({GROUP}:){{7}}{GROUP}"), format!("({GROUP}:){{1,7}}:")];
    forms.extend((1..=6).map(|after| format!("({GROUP}:){{1,{}}}(:{GROUP}){{1,{after}}}", 7 - after)));
    forms.push(format!(":(:{GROUP}){{1,7}}"));
    forms.push(format!("::([fF]{{4}}:)?{}", ipv4()));
    forms.push("::".to_string());
    format!("({})", forms.join("|"))
}

fn flow() -> String {
    let (v4, v6) = (ipv4(), ipv6());
    format!(r"^({v4}:{PORT}>{v4}:{PORT}|\[{v6}\]:{PORT}>\[{v6}\]:{PORT})/{PROTOCOL}$")
}

fn text(description: &str, example: &str, pattern: &str) -> RefOr<Schema> {
    RefOr::T(Schema::Object(
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(description))
            .examples([example])
            .pattern(Some(pattern))
            .build(),
    ))
}

impl PartialSchema for FlowKey {
    fn schema() -> RefOr<Schema> {
        text(
            "A flow, written `src:sport>dst:dport/proto`; IPv6 addresses in brackets.",
            "10.0.0.1:10000>10.0.3.1:4791/udp",
            &flow(),
        )
    }
}

impl ToSchema for FlowKey {}

impl PartialSchema for PortRef {
    fn schema() -> RefOr<Schema> {
        text("A port, written `switch:port`; numbers start at 1.", "sw4:1", &format!(r"^[\s\S]+:{PORT}$"))
    }
}

impl ToSchema for PortRef {}
