//! Lower bounds of headroom that hold for every ASIC.

use super::{SPEED_IN_CABLE, pause_quanta};

/// The largest defined pause quanta, for speeds that have none.
const LARGEST_QUANTA: u32 = 905;

/// What a lower bound includes. Each floor includes the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Floor {
    /// The bytes in flight on the cable, in both directions.
    Wire,
    /// Plus the response time of the peer (IEEE 802.3 31B.3.7) and one lossless frame that it is already sending.
    Standard,
    /// Plus one frame of the port's MTU that is transmitted before the PFC frame.
    WithPortMtu,
    /// Plus a second such frame in the peer's transmitter.
    WithTwoMtu,
}

/// The bytes in flight on a cable, in both directions.
pub fn wire_bytes(speed_mbps: u32, cable_m: f64) -> f64 {
    2.0 * cable_m * f64::from(speed_mbps) * 1e6 / (8.0 * SPEED_IN_CABLE)
}

/// The least headroom in bytes for a floor. Speeds without defined pause quanta use the largest defined number.
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

/// Propagation delay of a metre of cable in picoseconds: 1 / (198,000 km/s), as in SONiC's arithmetic.
pub const CABLE_PS_PER_METRE: u64 = 5_050;

/// A link, and the receiving switch.
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
    /// Bytes of a buffer cell; 1 if unknown.
    pub cell_bytes: u32,
}

/// Serialisation time in picoseconds, rounded up.
fn wire_ps(bytes: u64, speed_mbps: u32) -> u64 {
    (u128::from(bytes) * 8_000_000).div_ceil(u128::from(speed_mbps.max(1))) as u64
}

/// The response time of the peer in picoseconds (IEEE 802.3 31B.3.7). Speeds without defined pause quanta use the
/// largest defined number.
pub fn response_ps(speed_mbps: u32) -> u64 {
    wire_ps(u64::from(pause_quanta(speed_mbps).unwrap_or(LARGEST_QUANTA)) * 64, speed_mbps)
}

/// The worst case: the bytes that a priority group receives from the frame that crosses XOFF on.
///
/// The peer starts new frames while the PFC frame is delayed by a frame of the port's MTU, while it propagates, and
/// during the response time; then the bytes in flight arrive. Only whole frames arrive, and they fill whole cells, so
/// the result is up to two lossless frames above [`Floor::WithPortMtu`]. Delays inside the chip are not included.
pub fn worst_case_bytes(link: &Link) -> u64 {
    let frame_ps = wire_ps(u64::from(link.lossless_mtu.max(1)), link.speed_mbps).max(1);
    let there_and_back = 2 * CABLE_PS_PER_METRE * u64::from(link.cable_m);
    let sending_ps =
        wire_ps(u64::from(link.port_mtu), link.speed_mbps) + there_and_back + response_ps(link.speed_mbps);
    let frames = 2 + sending_ps / frame_ps;
    let cell = u64::from(link.cell_bytes.max(1));
    frames.saturating_mul(u64::from(link.lossless_mtu).div_ceil(cell) * cell)
}

/// A number of bytes, expressed as cable length and as time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetresAndTime {
    /// The length of the cable that holds the bytes, in both directions, metres.
    pub metres: f64,
    /// Their serialisation time at line rate, nanoseconds.
    pub nanoseconds: f64,
}

/// Converts missing bytes.
pub fn deficit(bytes: u64, speed_mbps: u32) -> MetresAndTime {
    let nanoseconds = bytes as f64 * 8000.0 / f64::from(speed_mbps.max(1));
    MetresAndTime { metres: nanoseconds * SPEED_IN_CABLE / 2e9, nanoseconds }
}
