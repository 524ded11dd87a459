//! A question that the controller asks itself, as a packet.

use model::wire::polling::{POLLING_BYTES, Polling};
use model::wire::{ETHERTYPE_POLLING, Ethernet};

/// First byte of the source address of the controller's questions: a locally administered address (IEEE 802, clause 8).
const LOCALLY_ADMINISTERED: u8 = 0x02;

/// A question put into a switch, as if it had come by one of its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortQuestion {
    /// The port that it would have come by.
    pub port: u16,
    /// What is asked.
    pub polling: Polling,
}

impl PortQuestion {
    /// The packet for the switch's CPU port. Its Ethernet source address ends with the port, which is how the switch
    /// program learns of it.
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
