//! What headroom no arithmetic can do without, whatever the ASIC.

use super::{SPEED_IN_CABLE, pause_quanta};

/// Of the defined pause quanta the largest, for speeds that have none.
const LARGEST_QUANTA: u32 = 905;

/// How much is assumed about the far end; each contains the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Floor {
    /// What is on the cable, there and back: below it nothing can save the packets.
    Wire,
    /// And what the peer sends before it reacts (IEEE 802.3 31B.3.7), and one lossless frame it had begun.
    Standard,
    /// And one frame of ours that the pause had to wait for.
    WithPortMtu,
    /// And a second one in the peer's transmitter.
    WithTwoMtu,
}

/// Bytes on a cable there and back.
pub fn wire_bytes(speed_mbps: u32, cable_m: f64) -> f64 {
    2.0 * cable_m * f64::from(speed_mbps) * 1e6 / (8.0 * SPEED_IN_CABLE)
}

/// The least headroom in bytes under an assumption. A speed without defined quanta counts with the largest defined.
pub fn floor_bytes(floor: Floor, speed_mbps: u32, cable_m: f64, port_mtu: u32, lossless_mtu: u32) -> u64 {
    let wire = wire_bytes(speed_mbps, cable_m);
    let response = f64::from(pause_quanta(speed_mbps).unwrap_or(LARGEST_QUANTA)) * 64.0;
    let standard = response + f64::from(lossless_mtu);
    let extra = match floor {
        Floor::Wire => 0.0,
        Floor::Standard => standard,
        Floor::WithPortMtu => standard + f64::from(port_mtu),
        Floor::WithTwoMtu => standard + 2.0 * f64::from(port_mtu),
    };
    (wire + extra).ceil() as u64
}

/// Picoseconds that a metre of cable takes: 1 / (198,000 km/s), as SONiC's arithmetic has it.
pub const CABLE_PS_PER_METRE: u64 = 5_050;

/// A link, and the switch that must not drop what comes over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Mbit/s.
    pub speed_mbps: u32,
    /// Metres.
    pub cable_m: u32,
    /// The largest frame that the port sends, bytes.
    pub port_mtu: u32,
    /// The largest lossless frame, bytes.
    pub lossless_mtu: u32,
    /// Bytes of a buffer cell; 1 where it is not known.
    pub cell_bytes: u32,
}

/// Picoseconds that bytes take on the wire, rounded up.
fn wire_ps(bytes: u64, speed_mbps: u32) -> u64 {
    (u128::from(bytes) * 8_000_000).div_ceil(u128::from(speed_mbps.max(1))) as u64
}

/// Picoseconds that a peer may take to react (IEEE 802.3 31B.3.7); those of the largest defined quanta for a speed that
/// has none.
pub fn response_ps(speed_mbps: u32) -> u64 {
    wire_ps(u64::from(pause_quanta(speed_mbps).unwrap_or(LARGEST_QUANTA)) * 64, speed_mbps)
}

/// What a group must be able to take after its pause is due, bytes: the frame that made it due, and every frame that the
/// peer begins until it reacts. That is while the pause frame waits for a frame of the port's MTU, while it travels,
/// while the peer may take to react, and while what is on the cable arrives. Frames come whole and fill whole cells, so
/// that this is up to two lossless frames more than [`Floor::WithPortMtu`]. Delays inside the chip count as nothing.
pub fn worst_case_bytes(link: &Link) -> u64 {
    let frame_ps = wire_ps(u64::from(link.lossless_mtu.max(1)), link.speed_mbps).max(1);
    let there_and_back = 2 * CABLE_PS_PER_METRE * u64::from(link.cable_m);
    let goes_on =
        wire_ps(u64::from(link.port_mtu), link.speed_mbps) + there_and_back + response_ps(link.speed_mbps);
    let frames = 2 + goes_on / frame_ps;
    let cell = u64::from(link.cell_bytes.max(1));
    frames.saturating_mul(u64::from(link.lossless_mtu).div_ceil(cell) * cell)
}

/// A number of bytes as length of cable and as time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetresAndTime {
    /// Metres of cable that the bytes fill, there and back.
    pub metres: f64,
    /// Nanoseconds that they take at line rate.
    pub nanoseconds: f64,
}

/// What missing bytes mean.
pub fn deficit(bytes: u64, speed_mbps: u32) -> MetresAndTime {
    let nanoseconds = bytes as f64 * 8000.0 / f64::from(speed_mbps.max(1));
    MetresAndTime { metres: nanoseconds * SPEED_IN_CABLE / 2e9, nanoseconds }
}
