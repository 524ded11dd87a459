//! Reads the packets of a capture one after the other.

use std::io::Read;
use std::ops::Range;

use pcap_file::pcap::PcapParser;
use pcap_file::pcapng::blocks::SECTION_HEADER_BLOCK;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgParser};
use pcap_file::{Endianness, PcapError, TsResolution};

use super::Packet;
use super::window::Window;

const NS_PER_SECOND: u128 = 1_000_000_000;
/// Bytes of a pcap record before its data.
const PCAP_RECORD_HEADER: usize = 16;
/// Bytes of an enhanced packet block, and of the obsolete packet block, before their data.
const PACKET_BLOCK_HEADER: usize = 28;
/// Bytes of a simple packet block before its data.
const SIMPLE_BLOCK_HEADER: usize = 12;

/// Reads a capture in either format. Memory does not depend on the size of the file.
pub(crate) struct Reader<R> {
    window: Window<R>,
    format: Format,
    /// Number of packets that were read.
    read: u64,
    /// Time of the last packet.
    last_ns: u64,
}

enum Format {
    Pcap(PcapParser),
    PcapNg(Box<PcapNgParser>),
}

/// A packet in the bytes of the window.
struct Found {
    time_ns: u64,
    /// Its bytes, counted from the start of the window.
    data: Range<usize>,
    /// Its length on the wire.
    original: u32,
    /// Length of its record.
    record: usize,
}

impl<R: Read> Reader<R> {
    /// Reads the header of a capture.
    ///
    /// # Errors
    /// If the file cannot be read or is neither pcap nor pcapng.
    pub(crate) fn new(source: R) -> Result<Reader<R>, String> {
        let mut window = Window::new(source);
        while window.bytes().len() < PCAP_HEADER && more(&mut window)? {}
        let bytes = window.bytes();
        let Some(magic) = bytes.first_chunk::<4>().copied() else {
            return Err(format!("{} bytes are not a capture", bytes.len()));
        };
        if u32::from_be_bytes(magic) == SECTION_HEADER_BLOCK {
            return Reader::of_sections(window);
        }
        let (left, parser) = PcapParser::new(bytes).map_err(|error| match error {
            PcapError::IncompleteBuffer if bytes.len() < PCAP_HEADER && is_pcap(magic) => {
                "the file ends in its header".to_string()
            }
            _ => format!("neither pcap nor pcapng: it begins with {:08x}", u32::from_be_bytes(magic)),
        })?;
        let header = bytes.len() - left.len();
        window.consume(header);
        Ok(Reader { window, format: Format::Pcap(parser), read: 0, last_ns: 0 })
    }

    /// Reads the first section header of a pcapng file.
    fn of_sections(mut window: Window<R>) -> Result<Reader<R>, String> {
        let (header, parser) = loop {
            let length = window.bytes().len();
            match PcapNgParser::new(window.bytes()).map(|(left, parser)| (length - left.len(), parser)) {
                Ok(found) => break found,
                Err(PcapError::IncompleteBuffer) if more(&mut window)? => {}
                Err(error) => return Err(problem(0, &describe(window.at(), error))),
            }
        };
        window.consume(header);
        Ok(Reader { window, format: Format::PcapNg(Box::new(parser)), read: 0, last_ns: 0 })
    }

    /// Reads the next packet; `None` at the end of the file. Blocks of pcapng other than sections, interfaces and
    /// packets are skipped.
    ///
    /// # Errors
    /// If the file cannot be read, ends in a record, or has a record that is malformed or longer than
    /// [`Window::LIMIT`]. The error has the number of the record.
    pub(crate) fn next(&mut self) -> Result<Option<Packet<'_>>, String> {
        let found = match &mut self.format {
            Format::Pcap(parser) => next_record(&mut self.window, parser),
            Format::PcapNg(parser) => next_block(&mut self.window, parser, self.last_ns),
        };
        let Some(found) = found.map_err(|what| problem(self.read, &what))? else { return Ok(None) };
        self.read += 1;
        self.last_ns = found.time_ns;
        let at = self.window.at() + found.data.start as u64;
        let record = self.window.consume(found.record);
        let bytes = record.get(found.data).unwrap_or_default();
        let missing = u32::try_from(bytes.len()).map_or(0, |kept| found.original.saturating_sub(kept));
        Ok(Some(Packet { time_ns: found.time_ns, bytes, missing, at }))
    }
}

/// Bytes of the header of a pcap file.
const PCAP_HEADER: usize = 24;

/// Reads more of the file; returns false at its end and at the limit.
fn more<R: Read>(window: &mut Window<R>) -> Result<bool, String> {
    window.more().map_err(|error| format!("cannot be read: {error}"))
}

/// A problem in the record after those that were read.
fn problem(read: u64, what: &str) -> String {
    format!("record {}: {what}; {read} {} read", read + 1, if read == 1 { "was" } else { "were" })
}

