//! InfiniBand's base transport header, as carried by RoCEv2 (InfiniBand Architecture Specification, volume 1,
//! section 9.2, and annex A17).

/// Bytes of the header.
pub const BTH_BYTES: usize = 12;

/// Reliable connection, SEND first.
pub const RC_SEND_FIRST: u8 = 0x00;
/// Reliable connection, SEND middle.
pub const RC_SEND_MIDDLE: u8 = 0x01;
/// Reliable connection, SEND last.
pub const RC_SEND_LAST: u8 = 0x02;
/// Reliable connection, SEND only.
pub const RC_SEND_ONLY: u8 = 0x04;
/// Reliable connection, RDMA WRITE first.
pub const RC_WRITE_FIRST: u8 = 0x06;
/// Reliable connection, RDMA WRITE middle.
pub const RC_WRITE_MIDDLE: u8 = 0x07;
/// Reliable connection, RDMA WRITE last.
pub const RC_WRITE_LAST: u8 = 0x08;
/// Reliable connection, RDMA WRITE only.
pub const RC_WRITE_ONLY: u8 = 0x0a;
/// Reliable connection, RDMA READ request.
pub const RC_READ_REQUEST: u8 = 0x0c;
/// Reliable connection, RDMA READ response first.
pub const RC_READ_RESPONSE_FIRST: u8 = 0x0d;
/// Reliable connection, RDMA READ response middle.
pub const RC_READ_RESPONSE_MIDDLE: u8 = 0x0e;
/// Reliable connection, RDMA READ response last.
pub const RC_READ_RESPONSE_LAST: u8 = 0x0f;
/// Reliable connection, RDMA READ response only.
pub const RC_READ_RESPONSE_ONLY: u8 = 0x10;
/// Reliable connection, acknowledge.
pub const RC_ACKNOWLEDGE: u8 = 0x11;
/// Congestion notification packet (annex A17.9).
pub const CNP: u8 = 0x81;

/// Mask of a packet sequence number.
pub const PSN_MASK: u32 = 0xff_ffff;

/// The header. Numbers wider than their fields are cut off when it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bth {
    /// Operation code.
    pub opcode: u8,
    /// Solicited event.
    pub solicited: bool,
    /// Migration state.
    pub migrated: bool,
    /// Pad count, 2 bits.
    pub pad: u8,
    /// Transport header version, 4 bits.
    pub version: u8,
    /// Partition key.
    pub partition: u16,
    /// Forward explicit congestion notification.
    pub fecn: bool,
    /// Backward explicit congestion notification.
    pub becn: bool,
    /// Destination queue pair, 24 bits.
    pub queue_pair: u32,
    /// Whether the packet requests an acknowledgement.
    pub ack_request: bool,
    /// Packet sequence number, 24 bits.
    pub psn: u32,
}

impl Bth {
    /// Returns the header's bytes. Reserved bits are zero.
    pub fn to_bytes(&self) -> [u8; BTH_BYTES] {
        let [p0, p1] = self.partition.to_be_bytes();
        let [_, q0, q1, q2] = self.queue_pair.to_be_bytes();
        let [_, n0, n1, n2] = self.psn.to_be_bytes();
        let flags = u8::from(self.solicited) << 7
            | u8::from(self.migrated) << 6
            | (self.pad & 3) << 4
            | self.version & 0xf;
        let congestion = u8::from(self.fecn) << 7 | u8::from(self.becn) << 6;
        [self.opcode, flags, p0, p1, congestion, q0, q1, q2, u8::from(self.ack_request) << 7, n0, n1, n2]
    }

    /// Reads a header; `None` if it is too short. Reserved bits are ignored.
    pub fn from_bytes(bytes: &[u8]) -> Option<Bth> {
        let [opcode, flags, p0, p1, congestion, q0, q1, q2, ack, n0, n1, n2] =
            *bytes.first_chunk::<BTH_BYTES>()?;
        Some(Bth {
            opcode,
            solicited: flags >> 7 == 1,
            migrated: flags >> 6 & 1 == 1,
            pad: flags >> 4 & 3,
            version: flags & 0xf,
            partition: u16::from_be_bytes([p0, p1]),
            fecn: congestion >> 7 == 1,
            becn: congestion >> 6 & 1 == 1,
            queue_pair: u32::from_be_bytes([0, q0, q1, q2]),
            ack_request: ack >> 7 == 1,
            psn: u32::from_be_bytes([0, n0, n1, n2]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: [u8; BTH_BYTES]) {
            let mut bytes = bytes;
            bytes[4] &= 0xc0;
            bytes[8] &= 0x80;
            prop_assert_eq!(Bth::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            prop_assert_eq!(Bth::from_bytes(&bytes).is_some(), bytes.len() >= BTH_BYTES);
        }
    }
}
