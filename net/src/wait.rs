//! Waiting for several ports and other descriptors at once.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What a descriptor is ready for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// There is something to receive.
    pub readable: bool,
    /// The descriptor has an error, e.g. because its interface went down; the next receive returns it.
    pub failed: bool,
}

/// Waits until a descriptor is readable or `timeout` passes; `None` waits without limit. Sets `ready` to one entry for
/// each descriptor. A signal ends the wait early.
///
/// # Errors
/// If the system refuses the call.
pub fn wait(fds: &[BorrowedFd<'_>], timeout: Option<Duration>, ready: &mut Vec<Ready>) -> io::Result<()> {
    let mut polled: Vec<PollFd<'_>> =
        fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let timeout = timeout.map(|time| Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    });
    match poll(&mut polled, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    ready.clear();
    ready.extend(polled.iter().map(|fd| {
        let flags = fd.revents();
        Ready {
            readable: flags.contains(PollFlags::IN),
            failed: flags.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
        }
    }));
    Ok(())
}

/// Lets timeouts of this thread end within a microsecond of their time instead of the default 50 us, if the system
/// permits it.
pub fn set_precise_timers() {
    // Without it timeouts are only less precise.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}