/// A problem of a pcapng block.
fn describe(at: u64, error: PcapError) -> String {
    let what = match error {
        PcapError::IncompleteBuffer => "the file ends in it".to_string(),
        error => error.to_string(),
    };
    format!("block at byte {at}: {what}")
}

/// Whether this is the magic number of pcap, in either byte order and resolution.
fn is_pcap(magic: [u8; 4]) -> bool {
    [0xa1b2_c3d4_u32, 0xa1b2_3c4d]
        .iter()
        .any(|known| magic == known.to_be_bytes() || magic == known.to_le_bytes())
}

/// Finds the next record of a pcap file.
fn next_record<R: Read>(window: &mut Window<R>, parser: &PcapParser) -> Result<Option<Found>, String> {
    let ns_per_unit = match parser.header().ts_resolution {
        TsResolution::NanoSecond => 1,
        TsResolution::MicroSecond => 1_000,
    };
    loop {
        let bytes = window.bytes();
        if let Ok((rest, packet)) = parser.next_raw_packet(bytes) {
            return Ok(Some(Found {
                time_ns: u64::from(packet.ts_sec) * 1_000_000_000 + u64::from(packet.ts_frac) * ns_per_unit,
                data: PCAP_RECORD_HEADER..PCAP_RECORD_HEADER + packet.data.len(),
                original: packet.orig_len,
                record: bytes.len() - rest.len(),
            }));
        }
        if !more(window)? {
            return match window.bytes().len() {
                0 => Ok(None),
                _ if window.is_full() => Err(too_long()),
                found => Err(match found.checked_sub(PCAP_RECORD_HEADER) {
                    None => format!("the file ends after {found} of the 16 bytes of its header"),
                    Some(found) => format!("the file ends after {found} bytes of its data"),
                }),
            };
        }
    }
}

fn too_long() -> String {
    format!("it is longer than {} MiB", Window::<()>::LIMIT >> 20)
}

/// Finds the next packet of a pcapng file. `last_ns` is the time of the packet before it.
fn next_block<R: Read>(
    window: &mut Window<R>,
    parser: &mut PcapNgParser,
    last_ns: u64,
) -> Result<Option<Found>, String> {
    loop {
        if window.bytes().is_empty() && !more(window)? {
            return Ok(None);
        }
        let (at, bytes) = (window.at(), window.bytes());
        // A block that fails changes nothing in the parser, so it can be read again when more bytes are there.
        let found = parser
            .next_block(bytes)
            .map(|(rest, block)| (block, bytes.len() - rest.len()))
            .and_then(|(block, length)| Ok((packet(&block, parser, last_ns)?, length)));
        let found = match found {
            Err(PcapError::IncompleteBuffer) if more(window)? => continue,
            Err(PcapError::IncompleteBuffer) if window.is_full() => Err(too_long_block()),
            found => found,
        };
        match found.map_err(|error| describe(at, error))? {
            (Some(found), record) => return Ok(Some(Found { record, ..found })),
            (None, skipped) => _ = window.consume(skipped),
        }
    }
}

fn too_long_block() -> PcapError {
    PcapError::InvalidField("Block: longer than 16 MiB")
}

/// Returns the packet of a block, if it has one.
fn packet(block: &Block<'_>, parser: &PcapNgParser, last_ns: u64) -> Result<Option<Found>, PcapError> {
    let interface = |id: u32| parser.interfaces().get(id as usize).ok_or(PcapError::InvalidInterfaceId(id));
    let found = |time_ns, header: usize, length: usize, original| {
        Some(Found { time_ns, data: header..header + length, original, record: 0 })
    };
    Ok(match block {
        Block::EnhancedPacket(packet) => {
            // The parser returns the timestamp in units of the interface, as if they were nanoseconds.
            let units = u64::try_from(packet.timestamp.as_nanos()).unwrap_or(u64::MAX);
            let time_ns = time_ns(interface(packet.interface_id)?, units);
            found(time_ns, PACKET_BLOCK_HEADER, packet.data.len(), packet.original_len)
        }
        Block::SimplePacket(packet) => {
            let most = match interface(0)?.snaplen {
                0 => packet.original_len,
                most => packet.original_len.min(most),
            } as usize;
            if most > packet.data.len() {
                return Err(PcapError::InvalidField("SimplePacketBlock: packet longer than its block"));
            }
            // This block has no timestamp: it gets that of the packet before it.
            found(last_ns, SIMPLE_BLOCK_HEADER, most, packet.original_len)
        }
        Block::Packet(packet) => {
            // The parser reads the two halves of the timestamp, high before low, as one number in the section's byte
            // order.
            let units = match parser.section().endianness {
                Endianness::Big => packet.timestamp,
                Endianness::Little => packet.timestamp.rotate_left(32),
            };
            let time_ns = time_ns(interface(u32::from(packet.interface_id))?, units);
            found(time_ns, PACKET_BLOCK_HEADER, packet.data.len(), packet.original_len)
        }
        _ => None,
    })
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
