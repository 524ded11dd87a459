//! Packet captures: pcap and pcapng in, pcap out.
//!
//! Sources: draft-ietf-opsawg-pcap (both byte orders, microseconds and nanoseconds) and draft-ietf-opsawg-pcapng
//! (sections of either byte order, interfaces with resolutions of their own, enhanced, simple and old packet
//! blocks; other blocks are passed over). Everything is read from memory: a file that ends too early is reported
//! with the record in which it ends.

use model::wire::Frame;

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Captured {
    /// Since 1970.
    pub(crate) time_ns: u64,
    /// The packet. What a snapshot length has cut off is zero bytes behind what was kept, so that lengths are true.
    pub(crate) frame: Frame,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capture {
    /// Its packets in their order.
    pub(crate) packets: Vec<Captured>,
    /// How many of them a snapshot length has cut.
    pub(crate) cut: usize,
}

const NANOSECONDS: u32 = 0xa1b2_3c4d;
const MICROSECONDS: u32 = 0xa1b2_c3d4;
const SECTION: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
const ETHERNET: u32 = 1;
const NS_PER_SECOND: u128 = 1_000_000_000;

/// Numbers in one of the two byte orders, taken off the front.
#[derive(Clone, Copy)]
struct Bytes<'b> {
    left: &'b [u8],
    big_endian: bool,
}

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, left) = self.left.split_at_checked(count)?;
        self.left = left;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        let bytes = *self.take(2)?.first_chunk::<2>()?;
        Some(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = *self.take(4)?.first_chunk::<4>()?;
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}

impl Capture {
    fn push(&mut self, time_ns: u64, bytes: &[u8], original: u32) {
        let missing = u32::try_from(bytes.len()).map_or(0, |kept| original.saturating_sub(kept));
        self.cut += usize::from(missing > 0);
        self.packets.push(Captured { time_ns, frame: Frame::new(bytes, missing) });
    }

    /// A problem in the record behind those that were read.
    fn problem(&self, what: &str) -> String {
        let read = self.packets.len();
        format!("record {}: {what}; {read} {} read", read + 1, if read == 1 { "was" } else { "were" })
    }
}

/// Reads a capture in either format.
pub(crate) fn read(bytes: &[u8]) -> Result<Capture, String> {
    let mut start = Bytes { left: bytes, big_endian: true };
    let Some(magic) = start.u32() else {
        return Err(format!("{} bytes are no capture", bytes.len()));
    };
    let swapped = magic.swap_bytes();
    match (magic, swapped) {
        (SECTION, _) => read_blocks(bytes),
        (MICROSECONDS | NANOSECONDS, _) => read_records(start, magic),
        (_, MICROSECONDS | NANOSECONDS) => read_records(Bytes { big_endian: false, ..start }, swapped),
        _ => Err(format!("neither pcap nor pcapng: it begins with {magic:08x}")),
    }
}

/// The records of a pcap file, behind its magic number.
fn read_records(mut bytes: Bytes<'_>, magic: u32) -> Result<Capture, String> {
    let mut capture = Capture::default();
    if bytes.take(20).is_none() {
        return Err("the file ends in its header".to_string());
    }
    let ns_per_unit = if magic == NANOSECONDS { 1 } else { 1_000 };
    while !bytes.left.is_empty() {
        let found = bytes.left.len();
        let header = (|| Some((bytes.u32()?, bytes.u32()?, bytes.u32()?, bytes.u32()?)))();
        let Some((seconds, fraction, kept, original)) = header else {
            return Err(
                capture.problem(&format!("the file ends after {found} of the 16 bytes of its header"))
            );
        };
        let found = bytes.left.len();
        let Some(data) = bytes.take(kept as usize) else {
            return Err(capture.problem(&format!("the file ends after {found} of its {kept} bytes")));
        };
        let time_ns = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * ns_per_unit;
        capture.push(time_ns, data, original);
    }
    Ok(capture)
}

/// An interface of a pcapng section.
struct Interface {
    snapshot_bytes: u32,
    units_per_second: u128,
    offset_seconds: i64,
}

impl Interface {
    fn time_ns(&self, units: u64) -> u64 {
        let ns = u128::from(units) * NS_PER_SECOND / self.units_per_second;
        let offset = i128::from(self.offset_seconds) * NS_PER_SECOND as i128;
        u64::try_from(ns as i128 + offset).unwrap_or(0)
    }
}

