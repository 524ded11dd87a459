//! Discovery of cables with LLDP (IEEE 802.1AB), as a pure core.
//!
//! A driver sends [`announcement`] through every port of a switch at [`INTERVAL`], by packet-out, and passes what packet-in
//! delivers to [`Cables`], which keeps the table of [`Neighbours`]. [`cable_findings`] compares them with the plan.

mod cables;
mod findings;
mod learn;
mod learned;
mod neighbours;

use model::wire::lldp::{ChassisId, Lldp, PortId};
use model::{PortRef, Time};

pub use cables::Cables;
pub use findings::{CableFinding, cable_findings, name};
pub use learn::{HostPort, Sighting, learn};
pub use learned::{Learned, MAX_LINKS};
pub use neighbours::{Change, MAX_NEIGHBOURS, Neighbour, Neighbours};

/// Time between two announcements of a port: `msgTxInterval`, recommended in clause 9.2.5.7.
pub const INTERVAL: Time = Time::from_ms(30_000);
/// How long a receiver keeps an announcement: four intervals and a second (`msgTxHold`, clause 9.2.5.6).
pub const TTL_S: u16 = 121;
/// Intervals of a time to live (`msgTxHold`).
const HOLD: u64 = 4;

/// Returns how long a receiver keeps announcements of this interval (`txTTL`).
pub fn ttl_s(interval: Time) -> u16 {
    let seconds = interval.as_ns() / 1_000_000_000;
    u16::try_from(seconds.saturating_mul(HOLD).saturating_add(1)).unwrap_or(u16::MAX)
}

/// Returns what a switch announces through a port: the names of the plan.
pub fn announcement(port: &PortRef) -> Lldp {
    Lldp {
        chassis: ChassisId::Local(port.switch.clone()),
        port: PortId::Local(port.port.to_string()),
        ttl_s: TTL_S,
        port_description: Some(format!("port {}", port.port)),
        system_name: Some(port.switch.clone()),
        system_description: Some(format!("Harrier {}", env!("CARGO_PKG_VERSION"))),
    }
}

/// Returns what a switch announces before it stops: receivers forget the port at once.
pub fn withdrawal(port: &PortRef) -> Lldp {
    Lldp { ttl_s: 0, ..announcement(port) }
}
