//! Completions, and a descriptor that is readable when there are new ones.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::rc::Rc;

use super::layout::{CompChannel, Cq, WC_GRH, WC_SUCCESS, Wc};
use super::{Context, check, failed, last_os_error, limit, nothing};
use crate::Error;

/// Completions that one call takes.
const BATCH: usize = 32;

/// A completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion {
    /// The number that the work request had.
    pub(crate) id: u64,
    /// 0, or the error (`enum ibv_wc_status`).
    pub(crate) status: u32,
    /// Received bytes, those of the header included.
    pub(crate) bytes: u32,
    /// The own queue pair.
    pub(crate) queue_pair: u32,
    /// The sender's queue pair.
    pub(crate) source: u32,
    /// Whether the header in front of a datagram is valid.
    pub(crate) has_header: bool,
}

impl Completion {
    pub(crate) fn is_success(&self) -> bool {
        self.status == WC_SUCCESS
    }
}

/// A completion queue with its channel.
pub(crate) struct Queue {
    context: Rc<Context>,
    channel: NonNull<CompChannel>,
    raw: NonNull<Cq>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl Queue {
    /// Creates a queue for so many completions, and requests an event for the first one.
    pub(crate) fn new(context: &Rc<Context>, capacity: usize) -> Result<Rc<Queue>, Error> {
        let functions = context.functions();
        // SAFETY: the device is open.
        let channel = unsafe { (functions.ibv_create_comp_channel)(context.raw.as_ptr()) };
        let channel = NonNull::new(channel).ok_or_else(|| limit("a completion channel", last_os_error()))?;
        let capacity = c_int::try_from(capacity).unwrap_or(c_int::MAX);
        // SAFETY: device and channel exist; the pointer is only returned with events, and vector 0 always exists.
        let raw = unsafe {
            (functions.ibv_create_cq)(context.raw.as_ptr(), capacity, nothing(), channel.as_ptr(), 0)
        };
        let Some(raw) = NonNull::new(raw) else {
            let error = last_os_error();
            // SAFETY: the channel exists, has no queue, and is destroyed once.
            unsafe { (functions.ibv_destroy_comp_channel)(channel.as_ptr()) };
            return Err(limit("a completion queue", error));
        };
        let queue = Queue { context: context.clone(), channel, raw };
        rustix::io::ioctl_fionbio(queue.as_fd(), true)
            .map_err(|error| failed("set up a completion channel", error.into()))?;
        queue.arm()?;
        Ok(Rc::new(queue))
    }

    pub(super) fn raw(&self) -> *mut Cq {
        self.raw.as_ptr()
    }

    /// Requests an event for the next completion. Completions from before have none: poll after this.
    pub(crate) fn arm(&self) -> Result<(), Error> {
        // SAFETY: the context is open and its table was filled when it was opened.
        let function = unsafe { (*self.context.raw.as_ptr()).ops.req_notify_cq };
        let function = function.ok_or_else(|| queue_unsupported("request completion events"))?;
        // SAFETY: the queue exists.
        check("request completion events", unsafe { function(self.raw.as_ptr(), 0) })
    }

    /// Takes all events, so that the descriptor is not readable any more.
    pub(crate) fn clear(&self) {
        loop {
            let (mut cq, mut of_user) = (ptr::null_mut(), nothing());
            // SAFETY: the channel exists and its descriptor does not block; both pointers refer to variables for the
            // duration of the call.
            let result = unsafe {
                (self.context.functions().ibv_get_cq_event)(
                    self.channel.as_ptr(),
                    &raw mut cq,
                    &raw mut of_user,
                )
            };
            if result != 0 || cq != self.raw.as_ptr() {
                return;
            }
            // SAFETY: the queue exists, and one event of it was taken.
            unsafe { (self.context.functions().ibv_ack_cq_events)(self.raw.as_ptr(), 1) };
        }
    }

    /// Takes completions, at most 32; as many as there are if fewer.
    pub(crate) fn poll(&self) -> Result<Vec<Completion>, Error> {
        // SAFETY: the context is open and its table was filled when it was opened.
        let function = unsafe { (*self.context.raw.as_ptr()).ops.poll_cq };
        let function = function.ok_or_else(|| queue_unsupported("poll completions"))?;
        // SAFETY: the structures consist of integers, for which zero is a value.
        let mut found: [Wc; BATCH] = unsafe { std::mem::zeroed() };
        // SAFETY: the queue exists, and the array has space for as many completions as are requested.
        let count = unsafe { function(self.raw.as_ptr(), BATCH as c_int, found.as_mut_ptr()) };
        let count = usize::try_from(count).map_err(|_| failed("poll completions", last_os_error()))?;
        Ok(found.iter().take(count).map(completion).collect())
    }
}

fn completion(wc: &Wc) -> Completion {
    Completion {
        id: wc.wr_id,
        status: wc.status,
        bytes: wc.byte_len,
        queue_pair: wc.qp_num,
        source: wc.src_qp,
        has_header: wc.wc_flags & WC_GRH != 0,
    }
}

pub(super) fn queue_unsupported(what: &'static str) -> Error {
    Error::Call { what, source: io::ErrorKind::Unsupported.into() }
}

impl AsFd for Queue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the channel exists, and its descriptor is open for as long.
        unsafe { BorrowedFd::borrow_raw((*self.channel.as_ptr()).fd) }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let functions = self.context.functions();
        // SAFETY: both exist and are destroyed once, the queue first; queue pairs hold a reference to this and are gone.
        // All events that were taken are acknowledged, for which destroying a queue waits.
        unsafe {
            (functions.ibv_destroy_cq)(self.raw.as_ptr());
            (functions.ibv_destroy_comp_channel)(self.channel.as_ptr());
        }
    }
}
