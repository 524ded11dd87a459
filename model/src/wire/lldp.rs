//! The Link Layer Discovery Protocol (IEEE 802.1AB-2016, clauses 7 to 9): which chassis and port is at the other end of
//! a link.
//!
//! A frame carries TLVs of a 7-bit type and a 9-bit length: chassis ID, port ID and time to live in this order, then
//! optional ones, and an end. TLVs that are not listed here are skipped when a frame is read.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ethernet::{ETHERNET_BYTES, ETHERNET_MIN_FRAME_BYTES, Ethernet};
use super::frame::Frame;

/// EtherType of LLDP.
pub const ETHERTYPE_LLDP: u16 = 0x88cc;
/// Destination "nearest bridge", which no bridge forwards.
pub const LLDP_DESTINATION: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e];
/// Longest chassis or port ID in bytes.
pub const MAX_ID_BYTES: usize = 255;
/// Longest text of an optional TLV in bytes.
pub const MAX_TEXT_BYTES: usize = 255;

const END: u8 = 0;
const CHASSIS_ID: u8 = 1;
const PORT_ID: u8 = 2;
const TIME_TO_LIVE: u8 = 3;
const PORT_DESCRIPTION: u8 = 4;
const SYSTEM_NAME: u8 = 5;
const SYSTEM_DESCRIPTION: u8 = 6;

/// A chassis ID. Its subtypes are those of table 8-2.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ChassisId {
    /// A MAC address (subtype 4).
    Mac([u8; 6]),
    /// A locally assigned name (subtype 7).
    Local(String),
    /// Any other subtype, with its bytes.
    Other(u8, Vec<u8>),
}

/// A port ID. Its subtypes are those of table 8-3.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PortId {
    /// A MAC address (subtype 3).
    Mac([u8; 6]),
    /// The name of an interface (subtype 5).
    Interface(String),
    /// A locally assigned name (subtype 7).
    Local(String),
    /// Any other subtype, with its bytes.
    Other(u8, Vec<u8>),
}

/// The content of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lldp {
    /// The sending chassis.
    pub chassis: ChassisId,
    /// The sending port.
    pub port: PortId,
    /// How long the receiver keeps this, in seconds; 0 withdraws it.
    pub ttl_s: u16,
    /// What the port is.
    pub port_description: Option<String>,
    /// The name of the system.
    pub system_name: Option<String>,
    /// What the system is.
    pub system_description: Option<String>,
}

/// Why bytes are not an LLDP frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LldpError {
    /// Another EtherType.
    #[error("the EtherType is not 0x88cc")]
    OtherType,
    /// A TLV reaches beyond the end of the frame.
    #[error("a TLV is cut off")]
    CutOff,
    /// The first three TLVs are not chassis ID, port ID and time to live.
    #[error("chassis ID, port ID and time to live are not the first three TLVs")]
    Order,
    /// One of the mandatory TLVs occurs twice.
    #[error("a mandatory TLV occurs twice")]
    Twice,
    /// A TLV whose length its type does not permit.
    #[error("a TLV has a length that its type does not permit")]
    Length,
}

impl ChassisId {
    fn from_tlv(value: &[u8]) -> Result<ChassisId, LldpError> {
        let (subtype, id) = id_of(value)?;
        Ok(match subtype {
            4 => ChassisId::Mac(id.try_into().map_err(|_| LldpError::Length)?),
            7 => text(id).map_or_else(|| ChassisId::Other(7, id.to_vec()), ChassisId::Local),
            _ => ChassisId::Other(subtype, id.to_vec()),
        })
    }

    fn to_tlv(&self) -> (u8, &[u8]) {
        match self {
            ChassisId::Mac(mac) => (4, mac),
            ChassisId::Local(name) => (7, name.as_bytes()),
            ChassisId::Other(subtype, id) => (*subtype, id),
        }
    }
}

impl PortId {
    fn from_tlv(value: &[u8]) -> Result<PortId, LldpError> {
        let (subtype, id) = id_of(value)?;
        let other = || PortId::Other(subtype, id.to_vec());
        Ok(match subtype {
            3 => PortId::Mac(id.try_into().map_err(|_| LldpError::Length)?),
            5 => text(id).map_or_else(other, PortId::Interface),
            7 => text(id).map_or_else(other, PortId::Local),
            _ => other(),
        })
    }

    fn to_tlv(&self) -> (u8, &[u8]) {
        match self {
            PortId::Mac(mac) => (3, mac),
            PortId::Interface(name) => (5, name.as_bytes()),
            PortId::Local(name) => (7, name.as_bytes()),
            PortId::Other(subtype, id) => (*subtype, id),
        }
    }
}

