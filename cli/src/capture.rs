//! Packet captures: reads pcap and pcapng, writes pcap.
//!
//! The formats are those of the `pcap-file` crate. This module adds the timestamp resolution and offset of pcapng
//! interfaces, which the crate does not apply, and reports the record at which a broken file becomes unreadable.

use model::wire::Frame;
use pcap_file::pcap::{PcapHeader, PcapParser, PcapWriter, RawPcapPacket};
use pcap_file::pcapng::blocks::SECTION_HEADER_BLOCK;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgParser};
use pcap_file::{Endianness, PcapError, TsResolution};

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Captured {
    /// Time since 1970.
    pub(crate) time_ns: u64,
    /// The packet. Bytes beyond the snapshot length are replaced by zeros, so that the frame has its true length.
    pub(crate) frame: Frame,
}

/// The contents of a capture file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capture {
    /// The packets in file order.
    pub(crate) packets: Vec<Captured>,
    /// Number of packets that were truncated to the snapshot length.
    pub(crate) cut: usize,
}

const NS_PER_SECOND: u128 = 1_000_000_000;

impl Capture {
    fn push(&mut self, time_ns: u64, bytes: &[u8], original: u32) {
        let missing = u32::try_from(bytes.len()).map_or(0, |kept| original.saturating_sub(kept));
        self.cut += usize::from(missing > 0);
        self.packets.push(Captured { time_ns, frame: Frame::new(bytes, missing) });
    }

    /// A problem in the record after those that were read.
    fn problem(&self, what: &str) -> String {
        let read = self.packets.len();
        format!("record {}: {what}; {read} {} read", read + 1, if read == 1 { "was" } else { "were" })
    }
}

/// Reads a capture in either format.
pub(crate) fn read(bytes: &[u8]) -> Result<Capture, String> {
    let Some(magic) = bytes.first_chunk::<4>() else {
        return Err(format!("{} bytes are not a capture", bytes.len()));
    };
    if u32::from_be_bytes(*magic) == SECTION_HEADER_BLOCK {
        return read_pcapng(bytes);
    }
    match PcapParser::new(bytes) {
        Ok((records, parser)) => read_pcap(records, &parser),
        Err(PcapError::IncompleteBuffer) if bytes.len() < 24 && is_pcap(*magic) => {
            Err("the file ends in its header".to_string())
        }
        Err(_) => Err(format!("neither pcap nor pcapng: it begins with {:08x}", u32::from_be_bytes(*magic))),
    }
}

/// Whether this is the magic number of pcap, in either byte order and resolution.
fn is_pcap(magic: [u8; 4]) -> bool {
    [0xa1b2_c3d4_u32, 0xa1b2_3c4d]
        .iter()
        .any(|known| magic == known.to_be_bytes() || magic == known.to_le_bytes())
}

/// Reads the records of a pcap file.
fn read_pcap(mut records: &[u8], parser: &PcapParser) -> Result<Capture, String> {
    let mut capture = Capture::default();
    let ns_per_unit = match parser.header().ts_resolution {
        TsResolution::NanoSecond => 1,
        TsResolution::MicroSecond => 1_000,
    };
    while !records.is_empty() {
        let Ok((rest, packet)) = parser.next_raw_packet(records) else {
            let what = match records.len().checked_sub(16) {
                None => format!("the file ends after {} of the 16 bytes of its header", records.len()),
                Some(found) => format!("the file ends after {found} bytes of its data"),
            };
            return Err(capture.problem(&what));
        };
        let time_ns = u64::from(packet.ts_sec) * 1_000_000_000 + u64::from(packet.ts_frac) * ns_per_unit;
        capture.push(time_ns, &packet.data, packet.orig_len);
        records = rest;
    }
    Ok(capture)
}

/// Reads the blocks of a pcapng file. Blocks other than sections, interfaces and packets are skipped.
fn read_pcapng(bytes: &[u8]) -> Result<Capture, String> {
    let mut capture = Capture::default();
    let describe = |capture: &Capture, left: &[u8], error: PcapError| {
        let what = match error {
            PcapError::IncompleteBuffer => "the file ends in it".to_string(),
            error => error.to_string(),
        };
        capture.problem(&format!("block at byte {}: {what}", bytes.len() - left.len()))
    };
    let (mut left, mut parser) =
        PcapNgParser::new(bytes).map_err(|error| describe(&capture, bytes, error))?;
    while !left.is_empty() {
        let (rest, block) = parser.next_block(left).map_err(|error| describe(&capture, left, error))?;
        read_packet(block, &parser, &mut capture).map_err(|error| describe(&capture, left, error))?;
        left = rest;
    }
    Ok(capture)
}

