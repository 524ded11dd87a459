//! How datagrams of NetFlow version 9 are built.
//!
//! Source: RFC 3954 (section 5: header and FlowSets, section 6: options).

use super::cursor::Cursor;
use super::flow_export::{FIRST_DATA_SET, Header};
use super::flow_record::{ExportTime, Field, Length, Template, element};

const VERSION: u16 = 9;
pub(super) const TEMPLATE_SET: u16 = 0;
pub(super) const OPTIONS_TEMPLATE_SET: u16 = 1;
/// Length of a field of a template: its type and its length.
const FIELD_BYTES: usize = 4;
/// The scope of an options record that describes an interface; its value is the number of the interface.
const INTERFACE_SCOPE: u16 = 2;

/// Whether a datagram is one of NetFlow version 9. Its header states no length.
pub(super) fn is_netflow9(datagram: &[u8]) -> bool {
    Cursor::new(datagram).u16() == Some(VERSION)
}

pub(super) fn header(rest: &mut Cursor<'_>) -> Option<Header> {
    // The number of records is not needed: lengths end them, and exporters count them in different ways.
    rest.take(4)?;
    let (up_ms, unix_s, sequence, domain) = (rest.u32()?, rest.u32()?, rest.u32()?, rest.u32()?);
    Some(Header { time: ExportTime { unix_s, up_ms: Some(up_ms) }, sequence, domain })
}

/// A template with its id.
pub(super) fn template(body: &mut Cursor<'_>, is_options: bool) -> Option<(u16, Template)> {
    let id = body.u16().filter(|id| *id >= FIRST_DATA_SET)?;
    let mut fields = Vec::new();
    if is_options {
        // Lengths of the two lists of fields in bytes.
        let (scopes, options) = (usize::from(body.u16()?), usize::from(body.u16()?));
        for _ in 0..count(scopes)? {
            // Types of scopes are no information elements.
            let (scope, length) = (body.u16()?, body.u16()?);
            let element = (scope == INTERFACE_SCOPE).then_some(element::INGRESS_INTERFACE);
            fields.push(Field { element, length: Length::Fixed(length) });
        }
        read_fields(body, count(options)?, &mut fields)?;
    } else {
        let count = usize::from(body.u16()?);
        read_fields(body, count, &mut fields)?;
    }
    Some((id, Template::new(fields, is_options)?))
}

/// The number of fields in so many bytes.
fn count(bytes: usize) -> Option<usize> {
    bytes.is_multiple_of(FIELD_BYTES).then_some(bytes / FIELD_BYTES)
}

/// Reads the fields of a template; `None` if it is cut. No field has a variable length.
fn read_fields(body: &mut Cursor<'_>, count: usize, fields: &mut Vec<Field>) -> Option<()> {
    for _ in 0..count {
        let (number, length) = (body.u16()?, body.u16()?);
        fields.push(Field { element: Some(number), length: Length::Fixed(length) });
    }
    Some(())
}
