//! Datagrams of sFlow version 5.
//!
//! Source: sFlow version 5 (sflow.org, 2004): section 5.1 (flow data), 5.3 (datagrams); the name of a port is a counter
//! record of the sFlow OpenFlow structures. Records of other kinds are skipped by their length.

use std::net::IpAddr;

use super::cursor::Cursor;
use super::packet::{self, Headers};
use super::{Malformed, RawSample};

const VERSION: u32 = 5;

const FLOW_SAMPLE: u32 = 1;
const COUNTERS_SAMPLE: u32 = 2;
const EXPANDED_FLOW_SAMPLE: u32 = 3;
const EXPANDED_COUNTERS_SAMPLE: u32 = 4;

const SAMPLED_HEADER: u32 = 1;
const SAMPLED_IPV4: u32 = 3;
const SAMPLED_IPV6: u32 = 4;
const PORT_NAME: u32 = 1005;

const HEADER_ETHERNET: u32 = 1;
const HEADER_IPV4: u32 = 11;
const HEADER_IPV6: u32 = 12;

/// The interface of packets that the agent itself sends or receives.
const INTERNAL: u32 = 0x3fff_ffff;

/// A datagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Datagram {
    /// The agent's address; absent if it does not know one.
    pub(super) agent: Option<IpAddr>,
    pub(super) sub_agent: u32,
    /// Counts the datagrams of the sub-agent.
    pub(super) sequence: u32,
    pub(super) samples: Vec<Sample>,
    /// Interfaces and their names.
    pub(super) names: Vec<(u32, String)>,
    /// Whether a sample is malformed; those before it are used.
    pub(super) is_cut: bool,
}

/// A flow sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// What sampled it: an interface, by type and index.
    pub(super) source: (u32, u32),
    /// Counts the flow samples of the source.
    pub(super) sequence: u32,
    /// Samples that the agent has dropped since it started.
    pub(super) drops: u32,
    /// The packet; absent if it has no IP header or was dropped by the switch.
    pub(super) packet: Option<RawSample>,
}

/// Whether a datagram is one of sFlow version 5.
pub(super) fn is_sflow(datagram: &[u8]) -> bool {
    Cursor::new(datagram).u32() == Some(VERSION)
}

/// Reads a datagram. If a sample is malformed, those before it are returned.
///
/// # Errors
/// The header of the datagram is cut, or the version is not 5.
pub(super) fn parse(datagram: &[u8]) -> Result<Datagram, Malformed> {
    let mut rest = Cursor::new(datagram);
    let (mut read, count) = header(&mut rest).ok_or(Malformed)?;
    for _ in 0..count {
        // A count that is too large ends with the datagram.
        let Some((format, body)) = record(&mut rest) else {
            read.is_cut = true;
            break;
        };
        let body = Cursor::new(body);
        let found = match format {
            FLOW_SAMPLE => flow_sample(body, false).map(|sample| read.samples.push(sample)),
            EXPANDED_FLOW_SAMPLE => flow_sample(body, true).map(|sample| read.samples.push(sample)),
            COUNTERS_SAMPLE => counters_sample(body, false).map(|name| read.names.extend(name)),
            EXPANDED_COUNTERS_SAMPLE => counters_sample(body, true).map(|name| read.names.extend(name)),
            _ => Some(()),
        };
        read.is_cut |= found.is_none();
    }
    Ok(read)
}

/// The header and the number of samples that it states.
fn header(rest: &mut Cursor<'_>) -> Option<(Datagram, u32)> {
    if rest.u32()? != VERSION {
        return None;
    }
    let agent = match rest.u32()? {
        0 => None,
        1 => Some(rest.ipv4()?),
        2 => Some(rest.ipv6()?),
        _ => return None,
    };
    let (sub_agent, sequence, _uptime_ms) = (rest.u32()?, rest.u32()?, rest.u32()?);
    Some((Datagram { agent, sub_agent, sequence, ..Datagram::default() }, rest.u32()?))
}

/// A sample or a record: its format and its body.
fn record<'b>(rest: &mut Cursor<'b>) -> Option<(u32, &'b [u8])> {
    Some((rest.u32()?, rest.opaque()?))
}

/// The interface by which a packet was received or sent.
enum Interface {
    Index(u32),
    /// Several, none, or unknown.
    Other,
    /// The packet was dropped.
    Dropped,
}