/// The blocks of a pcapng file.
fn read_blocks(bytes: &[u8]) -> Result<Capture, String> {
    let mut capture = Capture::default();
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut rest = Bytes { left: bytes, big_endian: false };
    while !rest.left.is_empty() {
        let at = bytes.len() - rest.left.len();
        let problem =
            |capture: &Capture, what: &str| Err(capture.problem(&format!("block at byte {at}: {what}")));
        if rest.left.starts_with(&SECTION.to_be_bytes()) {
            interfaces.clear();
            rest.big_endian = match rest.left.get(8..12) {
                Some(order) if order == BYTE_ORDER.to_be_bytes() => true,
                Some(order) if order == BYTE_ORDER.to_le_bytes() => false,
                Some(_) => return problem(&capture, "a section without a byte order"),
                None => return problem(&capture, "the file ends in it"),
            };
        }
        let header = (|| Some((rest.u32()?, rest.u32()?)))();
        let Some((kind, length)) = header else { return problem(&capture, "the file ends in it") };
        if length < 12 || !length.is_multiple_of(4) {
            return problem(&capture, &format!("{length} cannot be its length"));
        }
        let Some(body) = rest.take(length as usize - 12).filter(|_| rest.take(4).is_some()) else {
            return problem(&capture, "the file ends in it");
        };
        let body = Bytes { left: body, ..rest };
        if kind == INTERFACE {
            match interface(body) {
                Some(interface) => interfaces.push(interface),
                None => return problem(&capture, "a malformed interface"),
            }
        } else if let Err(what) = packet_block(kind, body, &interfaces, &mut capture) {
            return problem(&capture, what);
        }
    }
    Ok(capture)
}

/// A block that describes an interface.
fn interface(mut body: Bytes<'_>) -> Option<Interface> {
    let _link_type = body.u16()?;
    let _reserved = body.u16()?;
    let snapshot_bytes = body.u32()?;
    let mut made = Interface { snapshot_bytes, units_per_second: 1_000_000, offset_seconds: 0 };
    while let (Some(code), Some(length)) = (body.u16(), body.u16()) {
        let value = body.take(usize::from(length))?;
        // Values are padded to four bytes; those of the last one may be missing.
        let _padding = body.take(usize::from(length).next_multiple_of(4) - usize::from(length));
        match (code, value) {
            (0, _) => break,
            (9, [resolution, ..]) => {
                let exponent = u32::from(resolution & 0x7f);
                let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
                made.units_per_second = base.checked_pow(exponent)?;
            }
            (14, value) => {
                let bytes = *value.first_chunk::<8>()?;
                made.offset_seconds =
                    if body.big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) };
            }
            _ => {}
        }
    }
    Some(made)
}

fn packet_block(
    kind: u32,
    mut body: Bytes<'_>,
    interfaces: &[Interface],
    capture: &mut Capture,
) -> Result<(), &'static str> {
    const SHORT: &str = "a packet that is longer than its block";
    const NO_INTERFACE: &str = "a packet of an interface that is not described";
    if kind == SIMPLE_PACKET {
        let original = body.u32().ok_or(SHORT)?;
        let interface = interfaces.first().ok_or(NO_INTERFACE)?;
        let most = if interface.snapshot_bytes == 0 { u32::MAX } else { interface.snapshot_bytes };
        let data = body.take(original.min(most) as usize).ok_or(SHORT)?;
        // It has no time: it comes right behind the packet before it.
        let time_ns = capture.packets.last().map_or(0, |packet| packet.time_ns);
        capture.push(time_ns, data, original);
        return Ok(());
    }
    let interface = match kind {
        ENHANCED_PACKET => body.u32(),
        OLD_PACKET => body.u16().zip(body.u16()).map(|(interface, _drops)| u32::from(interface)),
        _ => return Ok(()),
    };
    let fields = (|| Some((body.u32()?, body.u32()?, body.u32()?, body.u32()?)))();
    let (high, low, kept, original) = fields.ok_or(SHORT)?;
    let data = body.take(kept as usize).ok_or(SHORT)?;
    let interface = interface.and_then(|at| interfaces.get(at as usize)).ok_or(NO_INTERFACE)?;
    capture.push(interface.time_ns(u64::from(high) << 32 | u64::from(low)), data, original);
    Ok(())
}

