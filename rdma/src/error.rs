//! Why RDMA is not available, and what to do.

use std::io;
use std::net::IpAddr;

/// An error of a device, or its absence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library cannot be loaded.
    #[error(
        "cannot load {library}: {reason}; install libibverbs (Debian: libibverbs1 and ibverbs-providers; Red Hat: \
         libibverbs)"
    )]
    LibraryMissing {
        /// Name or path of the library.
        library: String,
        /// The reason as the dynamic linker states it.
        reason: String,
    },
    /// The library is another one.
    #[error("{library} has no function {function}; expected libibverbs of rdma-core")]
    NotVerbs {
        /// Name or path of the library.
        library: String,
        /// The missing function.
        function: &'static str,
    },
    /// No RDMA device.
    #[error("this host has no RDMA device; load the driver of the NIC (`rdma link` lists devices)")]
    NoDevice,
    /// No device of this name.
    #[error("this host has no RDMA device `{device}`; it has {known}")]
    UnknownDevice {
        /// The name.
        device: String,
        /// The names of the devices that exist.
        known: String,
    },
    /// The library does not list a device that sysfs has.
    #[error("libibverbs cannot open `{device}`; install the driver's library (Debian: ibverbs-providers)")]
    NoProvider {
        /// Name of the device.
        device: String,
    },
    /// No port is active.
    #[error(
        "no Ethernet port of {devices} is active; check cable and interface (`rdma link` shows the state)"
    )]
    NoActivePort {
        /// Names of devices.
        devices: String,
    },
    /// A port is not active.
    #[error(
        "port {port} of `{device}` is not active; check cable and interface (`rdma link` shows the state)"
    )]
    NotActive {
        /// Name of the device.
        device: String,
        /// Number of the port.
        port: u8,
    },
    /// A port of an InfiniBand network.
    #[error("port {port} of `{device}` is no Ethernet port; only RoCEv2 is supported, not InfiniBand")]
    NotEthernet {
        /// Name of the device.
        device: String,
        /// Number of the port.
        port: u8,
    },
    /// No port has one of the host's addresses.
    #[error(
        "no active port of {devices} has a RoCEv2 GID of {own}; give the address to the interface of the device, or \
         name the right addresses"
    )]
    NoGid {
        /// Names of devices.
        devices: String,
        /// The host's addresses.
        own: String,
    },
    /// The port does not have an address.
    #[error("the port has no RoCEv2 GID of {address}")]
    NoSuchGid {
        /// The address.
        address: IpAddr,
    },
    /// A limit of the device or of the process.
    #[error(
        "cannot create {what}: {source}; the device or the process is at a limit (`rdma resource`, `ulimit -l`)"
    )]
    Limit {
        /// What could not be created.
        what: &'static str,
        /// The error of the call.
        source: io::Error,
    },
    /// The process may not use the device.
    #[error("cannot {what}: {source}; the process needs read and write access to /dev/infiniband/uverbs*")]
    Permission {
        /// What could not be done.
        what: &'static str,
        /// The error of the call.
        source: io::Error,
    },
    /// A call failed.
    #[error("cannot {what}: {source}")]
    Call {
        /// What could not be done.
        what: &'static str,
        /// The error of the call.
        source: io::Error,
    },
    /// More datagrams or writes are under way than the queue has space for.
    #[error("the send queue is full")]
    Full,
    /// A payload longer than a datagram may be.
    #[error("a payload of {bytes} bytes is longer than {limit}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Files of sysfs cannot be read.
    #[error("cannot read {path}: {source}")]
    Sysfs {
        /// The path.
        path: String,
        /// The error of the call.
        source: io::Error,
    },
}

impl Error {
    /// Returns whether the host has no library or no usable device, as a host without RDMA.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Error::LibraryMissing { .. }
                | Error::NoDevice
                | Error::NoProvider { .. }
                | Error::NoActivePort { .. }
                | Error::NotActive { .. }
                | Error::NotEthernet { .. }
                | Error::NoGid { .. }
        )
    }
}
