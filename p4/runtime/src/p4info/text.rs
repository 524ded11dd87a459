//! P4Info as text protobuf (`.txtpb`), in the layout that protobuf's own printers use.

use crate::proto::DESCRIPTORS;
use crate::proto::p4::config::v1 as config;
use miette::Diagnostic;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, Value};
use std::fmt::Write;
use std::sync::OnceLock;

const P4INFO: &str = "p4.config.v1.P4Info";
const HEADER: &str = "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n";

/// Error of parsing P4Info text.
#[derive(Debug, thiserror::Error)]
#[error("not a P4Info in text form: {0}")]
pub struct TextError(String);

/// Prints the message as text.
pub fn to_text(info: &config::P4Info) -> String {
    let mut out = String::from(HEADER);
    if let Some(message) = dynamic(info) {
        print_message(&mut out, &message, 0);
    }
    out
}

/// Converts the message to one with fields by name. Decoding cannot fail: prost has encoded it with the same
/// descriptors.
pub(super) fn dynamic(info: &config::P4Info) -> Option<DynamicMessage> {
    DynamicMessage::decode(descriptor(), info.encode_to_vec().as_slice()).ok()
}

/// Parses the message from text.
///
/// # Errors
/// If the text is malformed or has an unknown field; the message has line and column.
pub fn from_text(text: &str) -> Result<config::P4Info, TextError> {
    let message = DynamicMessage::parse_text_format(descriptor(), text).map_err(|error| {
        let position = error.labels().and_then(|mut labels| labels.next()).map(|label| label.offset());
        TextError(match position.map(|offset| line_and_column(text, offset)) {
            Some((line, column)) => format!("line {line}, column {column}: {error}"),
            None => error.to_string(),
        })
    })?;
    message.transcode_to().map_err(|error| TextError(error.to_string()))
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

fn descriptor() -> prost_reflect::MessageDescriptor {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    POOL.get_or_init(|| DescriptorPool::decode(DESCRIPTORS).expect("our own descriptors decode"))
        .get_message_by_name(P4INFO)
        .expect("our own descriptors contain P4Info")
}

fn print_message(out: &mut String, message: &DynamicMessage, depth: usize) {
    let mut fields: Vec<(FieldDescriptor, &Value)> = message.fields().collect();
    fields.sort_by_key(|(field, _)| field.number());
    for (field, value) in fields {
        match value {
            Value::List(values) => values.iter().for_each(|value| print_field(out, &field, value, depth)),
            Value::Map(entries) => {
                let mut entries: Vec<_> = entries.iter().map(|(key, value)| (map_key(key), value)).collect();
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                for (key, value) in entries {
                    print_entry(out, &field, &key, value, depth);
                }
            }
            value => print_field(out, &field, value, depth),
        }
    }
}

fn map_key(key: &MapKey) -> String {
    match key {
        MapKey::Bool(key) => key.to_string(),
        MapKey::I32(key) => key.to_string(),
        MapKey::I64(key) => key.to_string(),
        MapKey::U32(key) => key.to_string(),
        MapKey::U64(key) => key.to_string(),
        MapKey::String(key) => quoted(key.as_bytes()),
    }
}

fn print_entry(out: &mut String, field: &FieldDescriptor, key: &str, value: &Value, depth: usize) {
    let pad = "  ".repeat(depth);
    let kind = field.kind();
    let Some(entry) = kind.as_message() else { return };
    let _ = writeln!(out, "{pad}{} {{\n{pad}  key: {key}", field.name());
    print_field(out, &entry.map_entry_value_field(), value, depth + 1);
    let _ = writeln!(out, "{pad}}}");
}

fn print_field(out: &mut String, field: &FieldDescriptor, value: &Value, depth: usize) {
    let pad = "  ".repeat(depth);
    if let Value::Message(message) = value {
        let _ = writeln!(out, "{pad}{} {{", field.name());
        print_message(out, message, depth + 1);
        let _ = writeln!(out, "{pad}}}");
        return;
    }
    let _ = writeln!(out, "{pad}{}: {}", field.name(), scalar(&field.kind(), value));
}

fn scalar(kind: &Kind, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::String(value) => quoted(value.as_bytes()),
        Value::Bytes(value) => quoted(value),
        Value::EnumNumber(number) => kind
            .as_enum()
            .and_then(|kind| kind.get_value(*number))
            .map_or_else(|| number.to_string(), |value| value.name().to_string()),
        // Lists, maps and messages are printed by their own functions.
        Value::Message(_) | Value::List(_) | Value::Map(_) => String::new(),
    }
}

fn quoted(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' => out.push_str("\\\""),
            b'\'' => out.push_str("\\'"),
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e => out.push(char::from(*byte)),
            byte => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}
