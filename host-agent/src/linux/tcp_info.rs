//! Reads the TCP sockets of this network namespace.

use std::io;

use model::FlowKey;
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use super::netlink::Netlink;
use crate::tcp_info::TcpReading;
use crate::tcp_info::message::{BY_FAMILY, FAMILIES, reply, request};

/// A reader of sockets. It needs no capability.
pub struct TcpReader(Netlink);

impl std::fmt::Debug for TcpReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TcpReader")
    }
}

impl TcpReader {
    /// Opens a netlink socket.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or a sandbox forbids `AF_NETLINK`.
    pub fn open() -> io::Result<TcpReader> {
        Netlink::open(NETLINK_SOCK_DIAG).map(TcpReader)
    }

    /// Returns the established sockets whose flow is `wanted`, at most `max`. The kernel walks all of its sockets, which
    /// takes time in proportion to their number.
    ///
    /// # Errors
    /// The kernel rejects the request, or does not reply within 2 s.
    pub fn read(&mut self, max: usize, wanted: impl Fn(&FlowKey) -> bool) -> io::Result<Vec<TcpReading>> {
        let mut readings = Vec::new();
        for family in FAMILIES {
            self.0.dump(BY_FAMILY, &request(family), |content| {
                if readings.len() < max {
                    readings.extend(reply(content).filter(|reading| wanted(&reading.flow)));
                }
            })?;
        }
        Ok(readings)
    }
}
