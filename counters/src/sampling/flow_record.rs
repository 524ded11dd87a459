//! Records of IPFIX and NetFlow version 9, and the templates that describe them.
//!
//! Source: IANA's registry of information elements, whose first 127 numbers are those of NetFlow version 9 (RFC 7012 section
//! 7). Of unknown elements only the length matters.

use std::net::IpAddr;

use super::cursor::{Cursor, number};

/// Information elements, by their names in IANA's registry.
pub(super) mod element {
    pub(in super::super) const OCTET_DELTA_COUNT: u16 = 1;
    pub(in super::super) const PACKET_DELTA_COUNT: u16 = 2;
    pub(in super::super) const PROTOCOL: u16 = 4;
    pub(in super::super) const IP_CLASS_OF_SERVICE: u16 = 5;
    pub(in super::super) const SOURCE_PORT: u16 = 7;
    pub(in super::super) const SOURCE_IPV4: u16 = 8;
    pub(in super::super) const INGRESS_INTERFACE: u16 = 10;
    pub(in super::super) const DESTINATION_PORT: u16 = 11;
    pub(in super::super) const DESTINATION_IPV4: u16 = 12;
    pub(in super::super) const EGRESS_INTERFACE: u16 = 14;
    pub(super) const FLOW_END_SYS_UP_TIME: u16 = 21;
    pub(super) const FLOW_START_SYS_UP_TIME: u16 = 22;
    pub(in super::super) const SOURCE_IPV6: u16 = 27;
    pub(in super::super) const DESTINATION_IPV6: u16 = 28;
    pub(super) const SAMPLING_INTERVAL: u16 = 34;
    pub(super) const SAMPLER_ID: u16 = 48;
    pub(super) const SAMPLER_RANDOM_INTERVAL: u16 = 50;
    pub(in super::super) const INTERFACE_NAME: u16 = 82;
    pub(super) const FLOW_START_SECONDS: u16 = 150;
    pub(super) const FLOW_END_SECONDS: u16 = 151;
    pub(super) const FLOW_START_MILLISECONDS: u16 = 152;
    pub(super) const FLOW_END_MILLISECONDS: u16 = 153;
    pub(in super::super) const IP_DIFF_SERV_CODE_POINT: u16 = 195;
    pub(in super::super) const INGRESS_PHYSICAL_INTERFACE: u16 = 252;
    pub(in super::super) const EGRESS_PHYSICAL_INTERFACE: u16 = 253;
    pub(super) const SELECTOR_ID: u16 = 302;
    pub(super) const SAMPLING_PACKET_INTERVAL: u16 = 305;
    pub(super) const SAMPLING_PACKET_SPACE: u16 = 306;
}
use element as e;

/// The length of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// In bytes.
    Fixed(u16),
    /// Each record states it.
    Variable,
}

/// A field of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The number of the information element; absent if IANA's registry does not define it.
    pub(super) element: Option<u16>,
    pub(super) length: Length,
}

/// The fields of records, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    fields: Vec<Field>,
    /// Whether its records describe the exporter instead of flows.
    pub(super) is_options: bool,
    /// The length of the shortest record, at least 1.
    shortest: usize,
}

impl Template {
    /// A template with these fields; `None` if a record could have no bytes: such records would never end.
    pub(super) fn new(fields: Vec<Field>, is_options: bool) -> Option<Template> {
        let shortest = |field: &Field| match field.length {
            Length::Fixed(bytes) => usize::from(bytes),
            Length::Variable => 1,
        };
        let shortest = fields.iter().map(shortest).sum();
        (shortest > 0).then_some(Template { fields, is_options, shortest })
    }

    /// The number of its fields.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether `body` may begin with a record; what is shorter is padding.
    pub(super) fn fits(&self, body: &Cursor<'_>) -> bool {
        body.len() >= self.shortest
    }
}

/// When an exporter sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExportTime {
    /// In seconds since 1970.
    pub(super) unix_s: u32,
    /// In milliseconds since the exporter booted, modulo 2^32; IPFIX does not state it.
    pub(super) up_ms: Option<u32>,
}

