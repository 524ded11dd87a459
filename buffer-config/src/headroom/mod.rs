//! Headroom: the bytes that still arrive after a pause was sent, by SONiC's arithmetic and by first principles.
//!
//! Source: sonic-swss cfgmgr/buffer_headroom_{mellanox,vs,barefoot}.lua and buffer_pool_{mellanox,barefoot}.lua; the
//! operations are in the order of the scripts, so that results are bit-identical.

mod floors;
mod lua_order;
mod pool;
mod pools_of;

pub use floors::{
    CABLE_PS_PER_METRE, Floor, Link, MetresAndTime, deficit, floor_bytes, response_ps, wire_bytes,
    worst_case_bytes,
};
pub use pool::{
    Counted, PoolInput, PoolPort, PoolResult, PoolSpec, ProfileSpec, pool_sizes, tofino_shared_headroom,
};
pub use pools_of::{GeneratedProfile, PoolFailure, pools_of_config};

use serde::Serialize;

use crate::asic::{Asic, Constants, Vendor};

/// Signal speed in a cable as in SONiC's arithmetic, m/s.
pub const SPEED_IN_CABLE: f64 = 198_000_000.0;
/// The smallest Ethernet frame, bytes.
const SMALLEST_PACKET: f64 = 64.0;

/// The inputs of a port's headroom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inputs {
    /// Mbit/s.
    pub speed_mbps: u32,
    /// Metres.
    pub cable_m: f64,
    /// The largest frame that the port sends, bytes.
    pub port_mtu: u32,
    /// Number of lanes.
    pub lanes: u32,
    /// Share of 64-byte packets among lossless packets, percent of packets.
    pub small_packet_percentage: u32,
    /// The largest lossless frame, bytes.
    pub lossless_mtu: u32,
    /// Delay of a gearbox, nanoseconds; 0: none.
    pub gearbox_delay: f64,
    /// `over_subscribe_ratio`; a value other than 0 enables the shared headroom pool.
    pub over_subscribe_ratio: u32,
    /// `ingress_lossless_pool.xoff`; a value other than 0 enables the shared headroom pool.
    pub pool_xoff: u64,
}

/// The profile that the scripts compute.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Headroom {
    /// Resume threshold, bytes.
    pub xon: u64,
    /// Headroom, bytes.
    pub xoff: u64,
    /// Reserved bytes.
    pub size: u64,
    /// The terms, in the order of the calculation.
    pub terms: Vec<Term>,
}

/// One term of a formula.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit: `bytes` or `factor`.
    pub unit: &'static str,
    /// How it is computed.
    pub how: String,
}

/// The response time of the peer in pause quanta (IEEE 802.3 annex 31B.3.7).
pub fn pause_quanta(speed_mbps: u32) -> Option<u32> {
    Some(match speed_mbps {
        800_000 | 400_000 => 905,
        200_000 => 453,
        100_000 => 394,
        50_000 => 147,
        40_000 => 118,
        25_000 => 80,
        10_000 => 67,
        1_000 => 2,
        100 => 1,
        _ => return None,
    })
}

struct Terms(Vec<Term>);

impl Terms {
    fn add(&mut self, name: &'static str, unit: &'static str, value: f64, how: String) -> f64 {
        self.0.push(Term { name, value, unit, how });
        value
    }
}

/// The profile that SONiC computes; `None` if it has no arithmetic for the ASIC.
pub fn headroom(asic: &Asic, inputs: &Inputs) -> Option<Headroom> {
    headroom_with_cell(asic, asic.cell_bytes, inputs)
}

/// Like [`headroom`], with a cell size other than the ASIC's default.
pub fn headroom_with_cell(asic: &Asic, cell_bytes: u32, inputs: &Inputs) -> Option<Headroom> {
    let constants = asic.headroom?;
    Some(match asic.vendor {
        Vendor::Intel => tofino(constants, cell_bytes, inputs),
        _ => spectrum(asic.name, constants, cell_bytes, inputs),
    })
}

