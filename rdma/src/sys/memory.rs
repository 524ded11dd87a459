//! Memory that a device reads and writes.

use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::{AtomicU8, Ordering, fence};

use super::layout::{ACCESS_LOCAL_WRITE, Mr, Sge};
use super::{Domain, last_os_error, limit};
use crate::Error;

/// Registered memory. Peers cannot access it: only receives of this host write to it.
pub(crate) struct Memory {
    domain: Rc<Domain>,
    raw: NonNull<Mr>,
    /// Atomic, because the device writes whenever a datagram arrives.
    bytes: Box<[AtomicU8]>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").field("length", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl Memory {
    /// Allocates and registers memory.
    pub(crate) fn new(domain: &Rc<Domain>, length: usize) -> Result<Rc<Memory>, Error> {
        let bytes: Box<[AtomicU8]> = (0..length).map(|_| AtomicU8::new(0)).collect();
        let start = bytes.as_ptr().cast_mut().cast();
        // SAFETY: the domain exists. The memory is allocated, permits writes through shared references, because its bytes
        // are atomic, and stays where it is until this is dropped, which ends the registration first.
        let raw = unsafe {
            (domain.context.functions().ibv_reg_mr)(domain.raw.as_ptr(), start, length, ACCESS_LOCAL_WRITE)
        };
        let raw = NonNull::new(raw).ok_or_else(|| limit("a memory region", last_os_error()))?;
        Ok(Rc::new(Memory { domain: domain.clone(), raw, bytes }))
    }

    /// Copies bytes from the memory.
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) {
        fence(Ordering::Acquire);
        for (to, from) in into.iter_mut().zip(&self.bytes[offset..]) {
            *to = from.load(Ordering::Relaxed);
        }
    }

    /// Copies bytes into the memory.
    pub(crate) fn write(&self, offset: usize, from: &[u8]) {
        for (to, from) in self.bytes[offset..].iter().zip(from) {
            to.store(*from, Ordering::Relaxed);
        }
        fence(Ordering::Release);
    }

    /// Describes a part of the memory to the device.
    pub(super) fn part(&self, offset: usize, length: usize) -> Sge {
        let part = &self.bytes[offset..offset + length];
        // SAFETY: the region exists, and the library does not change it.
        let lkey = unsafe { (*self.raw.as_ptr()).lkey };
        Sge { addr: part.as_ptr() as u64, length: length as u32, lkey }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the region exists and is freed once; queue pairs that use it hold a reference to this and are gone, so
        // the device does not access the memory any more.
        unsafe { (self.domain.context.functions().ibv_dereg_mr)(self.raw.as_ptr()) };
    }
}
