//! A ring of frames in memory that the kernel shares with the process: `TPACKET_V2` of `packet(7)` and
//! `Documentation/networking/packet_mmap.rst`.
//!
//! The ring consists of slots. The first word of a slot, its status, says whose it is. The kernel writes a frame to the
//! next slot that is its own, then passes the slot to the process; the process reads the frame, then passes it back.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes of a slot: the kernel's 76 bytes in front of a frame, and [`super::SNAP_BYTES`] of the frame.
const SLOT_BYTES: usize = 256;
/// Bytes of a block, which the kernel allocates at once: a multiple of the page size of all machines.
const BLOCK_BYTES: usize = 64 << 10;
const BLOCKS: usize = 128;
/// Bytes of all slots.
const RING_BYTES: usize = BLOCK_BYTES * BLOCKS;
/// Frames that the ring holds.
pub(crate) const SLOTS: usize = RING_BYTES / SLOT_BYTES;
/// Where the address of a frame is: after the header, aligned to 16 bytes (`TPACKET_ALIGN`).
const ADDRESS_AT: usize = size_of::<libc::tpacket2_hdr>().next_multiple_of(16);

const _: () = assert!(
    ADDRESS_AT + size_of::<libc::sockaddr_ll>() <= SLOT_BYTES && super::SNAP_BYTES as usize <= SLOT_BYTES,
    "the kernel's data fits into a slot"
);

/// A frame in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingFrame<'a> {
    /// The first bytes of the frame, without a VLAN tag that the kernel moved out of it.
    pub bytes: &'a [u8],
    /// Bytes of the whole frame.
    pub frame_bytes: usize,
    /// Whether this machine sent the frame.
    pub outgoing: bool,
    /// When it passed the kernel, in ns since 1970.
    pub at_ns: u64,
}

/// The ring of one socket.
pub(crate) struct SharedRing {
    memory: NonNull<u8>,
    /// The slot that the kernel passes on next.
    next: usize,
}

// SAFETY: the mapping belongs to this value alone, and memory is not bound to a thread.
unsafe impl Send for SharedRing {}

impl SharedRing {
    /// Gives a packet socket a ring. Must be called before the socket is bound.
    pub(crate) fn attach(fd: BorrowedFd<'_>) -> io::Result<SharedRing> {
        let version = libc::tpacket_versions::TPACKET_V2 as i32;
        super::set_option(fd, libc::SOL_PACKET, libc::PACKET_VERSION, version)?;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: SLOT_BYTES as u32,
            tp_frame_nr: SLOTS as u32,
        };
        super::set_raw(fd, libc::SOL_PACKET, libc::PACKET_RX_RING, &request)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice, of the size that the request has set.
        let memory = unsafe {
            libc::mmap(ptr::null_mut(), RING_BYTES, protection, libc::MAP_SHARED, fd.as_raw_fd(), 0)
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(SharedRing { memory, next: 0 })
    }

    /// Passes the next frame to `each`, and its slot back to the kernel. Returns `false` if there is none.
    pub(crate) fn take(&mut self, each: impl FnOnce(RingFrame<'_>)) -> bool {
        // SAFETY: `next` is below SLOTS, so that the slot is within the mapping of SLOTS * SLOT_BYTES bytes.
        let slot = unsafe { self.memory.add(self.next * SLOT_BYTES) };
        // SAFETY: the slot is aligned to its size, for the mapping is aligned to a page, and begins with the status. The
        // kernel writes it while it owns the slot, as another processor would; here it is only accessed atomically then.
        let status = unsafe { AtomicU32::from_ptr(slot.cast().as_ptr()) };
        // Acquire: what the kernel has written before the status is visible.
        if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return false;
        }
        // SAFETY: the status passes the slot to this process, and the kernel does not write to it until the status is set
        // back below. A slot of the process begins with this header, plain data, and is aligned for it.
        let header = unsafe { slot.cast::<libc::tpacket2_hdr>().read() };
        // SAFETY: as above; the address follows the header at `ADDRESS_AT`, within the slot and aligned to 16 bytes.
        let address = unsafe { slot.add(ADDRESS_AT).cast::<libc::sockaddr_ll>().read() };
        let start = usize::from(header.tp_mac).min(SLOT_BYTES);
        let length = (header.tp_snaplen as usize).min(SLOT_BYTES - start);
        // SAFETY: the range is within the slot, which the kernel has initialised (its memory starts as zeroes) and does
        // not write to while the slice exists: `each` cannot keep it.
        let bytes = unsafe { slice::from_raw_parts(slot.add(start).as_ptr(), length) };
        each(RingFrame {
            bytes,
            frame_bytes: header.tp_len as usize,
            outgoing: address.sll_pkttype == libc::PACKET_OUTGOING,
            at_ns: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
        });
        // Release: the frame has been read before the kernel sees the status.
        status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % SLOTS;
        true
    }
}

impl Drop for SharedRing {
    fn drop(&mut self) {
        // SAFETY: the mapping of `attach`, to which no reference exists any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast::<c_void>(), RING_BYTES) };
    }
}
