//! The congestion notification packet of RoCEv2 (InfiniBand annex A17.9): a BTH with the BECN bit, then 16
//! reserved bytes. The receiver of marked packets sends it to their sender.

use super::bth::{self, BTH_BYTES, Bth};

/// Bytes of BTH and reserved part.
pub const CNP_BYTES: usize = BTH_BYTES + 16;

/// A notification for one queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cnp {
    /// The sender's queue pair, 24 bits.
    pub queue_pair: u32,
    /// Partition key.
    pub partition: u16,
}

impl Cnp {
    /// Returns the bytes from the BTH on.
    pub fn to_bytes(&self) -> [u8; CNP_BYTES] {
        let header = Bth {
            opcode: bth::CNP,
            becn: true,
            queue_pair: self.queue_pair,
            partition: self.partition,
            ..Bth::default()
        };
        let mut bytes = [0; CNP_BYTES];
        bytes[..BTH_BYTES].copy_from_slice(&header.to_bytes());
        bytes
    }

    /// Reads a packet from its BTH on; `None` if it is too short or something else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Cnp> {
        let header = Bth::from_bytes(bytes.get(..CNP_BYTES)?)?;
        (header.opcode == bth::CNP)
            .then_some(Cnp { queue_pair: header.queue_pair, partition: header.partition })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(queue_pair in 0..1u32 << 24, partition: u16) {
            let cnp = Cnp { queue_pair, partition };
            prop_assert_eq!(Cnp::from_bytes(&cnp.to_bytes()), Some(cnp));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = Cnp::from_bytes(&bytes);
        }
    }
}
