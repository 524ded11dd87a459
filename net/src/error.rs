//! Errors of interfaces.

use std::io;

/// Why an interface cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The interface does not exist in this network namespace.
    #[error("no interface {name} in this network namespace; `ip link` lists them")]
    NoInterface {
        /// The interface.
        name: String,
    },
    /// The name is longer than Linux permits, or has a byte that it does not permit.
    #[error(
        "{name:?} cannot be the name of an interface: expected 1 to 15 bytes without '/' and white space"
    )]
    BadName {
        /// The interface.
        name: String,
    },
    /// The process may not open packet sockets.
    #[error(
        "no permission for frames on {name}: the process needs the capability CAP_NET_RAW (run it as root, or \
             with AmbientCapabilities=CAP_NET_RAW)"
    )]
    NotPermitted {
        /// The interface.
        name: String,
    },
    /// The interface is down.
    #[error("interface {name} is down; `ip link set {name} up` enables it")]
    Down {
        /// The interface.
        name: String,
    },
    /// The interface does not carry Ethernet frames.
    #[error("interface {name} is not Ethernet (its ARP hardware type is {kind}, expected 1)")]
    NotEthernet {
        /// The interface.
        name: String,
        /// ARP hardware type.
        kind: u16,
    },
    /// Another call failed.
    #[error("interface {name}: cannot {action}: {source}")]
    Io {
        /// The interface.
        name: String,
        /// What failed, as the object of "cannot".
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    /// Returns the error of a failed call.
    pub(crate) fn io(name: &str, action: &'static str, source: io::Error) -> Error {
        let name = name.to_owned();
        match source.raw_os_error() {
            Some(libc::ENODEV | libc::ENXIO) => Error::NoInterface { name },
            Some(libc::EPERM | libc::EACCES) => Error::NotPermitted { name },
            Some(libc::ENETDOWN) => Error::Down { name },
            _ => Error::Io { name, action, source },
        }
    }
}
