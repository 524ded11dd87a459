//! What can be seen of a traffic manager from outside: levels, watermarks, counters, and whether the books balance.

use model::Time;

use super::mmu::{GroupUse, PoolUse, QueueUse};
use super::{Port, TrafficManager};

/// What one class of one port has seen since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounters {
    /// Pause frames sent, refreshes included.
    pub pauses_sent: u64,
    /// Resume frames sent.
    pub resumes_sent: u64,
    /// Pause frames received.
    pub pauses_received: u64,
    /// Resume frames received.
    pub resumes_received: u64,
    /// Packets refused that came in here.
    pub dropped_packets: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
    /// How often the watchdog has given the priority up.
    pub watchdog_fires: u64,
}

/// Totals that must agree at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes counted by all ingress groups, headroom included.
    pub ingress_bytes: u64,
    /// Bytes counted by all egress queues.
    pub egress_bytes: u64,
    /// Bytes of the packets that wait.
    pub waiting_bytes: u64,
    /// Bytes that the memory believes to hold.
    pub memory_bytes: u64,
}

impl Totals {
    /// Whether all four are the same.
    pub fn balanced(&self) -> bool {
        self.ingress_bytes == self.egress_bytes
            && self.egress_bytes == self.waiting_bytes
            && self.waiting_bytes == self.memory_bytes
    }
}

/// The books of a traffic manager do not balance: a fault of this program, never of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// Ingress, egress, queues and memory disagree.
    #[error("bytes at ingress, egress, in queues and in memory disagree: {0:?}")]
    Unbalanced(Totals),
    /// A pool and those who draw on it disagree.
    #[error("{side} pool {pool} counts {counted_bytes} B, its users hold {held_bytes} B")]
    Pool {
        /// Which counter.
        side: &'static str,
        /// Its index.
        pool: usize,
        /// What the pool says.
        counted_bytes: u64,
        /// What its users say.
        held_bytes: u64,
    },
}

impl<P> TrafficManager<P> {
    /// What a queue holds.
    pub fn queue(&self, port: u16, priority: u8) -> Option<QueueUse> {
        Some(self.ports[self.find(port)?].queue_use[usize::from(priority & 7)])
    }

    /// What a priority group holds.
    pub fn group(&self, port: u16, priority: u8) -> Option<GroupUse> {
        Some(self.ports[self.find(port)?].group_use[usize::from(priority & 7)])
    }

    /// Counters of a class.
    pub fn counters(&self, port: u16, priority: u8) -> Option<ClassCounters> {
        Some(self.ports[self.find(port)?].counters[usize::from(priority & 7)])
    }

    /// Until when the peer has silenced an egress class; [`Time::MAX`] when only a resume frame ends it.
    pub fn paused_until(&self, port: u16, priority: u8) -> Option<Time> {
        self.ports[self.find(port)?].received[usize::from(priority & 7)].until
    }

    /// Whether the peer of an ingress class has been, or is about to be, told to be silent.
    pub fn is_pausing_peer(&self, port: u16, priority: u8) -> bool {
        self.find(port).is_some_and(|at| self.ports[at].sent[usize::from(priority & 7)].pausing)
    }

    /// The ingress pools, as configured.
    pub fn ingress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.mmu.ingress_pools()
    }

    /// The egress pools, as configured.
    pub fn egress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.mmu.egress_pools()
    }

    /// Bytes of memory in use now, and the most ever.
    pub fn memory(&self) -> (u64, u64) {
        (self.mmu.used_bytes, self.mmu.watermark_bytes)
    }

    /// Starts all watermarks anew from the present levels.
    pub fn clear_watermarks(&mut self) {
        self.mmu.clear_watermarks();
        for port in &mut self.ports {
            for group in &mut port.group_use {
                group.watermark_bytes = group.bytes;
                group.headroom_watermark_bytes = group.headroom_bytes;
            }
            for queue in &mut port.queue_use {
                queue.watermark_bytes = queue.bytes;
                queue.watermark_packets = queue.packets;
            }
        }
    }

    /// The totals that must agree. Walks every queue; meant for tests and checks.
    pub fn totals(&self) -> Totals {
        let groups = self.ports.iter().flat_map(|port| &port.group_use);
        let queues = self.ports.iter().flat_map(|port| &port.queue_use);
        let waiting = self.ports.iter().flat_map(|port| port.queues.iter());
        Totals {
            ingress_bytes: groups.map(|g| g.bytes + g.headroom_bytes).sum(),
            egress_bytes: queues.map(|q| q.bytes).sum(),
            waiting_bytes: waiting.map(|(_, w)| w.footprint).sum(),
            memory_bytes: self.mmu.used_bytes,
        }
    }

    /// Checks the books: the totals agree, and every pool has handed out what its groups or queues hold beyond
    /// their reservations. Walks everything; meant for the end of a run and for tests.
    pub fn audit(&self) -> Result<(), AuditError> {
        let totals = self.totals();
        if !totals.balanced() {
            return Err(AuditError::Unbalanced(totals));
        }
        let groups = || {
            let pairs = |port: &'_ Port<P>| port.config.groups.into_iter().zip(port.group_use);
            self.ports.iter().flat_map(pairs)
        };
        for (index, pool) in self.mmu.ingress_pools().enumerate() {
            let own = || groups().filter(move |(profile, _)| profile.pool == index);
            let shared: u64 = own().map(|(p, used)| used.bytes.saturating_sub(p.reserved_bytes)).sum();
            let headroom: u64 = own().map(|(_, used)| used.headroom_bytes).sum();
            check_pool("ingress", index, pool.bytes, shared)?;
            check_pool("ingress headroom", index, pool.headroom_bytes, headroom)?;
        }
        for (index, pool) in self.mmu.egress_pools().enumerate() {
            let pairs = |port: &'_ Port<P>| port.config.queues.into_iter().zip(port.queue_use);
            let own = self.ports.iter().flat_map(pairs).filter(|(profile, _)| profile.pool == index);
            let shared: u64 = own.map(|(p, used)| used.bytes.saturating_sub(p.reserved_bytes)).sum();
            check_pool("egress", index, pool.bytes, shared)?;
        }
        Ok(())
    }

    /// The name of a buffer profile that an event refers to; empty when there is none.
    pub fn profile_name(&self, profile: u16) -> &str {
        self.profiles.get(usize::from(profile)).map_or("", String::as_str)
    }

    /// The numbers of all ports, in the order of the configuration.
    pub fn port_numbers(&self) -> impl Iterator<Item = u16> {
        self.ports.iter().map(|port| port.config.number)
    }
}

fn check_pool(
    side: &'static str,
    pool: usize,
    counted_bytes: u64,
    held_bytes: u64,
) -> Result<(), AuditError> {
    match counted_bytes == held_bytes {
        true => Ok(()),
        false => Err(AuditError::Pool { side, pool, counted_bytes, held_bytes }),
    }
}
