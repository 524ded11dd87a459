//! The cache of receive work requests (WQEs) of a NIC, and the workload that uses it.
//!
//! A SEND consumes a receive WQE that the host posted; RDMA WRITE and READ consume none. The NIC has fetched the WQEs of the
//! first messages of a batch when they arrive. Each later message finds its own in a cache of E WQEs with probability E/P,
//! where P are posted; otherwise the receive pipeline waits for host memory. So both a large batch and a long receive queue
//! are needed (Kong et al., Collie, NSDI 2022, appendix A, anomaly 1: from batches of 64 and queues of 256 on, attributed to
//! the NIC's prefetching of receive WQEs). How many WQEs a NIC caches and fetches in advance is not published: the defaults of
//! 128 and 32 are the largest powers of two with which that anomaly's example waits.

use model::Time;
use model::host::descriptor::{Opcode, Transport};

use crate::random::Random;

/// The cache, and what applications post and send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveWqeModel {
    /// Receive WQEs in the cache.
    pub entries: u64,
    /// Receive WQEs that the NIC fetches before the messages of a batch arrive.
    pub prefetch: u64,
    /// Duration of a miss.
    pub miss: Time,
    /// Transport service of the queue pairs. It does not change what is consumed.
    pub transport: Transport,
    /// The operation of the senders.
    pub operation: Opcode,
    /// Messages that a sender posts at once.
    pub batch: u32,
    /// Receive WQEs that are posted for each queue pair.
    pub depth: u32,
    /// Queue pairs.
    pub queue_pairs: u32,
    /// Payload bytes of a message, at least those of a packet.
    pub message_bytes: u64,
    /// Payload bytes of a full packet.
    pub packet_bytes: u32,
}

impl ReceiveWqeModel {
    /// The share of the messages behind the prefetched ones whose WQE is not in the cache, 0 to 1.
    pub fn uncached_share(&self) -> f64 {
        let posted = self.posted();
        posted.saturating_sub(self.entries) as f64 / posted.max(1) as f64
    }

    /// Whether there are messages that consume WQEs which were not fetched before.
    pub fn outruns_prefetch(&self) -> bool {
        self.operation == Opcode::Send && u64::from(self.batch) > self.prefetch
    }

    /// Whether packet `number` of a flow starts a message that consumes a receive WQE, and whether the pipeline waits for it.
    /// `None` if it consumes none.
    pub fn look_up(&self, random: &mut Random, number: u64) -> Option<bool> {
        if self.operation != Opcode::Send {
            return None;
        }
        let begin = number.saturating_mul(u64::from(self.packet_bytes));
        let messages = begin.div_ceil(self.message_bytes.max(1));
        let is_start = messages * self.message_bytes < begin.saturating_add(u64::from(self.packet_bytes));
        let is_prefetched = messages % u64::from(self.batch.max(1)) < self.prefetch;
        let mut missed = || self.posted() > self.entries && random.below(self.posted()) >= self.entries;
        is_start.then(|| !is_prefetched && missed())
    }

    /// Receive WQEs that are posted.
    fn posted(&self) -> u64 {
        u64::from(self.depth) * u64::from(self.queue_pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the share of 8,192 packets that consume a WQE, and of those that wait.
    #[track_caller]
    fn check(model: ReceiveWqeModel, consuming: f64, waiting: f64) {
        let mut random = Random::new(1, 2);
        let found: Vec<bool> = (0..8192).filter_map(|number| model.look_up(&mut random, number)).collect();
        let share = found.len() as f64 / 8192.0;
        assert!((share - consuming).abs() < 0.001, "{model:?}: {share} consume");
        let missed = found.iter().filter(|missed| **missed).count() as f64 / 8192.0;
        assert!((missed - waiting).abs() < 0.02, "{model:?}: {missed} wait");
    }

    /// The example of anomaly 1, with packets of 2 KiB.
    const EXAMPLE: ReceiveWqeModel = ReceiveWqeModel {
        entries: 128,
        prefetch: 32,
        miss: Time::from_us(1),
        transport: Transport::Ud,
        operation: Opcode::Send,
        batch: 64,
        depth: 256,
        queue_pairs: 1,
        message_bytes: 2048,
        packet_bytes: 2048,
    };

    #[test]
    fn a_batch_beyond_the_prefetched_wqes_waits_for_those_that_are_not_cached() {
        check(EXAMPLE, 1.0, 0.25);
        check(ReceiveWqeModel { batch: 32, ..EXAMPLE }, 1.0, 0.0);
        check(ReceiveWqeModel { depth: 128, ..EXAMPLE }, 1.0, 0.0);
        check(ReceiveWqeModel { depth: 128, queue_pairs: 8, batch: 128, ..EXAMPLE }, 1.0, 0.656);
        check(ReceiveWqeModel { operation: Opcode::Write, ..EXAMPLE }, 0.0, 0.0);
    }

    #[test]
    fn a_message_consumes_one_wqe_however_many_packets_it_has() {
        check(ReceiveWqeModel { message_bytes: 8192, ..EXAMPLE }, 0.25, 0.0625);
        // Messages that do not end with a full packet.
        check(ReceiveWqeModel { message_bytes: 3072, ..EXAMPLE }, 0.667, 0.167);
    }
}
