//! Wire formats, one file for each protocol.
//!
//! Each header has a fixed layout that is read into a value and written from one; readers check only the layout.
//! [`Frame`] is a packet in the fabric.

pub mod aeth;
pub mod bth;
pub mod cnp;
pub mod ethernet;
pub mod frame;
pub mod ipv4;
pub mod ipv6;
pub mod lldp;
pub mod pfc;
pub mod polling;
pub mod udp;
pub mod vlan;

pub use aeth::Aeth;
pub use bth::Bth;
pub use cnp::Cnp;
pub use ethernet::Ethernet;
pub use frame::Frame;
pub use ipv4::Ipv4;
pub use ipv6::Ipv6;
pub use lldp::Lldp;
pub use pfc::Pfc;
pub use udp::Udp;
pub use vlan::Vlan;

/// EtherType of IPv4 (IANA).
pub const ETHERTYPE_IPV4: u16 = 0x0800;
/// EtherType of IPv6 (IANA).
pub const ETHERTYPE_IPV6: u16 = 0x86dd;
/// EtherType of a VLAN tag (IEEE 802.1Q).
pub const ETHERTYPE_VLAN: u16 = 0x8100;
/// EtherType of MAC control frames, PFC among them (IEEE 802.3 clause 31).
pub const ETHERTYPE_MAC_CONTROL: u16 = 0x8808;
/// EtherType of Harrier's polling packets: local experimental EtherType 1 (IEEE 802).
pub const ETHERTYPE_POLLING: u16 = 0x88b5;
/// UDP destination port of RoCEv2 (InfiniBand annex A17).
pub const ROCE_V2_PORT: u16 = 4791;
