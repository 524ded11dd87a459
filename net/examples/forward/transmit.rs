//! A ring of frames to send (TPACKET_V2), past the queueing discipline.
#![allow(unsafe_code, reason = "the ring is memory that the kernel reads")]

use std::os::fd::{AsFd, OwnedFd};
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use model::wire::Frame;

use crate::mapping::{BLOCK_BYTES, BLOCKS, Mapping, bind, set_option, socket};
use crate::tpacket::{SLOT_BYTES, SLOTS};
use crate::{Failure, Transmit};

/// Where the kernel expects a frame in a slot: after the header, aligned to 16 bytes (`TPACKET_ALIGN`).
const FRAME_AT: usize = size_of::<libc::tpacket2_hdr>().next_multiple_of(16);

/// The ring of one interface.
pub(crate) struct TransmitRing {
    fd: OwnedFd,
    mapping: Mapping,
    next: usize,
}

impl TransmitRing {
    pub(crate) fn open(name: &str) -> Result<TransmitRing, Failure> {
        let fd = socket()?;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: BLOCKS as u32,
            tp_frame_size: SLOT_BYTES as u32,
            tp_frame_nr: SLOTS as u32,
        };
        set_option(fd.as_fd(), libc::PACKET_VERSION, &(libc::tpacket_versions::TPACKET_V2 as i32))?;
        set_option(fd.as_fd(), libc::PACKET_QDISC_BYPASS, &1i32)?;
        // A frame that cannot be sent is dropped and does not stop the ring.
        set_option(fd.as_fd(), libc::PACKET_LOSS, &1i32)?;
        set_option(fd.as_fd(), libc::PACKET_TX_RING, &request)?;
        let mapping = Mapping::new(fd.as_fd())?;
        bind(fd.as_fd(), name, 0)?;
        Ok(TransmitRing { fd, mapping, next: 0 })
    }

    /// Puts a frame into the next slot; `false` if the kernel still has it or the frame is too long.
    fn put(&mut self, frame: &Frame) -> bool {
        let slot = self.mapping.part(self.next, SLOT_BYTES);
        // SAFETY: a slot is aligned and begins with its status, which is only accessed atomically while it is shared.
        let status = unsafe { AtomicU32::from_ptr(slot.cast().as_ptr()) };
        let bytes = frame.len() as usize;
        if status.load(Ordering::Acquire) != libc::TP_STATUS_AVAILABLE || FRAME_AT + bytes > SLOT_BYTES {
            return false;
        }
        // SAFETY: the status passes the slot to this process, and the length is a field of the header of the slot.
        unsafe { (*slot.cast::<libc::tpacket2_hdr>().as_ptr()).tp_len = bytes as u32 };
        // SAFETY: the range is within the slot, as checked, and belongs to this process until the status is set.
        let space = unsafe { slice::from_raw_parts_mut(slot.add(FRAME_AT).as_ptr(), bytes) };
        let (head, tail) = space.split_at_mut(frame.head.len());
        head.copy_from_slice(&frame.head);
        tail.fill(0);
        // Release: the kernel sees the frame before the status.
        status.store(libc::TP_STATUS_SEND_REQUEST, Ordering::Release);
        self.next = (self.next + 1) % SLOTS;
        true
    }
}

impl Transmit for TransmitRing {
    fn send(&mut self, frames: &[Frame]) -> u64 {
        let sent = frames.iter().filter(|frame| self.put(frame)).count();
        // Frames that were not sent stay in the ring until the next call.
        let _ = rustix::net::send(&self.fd, &[], rustix::net::SendFlags::DONTWAIT);
        sent as u64
    }
}
