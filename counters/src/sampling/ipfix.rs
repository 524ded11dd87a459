//! Messages of IPFIX.
//!
//! Sources: RFC 7011 (messages, sets, templates; section 8.4: over UDP templates are sent again and again, those of a lost
//! datagram come later), RFC 5476 (sampling), IANA's registry of information elements. Of unknown elements only the length
//! matters.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::FlowKey;

use super::cursor::{Cursor, number};
use super::{MAX_PORT_NAMES, Malformed, RawSample};

const VERSION: u16 = 10;
/// The maximum number of templates of an exporter, in all observation domains. Real ones have a few.
const MAX_TEMPLATES: usize = 256;
/// The maximum number of fields of a template.
const MAX_FIELDS: usize = 256;
/// The maximum number of observation domains of an exporter: line cards.
const MAX_DOMAINS: usize = 64;
/// The maximum number of samplers of an exporter.
const MAX_SAMPLERS: usize = 4_096;

const TEMPLATE_SET: u16 = 2;
const OPTIONS_TEMPLATE_SET: u16 = 3;
const FIRST_DATA_SET: u16 = 256;
/// A field of variable length.
const VARIABLE: u16 = 65_535;

/// Information elements, by their names in IANA's registry.
mod element {
    pub(super) const OCTET_DELTA_COUNT: u16 = 1;
    pub(super) const PACKET_DELTA_COUNT: u16 = 2;
    pub(super) const PROTOCOL: u16 = 4;
    pub(super) const IP_CLASS_OF_SERVICE: u16 = 5;
    pub(super) const SOURCE_PORT: u16 = 7;
    pub(super) const SOURCE_IPV4: u16 = 8;
    pub(super) const INGRESS_INTERFACE: u16 = 10;
    pub(super) const DESTINATION_PORT: u16 = 11;
    pub(super) const DESTINATION_IPV4: u16 = 12;
    pub(super) const EGRESS_INTERFACE: u16 = 14;
    pub(super) const FLOW_END_SYS_UP_TIME: u16 = 21;
    pub(super) const FLOW_START_SYS_UP_TIME: u16 = 22;
    pub(super) const SOURCE_IPV6: u16 = 27;
    pub(super) const DESTINATION_IPV6: u16 = 28;
    pub(super) const SAMPLING_INTERVAL: u16 = 34;
    pub(super) const SAMPLER_ID: u16 = 48;
    pub(super) const INTERFACE_NAME: u16 = 82;
    pub(super) const FLOW_START_SECONDS: u16 = 150;
    pub(super) const FLOW_END_SECONDS: u16 = 151;
    pub(super) const FLOW_START_MILLISECONDS: u16 = 152;
    pub(super) const FLOW_END_MILLISECONDS: u16 = 153;
    pub(super) const IP_DIFF_SERV_CODE_POINT: u16 = 195;
    pub(super) const INGRESS_PHYSICAL_INTERFACE: u16 = 252;
    pub(super) const EGRESS_PHYSICAL_INTERFACE: u16 = 253;
    pub(super) const SELECTOR_ID: u16 = 302;
    pub(super) const SAMPLING_PACKET_INTERVAL: u16 = 305;
    pub(super) const SAMPLING_PACKET_SPACE: u16 = 306;
}
use element as e;

/// A field of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    /// The number of the information element; absent for elements of enterprises.
    element: Option<u16>,
    /// Its length in bytes, or [`VARIABLE`].
    length: u16,
}

/// The fields of records, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    fields: Vec<Field>,
    /// Whether its records describe the exporter instead of flows.
    is_options: bool,
    /// The length of the shortest record, at least 1.
    shortest: usize,
}

/// What an exporter has announced so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Exporter {
    /// By domain and template id.
    templates: BTreeMap<(u32, u16), Template>,
    domains: BTreeMap<u32, Domain>,
    samplers: usize,
    /// Names of interfaces.
    pub(super) names: BTreeMap<u32, String>,
}

/// An observation domain.
#[derive(Clone, Debug, Default)]
struct Domain {
    /// The sequence number of the next message; unknown after a set without a template.
    next: Option<u32>,
    /// One of how many packets is sampled, by the identifier of the sampler; 0 stands for all.
    rates: BTreeMap<u64, u32>,
}