/// A record, as the bytes of its elements.
pub(super) struct Record<'b> {
    values: Vec<(u16, &'b [u8])>,
}

impl<'b> Record<'b> {
    /// Reads a record; `None` if it is cut.
    pub(super) fn read(template: &Template, body: &mut Cursor<'b>) -> Option<Record<'b>> {
        let mut values = Vec::with_capacity(template.fields.len());
        for field in &template.fields {
            let length = match field.length {
                Length::Variable => match body.u8()? {
                    255 => body.u16()?,
                    length => u16::from(length),
                },
                Length::Fixed(bytes) => bytes,
            };
            let value = body.take(usize::from(length))?;
            values.extend(field.element.map(|element| (element, value)));
        }
        Some(Record { values })
    }

    pub(super) fn bytes(&self, element: u16) -> Option<&'b [u8]> {
        self.values.iter().find(|(known, _)| *known == element).map(|(_, value)| *value)
    }

    pub(super) fn number(&self, element: u16) -> Option<u64> {
        self.bytes(element).and_then(number)
    }

    pub(super) fn ipv4(&self, element: u16) -> Option<IpAddr> {
        self.bytes(element).filter(|bytes| bytes.len() == 4).and_then(|bytes| Cursor::new(bytes).ipv4())
    }

    pub(super) fn ipv6(&self, element: u16) -> Option<IpAddr> {
        self.bytes(element).filter(|bytes| bytes.len() == 16).and_then(|bytes| Cursor::new(bytes).ipv6())
    }

    pub(super) fn sampler(&self) -> Option<u64> {
        self.number(e::SELECTOR_ID).or_else(|| self.number(e::SAMPLER_ID))
    }

    /// One of how many packets is sampled: `interval` packets of `interval + space` (RFC 5477), or one of an interval.
    pub(super) fn sampling_rate(&self) -> Option<u32> {
        let counted = self.number(e::SAMPLING_PACKET_INTERVAL).zip(self.number(e::SAMPLING_PACKET_SPACE));
        let rate = match counted {
            Some((interval, space)) => interval.saturating_add(space).checked_div(interval)?,
            None => [e::SAMPLING_INTERVAL, e::SAMPLER_RANDOM_INTERVAL]
                .into_iter()
                .find_map(|element| self.number(element))?,
        };
        u32::try_from(rate).ok()
    }

    /// The time from the end of the flow to the export, and the duration of the flow, in ns. The export time has seconds
    /// only, so that the first is off by up to one if the flow has times since 1970.
    pub(super) fn times(&self, export: ExportTime) -> (u64, u64) {
        let pairs = [
            (e::FLOW_START_MILLISECONDS, e::FLOW_END_MILLISECONDS, 1_000_000),
            (e::FLOW_START_SECONDS, e::FLOW_END_SECONDS, 1_000_000_000),
        ];
        for (start, end, unit_ns) in pairs {
            if let (Some(start), Some(end)) = (self.number(start), self.number(end)) {
                let (start_ns, end_ns) = (start.saturating_mul(unit_ns), end.saturating_mul(unit_ns));
                let export_ns = u64::from(export.unix_s) * 1_000_000_000;
                return (export_ns.saturating_sub(end_ns), end_ns.saturating_sub(start_ns));
            }
        }
        // Relative to the start of the exporter, in 32 bits, which wrap after 50 days.
        let up_time = |element| self.number(element).and_then(|ms| u32::try_from(ms).ok());
        let (start, end) = (up_time(e::FLOW_START_SYS_UP_TIME), up_time(e::FLOW_END_SYS_UP_TIME));
        let since = |earlier: Option<u32>, later: Option<u32>| {
            let ms = later.zip(earlier).map_or(0, |(later, earlier)| later.wrapping_sub(earlier));
            // What seems to be later than the export is a clock that was set.
            if ms < 1 << 31 { u64::from(ms) * 1_000_000 } else { 0 }
        };
        (since(end, export.up_ms), since(start, end))
    }
}
