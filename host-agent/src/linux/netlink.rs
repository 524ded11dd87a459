//! Requests to the kernel over netlink.

use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use netlink_sys::protocols::NETLINK_GENERIC;
use netlink_sys::{Socket, SocketAddr};

use crate::netlink::{Received, attribute, attributes, message, received, u16};

/// Longest time without a reply. The kernel replies at once, unless it has no memory for the reply.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Space for a datagram: the kernel fills at most 32 KiB of one (`netlink(7)`).
const DATAGRAM_BYTES: usize = 64 << 10;
/// Maximum replies to a request; further ones are an error.
const REPLIES: usize = 1 << 20;
/// A request that is not a dump.
const REQUEST: u16 = 0x01;
/// A request with an acknowledgement.
const ACKNOWLEDGED: u16 = REQUEST | 0x04;
/// A dump of all objects (`NLM_F_ROOT`, `NLM_F_MATCH`).
const DUMP: u16 = REQUEST | 0x300;

/// A socket of one protocol.
pub(crate) struct Netlink {
    socket: Socket,
    sequence: u32,
    buffer: Vec<u8>,
}

impl Netlink {
    /// Opens a socket of a protocol of `linux/netlink.h`.
    pub(crate) fn open(protocol: isize) -> io::Result<Netlink> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        socket.set_non_blocking(true)?;
        Ok(Netlink { socket, sequence: 0, buffer: vec![0; DATAGRAM_BYTES] })
    }

    /// Sends a request and passes the content of each reply to `each`.
    pub(crate) fn request(&mut self, kind: u16, content: &[u8], each: impl FnMut(&[u8])) -> io::Result<()> {
        self.exchange(kind, ACKNOWLEDGED, content, each)
    }

    /// Requests a dump and passes the content of each object to `each`.
    pub(crate) fn dump(&mut self, kind: u16, content: &[u8], each: impl FnMut(&[u8])) -> io::Result<()> {
        self.exchange(kind, DUMP, content, each)
    }

    fn exchange(
        &mut self,
        kind: u16,
        flags: u16,
        content: &[u8],
        mut each: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        self.socket.send(&message(kind, flags, self.sequence, content), 0)?;
        let mut replies = 0;
        loop {
            let sequence = self.sequence;
            for reply in received(self.datagram()?, sequence) {
                match reply {
                    Received::Message(_, content) => each(&content),
                    Received::Done => return Ok(()),
                    Received::Failed(code) => return Err(io::Error::from_raw_os_error(code)),
                }
                replies += 1;
                if replies > REPLIES {
                    return Err(io::Error::other(format!("netlink sent more than {REPLIES} replies")));
                }
            }
        }
    }

    /// Waits for a datagram.
    fn datagram(&mut self) -> io::Result<&[u8]> {
        let mut ready = Vec::new();
        let length = loop {
            net::wait(&[self.socket.as_fd()], Some(TIMEOUT), &mut ready)?;
            if !ready.first().is_some_and(|ready| ready.readable || ready.failed) {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "netlink does not reply"));
            }
            match self.socket.recv(&mut self.buffer.as_mut_slice(), 0) {
                Ok(length) => break length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        };
        Ok(&self.buffer[..length.min(DATAGRAM_BYTES)])
    }
}

/// A family of generic netlink messages.
pub(crate) struct Generic {
    netlink: Netlink,
    kind: u16,
    version: u8,
}

impl Generic {
    /// Opens a family; its number differs from boot to boot (`linux/genetlink.h`).
    ///
    /// # Errors
    /// The kernel does not have the family: `NotFound`.
    pub(crate) fn open(family: &str, version: u8) -> io::Result<Generic> {
        /// The family that lists families, its version, and the command that looks one up.
        const CONTROL: (u16, u8, u8) = (16, 2, 3);
        const ATTRIBUTE_ID: u16 = 1;
        const ATTRIBUTE_NAME: u16 = 2;
        let netlink = Netlink::open(NETLINK_GENERIC)?;
        let mut control = Generic { netlink, kind: CONTROL.0, version: CONTROL.1 };
        let name = attribute(ATTRIBUTE_NAME, format!("{family}\0").as_bytes());
        let mut found = None;
        control.request(CONTROL.2, &name, |reply| {
            found = attributes(reply).find(|(kind, _)| *kind == ATTRIBUTE_ID).and_then(|(_, id)| u16(id));
        })?;
        let kind = found.ok_or(io::ErrorKind::NotFound)?;
        Ok(Generic { netlink: control.netlink, kind, version })
    }

    /// Sends a command with attributes, and passes the attributes of each reply to `each`.
    pub(crate) fn request(
        &mut self,
        command: u8,
        content: &[u8],
        mut each: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        /// Command, version and two reserved bytes precede the attributes.
        const HEADER: usize = 4;
        let mut bytes = vec![command, self.version, 0, 0];
        bytes.extend(content);
        self.netlink.request(self.kind, &bytes, |reply| each(reply.get(HEADER..).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::pause;

    #[test]
    fn this_kernel_describes_pauses_of_interfaces() {
        let mut kernel = match Generic::open(pause::FAMILY, pause::VERSION) {
            Ok(kernel) => kernel,
            Err(error) => return eprintln!("skipped: the kernel has no ethtool over netlink: {error}"),
        };
        let mut error_of = |interface: &str| {
            let result = kernel.request(pause::PAUSE_GET, &pause::request(interface), |_| {});
            result.expect_err("no pauses").raw_os_error()
        };
        const ENODEV: i32 = 19;
        const EOPNOTSUPP: i32 = 95;
        assert_eq!(error_of("no-such-port"), Some(ENODEV));
        assert_eq!(error_of("lo"), Some(EOPNOTSUPP));
    }

    #[test]
    fn an_unknown_family_is_an_error() {
        let error = Generic::open("no-such-family", 1).err().map(|error| error.kind());
        assert_eq!(error, Some(io::ErrorKind::NotFound));
    }
}
