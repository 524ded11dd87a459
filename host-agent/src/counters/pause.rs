//! Pause frames as the kernel reports them: the message `ETHTOOL_MSG_PAUSE_GET` with statistics, over generic netlink
//! (Linux kernel, Documentation/networking/ethtool-netlink.rst; numbers from `linux/ethtool_netlink.h`).

use super::records::PauseCounters;
use crate::netlink::{self, attribute, attributes, nested};

/// Name of the family of messages.
pub const FAMILY: &str = "ethtool";
/// Version of the family.
pub const VERSION: u8 = 1;
/// `ETHTOOL_MSG_PAUSE_GET`.
pub const PAUSE_GET: u8 = 21;

const HEADER_DEV_NAME: u16 = 2;
const HEADER_FLAGS: u16 = 3;
const FLAG_STATS: u32 = 1 << 2;
const PAUSE_HEADER: u16 = 1;
const PAUSE_STATS: u16 = 5;
const STAT_TX_FRAMES: u16 = 2;
const STAT_RX_FRAMES: u16 = 3;

/// Returns the attributes of the request for an interface.
pub fn request(interface: &str) -> Vec<u8> {
    let mut header = attribute(HEADER_DEV_NAME, format!("{interface}\0").as_bytes());
    header.extend(attribute(HEADER_FLAGS, &FLAG_STATS.to_ne_bytes()));
    nested(PAUSE_HEADER, &header)
}

/// Reads the attributes of the reply; `None` if the driver counts no pause frames.
pub fn reply(bytes: &[u8]) -> Option<PauseCounters> {
    let (_, statistics) = attributes(bytes).find(|(kind, _)| *kind == PAUSE_STATS)?;
    let mut found = PauseCounters::default();
    for (kind, value) in attributes(statistics) {
        match kind {
            STAT_TX_FRAMES => found.tx_frames = netlink::u64(value),
            STAT_RX_FRAMES => found.rx_frames = netlink::u64(value),
            _ => {}
        }
    }
    (found != PauseCounters::default()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_names_the_interface_and_wants_statistics() {
        let bytes = request("eth1");
        let (kind, header) = attributes(&bytes).next().unwrap();
        let found: Vec<(u16, &[u8])> = attributes(header).collect();
        assert_eq!((kind, found), (1, vec![(2, b"eth1\0".as_slice()), (3, &4u32.to_ne_bytes())]));
    }

    #[test]
    fn a_reply_without_statistics_is_no_record() {
        let mut bytes = nested(PAUSE_HEADER, &attribute(HEADER_DEV_NAME, b"eth1\0"));
        bytes.extend(attribute(2, &[1]));
        assert_eq!(reply(&bytes), None);
        let mut statistics = attribute(STAT_RX_FRAMES, &7u64.to_ne_bytes());
        statistics.extend(attribute(1, &[]));
        statistics.extend(attribute(STAT_TX_FRAMES, &u64::MAX.to_ne_bytes()));
        bytes.extend(nested(PAUSE_STATS, &statistics));
        assert_eq!(reply(&bytes), Some(PauseCounters { rx_frames: Some(7), tx_frames: Some(u64::MAX) }));
    }
}
