//! What the ports of switches count on their links.

use model::{PortRef, Rate};

use super::Fabric;
use crate::link::End;
use crate::switch::FabricSwitch;

/// The link of a switch's port and what the port has counted on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireCounters {
    /// The port.
    pub port: PortRef,
    /// The port at the other end.
    pub peer: PortRef,
    /// Whether the other end is a host.
    pub is_peer_host: bool,
    /// Rate of the link.
    pub rate: Rate,
    /// Whether the link is up in both directions.
    pub is_up: bool,
    /// Frames received without damage, PFC frames included.
    pub rx_frames: u64,
    /// Their bytes.
    pub rx_bytes: u64,
    /// MAC control frames among them.
    pub rx_control_frames: u64,
    /// Frames sent, PFC frames included.
    pub tx_frames: u64,
    /// Their bytes.
    pub tx_bytes: u64,
    /// MAC control frames among them, without those in flight.
    pub tx_control_frames: u64,
}

impl<S: FabricSwitch> Fabric<S> {
    /// Returns the counters of all connected ports of switches, in the order of the topology's links.
    pub fn wire_counters(&self) -> impl Iterator<Item = WireCounters> {
        self.links.iter().enumerate().filter_map(|(index, out)| {
            let End::Switch { .. } = out.from else { return None };
            // The two directions of a link follow each other.
            let back = self.links.get(index ^ 1)?;
            Some(WireCounters {
                port: self.port_of(out.from),
                peer: self.port_of(out.to),
                is_peer_host: matches!(out.to, End::Host { .. }),
                rate: out.rate,
                is_up: out.outages == 0 && back.outages == 0,
                rx_frames: back.arrived_frames,
                rx_bytes: back.arrived_bytes,
                rx_control_frames: back.arrived_control_frames,
                tx_frames: out.sent_frames,
                tx_bytes: out.sent_bytes,
                tx_control_frames: out.arrived_control_frames,
            })
        })
    }
}