/// What a message contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) flows: Vec<RawSample>,
    /// Records that were lost before it.
    pub(super) lost: u64,
    /// Sets whose template is unknown.
    pub(super) without_template: u64,
    /// Records that are no flow with addresses and byte counts.
    pub(super) no_flow: u64,
    /// Templates, domains, samplers and names beyond the limits.
    pub(super) over_limit: u64,
    /// Whether a set is malformed; what precedes it is used.
    pub(super) is_cut: bool,
}

/// Whether a datagram is a message of IPFIX.
pub(super) fn is_ipfix(datagram: &[u8]) -> bool {
    let mut rest = Cursor::new(datagram);
    rest.u16() == Some(VERSION) && rest.u16().map(usize::from) == Some(datagram.len())
}

impl Exporter {
    /// Reads a message. If a set is malformed, what precedes it is returned.
    ///
    /// # Errors
    /// The header is cut, has another version, or states another length than that of the datagram.
    pub(super) fn read(&mut self, datagram: &[u8]) -> Result<Message, Malformed> {
        if !is_ipfix(datagram) {
            return Err(Malformed);
        }
        let mut rest = Cursor::new(datagram);
        let (export_s, sequence, domain) = header(&mut rest).ok_or(Malformed)?;
        let mut message = Message::default();
        if !self.domains.contains_key(&domain) && self.domains.len() >= MAX_DOMAINS {
            message.over_limit += 1;
            return Ok(message);
        }
        let next = self.domains.entry(domain).or_default().next;
        // A difference in the upper half is an old message that arrives late, or a restart.
        let gap = next.map_or(0, |next| sequence.wrapping_sub(next));
        message.lost = if gap < 1 << 31 { u64::from(gap) } else { 0 };
        let mut records = Some(0_u32);
        while rest.len() > 0 {
            let Some((id, body)) = set(&mut rest) else {
                message.is_cut = true;
                break;
            };
            match id {
                TEMPLATE_SET | OPTIONS_TEMPLATE_SET => {
                    self.templates(domain, id == OPTIONS_TEMPLATE_SET, Cursor::new(body), &mut message);
                }
                FIRST_DATA_SET.. => {
                    let read = self.data(domain, id, export_s, Cursor::new(body), &mut message);
                    records = records.zip(read).map(|(sum, read)| sum.saturating_add(read));
                }
                _ => message.is_cut = true,
            }
        }
        let known = records.filter(|_| !message.is_cut);
        if let Some(domain) = self.domains.get_mut(&domain) {
            domain.next = known.map(|records| sequence.wrapping_add(records));
        }
        Ok(message)
    }

    fn templates(&mut self, domain: u32, is_options: bool, mut body: Cursor<'_>, message: &mut Message) {
        // What is shorter than a header is padding.
        while body.len() >= 4 {
            let Some((id, template)) = template(&mut body, is_options) else {
                message.is_cut = true;
                return;
            };
            let key = (domain, id);
            match template {
                None => _ = self.templates.remove(&key),
                Some(template) if template.fields.len() > MAX_FIELDS => message.over_limit += 1,
                Some(_) if self.templates.len() >= MAX_TEMPLATES && !self.templates.contains_key(&key) => {
                    message.over_limit += 1;
                }
                Some(template) => _ = self.templates.insert(key, template),
            }
        }
    }

    /// Reads the records of a set. Returns their number; `None` if the template is unknown.
    fn data(
        &mut self,
        domain: u32,
        id: u16,
        export_s: u32,
        mut body: Cursor<'_>,
        message: &mut Message,
    ) -> Option<u32> {
        let Some(template) = self.templates.get(&(domain, id)).cloned() else {
            message.without_template += 1;
            return None;
        };
        let mut records = 0;
        while body.len() >= template.shortest {
            let Some(record) = Record::read(&template, &mut body) else {
                message.is_cut = true;
                break;
            };
            records += 1;
            if template.is_options {
                self.describe(domain, &record, message);
            } else {
                match self.flow(domain, export_s, &record) {
                    Some(flow) => message.flows.push(flow),
                    None => message.no_flow += 1,
                }
            }
        }
        Some(records)
    }

