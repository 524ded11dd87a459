//! Discovery of cables with LLDP (IEEE 802.1AB), as a pure core.
//!
//! A driver sends [`announcement`] through every port of a switch at [`INTERVAL`], by packet-out, and passes what packet-in
//! delivers to [`Neighbours::receive`]. [`cable_findings`] compares the neighbours with the plan.

mod findings;
mod neighbours;

use model::PortRef;
use model::Time;
use model::wire::lldp::{ChassisId, Lldp, PortId};

pub use findings::{CableFinding, cable_findings};
pub use neighbours::{Change, MAX_NEIGHBOURS, Neighbour, Neighbours};

/// Time between two announcements of a port: `msgTxInterval`, recommended in clause 9.2.5.7.
pub const INTERVAL: Time = Time::from_ms(30_000);
/// How long a receiver keeps an announcement: four intervals and a second (`msgTxHold`, clause 9.2.5.6).
pub const TTL_S: u16 = 121;

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
