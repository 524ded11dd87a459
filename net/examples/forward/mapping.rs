//! Packet sockets with a ring in memory that the kernel shares (`Documentation/networking/packet_mmap.rst`).
#![allow(unsafe_code, reason = "system calls without a safe wrapper, with a proof at each")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};

use rustix::net::{AddressFamily, SocketFlags, SocketType, netdevice, socket_with};

use crate::Failure;

/// Bytes of a block, which the kernel allocates at once.
pub(crate) const BLOCK_BYTES: usize = 128 << 10;
/// Blocks of a ring: 8 MiB, as a port has.
pub(crate) const BLOCKS: usize = 64;
/// All EtherTypes (`ETH_P_ALL`).
pub(crate) const ALL: u16 = 3;

/// A packet socket that is not bound yet.
pub(crate) fn socket() -> Result<OwnedFd, Failure> {
    Ok(socket_with(AddressFamily::PACKET, SocketType::RAW, SocketFlags::CLOEXEC, None)?)
}

/// Sets an option of the packet layer.
pub(crate) fn set_option<T: Copy>(fd: BorrowedFd<'_>, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the pointer and the length describe `value`, which outlives the call; the kernel only reads it.
    let result = unsafe {
        let length = size_of::<T>() as libc::socklen_t;
        libc::setsockopt(fd.as_raw_fd(), libc::SOL_PACKET, option, ptr::from_ref(value).cast(), length)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Binds a packet socket to an interface; EtherType 0 receives nothing.
pub(crate) fn bind(fd: BorrowedFd<'_>, name: &str, ethertype: u16) -> Result<(), Failure> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: ethertype.to_be(),
        sll_ifindex: i32::try_from(netdevice::name_to_index(fd, name)?)?,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    // SAFETY: the pointer and the length describe `address`, which outlives the call; the kernel only reads it.
    let result = unsafe {
        let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        libc::bind(fd.as_raw_fd(), ptr::from_ref(&address).cast(), length)
    };
    if result < 0 { Err(io::Error::last_os_error().into()) } else { Ok(()) }
}

/// The memory of a ring of [`BLOCKS`] times [`BLOCK_BYTES`].
pub(crate) struct Mapping(NonNull<u8>);

impl Mapping {
    const BYTES: usize = BLOCKS * BLOCK_BYTES;

    /// Maps the ring of a socket; fails if the socket has none of this size.
    pub(crate) fn new(fd: BorrowedFd<'_>) -> io::Result<Mapping> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice; the kernel checks that the ring has this size.
        let memory = unsafe {
            libc::mmap(ptr::null_mut(), Mapping::BYTES, protection, libc::MAP_SHARED, fd.as_raw_fd(), 0)
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(memory.cast()).map(Mapping).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Returns the address of part `at` of the ring, which consists of parts of `part_bytes`.
    pub(crate) fn part(&self, at: usize, part_bytes: usize) -> NonNull<u8> {
        assert!((at + 1) * part_bytes <= Mapping::BYTES, "the part is within the ring");
        // SAFETY: the offset is within the mapping, as asserted.
        unsafe { self.0.add(at * part_bytes) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, to which no reference exists any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), Mapping::BYTES) };
    }
}
