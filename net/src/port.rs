//! One interface as a port: frames in, frames out.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use model::Rate;
use model::wire::Frame;
use model::wire::ethernet::ETHERNET_BYTES;
use rustix::net::{AddressFamily, SocketFlags, SocketType, netdevice, socket_with};

use crate::error::Error;
use crate::offload::Offload;
use crate::sys::{self, Batch, MAX_FRAME_BYTES, Meta, TAG_BYTES};

/// ARP hardware type of Ethernet (and of the loopback interface 772, which has Ethernet headers too).
const KINDS: [u16; 2] = [1, 772];
/// EtherType that stands for all (`ETH_P_ALL`).
pub(crate) const ALL: u16 = 3;
/// Longest name of an interface in bytes.
const NAME_BYTES: usize = 15;

/// How a port is opened.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Receive frames for other addresses too.
    pub promiscuous: bool,
    /// Receive copies of the frames that this machine sends.
    pub outgoing: bool,
    /// Have the kernel note when each frame passed.
    pub timestamps: bool,
    /// Receive only frames of this EtherType.
    pub ethertype: Option<u16>,
    /// Send past the queueing discipline: faster, but captures on this machine do not see sent frames.
    pub bypass: bool,
    /// Kernel memory for received frames in bytes. Frames that do not fit are dropped and counted.
    pub buffer_bytes: usize,
}

impl Default for Options {
    /// A port of a switch: all frames from the wire, none of the machine itself, with 8 MiB of memory.
    fn default() -> Options {
        Options {
            promiscuous: true,
            outgoing: false,
            timestamps: false,
            ethertype: None,
            bypass: false,
            buffer_bytes: 8 << 20,
        }
    }
}

/// A received frame.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The frame, without frame check sequence.
    pub bytes: &'a [u8],
    /// Whether this machine sent it ([`Options::outgoing`]).
    pub outgoing: bool,
    /// When it passed the kernel, in ns since 1970 ([`Options::timestamps`]).
    pub at_ns: Option<u64>,
}

/// What a port has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames received; segments count one by one.
    pub received: u64,
    /// Frames sent.
    pub sent: u64,
    /// Frames that the kernel dropped because the port did not receive fast enough.
    pub receive_drops: u64,
    /// Received frames that were too long or inconsistent with the offloads that the kernel describes.
    pub malformed: u64,
    /// Frames longer than the interface permits, which were not sent.
    pub too_long: u64,
    /// Frames not sent because the interface was down or had no space.
    pub send_drops: u64,
}

/// An interface that frames are received from and sent to.
pub struct Port {
    name: String,
    options: Options,
    /// Its number. An interface that is removed and added again gets another one, and the socket stays with the old one.
    index: u32,
    fd: OwnedFd,
    interface: sys::Interface,
    batch: Batch,
    counters: Counters,
}

impl Port {
    /// Opens an interface.
    ///
    /// # Errors
    /// If it does not exist, is not Ethernet or is down, or the process lacks `CAP_NET_RAW`.
    pub fn open(name: &str, options: &Options) -> Result<Port, Error> {
        let (fd, index, interface) = open_socket(name)?;
        let (batch, counters) = (Batch::new(), Counters::default());
        let port = Port { name: name.into(), options: *options, index, fd, interface, batch, counters };
        let index = i32::try_from(port.index).unwrap_or(i32::MAX);
        port.configure(options, index).map_err(|error| port.error("configure the socket", error))?;
        sys::bind(port.fd.as_fd(), index, options.ethertype.unwrap_or(ALL))
            .map_err(|error| port.error("receive from the interface", error))?;
        Ok(port)
    }