impl Interface {
    fn of(format: u32, value: u32) -> Interface {
        match format {
            0 if value != 0 && value != INTERNAL => Interface::Index(value),
            1 => Interface::Dropped,
            _ => Interface::Other,
        }
    }

    fn index(&self) -> Option<u32> {
        if let Interface::Index(index) = self { Some(*index) } else { None }
    }
}

fn flow_sample(mut body: Cursor<'_>, is_expanded: bool) -> Option<Sample> {
    let sequence = body.u32()?;
    let source = source(&mut body, is_expanded)?;
    let (rate, _pool, drops) = (body.u32()?, body.u32()?, body.u32()?);
    let mut interface = || {
        let word = body.u32()?;
        // The compact form has the format in the two highest bits.
        let (format, value) = if is_expanded { (word, body.u32()?) } else { (word >> 30, word & INTERNAL) };
        Some(Interface::of(format, value))
    };
    let (input, output) = (interface()?, interface()?);
    let count = body.u32()?;
    let mut found = None;
    for _ in 0..count {
        let (format, data) = record(&mut body)?;
        let packet = sampled_packet(format, Cursor::new(data))?;
        // The header has more than what the other kinds say of the same packet.
        if format == SAMPLED_HEADER || found.is_none() {
            found = packet.or(found);
        }
    }
    let packet = found.filter(|_| !matches!(output, Interface::Dropped)).map(|(headers, length)| RawSample {
        flow: headers.flow,
        dscp: Some(headers.dscp),
        input: input.index(),
        output: output.index(),
        bytes: u64::from(length) * u64::from(rate.max(1)),
        packets: u64::from(rate.max(1)),
        sampling_rate: rate.max(1),
        age_ns: 0,
        duration_ns: 0,
    });
    Some(Sample { source, sequence, drops, packet })
}

fn source(body: &mut Cursor<'_>, is_expanded: bool) -> Option<(u32, u32)> {
    let word = body.u32()?;
    if is_expanded { Some((word, body.u32()?)) } else { Some((word >> 24, word & 0x00ff_ffff)) }
}

/// The headers and the length of a packet. The outer option is `None` if the record is malformed, the inner one if it
/// describes no IP packet.
fn sampled_packet(format: u32, mut data: Cursor<'_>) -> Option<Option<(Headers, u32)>> {
    match format {
        SAMPLED_HEADER => {
            let (protocol, length, _stripped) = (data.u32()?, data.u32()?, data.u32()?);
            let header = data.opaque()?;
            let headers = match protocol {
                HEADER_ETHERNET => packet::of_ethernet(header),
                HEADER_IPV4 => packet::of_ipv4(header),
                HEADER_IPV6 => packet::of_ipv6(header),
                _ => None,
            };
            Some(headers.map(|headers| (headers, length)))
        }
        SAMPLED_IPV4 | SAMPLED_IPV6 => {
            let (length, proto) = (data.u32()?, data.u32()?);
            let is_ipv4 = format == SAMPLED_IPV4;
            let mut address = || if is_ipv4 { data.ipv4() } else { data.ipv6() };
            let (src, dst) = (address()?, address()?);
            let (sport, dport, _flags, class) = (data.u32()?, data.u32()?, data.u32()?, data.u32()?);
            let port = |port: u32| u16::try_from(port).ok();
            let flow = u8::try_from(proto).ok().zip(port(sport).zip(port(dport)));
            Some(flow.map(|(proto, (sport, dport))| {
                let flow = model::FlowKey { src, dst, sport, dport, proto };
                (Headers { flow, dscp: (class >> 2 & 0x3f) as u8 }, length)
            }))
        }
        _ => Some(None),
    }
}

/// The interface of a counters sample and its name, if it has a record with the name.
fn counters_sample(mut body: Cursor<'_>, is_expanded: bool) -> Option<Option<(u32, String)>> {
    let _sequence = body.u32()?;
    let (_, index) = source(&mut body, is_expanded)?;
    let count = body.u32()?;
    let mut name = None;
    for _ in 0..count {
        let (format, data) = record(&mut body)?;
        if format == PORT_NAME {
            let text = Cursor::new(data).opaque()?;
            name = Some((index, String::from_utf8_lossy(text).into_owned()));
        }
    }
    Some(name)
}
