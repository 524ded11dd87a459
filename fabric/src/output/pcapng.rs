//! Captures in the pcapng format (IETF draft-ietf-opsawg-pcapng): one section with one interface a direction of a link,
//! times in nanoseconds. Of each frame the bytes that matter are captured; its true length is given beside.

use model::wire::Frame;
use model::{Rate, Time};

/// Data are captured up to this length; the rest of a frame is zeros.
const SNAP_BYTES: u32 = 262_144;
/// Link type of Ethernet.
const ETHERNET: u16 = 1;
/// The section's byte order mark.
const MAGIC: u32 = 0x1a2b_3c4d;

/// An interface of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name, as tools show it.
    pub name: String,
    /// Bits a second.
    pub rate: Rate,
}

/// The beginning of a capture: section header and interfaces, which are numbered from 0.
pub fn header(interfaces: &[Interface]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut section = Vec::new();
    section.extend_from_slice(&MAGIC.to_le_bytes());
    section.extend_from_slice(&1u16.to_le_bytes());
    section.extend_from_slice(&0u16.to_le_bytes());
    // The section's length is not given.
    section.extend_from_slice(&u64::MAX.to_le_bytes());
    option(&mut section, 4, format!("harrier {}", env!("CARGO_PKG_VERSION")).as_bytes());
    end_of_options(&mut section);
    block(&mut bytes, 0x0a0d_0d0a, &section);
    for interface in interfaces {
        let mut body = Vec::new();
        body.extend_from_slice(&ETHERNET.to_le_bytes());
        body.extend_from_slice(&0u16.to_le_bytes());
        body.extend_from_slice(&SNAP_BYTES.to_le_bytes());
        option(&mut body, 2, interface.name.as_bytes());
        option(&mut body, 8, &interface.rate.0.to_le_bytes());
        // Times count units of 10^-9 s.
        option(&mut body, 9, &[9]);
        end_of_options(&mut body);
        block(&mut bytes, 1, &body);
    }
    bytes
}

/// A frame that an interface saw at `at`.
pub fn packet(interface: u32, at: Time, frame: &Frame) -> Vec<u8> {
    let ns = at.as_ns();
    let mut body = Vec::with_capacity(frame.head.len() + 32);
    body.extend_from_slice(&interface.to_le_bytes());
    body.extend_from_slice(&((ns >> 32) as u32).to_le_bytes());
    body.extend_from_slice(&(ns as u32).to_le_bytes());
    body.extend_from_slice(&(frame.head.len() as u32).to_le_bytes());
    body.extend_from_slice(&u32::try_from(frame.len()).unwrap_or(u32::MAX).to_le_bytes());
    body.extend_from_slice(&frame.head);
    pad(&mut body);
    let mut bytes = Vec::with_capacity(body.len() + 12);
    block(&mut bytes, 6, &body);
    bytes
}

/// A block: type, length, body, length again.
fn block(into: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let length = (body.len() + 12) as u32;
    into.extend_from_slice(&kind.to_le_bytes());
    into.extend_from_slice(&length.to_le_bytes());
    into.extend_from_slice(body);
    into.extend_from_slice(&length.to_le_bytes());
}

fn option(into: &mut Vec<u8>, code: u16, value: &[u8]) {
    into.extend_from_slice(&code.to_le_bytes());
    into.extend_from_slice(&(value.len() as u16).to_le_bytes());
    into.extend_from_slice(value);
    pad(into);
}

fn end_of_options(into: &mut Vec<u8>) {
    into.extend_from_slice(&[0; 4]);
}

fn pad(into: &mut Vec<u8>) {
    into.resize(into.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_say_their_length_twice() {
        let interfaces = [Interface { name: "a:1".into(), rate: Rate::from_gbps(100) }];
        let mut bytes = header(&interfaces);
        bytes.extend(packet(0, Time::from_ns(5_000_000_001), &Frame::new(&[1, 2, 3], 100)));
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (mut at, mut kinds) = (0, Vec::new());
        while at < bytes.len() {
            let length = word(at + 4) as usize;
            assert_eq!((length % 4, word(at + length - 4) as usize), (0, length));
            kinds.push(word(at));
            if word(at) == 6 {
                // Interface, time, captured and true length.
                let fields = [8, 12, 16, 20, 24].map(|field| word(at + field));
                assert_eq!(fields, [0, 1, 705_032_705, 3, 103]);
            }
            at += length;
        }
        assert_eq!(kinds, [0x0a0d_0d0a, 1, 6]);
    }
}