/// Splits the value of an ID into subtype and bytes.
fn id_of(value: &[u8]) -> Result<(u8, &[u8]), LldpError> {
    match value.split_first() {
        Some((subtype, id)) if (1..=MAX_ID_BYTES).contains(&id.len()) => Ok((*subtype, id)),
        _ => Err(LldpError::Length),
    }
}

/// Text without control characters; `None` if the bytes are something else.
fn text(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.chars().all(|c| !c.is_control()).then(|| text.to_owned())
}

impl fmt::Display for ChassisId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChassisId::Mac(mac) => write_hex(f, mac),
            ChassisId::Local(name) => f.write_str(name),
            ChassisId::Other(_, id) => write_hex(f, id),
        }
    }
}

impl fmt::Display for PortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortId::Mac(mac) => write_hex(f, mac),
            PortId::Interface(name) | PortId::Local(name) => f.write_str(name),
            PortId::Other(_, id) => write_hex(f, id),
        }
    }
}

fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    for (at, byte) in bytes.iter().enumerate() {
        write!(f, "{}{byte:02x}", if at == 0 { "" } else { ":" })?;
    }
    Ok(())
}

impl Lldp {
    /// Returns the whole Ethernet frame, padded to the minimum size. Longer IDs and texts are cut off at their limits.
    pub fn to_frame(&self, source: [u8; 6]) -> Frame {
        let ethernet = Ethernet { dst: LLDP_DESTINATION, src: source, ethertype: ETHERTYPE_LLDP };
        let mut bytes = ethernet.to_bytes().to_vec();
        for (kind, (subtype, id)) in [(CHASSIS_ID, self.chassis.to_tlv()), (PORT_ID, self.port.to_tlv())] {
            let mut value = vec![subtype];
            value.extend_from_slice(&id[..id.len().min(MAX_ID_BYTES)]);
            put(&mut bytes, kind, &value);
        }
        put(&mut bytes, TIME_TO_LIVE, &self.ttl_s.to_be_bytes());
        let texts = [
            (PORT_DESCRIPTION, &self.port_description),
            (SYSTEM_NAME, &self.system_name),
            (SYSTEM_DESCRIPTION, &self.system_description),
        ];
        for (kind, text) in texts {
            if let Some(text) = text {
                put(&mut bytes, kind, &text.as_bytes()[..text.floor_char_boundary(MAX_TEXT_BYTES)]);
            }
        }
        put(&mut bytes, END, &[]);
        let tail = ETHERNET_MIN_FRAME_BYTES.saturating_sub(bytes.len() as u32);
        Frame::new(&bytes, tail)
    }

    /// Reads an Ethernet frame.
    ///
    /// # Errors
    /// If it is not an LLDP frame that the standard permits to be accepted (clause 9.2.7.7).
    pub fn from_bytes(bytes: &[u8]) -> Result<Lldp, LldpError> {
        let ethernet = Ethernet::from_bytes(bytes).ok_or(LldpError::OtherType)?;
        if ethernet.ethertype != ETHERTYPE_LLDP {
            return Err(LldpError::OtherType);
        }
        let mut rest = &bytes[ETHERNET_BYTES..];
        let chassis = ChassisId::from_tlv(mandatory(&mut rest, CHASSIS_ID)?)?;
        let port = PortId::from_tlv(mandatory(&mut rest, PORT_ID)?)?;
        let ttl = mandatory(&mut rest, TIME_TO_LIVE)?.first_chunk::<2>().ok_or(LldpError::Length)?;
        let ttl_s = u16::from_be_bytes(*ttl);
        let (mut port_description, mut system_name, mut system_description) = (None, None, None);
        // A frame may also end without an end TLV.
        while !rest.is_empty() {
            let (kind, value) = take(&mut rest)?;
            match kind {
                END => break,
                CHASSIS_ID | PORT_ID | TIME_TO_LIVE => return Err(LldpError::Twice),
                PORT_DESCRIPTION => port_description = text(value),
                SYSTEM_NAME => system_name = text(value),
                SYSTEM_DESCRIPTION => system_description = text(value),
                _ => {}
            }
        }
        Ok(Lldp { chassis, port, ttl_s, port_description, system_name, system_description })
    }
}

/// Appends a TLV. Values are at most 256 bytes long here, so the length always fits into 9 bits.
fn put(bytes: &mut Vec<u8>, kind: u8, value: &[u8]) {
    let head = u16::from(kind) << 9 | (value.len() as u16 & 0x1ff);
    bytes.extend_from_slice(&head.to_be_bytes());
    bytes.extend_from_slice(value);
}

/// Takes the first TLV.
fn take<'a>(rest: &mut &'a [u8]) -> Result<(u8, &'a [u8]), LldpError> {
    let (head, after) = rest.split_first_chunk::<2>().ok_or(LldpError::CutOff)?;
    let head = u16::from_be_bytes(*head);
    let (value, after) = after.split_at_checked(usize::from(head & 0x1ff)).ok_or(LldpError::CutOff)?;
    *rest = after;
    Ok(((head >> 9) as u8, value))
}

