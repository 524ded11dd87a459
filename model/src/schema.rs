//! JSON schemas of the types that are written as one text, for the description of the REST interface.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::flow::FlowKey;
use crate::port::PortRef;

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
