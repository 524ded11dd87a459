//! Priority-based flow control frames (IEEE 802.1Qbb, annex 31D of IEEE 802.3).
//!
//! | bytes | field |
//! |---|---|
//! | 6 | destination, `01:80:c2:00:00:01` |
//! | 6 | source |
//! | 2 | EtherType `0x8808` |
//! | 2 | opcode `0x0101` |
//! | 2 | class-enable vector: bit n means that time n is valid |
//! | 16 | eight times in quanta of 512 bit times; 0 resumes |
//! | 26 | padding to the minimum frame size |

use super::ETHERTYPE_MAC_CONTROL;
use super::frame::Frame;
use crate::units::{Rate, Time};

/// Destination of all MAC control frames; bridges never forward it.
pub const PFC_DESTINATION: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01];
/// Opcode of PFC among the MAC control frames.
pub const PFC_OPCODE: u16 = 0x0101;
/// Bit times in one quantum.
pub const QUANTUM_BITS: u64 = 512;
/// Bytes of the frame, frame check sequence not included.
pub const PFC_FRAME_BYTES: u32 = 60;
/// Bytes that carry information; the rest is padding.
const CONTENT_BYTES: usize = 34;

/// The content of a PFC frame: one entry for each priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pfc {
    /// Bit n: `quanta[n]` is valid.
    pub class_enable: u8,
    /// The pause of each priority in quanta; 0 resumes it.
    pub quanta: [u16; 8],
}

impl Pfc {
    /// Creates a frame for one priority. `quanta` 0 resumes it.
    pub fn single(priority: u8, quanta: u16) -> Pfc {
        let mut pfc = Pfc::default();
        pfc.set(priority, quanta);
        pfc
    }

    /// Sets the pause of one more priority.
    pub fn set(&mut self, priority: u8, quanta: u16) {
        let class = usize::from(priority & 7);
        self.class_enable |= 1 << class;
        self.quanta[class] = quanta;
    }

    /// Returns the enabled priorities with their quanta, ascending.
    pub fn classes(&self) -> impl Iterator<Item = (u8, u16)> {
        let Pfc { class_enable, quanta } = *self;
        (0..8u8).zip(quanta).filter(move |(class, _)| class_enable >> class & 1 == 1)
    }

    /// Returns the whole Ethernet frame, padded to the minimum size.
    pub fn to_frame(&self, source: [u8; 6]) -> Frame {
        Frame::new(&self.to_bytes(source), PFC_FRAME_BYTES - CONTENT_BYTES as u32)
    }

    /// Returns the frame's bytes without padding.
    pub fn to_bytes(&self, source: [u8; 6]) -> [u8; CONTENT_BYTES] {
        let mut bytes = [0; CONTENT_BYTES];
        bytes[..6].copy_from_slice(&PFC_DESTINATION);
        bytes[6..12].copy_from_slice(&source);
        bytes[12..14].copy_from_slice(&ETHERTYPE_MAC_CONTROL.to_be_bytes());
        bytes[14..16].copy_from_slice(&PFC_OPCODE.to_be_bytes());
        bytes[17] = self.class_enable;
        for (class, quanta) in self.quanta.iter().enumerate() {
            bytes[18 + 2 * class..20 + 2 * class].copy_from_slice(&quanta.to_be_bytes());
        }
        bytes
    }

    /// Reads an Ethernet frame; `None` if it is not a PFC frame or too short for one. The destination is not
    /// checked, because 802.3 also allows the port's own address.
    pub fn from_bytes(bytes: &[u8]) -> Option<Pfc> {
        let bytes: &[u8; CONTENT_BYTES] = bytes.get(..CONTENT_BYTES)?.try_into().ok()?;
        let u16_at = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        if u16_at(12) != ETHERTYPE_MAC_CONTROL || u16_at(14) != PFC_OPCODE {
            return None;
        }
        let quanta = std::array::from_fn(|class| u16_at(18 + 2 * class));
        Some(Pfc { class_enable: bytes[17], quanta })
    }
}

/// Returns the duration of `quanta` on a link of `rate`.
pub fn quanta_time(quanta: u16, rate: Rate) -> Time {
    rate.serialisation(u64::from(quanta) * QUANTUM_BITS / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_pause_at_100_gbps_is_335_us() {
        assert_eq!(quanta_time(u16::MAX, Rate::from_gbps(100)), Time(335_539_200));
    }

    #[test]
    fn a_frame_has_the_minimum_size() {
        assert_eq!(Pfc::single(3, 7).to_frame([2; 6]).len(), 60);
    }

    proptest! {
        #[test]
        fn bytes_round_trip(class_enable: u8, quanta: [u16; 8], source: [u8; 6]) {
            let pfc = Pfc { class_enable, quanta };
            prop_assert_eq!(Pfc::from_bytes(&pfc.to_bytes(source)), Some(pfc));
            prop_assert_eq!(pfc.classes().count(), class_enable.count_ones() as usize);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = Pfc::from_bytes(&bytes);
        }
    }
}
