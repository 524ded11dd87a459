//! The statistics of an interface's driver, as `ethtool -S` lists them.

use std::os::fd::AsFd as _;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::error::Error;
use crate::port::check_name;
use crate::sys;

/// Returns names and values in the order of the driver; empty if the driver has none. Needs no capability.
///
/// # Errors
/// There is no such interface, or the driver has more than 16,384 statistics.
pub fn driver_statistics(interface: &str) -> Result<Vec<(String, u64)>, Error> {
    check_name(interface)?;
    let fd = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(|error| Error::io(interface, "open a socket", error.into()))?;
    sys::driver_statistics(fd.as_fd(), interface)
        .map_err(|error| Error::io(interface, "read the statistics of the driver", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_interface_has_no_driver_statistics() {
        assert_eq!(driver_statistics("lo").map_err(|error| error.to_string()), Ok(Vec::new()));
    }

    #[test]
    fn an_unknown_interface_is_an_error() {
        assert!(matches!(driver_statistics("no-such-port"), Err(Error::NoInterface { .. })));
        assert!(matches!(driver_statistics("a/b"), Err(Error::BadName { .. })));
    }
}
