//! Captures in the pcapng format (IETF draft-ietf-opsawg-pcapng): one section with one interface for each direction of
//! a link, timestamps in nanoseconds. The headers of a frame are captured; its true length is recorded as the original
//! length.

use std::borrow::Cow;
use std::io::Write;
use std::time::Duration;

use model::wire::Frame;
use model::{Rate, Time};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};

/// The snapshot length of interfaces.
const SNAP_BYTES: u32 = 262_144;
/// The option `if_tsresol`: timestamps count units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// An interface of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name, as tools show it.
    pub name: String,
    /// Its speed.
    pub rate: Rate,
}

/// A capture that is being written.
pub struct Capture<W: Write>(PcapNgWriter<W>);

impl<W: Write> Capture<W> {
    /// Begins a capture: writes the section header and the interfaces, which are numbered from 0.
    ///
    /// # Errors
    /// Errors of `writer`.
    pub fn new(writer: W, interfaces: &[Interface]) -> Result<Capture<W>, PcapError> {
        let application = format!("harrier {}", env!("CARGO_PKG_VERSION"));
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Owned(application))],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(writer, section)?;
        for interface in interfaces {
            writer.write_pcapng_block(InterfaceDescriptionBlock {
                linktype: DataLink::ETHERNET,
                snaplen: SNAP_BYTES,
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Borrowed(&interface.name)),
                    InterfaceDescriptionOption::IfSpeed(interface.rate.0),
                    InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                ],
            })?;
        }
        Ok(Capture(writer))
    }

    /// Writes a frame that was sent on an interface at `at`.
    ///
    /// # Errors
    /// Errors of the writer; an interface that does not exist.
    pub fn packet(&mut self, interface: u32, at: Time, frame: &Frame) -> Result<(), PcapError> {
        self.0.write_pcapng_block(EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(at.as_ns()),
            original_len: u32::try_from(frame.len()).unwrap_or(u32::MAX),
            data: Cow::Borrowed(&frame.head),
            options: Vec::new(),
        })?;
        Ok(())
    }

    /// The writer, for flushing it.
    pub fn get_mut(&mut self) -> &mut W {
        self.0.get_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_has_the_documented_bytes() {
        let mut bytes = Vec::new();
        let interfaces = [Interface { name: "a:1".into(), rate: Rate::from_gbps(100) }];
        let mut capture = Capture::new(&mut bytes, &interfaces).unwrap();
        capture.packet(0, Time::from_ns(5_000_000_001), &Frame::new(&[1, 2, 3], 100)).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (mut at, mut kinds) = (0, Vec::new());
        while at < bytes.len() {
            let length = word(at + 4) as usize;
            assert_eq!((length % 4, word(at + length - 4) as usize), (0, length));
            kinds.push(word(at));
            if word(at) == 6 {
                // Interface, timestamp (high, low), captured length, original length.
                let fields = [8, 12, 16, 20, 24].map(|field| word(at + field));
                assert_eq!(fields, [0, 1, 705_032_705, 3, 103]);
            }
            at += length;
        }
        assert_eq!(kinds, [0x0a0d_0d0a, 1, 6]);
    }
}