/// A pcap file with nanoseconds. Bytes that a snapshot length had cut off stay cut off.
pub(crate) fn write(packets: &[Captured]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut word = |value: u32| bytes.extend_from_slice(&value.to_le_bytes());
    // Version 2.4, no time zone, no accuracy, snapshot length, link type.
    for value in [NANOSECONDS, 4 << 16 | 2, 0, 0, 262_144, ETHERNET] {
        word(value);
    }
    for packet in packets {
        let length = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        let seconds = length(packet.time_ns / 1_000_000_000);
        let fraction = length(packet.time_ns % 1_000_000_000);
        let frame = &packet.frame;
        for value in [seconds, fraction, length(frame.head.len() as u64), length(frame.len())] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        bytes.extend_from_slice(&frame.head);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(big_endian: bool, fields: &[u32], data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in fields {
            bytes.extend(if big_endian { field.to_be_bytes() } else { field.to_le_bytes() });
        }
        bytes.extend_from_slice(data);
        bytes
    }

    fn pcap(big_endian: bool, magic: u32, fraction: u32) -> Vec<u8> {
        let mut bytes = record(big_endian, &[magic, 0, 0, 0, 65_535, 1], &[]);
        bytes.extend(record(big_endian, &[1, fraction, 3, 3], &[7, 8, 9]));
        bytes.extend(record(big_endian, &[2, 0, 1, 100], &[5]));
        bytes
    }

    #[test]
    fn both_byte_orders_and_resolutions() {
        let expected = Capture {
            packets: vec![
                Captured { time_ns: 1_000_005_000, frame: Frame::new(&[7, 8, 9], 0) },
                Captured { time_ns: 2_000_000_000, frame: Frame::new(&[5], 99) },
            ],
            cut: 1,
        };
        for big_endian in [true, false] {
            assert_eq!(read(&pcap(big_endian, MICROSECONDS, 5)), Ok(expected.clone()));
            assert_eq!(read(&pcap(big_endian, NANOSECONDS, 5_000)), Ok(expected.clone()));
        }
        assert_eq!(read(&write(&expected.packets)), Ok(expected));
    }

    #[test]
    fn a_file_that_ends_early_says_where() {
        let whole = pcap(false, MICROSECONDS, 5);
        let check = |length: usize, message: &str| {
            assert_eq!(read(&whole[..length]), Err(message.to_string()));
        };
        check(2, "2 bytes are no capture");
        check(20, "the file ends in its header");
        check(whole.len() - 1, "record 2: the file ends after 0 of its 1 bytes; 1 was read");
        check(30, "record 1: the file ends after 6 of the 16 bytes of its header; 0 were read");
        assert_eq!(read(b"hello"), Err("neither pcap nor pcapng: it begins with 68656c6c".to_string()));
    }

    fn block(big_endian: bool, kind: u32, body: &[u8]) -> Vec<u8> {
        let length = body.len() as u32 + 12;
        let mut bytes = record(big_endian, &[kind, length], body);
        bytes.extend(record(big_endian, &[length], &[]));
        bytes
    }

    #[test]
    fn sections_interfaces_and_packets_of_pcapng() {
        let mut file = Vec::new();
        for big_endian in [false, true] {
            let order = |value: u16| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
            file.extend(block(big_endian, SECTION, &record(big_endian, &[BYTE_ORDER, 1, 0, 0], &[])));
            // One interface counts microseconds, one nanoseconds.
            let mut plain = [order(1), order(0)].concat();
            plain.extend(record(big_endian, &[0], &[]));
            file.extend(block(big_endian, INTERFACE, &plain));
            let mut fine = plain.clone();
            fine.extend([order(9), order(1)].concat());
            fine.extend([9, 0, 0, 0]);
            fine.extend([order(0), order(0)].concat());
            file.extend(block(big_endian, INTERFACE, &fine));
            let unknown = block(big_endian, 0x0bad, &[1, 2, 3, 4]);
            file.extend(unknown);
            let packet = |interface, time| record(big_endian, &[interface, 0, time, 2, 2], &[1, 2, 0, 0]);
            file.extend(block(big_endian, ENHANCED_PACKET, &packet(0, 7)));
            file.extend(block(big_endian, ENHANCED_PACKET, &packet(1, 9_000)));
            file.extend(block(big_endian, SIMPLE_PACKET, &record(big_endian, &[1], &[3, 0, 0, 0])));
        }
        let capture = read(&file).expect("a good file");
        let found: Vec<(u64, &[u8])> =
            capture.packets.iter().map(|p| (p.time_ns, p.frame.head.as_slice())).collect();
        let once = [(7_000, &[1, 2][..]), (9_000, &[1, 2][..]), (9_000, &[3][..])];
        assert_eq!(found, [once, once].concat());
        let cut = read(&file[..file.len() - 5]).expect_err("the last block is cut");
        assert!(cut.starts_with("record 6: block at byte ") && cut.ends_with("5 were read"), "{cut}");
    }
}
