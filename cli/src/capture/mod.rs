//! Packet captures: reads pcap and pcapng, writes pcap, a packet at a time.
//!
//! The formats are those of the `pcap-file` crate. This module adds the timestamp resolution and offset of pcapng
//! interfaces, which the crate does not apply, and reports the record at which a broken file becomes unreadable.

mod reader;
mod window;
mod writer;

use model::wire::Frame;

pub(crate) use reader::Reader;
pub(crate) use writer::Writer;

/// A packet of a capture that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet<'a> {
    /// Time since 1970.
    pub(crate) time_ns: u64,
    /// The bytes that were captured.
    pub(crate) bytes: &'a [u8],
    /// Number of bytes beyond the snapshot length.
    pub(crate) missing: u32,
    /// Position of `bytes` in the file.
    pub(crate) at: u64,
}

impl Packet<'_> {
    /// Returns the packet with its true length: missing bytes are zero.
    pub(crate) fn frame(&self) -> Frame {
        Frame::new(self.bytes, self.missing)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use pcap_file::pcapng::blocks::{
        ENHANCED_PACKET_BLOCK, PACKET_BLOCK, SECTION_HEADER_BLOCK, SIMPLE_PACKET_BLOCK,
    };

    use super::*;

    /// Returns a few bytes at a time, as a slow pipe does.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, target: &mut [u8]) -> std::io::Result<usize> {
            let most = target.len().min(3);
            self.0.read(&mut target[..most])
        }
    }

    /// Reads all packets: times and frames.
    fn read(bytes: &[u8]) -> Result<Vec<(u64, Frame)>, String> {
        let whole = packets(bytes, bytes);
        assert_eq!(packets(bytes, Slowly(bytes)), whole);
        whole
    }

    fn packets(bytes: &[u8], source: impl Read) -> Result<Vec<(u64, Frame)>, String> {
        let (mut reader, mut packets) = (Reader::new(source)?, Vec::new());
        while let Some(packet) = reader.next()? {
            assert_eq!(packet.bytes, &bytes[packet.at as usize..][..packet.bytes.len()]);
            packets.push((packet.time_ns, packet.frame()));
        }
        Ok(packets)
    }

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
        let expected =
            vec![(1_000_005_000, Frame::new(&[7, 8, 9], 0)), (2_000_000_000, Frame::new(&[5], 99))];
        for big_endian in [true, false] {
            assert_eq!(read(&pcap(big_endian, MICROSECONDS, 5)), Ok(expected.clone()));
            assert_eq!(read(&pcap(big_endian, NANOSECONDS, 5_000)), Ok(expected.clone()));
        }
        let mut writer = Writer::new(Vec::new()).unwrap();
        expected.iter().for_each(|(time_ns, frame)| writer.write(*time_ns, frame).unwrap());
        assert_eq!(read(&writer.into_inner()), Ok(expected));
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

    #[test]
    fn a_record_that_claims_too_much_is_refused_without_the_memory() {
        struct Endless;
        impl Read for Endless {
            fn read(&mut self, target: &mut [u8]) -> std::io::Result<usize> {
                target.fill(0);
                Ok(target.len())
            }
        }
        let mut start = record(false, &[MICROSECONDS, 0, 0, 0, 65_535, 1], &[]);
        start.extend(record(false, &[1, 0, u32::MAX, u32::MAX], &[]));
        let mut reader = Reader::new(start.chain(Endless)).expect("a header");
        assert_eq!(reader.next(), Err("record 1: it is longer than 16 MiB; 0 were read".to_string()));
        let mut start = block(false, SECTION, &record(false, &[BYTE_ORDER, 1, 0, 0], &[]));
        start.extend(record(false, &[ENHANCED_PACKET, u32::MAX - 3], &[]));
        let mut reader = Reader::new(start.chain(Endless)).expect("a header");
        let error = reader.next().expect_err("a block of 4 GiB");
        assert!(error.contains("longer than 16 MiB"), "{error}");
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
        let packets = read(&file).expect("a good file");
        let found: Vec<(u64, &[u8])> =
            packets.iter().map(|(time_ns, frame)| (*time_ns, frame.head.as_slice())).collect();
        let old = (1 << 32) + 5;
        let once = [(7_000, &[1, 2][..]), (9_000, &[1, 2][..]), (old, &[1, 2][..]), (old, &[3][..])];
        assert_eq!(found, [once, once].concat());
        let cut = read(&file[..file.len() - 5]).expect_err("the last block is cut");
        assert!(cut.starts_with("record 8: block at byte ") && cut.ends_with("7 were read"), "{cut}");
    }
}
