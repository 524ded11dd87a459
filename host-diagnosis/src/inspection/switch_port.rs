//! The switch port that a NIC is connected to.

use model::host::inspection::{HostInspection, HostInterface};

/// What a switch's configuration says about the port of a NIC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchPort {
    /// Name of the switch.
    pub switch: String,
    /// Name of the port.
    pub port: String,
    /// Another name of the port; empty without one.
    pub alias: String,
    /// The interface of the host that the configuration names at this port; `None` if it names none.
    pub interface: Option<String>,
    /// MTU in bytes.
    pub mtu_bytes: u32,
    /// Speed in Mbit/s; 0 if unknown.
    pub speed_mbps: u32,
    /// Priorities with PFC.
    pub pfc_priorities: Vec<u8>,
    /// Traffic class of each of the 64 DSCPs; empty if the switch does not classify by DSCP.
    pub class_of_dscp: Vec<u8>,
    /// Traffic classes whose queue marks packets with ECN.
    pub marked_classes: Vec<u8>,
}

impl SwitchPort {
    /// Whether the port is that of an interface: LLDP names it, or the switch's configuration names the interface.
    fn is_of(&self, name: &str, interface: &HostInterface) -> bool {
        match &interface.neighbour {
            Some(neighbour) => {
                let is_port =
                    neighbour.port == self.port || !self.alias.is_empty() && neighbour.port == self.alias;
                neighbour.switch == self.switch && is_port
            }
            None => self.interface.as_deref() == Some(name),
        }
    }

    /// The port in messages: `tor-1:Ethernet0`.
    pub(super) fn name(&self) -> String {
        format!("{}:{}", self.switch, self.port)
    }
}

/// Returns the interfaces that have a known switch port.
pub(super) fn connected<'i>(
    host: &'i HostInspection,
    ports: &'i [SwitchPort],
) -> impl Iterator<Item = (&'i str, &'i HostInterface, &'i SwitchPort)> {
    host.interfaces.iter().filter_map(|(name, interface)| {
        let port = ports.iter().find(|port| port.is_of(name, interface))?;
        Some((name.as_str(), interface, port))
    })
}
