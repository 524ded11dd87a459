//! What exporters of IPFIX and NetFlow version 9 send: datagrams with templates, and records that follow them.
//!
//! Sources: RFC 7011 (section 8.4: over UDP templates are sent again and again, those of a lost datagram come later), RFC 3954
//! (NetFlow), RFC 5476 (sampling). How each protocol builds its datagrams is in `ipfix` and `netflow9`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::FlowKey;

use super::cursor::Cursor;
use super::flow_record::{ExportTime, Record, Template, element as e};
use super::sequence::{Lost, Sequence};
use super::{MAX_PORT_NAMES, Malformed, RawSample, ipfix, netflow9};

/// The maximum number of templates of an exporter, in all observation domains. Real ones have a few.
const MAX_TEMPLATES: usize = 256;
/// The maximum number of fields of a template.
const MAX_FIELDS: usize = 256;
/// The maximum number of observation domains of an exporter: line cards.
const MAX_DOMAINS: usize = 64;
/// The maximum number of samplers of an exporter.
const MAX_SAMPLERS: usize = 4_096;

/// The first id of sets with records, and of templates.
pub(super) const FIRST_DATA_SET: u16 = 256;

/// A protocol with templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Protocol {
    Ipfix,
    NetFlow9,
}

/// What a header says that both protocols have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) time: ExportTime,
    pub(super) sequence: u32,
    /// The observation domain (IPFIX) or the source (NetFlow).
    pub(super) domain: u32,
}

/// What a set contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetKind {
    Templates { is_options: bool },
    Data,
}

impl Protocol {
    /// The protocol of a datagram, if it has one of these.
    pub(super) fn of(datagram: &[u8]) -> Option<Protocol> {
        match datagram {
            datagram if ipfix::is_ipfix(datagram) => Some(Protocol::Ipfix),
            datagram if netflow9::is_netflow9(datagram) => Some(Protocol::NetFlow9),
            _ => None,
        }
    }

    fn header(self, rest: &mut Cursor<'_>) -> Option<Header> {
        match self {
            Protocol::Ipfix => ipfix::header(rest),
            Protocol::NetFlow9 => netflow9::header(rest),
        }
    }

    fn kind(self, set: u16) -> Option<SetKind> {
        let (templates, options) = match self {
            Protocol::Ipfix => (ipfix::TEMPLATE_SET, ipfix::OPTIONS_TEMPLATE_SET),
            Protocol::NetFlow9 => (netflow9::TEMPLATE_SET, netflow9::OPTIONS_TEMPLATE_SET),
        };
        match set {
            set if set == templates => Some(SetKind::Templates { is_options: false }),
            set if set == options => Some(SetKind::Templates { is_options: true }),
            FIRST_DATA_SET.. => Some(SetKind::Data),
            _ => None,
        }
    }

    /// A template with its id; without a template it is a withdrawal. `None` if it is malformed.
    fn template(self, body: &mut Cursor<'_>, is_options: bool) -> Option<(u16, Option<Template>)> {
        match self {
            Protocol::Ipfix => ipfix::template(body, is_options),
            Protocol::NetFlow9 => {
                netflow9::template(body, is_options).map(|(id, template)| (id, Some(template)))
            }
        }
    }
}

/// An observation domain of a protocol: an exporter may use several protocols.
type DomainId = (Protocol, u32);

/// What an exporter has announced so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Exporter {
    /// By domain and template id.
    templates: BTreeMap<(DomainId, u16), Template>,
    domains: BTreeMap<DomainId, Domain>,
    samplers: usize,
    /// Names of interfaces.
    pub(super) names: BTreeMap<u32, String>,
}

/// An observation domain.
#[derive(Clone, Debug, Default)]
struct Domain {
    sequence: Sequence,
    /// One of how many packets is sampled, by the identifier of the sampler; 0 stands for all.
    rates: BTreeMap<u64, u32>,
}