/// Takes the first TLV, which must be of a kind.
fn mandatory<'a>(rest: &mut &'a [u8], expected: u8) -> Result<&'a [u8], LldpError> {
    let (kind, value) = take(rest)?;
    if kind == expected { Ok(value) } else { Err(LldpError::Order) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(frame: &Frame) -> Vec<u8> {
        let mut bytes = frame.head.to_vec();
        bytes.resize(frame.len() as usize, 0);
        bytes
    }

    fn lldp() -> Lldp {
        Lldp {
            chassis: ChassisId::Local("leaf1".into()),
            port: PortId::Local("3".into()),
            ttl_s: 120,
            port_description: None,
            system_name: Some("leaf1".into()),
            system_description: None,
        }
    }

    #[test]
    fn a_frame_has_the_layout_of_the_standard() {
        let frame = lldp().to_frame([2, 0, 0, 0, 0, 1]);
        assert_eq!(frame.len(), 60);
        assert_eq!(frame.head[..14], [1, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0, 1, 0x88, 0xcc]);
        assert_eq!(frame.head[14..22], [2, 6, 7, b'l', b'e', b'a', b'f', b'1']);
        assert_eq!(frame.head[22..26], [4, 2, 7, b'3']);
        assert_eq!(frame.head[26..30], [6, 2, 0, 120]);
        assert_eq!(frame.head[30..32], [10, 5]);
    }

    /// Capabilities, a management address and an organisational TLV, as lldpd sends them.
    #[test]
    fn tlvs_of_other_kinds_are_skipped() {
        let mut frame = bytes(&lldp().to_frame([2; 6]))[..37].to_vec();
        put(&mut frame, 7, &[0, 0x9c, 0, 0x10]);
        put(&mut frame, 8, &[5, 1, 10, 0, 0, 1, 2, 0, 0, 0, 3, 0]);
        put(&mut frame, 127, &[0, 0x12, 0x0f, 1, 0, 0, 0, 0, 0]);
        put(&mut frame, PORT_DESCRIPTION, b"eth0");
        put(&mut frame, END, &[]);
        let expected = Lldp { port_description: Some("eth0".into()), ..lldp() };
        assert_eq!(Lldp::from_bytes(&frame), Ok(expected));
    }

    #[test]
    fn frames_that_the_standard_rejects_are_errors() {
        let whole = bytes(&lldp().to_frame([2; 6]));
        let change = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut frame = whole.clone();
            change(&mut frame);
            Lldp::from_bytes(&frame)
        };
        assert_eq!(change(&|frame| frame[13] = 0), Err(LldpError::OtherType));
        assert_eq!(change(&|frame| frame.truncate(20)), Err(LldpError::CutOff));
        assert_eq!(change(&|frame| frame[14] = 4), Err(LldpError::Order));
        assert_eq!(change(&|frame| frame[30] = 2), Err(LldpError::Twice));
        let no_id = change(&|frame| {
            frame[15] = 1;
            frame.drain(17..22);
        });
        assert_eq!(no_id, Err(LldpError::Length));
    }

    fn name() -> impl Strategy<Value = String> {
        "[a-zA-Z0-9/. -]{1,60}"
    }

    prop_compose! {
        fn any_lldp()(
            chassis in prop_oneof![
                any::<[u8; 6]>().prop_map(ChassisId::Mac),
                name().prop_map(ChassisId::Local),
                prop::collection::vec(any::<u8>(), 1..255).prop_map(|id| ChassisId::Other(5, id)),
            ],
            port in prop_oneof![
                any::<[u8; 6]>().prop_map(PortId::Mac),
                name().prop_map(PortId::Interface),
                name().prop_map(PortId::Local),
                prop::collection::vec(any::<u8>(), 1..255).prop_map(|id| PortId::Other(4, id)),
            ],
            ttl_s: u16,
            texts in prop::array::uniform3(prop::option::of(name())),
        ) -> Lldp {
            let [port_description, system_name, system_description] = texts;
            Lldp { chassis, port, ttl_s, port_description, system_name, system_description }
        }
    }

    proptest! {
        #[test]
        fn frames_round_trip(lldp in any_lldp(), source: [u8; 6]) {
            prop_assert_eq!(Lldp::from_bytes(&bytes(&lldp.to_frame(source))), Ok(lldp));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(lldp in any_lldp(), noise: Vec<u8>, at: prop::sample::Index) {
            let _ = Lldp::from_bytes(&noise);
            let mut frame = bytes(&lldp.to_frame([2; 6]));
            let at = at.index(frame.len());
            frame.splice(at.., noise);
            let _ = Lldp::from_bytes(&frame);
        }
    }
}