fn round_up_kib(bytes: f64) -> f64 {
    (bytes / 1024.0).ceil() * 1024.0
}

fn gearbox(terms: &mut Terms, inputs: &Inputs) -> f64 {
    let bytes = match inputs.gearbox_delay {
        0.0 => 0.0,
        delay => f64::from(inputs.speed_mbps) * delay / (8.0 * 1024.0),
    };
    let how = format!("{} Mb/s * {} ns / (8 * 1024)", inputs.speed_mbps, inputs.gearbox_delay);
    terms.add("gearbox", "bytes", bytes, how)
}

fn cable(terms: &mut Terms, inputs: &Inputs, kilo: f64) -> f64 {
    let bytes =
        2.0 * inputs.cable_m * f64::from(inputs.speed_mbps) * 1_000_000_000.0 / SPEED_IN_CABLE / (8.0 * kilo);
    let how =
        format!("2 * {} m * {} Mb/s / 198,000 km/s, in both directions", inputs.cable_m, inputs.speed_mbps);
    terms.add("cable", "bytes", bytes, how)
}

fn worst_case(terms: &mut Terms, cell: f64, round: bool) -> f64 {
    let exact =
        if cell > 2.0 * SMALLEST_PACKET { cell / SMALLEST_PACKET } else { (2.0 * cell) / (1.0 + cell) };
    let factor = if round { exact.ceil() } else { exact };
    terms.add("worst_case_factor", "factor", factor, format!("cells of {cell} B filled with packets of 64 B"))
}

fn spectrum(name: &str, constants: Constants, cell_bytes: u32, inputs: &Inputs) -> Headroom {
    let mut terms = Terms(Vec::new());
    let shared = inputs.pool_xoff != 0 || inputs.over_subscribe_ratio != 0;
    let (mtu, lossless_mtu) = (f64::from(inputs.port_mtu), f64::from(inputs.lossless_mtu));
    let (latency, overhead) = match inputs.lanes {
        8 => (constants.pipeline_latency_kib * 1024.0 * 2.0, mtu),
        _ => (constants.pipeline_latency_kib * 1024.0, 0.0),
    };
    let speed = f64::from(inputs.speed_mbps);
    let is_tiled = name.ends_with('4') || name.ends_with('5');
    let tile = if is_tiled { speed / 1000.0 * 120.0 / 8.0 } else { 0.0 };
    let factor = worst_case(&mut terms, f64::from(cell_bytes), true);
    let share = f64::from(inputs.small_packet_percentage);
    let small =
        100.0 * SMALLEST_PACKET / ((share * SMALLEST_PACKET + (100.0 - share) * lossless_mtu) / 100.0);
    terms.add(
        "small_packets",
        "percent of bytes",
        small,
        format!("{share} % of packets are of 64 B, the rest of {lossless_mtu} B"),
    );
    let occupancy = (100.0 - small + small * factor) / 100.0;
    terms.add("cell_occupancy", "factor", occupancy, "memory used per byte on the wire".into());
    let gearbox = gearbox(&mut terms, inputs);
    let peer = peer_response(&mut terms, constants, pause_quanta(inputs.speed_mbps), 1.0);
    let wire = cable(&mut terms, inputs, 1000.0);
    let mac_phy = terms.add("mac_phy", "bytes", constants.mac_phy_delay_kib * 1024.0, "ASIC constant".into());
    terms.add(
        "port_mtu",
        "bytes",
        mtu,
        "an MTU-sized frame already being transmitted delays the PFC frame".into(),
    );
    if tile > 0.0 {
        terms.add("tile", "bytes", tile, "120 ns between tiles".into());
    }
    let delay = mtu + wire + 2.0 * gearbox + mac_phy + peer + tile;
    terms.add("propagation", "bytes", delay, "port_mtu + cable + 2*gearbox + mac_phy + peer + tile".into());
    terms.add("lossless_mtu", "bytes", lossless_mtu, "a frame that the peer is already sending".into());
    let mut xoff = round_up_kib(lossless_mtu + delay * occupancy);
    if name.ends_with('6') {
        let extra =
            terms.add("accounting", "bytes", 18.0 * 1024.0, "Spectrum-6 packet-buffer accounting".into());
        xoff += extra;
    }
    if !shared && inputs.small_packet_percentage != 100 {
        let full = round_up_kib(lossless_mtu + delay * factor);
        if xoff + 2048.0 < full {
            terms.add("compensation", "bytes", 2048.0, format!("64 B packets only would need {full}"));
            xoff += 2048.0;
        }
    }
    let xon = round_up_kib(latency);
    let size = round_up_kib(if shared { xon } else { xoff + xon + overhead });
    finish(terms, xon, xoff, size, shared)
}