/// What a message contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) flows: Vec<RawSample>,
    /// What was lost before it.
    pub(super) lost: Lost,
    /// Sets whose template is unknown.
    pub(super) without_template: u64,
    /// Records that are no flow with addresses and byte counts.
    pub(super) no_flow: u64,
    /// Templates, domains, samplers and names beyond the limits.
    pub(super) over_limit: u64,
    /// Whether a set is malformed; what precedes it is used.
    pub(super) is_cut: bool,
}

impl Exporter {
    /// Reads a message. If a set is malformed, what precedes it is returned.
    ///
    /// # Errors
    /// The datagram has neither protocol, or its header is cut.
    pub(super) fn read(&mut self, datagram: &[u8]) -> Result<Message, Malformed> {
        let protocol = Protocol::of(datagram).ok_or(Malformed)?;
        let mut rest = Cursor::new(datagram);
        let header = protocol.header(&mut rest).ok_or(Malformed)?;
        let domain = (protocol, header.domain);
        let mut message = Message::default();
        if !self.domains.contains_key(&domain) && self.domains.len() >= MAX_DOMAINS {
            message.over_limit += 1;
            return Ok(message);
        }
        self.domains.entry(domain).or_default();
        let mut records = Some(0_u32);
        while rest.len() > 0 {
            let Some((id, body)) = set(&mut rest) else {
                message.is_cut = true;
                break;
            };
            match protocol.kind(id) {
                Some(SetKind::Templates { is_options }) => {
                    self.templates(domain, is_options, Cursor::new(body), &mut message);
                }
                Some(SetKind::Data) => {
                    let read = self.data(domain, id, header.time, Cursor::new(body), &mut message);
                    records = records.zip(read).map(|(sum, read)| sum.saturating_add(read));
                }
                None => message.is_cut = true,
            }
        }
        let known = records.filter(|_| !message.is_cut);
        if let Some(domain) = self.domains.get_mut(&domain) {
            message.lost = domain.sequence.take(protocol, header.sequence, known);
        }
        Ok(message)
    }

    fn templates(&mut self, domain: DomainId, is_options: bool, mut body: Cursor<'_>, message: &mut Message) {
        // What is shorter than a header is padding.
        while body.len() >= 4 {
            let Some((id, template)) = domain.0.template(&mut body, is_options) else {
                message.is_cut = true;
                return;
            };
            let key = (domain, id);
            match template {
                None => _ = self.templates.remove(&key),
                Some(template) if template.len() > MAX_FIELDS => message.over_limit += 1,
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
        domain: DomainId,
        id: u16,
        time: ExportTime,
        mut body: Cursor<'_>,
        message: &mut Message,
    ) -> Option<u32> {
        let Some(template) = self.templates.get(&(domain, id)).cloned() else {
            message.without_template += 1;
            return None;
        };
        let mut records = 0;
        while template.fits(&body) {
            let Some(record) = Record::read(&template, &mut body) else {
                message.is_cut = true;
                break;
            };
            records += 1;
            if template.is_options {
                self.describe(domain, &record, message);
            } else {
                match self.flow(domain, time, &record) {
                    Some(flow) => message.flows.push(flow),
                    None => message.no_flow += 1,
                }
            }
        }
        Some(records)
    }

    /// Takes the name of an interface, and the rate of a sampler.
    fn describe(&mut self, domain: DomainId, record: &Record<'_>, message: &mut Message) {
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

    fn flow(&self, domain: DomainId, time: ExportTime, record: &Record<'_>) -> Option<RawSample> {
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
        let (age_ns, duration_ns) = record.times(time);
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
    fn rate(&self, domain: DomainId, sampler: Option<u64>) -> Option<u32> {
        let rates = &self.domains.get(&domain)?.rates;
        if let Some(rate) = sampler.and_then(|sampler| rates.get(&sampler)) {
            return Some(*rate);
        }
        let distinct: BTreeSet<u32> = rates.values().copied().collect();
        distinct.first().copied().filter(|_| distinct.len() == 1)
    }
}

/// A set: its id and its body.
fn set<'b>(rest: &mut Cursor<'b>) -> Option<(u16, &'b [u8])> {
    let (id, length) = (rest.u16()?, rest.u16()?);
    Some((id, rest.take(usize::from(length).checked_sub(4)?)?))
}
