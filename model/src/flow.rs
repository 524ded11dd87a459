//! A flow: the 5-tuple that identifies one RDMA connection direction on the wire.
//!
//! Written `src:sport>dst:dport/proto`, IPv6 addresses in brackets:
//! `10.0.0.1:10000>10.0.3.1:4791/udp`, `[fd00::1]:10000>[fd00::2]:4791/udp`.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Protocol number of UDP, which carries RoCEv2 (IANA).
pub const PROTO_UDP: u8 = 17;
/// Protocol number of TCP (IANA).
pub const PROTO_TCP: u8 = 6;

/// A 5-tuple. Ordered by source, destination, ports, protocol, so that lists of flows have one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey {
    /// Source address.
    pub src: IpAddr,
    /// Destination address.
    pub dst: IpAddr,
    /// Source port of the transport header.
    pub sport: u16,
    /// Destination port of the transport header (4791 for RoCEv2).
    pub dport: u16,
    /// IP protocol number.
    pub proto: u8,
}

impl FlowKey {
    /// A UDP flow.
    pub fn udp(src: IpAddr, sport: u16, dst: IpAddr, dport: u16) -> FlowKey {
        FlowKey { src, dst, sport, dport, proto: PROTO_UDP }
    }

    /// The opposite direction (acknowledgements).
    pub fn reversed(self) -> FlowKey {
        FlowKey { src: self.dst, dst: self.src, sport: self.dport, dport: self.sport, proto: self.proto }
    }

    /// The addresses as the 128-bit numbers that the switch program keeps; IPv4 is written as
    /// `::ffff:a.b.c.d` (RFC 4291 section 2.5.5.2).
    pub fn address_bits(self) -> (u128, u128) {
        (address_bits(self.src), address_bits(self.dst))
    }

    /// The inverse of [`FlowKey::address_bits`].
    pub fn from_bits(src: u128, dst: u128, sport: u16, dport: u16, proto: u8) -> FlowKey {
        FlowKey { src: address_from_bits(src), dst: address_from_bits(dst), sport, dport, proto }
    }
}

/// An address as 128 bits, IPv4 mapped into IPv6.
pub fn address_bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_ipv6_mapped()),
        IpAddr::V6(v6) => u128::from(v6),
    }
}

/// The inverse of [`address_bits`].
pub fn address_from_bits(bits: u128) -> IpAddr {
    let v6 = Ipv6Addr::from(bits);
    v6.to_ipv4_mapped().map_or(IpAddr::V6(v6), IpAddr::V4)
}

/// Why a text is not a flow. The message says what was expected and where it went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a flow: {problem}; expected `src:sport>dst:dport/proto`, e.g. `10.0.0.1:10000>10.0.3.1:4791/udp`"
)]
pub struct ParseFlowError {
    /// The whole text.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl FromStr for FlowKey {
    type Err = ParseFlowError;

    fn from_str(text: &str) -> Result<FlowKey, ParseFlowError> {
        let fail = |problem: String| ParseFlowError { text: text.to_string(), problem };
        let (ends, proto) = text.rsplit_once('/').ok_or_else(|| fail("no `/proto` at the end".into()))?;
        let proto = match proto.to_ascii_lowercase().as_str() {
            "udp" => PROTO_UDP,
            "tcp" => PROTO_TCP,
            number => number
                .parse()
                .map_err(|_| fail(format!("protocol `{proto}` is not `udp`, `tcp` or a number up to 255")))?,
        };
        let (from, to) = ends.split_once('>').ok_or_else(|| fail("no `>` between the two ends".into()))?;
        let (src, sport) = parse_end(from).map_err(|problem| fail(format!("source {problem}")))?;
        let (dst, dport) = parse_end(to).map_err(|problem| fail(format!("destination {problem}")))?;
        if src.is_ipv4() != dst.is_ipv4() {
            return Err(fail("one end is an IPv4 address and the other an IPv6 address".into()));
        }
        Ok(FlowKey { src, dst, sport, dport, proto })
    }
}

fn parse_end(text: &str) -> Result<(IpAddr, u16), String> {
    let (address, port) = text.rsplit_once(':').ok_or_else(|| format!("`{text}` has no `:port`"))?;
    let bare = address.strip_prefix('[').and_then(|a| a.strip_suffix(']')).unwrap_or(address);
    let address = bare.parse().map_err(|_| format!("`{address}` is not an IP address"))?;
    let port = port.parse().map_err(|_| format!("port `{port}` is not a number up to 65535"))?;
    Ok((address, port))
}

impl fmt::Display for FlowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |f: &mut fmt::Formatter<'_>, address: IpAddr, port: u16| match address {
            IpAddr::V4(v4) => write!(f, "{v4}:{port}"),
            IpAddr::V6(v6) => write!(f, "[{v6}]:{port}"),
        };
        end(f, self.src, self.sport)?;
        f.write_str(">")?;
        end(f, self.dst, self.dport)?;
        match self.proto {
            PROTO_UDP => f.write_str("/udp"),
            PROTO_TCP => f.write_str("/tcp"),
            other => write!(f, "/{other}"),
        }
    }
}

impl FlowKey {
    /// The text, compiled in this crate: see `diagnosis_json.rs`.
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Serialize for FlowKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for FlowKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FlowKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_error(text: &str, problem: &str) {
        assert_eq!(text.parse::<FlowKey>().unwrap_err().problem, problem);
    }

    #[test]
    fn errors_say_which_part_is_wrong() {
        check_error("10.0.0.1:1>10.0.0.2:2", "no `/proto` at the end");
        check_error("10.0.0.1:1-10.0.0.2:2/udp", "no `>` between the two ends");
        check_error("10.0.0:1>10.0.0.2:2/udp", "source `10.0.0` is not an IP address");
        check_error("10.0.0.1:1>10.0.0.2:70000/udp", "destination port `70000` is not a number up to 65535");
        check_error(
            "10.0.0.1:1>10.0.0.2:7/sctpx",
            "protocol `sctpx` is not `udp`, `tcp` or a number up to 255",
        );
    }

    proptest! {
        #[test]
        fn text_and_bits_round_trip(src: u128, dst: u128, v4: bool, sport: u16, dport: u16, proto: u8) {
            let (src, dst) = if v4 {
                (0xffff_0000_0000 | (src & 0xffff_ffff), 0xffff_0000_0000 | (dst & 0xffff_ffff))
            } else {
                (src, dst)
            };
            let flow = FlowKey::from_bits(src, dst, sport, dport, proto);
            prop_assert_eq!(flow.address_bits(), (src, dst));
            prop_assert_eq!(flow.to_string().parse::<FlowKey>().unwrap(), flow);
        }
    }
}
