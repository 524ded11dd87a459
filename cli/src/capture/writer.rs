//! Writes captures.

use std::io::Write;

use model::wire::Frame;
use pcap_file::pcap::{PcapHeader, PcapWriter, RawPcapPacket};
use pcap_file::{Endianness, PcapError, TsResolution};

/// Writes a pcap file with nanoseconds. Truncated packets stay truncated.
pub(crate) struct Writer<W: Write>(PcapWriter<W>);

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// If `target` cannot be written.
    pub(crate) fn new(target: W) -> Result<Writer<W>, PcapError> {
        let header = PcapHeader {
            snaplen: 262_144,
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        Ok(Writer(PcapWriter::with_header(target, header)?))
    }

    /// Writes a packet. `time_ns` is the time since 1970.
    ///
    /// # Errors
    /// If the target cannot be written.
    pub(crate) fn write(&mut self, time_ns: u64, frame: &Frame) -> Result<(), PcapError> {
        let length = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        self.0.write_raw_packet(&RawPcapPacket {
            ts_sec: length(time_ns / 1_000_000_000),
            ts_frac: length(time_ns % 1_000_000_000),
            incl_len: length(frame.head.len() as u64),
            orig_len: length(frame.len()),
            data: frame.head.as_slice().into(),
        })?;
        Ok(())
    }

    /// Returns the target, which may hold bytes that are not written yet.
    pub(crate) fn into_inner(self) -> W {
        self.0.into_writer()
    }
}
