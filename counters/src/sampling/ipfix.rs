//! How messages of IPFIX are built.
//!
//! Source: RFC 7011 (messages, sets, templates).

use super::cursor::Cursor;
use super::flow_export::{FIRST_DATA_SET, Header};
use super::flow_record::{ExportTime, Field, Length, Template};

const VERSION: u16 = 10;
pub(super) const TEMPLATE_SET: u16 = 2;
pub(super) const OPTIONS_TEMPLATE_SET: u16 = 3;
/// The length of a field of variable length.
const VARIABLE: u16 = 65_535;

/// Whether a datagram is a message of IPFIX: the header states the length.
pub(super) fn is_ipfix(datagram: &[u8]) -> bool {
    let mut rest = Cursor::new(datagram);
    rest.u16() == Some(VERSION) && rest.u16().map(usize::from) == Some(datagram.len())
}

pub(super) fn header(rest: &mut Cursor<'_>) -> Option<Header> {
    rest.take(4)?;
    let (unix_s, sequence, domain) = (rest.u32()?, rest.u32()?, rest.u32()?);
    Some(Header { time: ExportTime { unix_s, up_ms: None }, sequence, domain })
}

/// A template with its id. Without fields it is a withdrawal.
pub(super) fn template(body: &mut Cursor<'_>, is_options: bool) -> Option<(u16, Option<Template>)> {
    let (id, count) = (body.u16()?, usize::from(body.u16()?));
    if count == 0 {
        return Some((id, None));
    }
    if is_options {
        let _scope_fields = body.u16()?;
    }
    if id < FIRST_DATA_SET {
        return None;
    }
    let mut fields = Vec::new();
    for _ in 0..count {
        let (number, length) = (body.u16()?, body.u16()?);
        let is_enterprise = number & 0x8000 != 0;
        if is_enterprise {
            body.u32()?;
        }
        let length = if length == VARIABLE { Length::Variable } else { Length::Fixed(length) };
        fields.push(Field { element: (!is_enterprise).then_some(number), length });
    }
    Some((id, Some(Template::new(fields, is_options)?)))
}
