//! The VLAN tag (IEEE 802.1Q, clause 9.6), after EtherType `0x8100`.

/// Bytes of the tag after its EtherType.
pub const VLAN_BYTES: usize = 4;

/// Tag control information and the EtherType of the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vlan {
    /// Priority code point, 3 bits.
    pub priority: u8,
    /// Drop eligible indicator.
    pub drop_eligible: bool,
    /// VLAN identifier, 12 bits.
    pub id: u16,
    /// EtherType of the payload.
    pub ethertype: u16,
}

impl Vlan {
    /// Returns the tag's bytes; excess bits of priority and identifier are cut off.
    pub fn to_bytes(&self) -> [u8; VLAN_BYTES] {
        let control =
            u16::from(self.priority & 7) << 13 | u16::from(self.drop_eligible) << 12 | self.id & 0xfff;
        let ([c0, c1], [t0, t1]) = (control.to_be_bytes(), self.ethertype.to_be_bytes());
        [c0, c1, t0, t1]
    }

    /// Reads a tag; `None` if it is too short.
    pub fn from_bytes(bytes: &[u8]) -> Option<Vlan> {
        let [c0, c1, t0, t1] = *bytes.first_chunk::<VLAN_BYTES>()?;
        let control = u16::from_be_bytes([c0, c1]);
        Some(Vlan {
            priority: (control >> 13) as u8,
            drop_eligible: control >> 12 & 1 == 1,
            id: control & 0xfff,
            ethertype: u16::from_be_bytes([t0, t1]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: [u8; VLAN_BYTES]) {
            prop_assert_eq!(Vlan::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            prop_assert_eq!(Vlan::from_bytes(&bytes).is_some(), bytes.len() >= VLAN_BYTES);
        }
    }
}
