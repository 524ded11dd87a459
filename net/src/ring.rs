//! The headers of the frames that cross an interface, for those that measure and do not forward.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::netdevice;

use crate::error::Error;
use crate::port;
use crate::sys::{self, SharedRing};

/// Bytes of a frame that a [`Ring`] receives: room for the headers of Ethernet, two VLAN tags, IPv6 and a transport.
pub const SNAP_BYTES: u32 = sys::SNAP_BYTES;

/// One instruction of a socket filter: the classic BPF of `struct sock_filter`
/// (`Documentation/networking/filter.rst`). The result of a filter is how many bytes of a frame are received; 0: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Operation.
    pub code: u16,
    /// Instructions to skip if a comparison is true.
    pub jump_true: u8,
    /// Instructions to skip if it is false.
    pub jump_false: u8,
    /// Operand.
    pub operand: u32,
}

/// The first bytes of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Headers<'a> {
    /// At most [`SNAP_BYTES`] of the frame, without a VLAN tag that the kernel moved out of it.
    pub bytes: &'a [u8],
    /// Whether this machine sent the frame.
    pub outgoing: bool,
    /// When it passed the kernel, in ns since 1970.
    pub at_ns: u64,
}

/// What a ring has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCounters {
    /// Frames that passed the filter and were received.
    pub received: u64,
    /// Frames that passed the filter and that the kernel dropped because the ring was full.
    pub lost: u64,
    /// Received frames longer than the interface permits: several packets that an offload has merged, or that it is to
    /// segment. The headers of the first one were received, those of the others were not.
    pub merged: u64,
}

/// Receives the headers of the frames that cross an interface in both directions, through a ring in shared memory: the
/// receiver needs no system call for a frame, and may leave many in the ring before it looks.
pub struct Ring {
    name: String,
    filter: Vec<Instruction>,
    /// Number of the interface, as in [`crate::Port`].
    index: u32,
    fd: OwnedFd,
    shared: SharedRing,
    /// Bytes of the longest frame that the interface permits.
    longest: usize,
    counters: RingCounters,
}

impl Ring {
    /// Opens an interface. Frames that `filter` does not select cost nothing further.
    ///
    /// # Errors
    /// If it does not exist, is not Ethernet or is down, the process lacks `CAP_NET_RAW`, or the kernel rejects the
    /// filter.
    pub fn open(name: &str, filter: &[Instruction]) -> Result<Ring, Error> {
        let (fd, index, interface) = port::open_socket(name)?;
        let failed = |action| move |error| Error::io(name, action, error);
        let shared = SharedRing::attach(fd.as_fd()).map_err(failed("share memory for frames"))?;
        sys::set_option(fd.as_fd(), libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
            .map_err(failed("get the times of frames"))?;
        sys::attach_filter(fd.as_fd(), filter).map_err(failed("select frames"))?;
        let bound = i32::try_from(index).unwrap_or(i32::MAX);
        sys::bind(fd.as_fd(), bound, port::ALL).map_err(failed("receive from the interface"))?;
        Ok(Ring {
            name: name.into(),
            filter: filter.to_vec(),
            index,
            fd,
            shared,
            longest: port::longest_frame(interface.mtu),
            counters: RingCounters::default(),
        })
    }

    /// Passes the headers of all frames that are in the ring to `each`, without blocking, and returns their number. At
    /// most a whole ring, so that it ends also if frames arrive faster.
    ///
    /// # Errors
    /// If there is none and the interface went down or disappeared. The ring can be used further, as
    /// [`crate::Port::receive`] describes.
    pub fn receive(&mut self, mut each: impl FnMut(Headers<'_>)) -> Result<usize, Error> {
        let Ring { shared, counters, longest, .. } = self;
        let mut frames = 0;
        while frames < sys::RING_SLOTS
            && shared.take(|frame| {
                counters.merged += u64::from(frame.frame_bytes > *longest);
                each(Headers { bytes: frame.bytes, outgoing: frame.outgoing, at_ns: frame.at_ns });
            })
        {
            frames += 1;
        }
        counters.received += frames as u64;
        if frames == 0 {
            self.check()?;
        }
        Ok(frames)
    }

    /// Returns the error of the socket, if it has one. A ring has no call that returns it.
    fn check(&self) -> Result<(), Error> {
        let error = rustix::net::sockopt::socket_error(&self.fd).and_then(|result| result);
        error.map_err(|error| Error::io(&self.name, "receive", io::Error::from(error)))
    }

    /// Opens the interface again if another one has got its name, as [`crate::Port::refresh`].
    pub fn refresh(&mut self) {
        let is_bound = netdevice::name_to_index(&self.fd, &self.name).is_ok_and(|index| index == self.index);
        if !is_bound && let Ok(ring) = Ring::open(&self.name, &self.filter) {
            let counters = self.counters();
            *self = Ring { counters, ..ring };
        } else if let Ok(interface) = sys::interface(self.fd.as_fd(), &self.name) {
            self.longest = port::longest_frame(interface.mtu);
        }
    }

    /// Returns the counters.
    pub fn counters(&mut self) -> RingCounters {
        if let Ok(drops) = sys::take_drops(self.fd.as_fd()) {
            self.counters.lost += u64::from(drops);
        }
        self.counters
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("name", &self.name)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}