fn tofino(constants: Constants, cell_bytes: u32, inputs: &Inputs) -> Headroom {
    let mut terms = Terms(Vec::new());
    let (mtu, lossless_mtu) = (f64::from(inputs.port_mtu), f64::from(inputs.lossless_mtu));
    let factor = worst_case(&mut terms, f64::from(cell_bytes), false);
    let share = f64::from(inputs.small_packet_percentage);
    let occupancy = (100.0 - share + share * factor) / 100.0;
    terms.add("cell_occupancy", "factor", occupancy, "memory used per byte on the wire".into());
    let gearbox = gearbox(&mut terms, inputs);
    let doubled = if inputs.speed_mbps == 400_000 { 2.0 } else { 1.0 };
    // The script for Tofino has no quanta above 400G.
    let quanta = pause_quanta(inputs.speed_mbps).filter(|_| inputs.speed_mbps <= 400_000);
    let peer = peer_response(&mut terms, constants, quanta, doubled);
    let wire = cable(&mut terms, inputs, 1024.0);
    let mac_phy = terms.add("mac_phy", "bytes", constants.mac_phy_delay_kib * 1024.0, "ASIC constant".into());
    terms.add(
        "port_mtu",
        "bytes",
        mtu,
        "an MTU-sized frame already being transmitted delays the PFC frame".into(),
    );
    let delay = mtu + wire + 2.0 * gearbox + mac_phy + peer;
    terms.add("propagation", "bytes", delay, "port_mtu + cable + 2*gearbox + mac_phy + peer".into());
    terms.add("lossless_mtu", "bytes", lossless_mtu, "a frame that the peer is already sending".into());
    let xoff = round_up_kib(lossless_mtu + delay * occupancy);
    let xon = round_up_kib(constants.pipeline_latency_kib * 1024.0);
    finish(terms, xon, xoff, round_up_kib(xon), true)
}

fn peer_response(terms: &mut Terms, constants: Constants, quanta: Option<u32>, times: f64) -> f64 {
    match quanta {
        Some(quanta) => {
            let bytes = f64::from(quanta) * 512.0 / 8.0 * times;
            terms.add("peer", "bytes", bytes, format!("{quanta} pause quanta of 512 bit"))
        }
        None => {
            let bytes = constants.peer_response_kib * 1024.0 * times;
            terms.add(
                "peer",
                "bytes",
                bytes,
                "ASIC constant, because no quanta are defined for this speed".into(),
            )
        }
    }
}

fn finish(mut terms: Terms, xon: f64, xoff: f64, size: f64, shared: bool) -> Headroom {
    terms.add("xon", "bytes", xon, "pipeline latency, in KiB".into());
    terms.add("xoff", "bytes", xoff, "lossless_mtu + propagation * cell_occupancy, rounded up to KiB".into());
    let how = if shared { "xon: headroom is shared" } else { "xoff + xon, with 8 lanes + port_mtu" };
    terms.add("size", "bytes", size, how.into());
    Headroom { xon: xon as u64, xoff: xoff as u64, size: size as u64, terms: terms.0 }
}