/// Adds the packet of a block, if it has one, to the capture.
fn read_packet(block: Block<'_>, parser: &PcapNgParser, capture: &mut Capture) -> Result<(), PcapError> {
    let interface = |id: u32| parser.interfaces().get(id as usize).ok_or(PcapError::InvalidInterfaceId(id));
    match block {
        Block::EnhancedPacket(packet) => {
            // The parser returns the timestamp in units of the interface, as if they were nanoseconds.
            let units = u64::try_from(packet.timestamp.as_nanos()).unwrap_or(u64::MAX);
            let time_ns = time_ns(interface(packet.interface_id)?, units);
            capture.push(time_ns, &packet.data, packet.original_len);
        }
        Block::SimplePacket(packet) => {
            let most = match interface(0)?.snaplen {
                0 => packet.original_len,
                most => packet.original_len.min(most),
            };
            let data = packet.data.get(..most as usize);
            let data =
                data.ok_or(PcapError::InvalidField("SimplePacketBlock: packet longer than its block"))?;
            // This block has no timestamp: it gets that of the packet before it.
            let time_ns = capture.packets.last().map_or(0, |packet| packet.time_ns);
            capture.push(time_ns, data, packet.original_len);
        }
        Block::Packet(packet) => {
            // The parser reads the two halves of the timestamp, high before low, as one number in the section's byte
            // order.
            let units = match parser.section().endianness {
                Endianness::Big => packet.timestamp,
                Endianness::Little => packet.timestamp.rotate_left(32),
            };
            let time_ns = time_ns(interface(u32::from(packet.interface_id))?, units);
            capture.push(time_ns, &packet.data, packet.original_len);
        }
        _ => {}
    }
    Ok(())
}

/// Converts a timestamp of an interface, by its `if_tsresol` (default: microseconds) and `if_tsoffset`.
fn time_ns(interface: &InterfaceDescriptionBlock<'_>, units: u64) -> u64 {
    let (mut units_per_second, mut offset_seconds) = (1_000_000, 0);
    for option in &interface.options {
        match option {
            InterfaceDescriptionOption::IfTsResol(resolution) => {
                let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
                units_per_second = base.checked_pow(u32::from(resolution & 0x7f)).unwrap_or(u128::MAX);
            }
            InterfaceDescriptionOption::IfTsOffset(seconds) => offset_seconds = *seconds as i64,
            _ => {}
        }
    }
    let ns = u128::from(units) * NS_PER_SECOND / units_per_second;
    u64::try_from(ns as i128 + i128::from(offset_seconds) * NS_PER_SECOND as i128).unwrap_or(0)
}

/// Writes a pcap file with nanoseconds. Truncated packets stay truncated.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub(crate) fn write(packets: &[Captured]) -> Result<Vec<u8>, PcapError> {
    let header = PcapHeader {
        snaplen: 262_144,
        ts_resolution: TsResolution::NanoSecond,
        endianness: Endianness::Little,
        ..PcapHeader::default()
    };
    let mut writer = PcapWriter::with_header(Vec::new(), header)?;
    for packet in packets {
        let length = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        let frame = &packet.frame;
        writer.write_raw_packet(&RawPcapPacket {
            ts_sec: length(packet.time_ns / 1_000_000_000),
            ts_frac: length(packet.time_ns % 1_000_000_000),
            incl_len: length(frame.head.len() as u64),
            orig_len: length(frame.len()),
            data: frame.head.as_slice().into(),
        })?;
    }
    Ok(writer.into_writer())
}

#[cfg(test)]
mod tests {
    use pcap_file::pcapng::blocks::{ENHANCED_PACKET_BLOCK, PACKET_BLOCK, SIMPLE_PACKET_BLOCK};

    use super::*;

    const NANOSECONDS: u32 = 0xa1b2_3c4d;
    const MICROSECONDS: u32 = 0xa1b2_c3d4;
    const SECTION: u32 = SECTION_HEADER_BLOCK;
    const BYTE_ORDER: u32 = 0x1a2b_3c4d;
    const INTERFACE: u32 = 1;
    const SIMPLE_PACKET: u32 = SIMPLE_PACKET_BLOCK;
    const ENHANCED_PACKET: u32 = ENHANCED_PACKET_BLOCK;

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
    fn pcap_in_both_byte_orders_and_resolutions_is_read() {
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
        assert_eq!(read(&write(&expected.packets).unwrap()), Ok(expected));
    }

    #[test]
    fn a_truncated_file_is_reported_with_the_record() {
        let whole = pcap(false, MICROSECONDS, 5);
        let check = |length: usize, message: &str| {
            assert_eq!(read(&whole[..length]), Err(message.to_string()));
        };
        check(2, "2 bytes are not a capture");
        check(20, "the file ends in its header");
        check(whole.len() - 1, "record 2: the file ends after 0 bytes of its data; 1 was read");
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
    fn pcapng_with_several_sections_and_interfaces_is_read() {
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
            // An obsolete packet block: interface 1, no drops, time 2^32 + 5.
            let mut obsolete = [order(1), order(0)].concat();
            obsolete.extend(record(big_endian, &[1, 5, 2, 2], &[1, 2, 0, 0]));
            file.extend(block(big_endian, PACKET_BLOCK, &obsolete));
            file.extend(block(big_endian, SIMPLE_PACKET, &record(big_endian, &[1], &[3, 0, 0, 0])));
        }
        let capture = read(&file).expect("a good file");
        let found: Vec<(u64, &[u8])> =
            capture.packets.iter().map(|p| (p.time_ns, p.frame.head.as_slice())).collect();
        let old = (1 << 32) + 5;
        let once = [(7_000, &[1, 2][..]), (9_000, &[1, 2][..]), (old, &[1, 2][..]), (old, &[3][..])];
        assert_eq!(found, [once, once].concat());
        let cut = read(&file[..file.len() - 5]).expect_err("the last block is cut");
        assert!(cut.starts_with("record 8: block at byte ") && cut.ends_with("7 were read"), "{cut}");
    }
}