    /// Takes the name of an interface, and the rate of a sampler.
    fn describe(&mut self, domain: u32, record: &Record<'_>, message: &mut Message) {
        let interface = record.number(e::INGRESS_INTERFACE).or_else(|| record.number(e::EGRESS_INTERFACE));
        let interface = interface.and_then(|index| u32::try_from(index).ok());
        if let (Some(index), Some(name)) = (interface, record.bytes(e::INTERFACE_NAME)) {
            if self.names.len() < MAX_PORT_NAMES || self.names.contains_key(&index) {
                // Strings of a fixed length are padded with zeros.
                let name = String::from_utf8_lossy(name);
                self.names.insert(index, name.trim_end_matches('\0').to_string());
            } else {
                message.over_limit += 1;
            }
        }
        let Some(rate) = record.sampling_rate() else { return };
        let Some(rates) = self.domains.get_mut(&domain).map(|domain| &mut domain.rates) else { return };
        let sampler = record.sampler().unwrap_or(0);
        if let Some(known) = rates.get_mut(&sampler) {
            *known = rate;
        } else if self.samplers < MAX_SAMPLERS {
            self.samplers += 1;
            rates.insert(sampler, rate);
        } else {
            message.over_limit += 1;
        }
    }

    fn flow(&self, domain: u32, export_s: u32, record: &Record<'_>) -> Option<RawSample> {
        let (v4, v6) = (e::SOURCE_IPV4, e::SOURCE_IPV6);
        let src = record.ipv4(v4).or_else(|| record.ipv6(v6))?;
        let dst = match src {
            IpAddr::V4(_) => record.ipv4(e::DESTINATION_IPV4)?,
            IpAddr::V6(_) => record.ipv6(e::DESTINATION_IPV6)?,
        };
        let port = |element| record.number(element).and_then(|port| u16::try_from(port).ok()).unwrap_or(0);
        let flow = FlowKey {
            src,
            dst,
            sport: port(e::SOURCE_PORT),
            dport: port(e::DESTINATION_PORT),
            proto: u8::try_from(record.number(e::PROTOCOL)?).ok()?,
        };
        let rate = record.sampling_rate().or_else(|| self.rate(domain, record.sampler())).unwrap_or(1).max(1);
        let bytes = record.number(e::OCTET_DELTA_COUNT)?;
        let packets = record.number(e::PACKET_DELTA_COUNT).unwrap_or(1);
        let class = record.number(e::IP_CLASS_OF_SERVICE).map(|class| class >> 2);
        let dscp = record.number(e::IP_DIFF_SERV_CODE_POINT).or(class).map(|dscp| (dscp & 0x3f) as u8);
        let interface = |elements: [u16; 2]| {
            let index = elements.into_iter().find_map(|element| record.number(element));
            index.and_then(|index| u32::try_from(index).ok()).filter(|index| *index != 0)
        };
        let (age_ns, duration_ns) = record.times(export_s);
        Some(RawSample {
            flow,
            dscp,
            input: interface([e::INGRESS_PHYSICAL_INTERFACE, e::INGRESS_INTERFACE]),
            output: interface([e::EGRESS_PHYSICAL_INTERFACE, e::EGRESS_INTERFACE]),
            bytes: bytes.saturating_mul(u64::from(rate)),
            packets: packets.saturating_mul(u64::from(rate)),
            sampling_rate: rate,
            age_ns,
            duration_ns,
        })
    }

    /// The rate of a sampler; of a record that names none, that of the domain if all its samplers have the same.
    fn rate(&self, domain: u32, sampler: Option<u64>) -> Option<u32> {
        let rates = &self.domains.get(&domain)?.rates;
        if let Some(rate) = sampler.and_then(|sampler| rates.get(&sampler)) {
            return Some(*rate);
        }
        let distinct: BTreeSet<u32> = rates.values().copied().collect();
        distinct.first().copied().filter(|_| distinct.len() == 1)
    }
}

/// The export time in seconds, the sequence number and the domain.
fn header(rest: &mut Cursor<'_>) -> Option<(u32, u32, u32)> {
    rest.take(4)?;
    Some((rest.u32()?, rest.u32()?, rest.u32()?))
}

