//! Query parameters with a text form: what is accepted, and its schema, so that a client can tell before it asks.

use model::flow::{PROTO_TCP, PROTO_UDP};
use serde::{Deserialize, Deserializer, de};
use store::MAX_PAGE_ROWS;
use utoipa::openapi::schema::{AnyOfBuilder, KnownFormat, SchemaFormat};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};

use crate::events::StreamEventKind;
use crate::wall_clock::parse_rfc3339;

/// The highest time that a parameter may have, in nanoseconds: that of the format `int64`.
const MAX_NS: u64 = i64::MAX as u64;
/// The highest limit that a parameter may have: the rows of a page.
const MAX_LIMIT: u32 = MAX_PAGE_ROWS;

/// The longest time in seconds that a parameter may have: a year.
const MAX_SECONDS: u64 = 365 * 24 * 3_600;

/// Reads a time in nanoseconds.
pub(super) fn nanoseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    match u64::deserialize(deserializer)? {
        ns @ 0..=MAX_NS => Ok(Some(ns)),
        ns => Err(de::Error::custom(format!("{ns} ns is more than {MAX_NS} ns"))),
    }
}

/// Reads a time of RFC 3339, in nanoseconds since 1970.
pub(super) fn wall_clock<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    // SQL has signed integers.
    match parse_rfc3339(&text) {
        Some(ns @ 0..=MAX_NS) => Ok(Some(ns)),
        _ => Err(de::Error::custom(format!(
            "`{text}` is not a time since 1970 as RFC 3339 has it, e.g. `2026-01-31T03:00:00Z`"
        ))),
    }
}

/// Reads a time in seconds.
pub(super) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    match u64::deserialize(deserializer)? {
        seconds @ 1..=MAX_SECONDS => Ok(Some(seconds)),
        seconds => Err(de::Error::custom(format!("{seconds} s is not between 1 s and {MAX_SECONDS} s"))),
    }
}

/// Reads a number of rows.
pub(super) fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    match u32::deserialize(deserializer)? {
        rows @ 1..=MAX_LIMIT => Ok(Some(rows)),
        rows => Err(de::Error::custom(format!("limit {rows} is not between 1 and {MAX_LIMIT}"))),
    }
}

/// Reads a number from 0 to 1.
pub(super) fn probability<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match f64::deserialize(deserializer)? {
        number if (0.0..=1.0).contains(&number) => Ok(Some(number)),
        number => Err(de::Error::custom(format!("{number} is not between 0 and 1"))),
    }
}

/// Reads a protocol: `udp`, `tcp` or a number.
pub(super) fn protocol<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.to_ascii_lowercase().as_str() {
        "udp" => Ok(Some(PROTO_UDP)),
        "tcp" => Ok(Some(PROTO_TCP)),
        number => number.parse().map(Some).map_err(|_| {
            de::Error::custom(format!("protocol `{text}` is not `udp`, `tcp` or a number up to 255"))
        }),
    }
}

/// The schema of an IP address.
pub(super) fn ip_address() -> RefOr<Schema> {
    let text = |format| ObjectBuilder::new().schema_type(Type::String).format(Some(format)).build();
    let ipv4 = text(SchemaFormat::KnownFormat(KnownFormat::Ipv4));
    let ipv6 = text(SchemaFormat::KnownFormat(KnownFormat::Ipv6));
    RefOr::T(AnyOfBuilder::new().item(ipv4).item(ipv6).build().into())
}

/// The schema of [`wall_clock`]. The format alone has times before 1970 and far ones.
pub(super) fn date_time() -> RefOr<Schema> {
    let date_time = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
        .pattern(Some("^(19[7-9][0-9]|20[0-9]{2}|21[0-9]{2})-"));
    RefOr::T(date_time.build().into())
}

/// The schema of [`protocol`].
pub(super) fn protocol_name() -> RefOr<Schema> {
    pattern(&format!("^{}$", model::schema::PROTOCOL))
}

/// The schema of the cursor of a page.
pub(super) fn cursor_text() -> RefOr<Schema> {
    pattern(r"^[0-9]{1,19}~[0-9]{1,19}~[\s\S]*$")
}

/// The schema of kinds of events, separated by commas.
pub(super) fn event_kinds() -> RefOr<Schema> {
    let kinds = StreamEventKind::SELECTABLE.map(StreamEventKind::name).join("|");
    pattern(&format!("^({kinds})(,({kinds}))*$"))
}

/// The schema of ports, separated by commas. Names of switches with other characters are accepted as well.
pub(super) fn event_ports() -> RefOr<Schema> {
    let port = "[A-Za-z0-9_.-]{1,60}:[0-9]{1,4}";
    pattern(&format!("^{port}(,{port}){{0,63}}$"))
}

/// The schema of the id of an event of the live stream.
pub(super) fn event_id() -> RefOr<Schema> {
    pattern("^([0-9a-f]{1,16}-)?[0-9]{1,19}$")
}

fn pattern(pattern: &str) -> RefOr<Schema> {
    RefOr::T(ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).build().into())
}
