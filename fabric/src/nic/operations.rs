//! The latest RDMA operations of a queue pair with the times at which they were posted, transmitted and completed.
//!
//! The points are T1, T4 and T5 of RDMA Estats (Bai et al., NSDI 2023, section 5). Doorbells and the fetch of work requests
//! (T2, T3) take no time in the model and are not recorded. T6, when the application polls a completion, is T5 outside of
//! the gaps of [`super::polls`].

use std::collections::VecDeque;

use model::Time;

/// Maximum operations that are kept for a queue pair: the latest ones. Enough for a pace in each of several round trips (a choice).
pub const KEPT_OPERATIONS: usize = 64;

/// The times of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationTimes {
    /// The application could begin the iteration that the operation belongs to; when it was posted, without iterations.
    pub begun: Time,
    /// The data of the iteration was ready to be sent; when it was posted, without iterations.
    pub ready: Time,
    /// The host posted the work request.
    pub posted: Time,
    /// The NIC began to transmit the message.
    pub started: Time,
    /// The last packet was acknowledged.
    pub completed: Time,
    /// The application polled the completion.
    pub polled: Time,
    /// Bytes of the message.
    pub bytes: u64,
}

/// The latest completed operations of a queue pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationLog {
    latest: VecDeque<OperationTimes>,
}

impl OperationLog {
    /// Adds an operation that has completed.
    pub(crate) fn push(&mut self, operation: OperationTimes) {
        if self.latest.len() == KEPT_OPERATIONS {
            self.latest.pop_front();
        }
        self.latest.push_back(operation);
    }

    /// The operations, in the order of completion.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &OperationTimes> {
        self.latest.iter()
    }

    /// The last `count` operations that are kept, in the order of completion.
    pub(crate) fn last(&self, count: usize) -> impl Iterator<Item = &OperationTimes> {
        self.latest.iter().skip(self.latest.len().saturating_sub(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_operations_are_kept() {
        let mut log = OperationLog::default();
        for at in 0..100 {
            let time = Time::from_us(at);
            log.push(OperationTimes {
                begun: time,
                ready: time,
                posted: time,
                started: time,
                completed: time,
                polled: time,
                bytes: at,
            });
        }
        assert_eq!((log.latest().count(), log.latest().next().map(|first| first.bytes)), (64, Some(36)));
    }
}
