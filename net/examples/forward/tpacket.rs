//! Receive rings: TPACKET_V2 hands over single frames, TPACKET_V3 blocks of frames.
#![allow(unsafe_code, reason = "the rings are memory that the kernel writes")]

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use model::wire::Frame;

use crate::mapping::{ALL, BLOCK_BYTES, BLOCKS, Mapping, bind, set_option, socket};
use crate::{Failure, Receive, TURN_FRAMES};

/// Bytes of a slot of TPACKET_V2: a jumbo frame and the kernel's header.
pub(crate) const SLOT_BYTES: usize = 16 << 10;
/// Slots of a ring.
pub(crate) const SLOTS: usize = BLOCKS * BLOCK_BYTES / SLOT_BYTES;
/// The shortest time after which TPACKET_V3 hands over a block that is not full.
const RETIRE_MS: u32 = 1;

/// Opens a packet socket with a ring and binds it to an interface.
fn open<T: Copy>(
    name: &str,
    version: libc::tpacket_versions,
    request: &T,
) -> Result<(OwnedFd, Mapping), Failure> {
    let fd = socket()?;
    set_option(fd.as_fd(), libc::PACKET_VERSION, &(version as i32))?;
    set_option(fd.as_fd(), libc::PACKET_IGNORE_OUTGOING, &1i32)?;
    set_option(fd.as_fd(), libc::PACKET_RX_RING, request)?;
    let mapping = Mapping::new(fd.as_fd())?;
    bind(fd.as_fd(), name, ALL)?;
    Ok((fd, mapping))
}

/// A ring of slots (TPACKET_V2).
pub(crate) struct Slots {
    fd: OwnedFd,
    mapping: Mapping,
    next: usize,
}

impl Slots {
    pub(crate) fn open(name: &str) -> Result<Slots, Failure> {
        let request = libc::tpacket_req {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: SLOT_BYTES as u32,
            tp_frame_nr: SLOTS as u32,
        };
        let (fd, mapping) = open(name, libc::tpacket_versions::TPACKET_V2, &request)?;
        Ok(Slots { fd, mapping, next: 0 })
    }
}

impl Receive for Slots {
    fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn receive(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failure> {
        while frames.len() < TURN_FRAMES {
            let slot = self.mapping.part(self.next, SLOT_BYTES);
            // SAFETY: a slot is aligned and begins with its status, which is only accessed atomically while it is shared.
            let status = unsafe { AtomicU32::from_ptr(slot.cast().as_ptr()) };
            // Acquire: what the kernel has written before the status is visible.
            if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
                break;
            }
            // SAFETY: the status passes the slot, which begins with this header, to this process.
            let header = unsafe { slot.cast::<libc::tpacket2_hdr>().read() };
            frames.push(frame(slot, SLOT_BYTES, 0, header.tp_mac, header.tp_snaplen));
            status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % SLOTS;
        }
        Ok(())
    }
}

/// A ring of blocks (TPACKET_V3).
pub(crate) struct Blocks {
    fd: OwnedFd,
    mapping: Mapping,
    next: usize,
}

impl Blocks {
    pub(crate) fn open(name: &str) -> Result<Blocks, Failure> {
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: SLOT_BYTES as u32,
            tp_frame_nr: SLOTS as u32,
            tp_retire_blk_tov: RETIRE_MS,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        let (fd, mapping) = open(name, libc::tpacket_versions::TPACKET_V3, &request)?;
        Ok(Blocks { fd, mapping, next: 0 })
    }
}

impl Receive for Blocks {
    fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn receive(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failure> {
        while frames.len() < TURN_FRAMES {
            let block = self.mapping.part(self.next, BLOCK_BYTES);
            // SAFETY: the block is within the mapping, aligned, and begins with this descriptor, of which only the
            // address of the header is taken.
            let header = unsafe { &raw mut (*block.cast::<libc::tpacket_block_desc>().as_ptr()).hdr.bh1 };
            // SAFETY: the status is shared with the kernel and only accessed atomically while it is.
            let status = unsafe { AtomicU32::from_ptr(&raw mut (*header).block_status) };
            // Acquire: what the kernel has written before the status is visible.
            if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
                break;
            }
            // SAFETY: the status passes the block to this process.
            let (count, first) = unsafe { ((*header).num_pkts, (*header).offset_to_first_pkt) };
            let mut at = first as usize;
            for _ in 0..count {
                assert!(at + size_of::<libc::tpacket3_hdr>() <= BLOCK_BYTES, "a frame is within its block");
                // SAFETY: the header of a frame is within the block, as asserted, and aligned by the kernel.
                let frame_header = unsafe { block.add(at).cast::<libc::tpacket3_hdr>().read() };
                frames.push(frame(block, BLOCK_BYTES, at, frame_header.tp_mac, frame_header.tp_snaplen));
                at += frame_header.tp_next_offset as usize;
            }
            status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % BLOCKS;
        }
        Ok(())
    }
}

/// Copies a frame whose header is at `at` of a part of a ring that belongs to this process.
fn frame(part: NonNull<u8>, part_bytes: usize, at: usize, start: u16, bytes: u32) -> Frame {
    let start = at + usize::from(start);
    assert!(start + bytes as usize <= part_bytes, "a frame is within its part of the ring");
    // SAFETY: the range is within the part, as asserted, which the kernel has initialised and does not write to while
    // it belongs to this process; the slice ends with this function.
    Frame::new(unsafe { slice::from_raw_parts(part.add(start).as_ptr(), bytes as usize) }, 0)
}
