//! Inspection: buffer occupancy, watermarks, counters, and the audit of the accounting.

use model::Time;

use super::config::{PoolConfig, PortConfig};
use super::mmu::{GroupUse, PoolUse, QueueUse};
use super::{Port, TrafficManager};

/// Counters of one priority of one port since the start. Those of the priority group and of the queue are of the group and
/// the queue with this number.
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
    /// Dropped packets that arrived here.
    pub dropped_packets: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
    /// How often the watchdog detected a storm.
    pub watchdog_fires: u64,
    /// How often it restored the queue.
    pub watchdog_restores: u64,
    /// Packets to this port that the watchdog dropped, flushed ones included.
    pub watchdog_tx_dropped_packets: u64,
    /// Packets from this port that the watchdog dropped.
    pub watchdog_rx_dropped_packets: u64,
    /// PFC frames for this priority that arrived: pauses and resumes, also if PFC is disabled for it.
    pub pfc_frames_received: u64,
    /// How often received pauses stopped the priority: refreshes of a pause that lasts do not count.
    pub pauses_begun: u64,
    /// For how long received pauses were in effect; a pause that has not ended does not count, see
    /// [`TrafficManager::paused_time`].
    pub paused: Time,
    /// Packets that left the queue.
    pub queue_packets: u64,
    /// Their bytes.
    pub queue_bytes: u64,
    /// Those of them that were ECN marked.
    pub ecn_marked_packets: u64,
    /// Packets dropped at the queue: it was full, early drop, or the watchdog.
    pub queue_dropped_packets: u64,
    /// Their bytes.
    pub queue_dropped_bytes: u64,
    /// Packets dropped at the priority group: it, its headroom or the memory was full.
    pub group_dropped_packets: u64,
}

/// Totals that must be equal at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes counted by all ingress groups, headroom included.
    pub ingress_bytes: u64,
    /// Bytes counted by all egress queues.
    pub egress_bytes: u64,
    /// Bytes of the stored packets.
    pub waiting_bytes: u64,
    /// Bytes that the memory counts as used.
    pub memory_bytes: u64,
}

impl Totals {
    /// Whether all four totals are equal.
    pub fn balanced(&self) -> bool {
        self.ingress_bytes == self.egress_bytes
            && self.egress_bytes == self.waiting_bytes
            && self.waiting_bytes == self.memory_bytes
    }
}

/// The accounting of a traffic manager is inconsistent: a bug in this crate, whatever the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The totals of ingress groups, egress queues, stored packets and memory differ.
    #[error("the byte totals of ingress, egress, stored packets and memory differ: {0:?}")]
    Unbalanced(Totals),
    /// A pool and its groups or queues differ.
    #[error("{side} pool {pool} counts {counted_bytes} B, its groups or queues hold {held_bytes} B")]
    Pool {
        /// `ingress`, `ingress headroom` or `egress`.
        side: &'static str,
        /// Its index.
        pool: usize,
        /// The count of the pool.
        counted_bytes: u64,
        /// The sum over its groups or queues.
        held_bytes: u64,
    },
}

impl<P> TrafficManager<P> {
    /// Returns the occupancy of a queue.
    pub fn queue(&self, port: u16, priority: u8) -> Option<QueueUse> {
        Some(self.ports[self.find(port)?].queue_use[usize::from(priority & 7)])
    }

    /// Returns the occupancy of a priority group.
    pub fn group(&self, port: u16, priority: u8) -> Option<GroupUse> {
        Some(self.ports[self.find(port)?].group_use[usize::from(priority & 7)])
    }

    /// Returns the counters of a priority.
    pub fn counters(&self, port: u16, priority: u8) -> Option<ClassCounters> {
        Some(self.ports[self.find(port)?].counters[usize::from(priority & 7)])
    }

    /// Returns for how long received pauses were in effect on an egress priority until `now`. [`TrafficManager::clear`]
    /// forgets a pause that has not ended.
    pub fn paused_time(&self, port: u16, priority: u8, now: Time) -> Option<Time> {
        let port = &self.ports[self.find(port)?];
        let class = usize::from(priority & 7);
        let ended = port.counters[class].paused;
        let running = port.received[class].since.map_or(Time::ZERO, |since| now.saturating_sub(since));
        Some(Time(ended.0.saturating_add(running.0)))
    }

    /// Returns the configuration of a port.
    pub fn port_config(&self, port: u16) -> Option<&PortConfig> {
        Some(&self.ports[self.find(port)?].config)
    }

    /// Returns when the pause of an egress priority ends; [`Time::MAX`] if only a resume frame ends it.
    pub fn paused_until(&self, port: u16, priority: u8) -> Option<Time> {
        self.ports[self.find(port)?].received[usize::from(priority & 7)].until
    }

    /// Whether the peer of an ingress priority is paused, or a pause is pending.
    pub fn is_pausing_peer(&self, port: u16, priority: u8) -> bool {
        self.find(port).is_some_and(|at| self.ports[at].sent[usize::from(priority & 7)].pausing)
    }

    /// Returns the settings of the ingress pools, in configuration order.
    pub fn ingress_pool_configs(&self) -> impl Iterator<Item = PoolConfig> {
        self.mmu.ingress_pool_configs()
    }

    /// Returns the settings of the egress pools, in configuration order.
    pub fn egress_pool_configs(&self) -> impl Iterator<Item = PoolConfig> {
        self.mmu.egress_pool_configs()
    }

    /// Returns the ingress pools, in configuration order.
    pub fn ingress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.mmu.ingress_pools()
    }

    /// Returns the egress pools, in configuration order.
    pub fn egress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.mmu.egress_pools()
    }

    /// Returns the memory in use and its watermark, in bytes.
    pub fn memory(&self) -> (u64, u64) {
        (self.mmu.used_bytes, self.mmu.watermark_bytes)
    }

    /// Resets all watermarks to the current occupancy.
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

    /// Computes the totals that must be equal. Visits every queue; meant for tests and checks.
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

    /// Checks the accounting: the totals are equal, and every pool counts what its groups or queues use in addition to
    /// their reservations. Visits everything; meant for tests and for the end of a run.
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

    /// Returns the name of a buffer profile; empty if it does not exist.
    pub fn profile_name(&self, profile: u16) -> &str {
        self.profiles.get(usize::from(profile)).map_or("", String::as_str)
    }

    /// Returns all port numbers, in configuration order.
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