/// A set: its id and its body.
fn set<'b>(rest: &mut Cursor<'b>) -> Option<(u16, &'b [u8])> {
    let (id, length) = (rest.u16()?, rest.u16()?);
    Some((id, rest.take(usize::from(length).checked_sub(4)?)?))
}

/// A template with its id. Without fields it is a withdrawal.
fn template(body: &mut Cursor<'_>, is_options: bool) -> Option<(u16, Option<Template>)> {
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
    let mut shortest = 0;
    for _ in 0..count {
        let (number, length) = (body.u16()?, body.u16()?);
        let is_enterprise = number & 0x8000 != 0;
        if is_enterprise {
            body.u32()?;
        }
        fields.push(Field { element: (!is_enterprise).then_some(number), length });
        shortest += if length == VARIABLE { 1 } else { usize::from(length) };
    }
    // Records without bytes would never end.
    (shortest > 0).then_some((id, Some(Template { fields, is_options, shortest })))
}

/// A record, as the bytes of its elements.
struct Record<'b> {
    values: Vec<(u16, &'b [u8])>,
}

impl<'b> Record<'b> {
    fn read(template: &Template, body: &mut Cursor<'b>) -> Option<Record<'b>> {
        let mut values = Vec::with_capacity(template.fields.len());
        for field in &template.fields {
            let length = match field.length {
                VARIABLE => match body.u8()? {
                    255 => body.u16()?,
                    length => u16::from(length),
                },
                length => length,
            };
            let value = body.take(usize::from(length))?;
            values.extend(field.element.map(|element| (element, value)));
        }
        Some(Record { values })
    }

    fn bytes(&self, element: u16) -> Option<&'b [u8]> {
        self.values.iter().find(|(known, _)| *known == element).map(|(_, value)| *value)
    }

    fn number(&self, element: u16) -> Option<u64> {
        self.bytes(element).and_then(number)
    }

    fn ipv4(&self, element: u16) -> Option<IpAddr> {
        self.bytes(element).filter(|bytes| bytes.len() == 4).and_then(|bytes| Cursor::new(bytes).ipv4())
    }

    fn ipv6(&self, element: u16) -> Option<IpAddr> {
        self.bytes(element).filter(|bytes| bytes.len() == 16).and_then(|bytes| Cursor::new(bytes).ipv6())
    }

    fn sampler(&self) -> Option<u64> {
        self.number(e::SELECTOR_ID).or_else(|| self.number(e::SAMPLER_ID))
    }

    /// One of how many packets is sampled: `interval` packets of `interval + space` (RFC 5477), or one of an interval.
    fn sampling_rate(&self) -> Option<u32> {
        let counted = self.number(e::SAMPLING_PACKET_INTERVAL).zip(self.number(e::SAMPLING_PACKET_SPACE));
        let rate = match counted {
            Some((interval, space)) => interval.saturating_add(space).checked_div(interval)?,
            None => self.number(e::SAMPLING_INTERVAL)?,
        };
        u32::try_from(rate).ok()
    }

    /// The time from the end of the flow to the export, and the duration of the flow, in ns. The export time has seconds
    /// only, so that the first is off by up to one.
    fn times(&self, export_s: u32) -> (u64, u64) {
        let pairs = [
            (e::FLOW_START_MILLISECONDS, e::FLOW_END_MILLISECONDS, 1_000_000),
            (e::FLOW_START_SECONDS, e::FLOW_END_SECONDS, 1_000_000_000),
        ];
        for (start, end, unit_ns) in pairs {
            if let (Some(start), Some(end)) = (self.number(start), self.number(end)) {
                let (start_ns, end_ns) = (start.saturating_mul(unit_ns), end.saturating_mul(unit_ns));
                let export_ns = u64::from(export_s) * 1_000_000_000;
                return (export_ns.saturating_sub(end_ns), end_ns.saturating_sub(start_ns));
            }
        }
        // Relative to the start of the exporter, which is unknown: only the duration.
        let up_time = self.number(e::FLOW_START_SYS_UP_TIME).zip(self.number(e::FLOW_END_SYS_UP_TIME));
        let duration_ms = up_time.map_or(0, |(start, end)| end.saturating_sub(start));
        (0, duration_ms.saturating_mul(1_000_000))
    }
}
