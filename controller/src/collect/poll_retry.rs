//! The packet by which the controller retries a polling packet.

use model::wire::polling::{POLLING_BYTES, Polling};
use model::wire::{ETHERTYPE_POLLING, Ethernet};

/// First byte of the source address of a retry: a locally administered address (IEEE 802, clause 8).
const LOCALLY_ADMINISTERED: u8 = 0x02;

/// A polling packet that the controller sends to a switch in place of a lost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollRetry {
    /// The ingress port of the lost packet.
    pub port: u16,
    /// The polling packet.
    pub polling: Polling,
}

/// Bytes of the program's header `packet_out`: its one field, the egress port.
const PACKET_OUT_BYTES: usize = 2;

impl PollRetry {
    /// Encodes the packet with the program's header `packet_out`, for drivers that are not a P4Runtime client: egress port
    /// 0, so that the switch processes the packet.
    pub fn to_cpu_bytes(&self) -> Vec<u8> {
        [vec![0; PACKET_OUT_BYTES], self.to_bytes()].concat()
    }

    /// Encodes the payload of the packet-out. The low bits of its Ethernet source address hold the ingress port.
    pub fn to_bytes(&self) -> Vec<u8> {
        let [high, low] = self.port.to_be_bytes();
        let src = [LOCALLY_ADMINISTERED, 0, 0, 0, high, low];
        let header = Ethernet { dst: [0xff; 6], src, ethertype: ETHERTYPE_POLLING };
        let mut bytes = Vec::with_capacity(14 + POLLING_BYTES);
        bytes.extend_from_slice(&header.to_bytes());
        bytes.extend_from_slice(&self.polling.to_bytes());
        bytes
    }
}