    fn configure(&self, options: &Options, index: i32) -> io::Result<()> {
        let fd = self.fd.as_fd();
        let packet = |option, value: bool| sys::set_option(fd, libc::SOL_PACKET, option, value.into());
        packet(libc::PACKET_AUXDATA, true)?;
        packet(libc::PACKET_VNET_HDR, true)?;
        packet(libc::PACKET_IGNORE_OUTGOING, !options.outgoing)?;
        packet(libc::PACKET_QDISC_BYPASS, options.bypass)?;
        if options.timestamps {
            sys::set_option(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
        }
        let bytes = i32::try_from(options.buffer_bytes).unwrap_or(i32::MAX);
        // Without CAP_NET_ADMIN the limit of the system applies.
        if sys::set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, bytes).is_err() {
            sys::set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, bytes)?;
        }
        if options.promiscuous { sys::set_promiscuous(fd, index) } else { Ok(()) }
    }

    fn error(&self, action: &'static str, source: io::Error) -> Error {
        Error::io(&self.name, action, source)
    }

    /// Returns the name of the interface.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the hardware address of the interface when it was opened.
    pub fn address(&self) -> [u8; 6] {
        self.interface.address
    }

    /// Returns the largest payload of a frame in bytes when the port was opened.
    pub fn mtu(&self) -> u32 {
        self.interface.mtu
    }

    /// Returns the speed of the link; `None` if the driver does not know it. A veth pair reports 10 Gb/s.
    ///
    /// # Errors
    /// If the interface no longer exists.
    pub fn speed(&self) -> Result<Option<Rate>, Error> {
        let mbps = sys::speed_mbps(self.fd.as_fd(), &self.name)
            .map_err(|error| self.error("read the speed of the link", error))?;
        Ok(mbps.map(|mbps| Rate(u64::from(mbps) * 1_000_000)))
    }

    /// Whether the interface is up and has a link. An interface that no longer exists has none; neither has another one
    /// of the same name ([`Port::refresh`]).
    pub fn is_up(&self) -> bool {
        self.is_bound() && self.state().is_ok_and(|(enabled, link)| enabled && link)
    }

    /// Whether the socket belongs to the interface that has the name now.
    fn is_bound(&self) -> bool {
        netdevice::name_to_index(&self.fd, &self.name).is_ok_and(|index| index == self.index)
    }

    /// Opens the interface again if another one has got its name, e.g. because its driver was loaded again. Returns
    /// whether it is up. To be called now and then, and after [`Port::receive`] has failed; [`AsFd`] may change.
    pub fn refresh(&mut self) -> bool {
        if !self.is_bound()
            && let Ok(port) = Port::open(&self.name, &self.options)
        {
            let counters = self.counters();
            *self = Port { counters, ..port };
        }
        self.is_up()
    }

    fn state(&self) -> Result<(bool, bool), Error> {
        state(self.fd.as_fd(), &self.name)
    }

    /// Receives the frames that have arrived and passes each to `each`, without blocking. Returns whether more may
    /// have arrived than one call receives.
    ///
    /// # Errors
    /// If the interface went down or disappeared. The port can be used further: it receives again when the interface
    /// is up, and after [`Port::refresh`] when there is a new one of this name.
    pub fn receive(&mut self, mut each: impl FnMut(Received<'_>)) -> Result<bool, Error> {
        let is_more = match self.batch.receive(self.fd.as_fd()) {
            Ok(is_more) => is_more,
            Err(error) if is_transient(&error) => false,
            Err(error) => return Err(self.error("receive", error)),
        };
        let counters = &mut self.counters;
        for (meta, slot) in self.batch.frames() {
            let mut pass = |bytes: &[u8]| {
                counters.received += 1;
                each(Received { bytes, outgoing: meta.outgoing, at_ns: meta.at_ns });
            };
            if complete(&meta, slot, &mut pass).is_none() {
                counters.malformed += 1;
            }
        }
        self.batch.forget();
        Ok(is_more)
    }

    /// Sends frames in order, without blocking. Frames that cannot be sent are dropped and counted, as on a wire.
    pub fn send(&mut self, mut frames: &[Frame]) {
        while !frames.is_empty() {
            let parts = frames.iter().map(|frame| (frame.head.as_slice(), frame.tail as usize));
            let done = match sys::send(self.fd.as_fd(), parts) {
                Ok(sent) => {
                    self.counters.sent += sent as u64;
                    sent.max(1)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) => {
                    let too_long = error.raw_os_error() == Some(libc::EMSGSIZE);
                    let counter =
                        if too_long { &mut self.counters.too_long } else { &mut self.counters.send_drops };
                    *counter += 1;
                    1
                }
            };
            frames = frames.get(done..).unwrap_or_default();
        }
    }

    /// Returns the counters.
    pub fn counters(&mut self) -> Counters {
        if let Ok(drops) = sys::take_drops(self.fd.as_fd()) {
            self.counters.receive_drops += u64::from(drops);
        }
        self.counters
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Port")
            .field("name", &self.name)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

/// Returns a packet socket that is not bound yet, and number and properties of the interface that it is for.
///
/// # Errors
/// As [`Port::open`].
pub(crate) fn open_socket(name: &str) -> Result<(OwnedFd, u32, sys::Interface), Error> {
    check_name(name)?;
    let fd = socket_with(AddressFamily::PACKET, SocketType::RAW, SocketFlags::CLOEXEC, None)
        .map_err(|error| Error::io(name, "open a packet socket", error.into()))?;
    let index = netdevice::name_to_index(&fd, name)
        .map_err(|error| Error::io(name, "find the interface", error.into()))?;
    let interface =
        sys::interface(fd.as_fd(), name).map_err(|error| Error::io(name, "read the address", error))?;
    if !KINDS.contains(&interface.kind) {
        return Err(Error::NotEthernet { name: name.into(), kind: interface.kind });
    }
    if !state(fd.as_fd(), name)?.0 {
        return Err(Error::Down { name: name.into() });
    }
    Ok((fd, index, interface))
}

/// Returns whether the interface is administratively up, and whether its link is up.
fn state(fd: BorrowedFd<'_>, name: &str) -> Result<(bool, bool), Error> {
    sys::is_up(fd, name).map_err(|error| Error::io(name, "read the state of the link", error))
}

/// Returns the bytes of the longest frame on an interface with this MTU: with two VLAN tags.
pub(crate) fn longest_frame(mtu: u32) -> usize {
    mtu as usize + ETHERNET_BYTES + 2 * TAG_BYTES
}

pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let fits = (1..=NAME_BYTES).contains(&name.len());
    let allowed = |byte: u8| byte != b'/' && byte != 0 && !byte.is_ascii_whitespace();
    if fits && name.bytes().all(allowed) { Ok(()) } else { Err(Error::BadName { name: name.into() }) }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Completes a received frame and passes it on; `None` if it is malformed.
fn complete(meta: &Meta, slot: &mut [u8], pass: &mut impl FnMut(&[u8])) -> Option<()> {
    if meta.bytes > MAX_FRAME_BYTES || meta.bytes < ETHERNET_BYTES {
        return None;
    }
    let offload = Offload::from_bytes(meta.offload);
    if offload.is_complete() {
        let start = meta.tag.map_or(TAG_BYTES, |tag| insert_tag(slot, tag));
        pass(&slot[start..TAG_BYTES + meta.bytes]);
        return Some(());
    }
    let frame = &mut slot[TAG_BYTES..TAG_BYTES + meta.bytes];
    let mut tagged = Vec::new();
    let each = |bytes: &[u8]| match meta.tag {
        None => pass(bytes),
        Some(tag) => {
            tagged.clear();
            tagged.extend_from_slice(&[0; TAG_BYTES]);
            tagged.extend_from_slice(bytes);
            insert_tag(&mut tagged, tag);
            pass(&tagged);
        }
    };
    offload.complete(frame, each).ok()
}

/// Puts a tag back between the addresses and the EtherType, using the free bytes in front. Returns where the frame
/// starts now.
fn insert_tag(slot: &mut [u8], (ethertype, control): (u16, u16)) -> usize {
    slot.copy_within(TAG_BYTES..TAG_BYTES + 12, 0);
    slot[12..14].copy_from_slice(&ethertype.to_be_bytes());
    slot[14..16].copy_from_slice(&control.to_be_bytes());
    0
}
