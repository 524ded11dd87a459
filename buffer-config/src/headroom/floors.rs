//! What headroom no arithmetic can do without, whatever the ASIC.

use super::{SPEED_IN_CABLE, pause_quanta};

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
    let response = f64::from(pause_quanta(speed_mbps).unwrap_or(905)) * 64.0;
    let standard = response + f64::from(lossless_mtu);
    let extra = match floor {
        Floor::Wire => 0.0,
        Floor::Standard => standard,
        Floor::WithPortMtu => standard + f64::from(port_mtu),
        Floor::WithTwoMtu => standard + 2.0 * f64::from(port_mtu),
    };
    (wire + extra).ceil() as u64
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
