//! Examples of requests and answers in the OpenAPI document. `web/tests/web/examples.rs` sends each request to a server with
//! a known network and compares the answer, and writes the answers of this folder with `HARRIER_WRITE_DOCS=1`.

use serde_json::Value;
use utoipa::openapi::path::{Operation, ParameterBuilder};
use utoipa::openapi::{Content, OpenApi, RefOr, Response};

use super::operations_of;

/// An example of an operation.
struct Example {
    operation: &'static str,
    /// Parameters of the path and the query. One that is a number is one in the document.
    parameters: &'static [(&'static str, &'static str)],
    /// JSON.
    body: Option<&'static str>,
    status: &'static str,
    /// JSON.
    answer: &'static str,
}

macro_rules! example {
    ($operation:literal, $parameters:expr) => {
        example!($operation, $parameters, None, "200")
    };
    ($operation:literal, $parameters:expr, $body:expr, $status:literal) => {
        Example {
            operation: $operation,
            parameters: &$parameters,
            body: $body,
            status: $status,
            answer: include_str!(concat!($operation, ".json")),
        }
    };
}

const EXAMPLES: &[Example] = &[
    example!("list_incidents", [("limit", "1")]),
    example!("get_incident", [("id", "i-d1")]),
    example!("list_related_incidents", [("id", "i-d3")]),
    example!(
        "add_incident_note",
        [("id", "i-d1")],
        Some(r#"{"handling": "acknowledged", "text": "the senders start at once since the upgrade"}"#),
        "201"
    ),
    example!("list_diagnoses", [("view", "summary"), ("limit", "1")]),
    example!("get_diagnosis", [("id", "d1")]),
    example!("get_diagnosis_graph", [("id", "d1")]),
    example!("ask_about_flow", [], Some(r#"{"victim": "11.0.6.1:10000>11.0.3.1:100/udp"}"#), "200"),
    example!("get_topology", []),
    example!("list_hosts", []),
    example!("get_host", [("host", "h3")]),
    example!("list_ports", []),
    example!("get_port_priorities", [("port", "sw4:2")]),
    example!("get_port_series", [("port", "sw4:2")]),
    example!("list_findings", []),
];

/// Adds the examples to their operations.
pub(super) fn describe(document: &mut OpenApi) {
    for operation in document.paths.paths.values_mut().flat_map(operations_of) {
        let is_of = |example: &&Example| operation.operation_id.as_deref() == Some(example.operation);
        if let Some(example) = EXAMPLES.iter().find(is_of) {
            add(operation, example);
        }
    }
}

fn add(operation: &mut Operation, example: &Example) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        if let Some((_, value)) = example.parameters.iter().find(|(name, _)| *name == parameter.name) {
            let value = value.parse::<u64>().map_or_else(|_| Value::from(*value), Value::from);
            *parameter = ParameterBuilder::from(parameter.clone()).example(Some(value)).build();
        }
    }
    if let (Some(RefOr::T(body)), Some(text)) = (&mut operation.request_body, example.body) {
        body.content.values_mut().for_each(|content| set(content, text));
    }
    if let Some(RefOr::T(Response { content, .. })) = operation.responses.responses.get_mut(example.status) {
        content.values_mut().for_each(|content| set(content, example.answer));
    }
}

/// Sets the example of a content, whose text the test has shown to be JSON.
fn set(content: &mut RefOr<Content>, text: &str) {
    if let RefOr::T(content) = content {
        content.example = serde_json::from_str(text).ok();
    }
}
