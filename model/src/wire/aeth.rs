//! InfiniBand's acknowledge extended transport header (InfiniBand Architecture Specification, volume 1,
//! section 9.2.5 and table 42). It follows the BTH of an acknowledgement.

/// Bytes of the header.
pub const AETH_BYTES: usize = 4;
/// Syndrome of an acknowledgement without credits.
pub const ACKNOWLEDGE: u8 = 0x1f;
/// Syndrome of a NAK for a missing sequence number.
pub const NAK_SEQUENCE: u8 = 0x60;

/// The header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aeth {
    /// Positive, negative or receiver-not-ready, with its parameter.
    pub syndrome: u8,
    /// Message sequence number, 24 bits.
    pub msn: u32,
}

impl Aeth {
    /// Returns the header's bytes.
    pub fn to_bytes(&self) -> [u8; AETH_BYTES] {
        (u32::from(self.syndrome) << 24 | self.msn & 0xff_ffff).to_be_bytes()
    }

    /// Reads a header; `None` if it is too short.
    pub fn from_bytes(bytes: &[u8]) -> Option<Aeth> {
        let word = u32::from_be_bytes(*bytes.first_chunk::<AETH_BYTES>()?);
        Some(Aeth { syndrome: (word >> 24) as u8, msn: word & 0xff_ffff })
    }

    /// Whether it is a NAK.
    pub fn is_nak(&self) -> bool {
        self.syndrome >> 5 == 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: [u8; AETH_BYTES]) {
            prop_assert_eq!(Aeth::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        }
    }

    #[test]
    fn a_sequence_error_is_a_nak() {
        assert!(Aeth { syndrome: NAK_SEQUENCE, msn: 0 }.is_nak());
        assert!(!Aeth { syndrome: ACKNOWLEDGE, msn: 0 }.is_nak());
    }
}
