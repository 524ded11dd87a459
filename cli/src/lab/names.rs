//! Names and addresses of a lab. Everything that a lab creates carries its number, so that several labs can run at
//! the same time and `harrier lab down` finds what a crash left behind.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use nix::unistd::geteuid;

/// Labs that can run at the same time: numbers 0 to 63.
pub(crate) const MAX_LABS: u8 = 64;
/// Most nodes of a lab; their management addresses share a /22.
pub(crate) const MAX_NODES: usize = 900;
/// Environment variable that every process of a lab carries, with the lab's identity as its value.
pub(super) const MARKER: &str = "HARRIER_LAB";
/// Prefix length of a management network.
pub(super) const MANAGEMENT_PREFIX: u8 = 22;
/// A switch's P4Runtime port on its management address (the port that IANA assigned to P4Runtime).
pub(super) const P4RUNTIME_PORT: u16 = 9559;

/// The port of the server's uploads.
pub(super) const UPLOAD_PORT: u16 = 9560;

/// The number of a lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LabNumber(pub(crate) u8);

impl LabNumber {
    /// The namespace of a node.
    pub(super) fn namespace(self, node: &str) -> String {
        format!("hl{}-{node}", self.0)
    }

    /// The namespace of the management network's bridge and of the controller.
    pub(super) fn management_namespace(self) -> String {
        format!("hl{}--mgmt", self.0)
    }

    /// The interface of the management network in the namespace in which `harrier lab up` runs.
    pub(super) fn host_interface(self) -> String {
        format!("hl{}-mgmt", self.0)
    }

    /// An address of the management network: 198.18.0.0/15 is reserved for tests of network devices (RFC 2544), so that
    /// no other network of the machine uses it.
    fn address(self, number: u32) -> Ipv4Addr {
        let network = u32::from(Ipv4Addr::new(198, 18, 0, 0)) + (u32::from(self.0) << 10);
        Ipv4Addr::from(network + number)
    }

    /// The server's address.
    pub(super) fn server_address(self) -> Ipv4Addr {
        self.address(1)
    }

    /// The controller's address.
    pub(super) fn controller_address(self) -> Ipv4Addr {
        self.address(2)
    }

    /// The management address of the node at a position of the topology.
    pub(super) fn node_address(self, position: usize) -> Ipv4Addr {
        self.address(10 + position.min(MAX_NODES) as u32)
    }

    /// The directory with the state, configuration, logs and sockets of the lab: below /run for root.
    pub(crate) fn directory(self) -> PathBuf {
        let base = match std::env::var_os("XDG_RUNTIME_DIR").filter(|_| !geteuid().is_root()) {
            Some(base) => PathBuf::from(base),
            None => PathBuf::from("/run"),
        };
        base.join("harrier-lab").join(self.0.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labs_have_distinct_management_networks() {
        assert_eq!(LabNumber(0).server_address(), Ipv4Addr::new(198, 18, 0, 1));
        assert_eq!(LabNumber(1).server_address(), Ipv4Addr::new(198, 18, 4, 1));
        assert_eq!(LabNumber(63).node_address(MAX_NODES), Ipv4Addr::new(198, 18, 255, 142));
    }

    #[test]
    fn the_host_interface_fits_the_kernel_limit() {
        assert!(LabNumber(63).host_interface().len() <= 15);
    }
}
