//! Wakes a thread that waits for ports.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};

/// A descriptor that is readable after [`Bell::ring`], until [`Bell::clear`]; `eventfd(2)`.
#[derive(Debug)]
pub struct Bell(OwnedFd);

impl Bell {
    /// Creates a bell.
    ///
    /// # Errors
    /// If the process has no descriptors left.
    pub fn new() -> io::Result<Bell> {
        Ok(Bell(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Makes the descriptor readable.
    pub fn ring(&self) {
        // It fails only if the counter is at its maximum, and then the descriptor is readable.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Makes the descriptor unreadable.
    pub fn clear(&self) {
        // It fails only if the descriptor is unreadable.
        let _ = rustix::io::read(&self.0, &mut [0u8; 8]);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
