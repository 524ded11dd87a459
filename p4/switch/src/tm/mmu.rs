//! The memory management unit: decides which packets are stored, and accounts for them.
//!
//! A packet is counted twice: in the ingress priority group of the port where it arrived, and in the egress queue
//! where it waits. Both counts come from the same memory, so their totals are always equal. A group fills its
//! reservation, then its share of a pool, then (lossless groups) its headroom; it drains in reverse order.

use super::config::{GroupProfile, PoolConfig, QueueProfile};
use super::event::DropReason;

/// Occupancy of a priority group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupUse {
    /// Bytes in the reservation and the pool.
    pub bytes: u64,
    /// Bytes in the headroom.
    pub headroom_bytes: u64,
    /// Watermark of `bytes`.
    pub watermark_bytes: u64,
    /// Watermark of `headroom_bytes`.
    pub headroom_watermark_bytes: u64,
}

/// Occupancy of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueUse {
    /// Bytes.
    pub bytes: u64,
    /// Packets.
    pub packets: u64,
    /// Watermark of `bytes`.
    pub watermark_bytes: u64,
    /// Watermark of `packets`.
    pub watermark_packets: u64,
}

/// Occupancy of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolUse {
    /// Shared bytes in use, not counting reservations.
    pub bytes: u64,
    /// Bytes of headroom.
    pub headroom_bytes: u64,
    /// Watermark of `bytes`.
    pub watermark_bytes: u64,
    /// Watermark of `headroom_bytes`.
    pub headroom_watermark_bytes: u64,
}

/// Where an admitted packet is counted at ingress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    Group,
    Headroom,
}

/// Counters of the whole memory.
#[derive(Clone, Debug)]
pub(super) struct Mmu {
    memory_bytes: u64,
    cell_bytes: u64,
    pub(super) used_bytes: u64,
    pub(super) watermark_bytes: u64,
    /// Bytes counted for all groups, and for all queues: the two sides of the accounting.
    ingress_bytes: u64,
    egress_bytes: u64,
    ingress: Vec<(PoolConfig, PoolUse)>,
    egress: Vec<(PoolConfig, PoolUse)>,
}

fn above_reservation(bytes: u64, reserved: u64) -> u64 {
    bytes.saturating_sub(reserved)
}

impl Mmu {
    pub(super) fn new(
        memory_bytes: u64,
        cell_bytes: u32,
        ingress: &[PoolConfig],
        egress: &[PoolConfig],
    ) -> Mmu {
        let pools = |pools: &[PoolConfig]| pools.iter().map(|p| (*p, PoolUse::default())).collect();
        Mmu {
            memory_bytes,
            cell_bytes: u64::from(cell_bytes.max(1)),
            used_bytes: 0,
            watermark_bytes: 0,
            ingress_bytes: 0,
            egress_bytes: 0,
            ingress: pools(ingress),
            egress: pools(egress),
        }
    }

    /// Returns the memory that a packet of `bytes` takes.
    pub(super) fn footprint(&self, bytes: u32) -> u64 {
        // Cell sizes are usually powers of two; a division would cost more than the other accounting of a packet.
        match self.cell_bytes.is_power_of_two() {
            true => (u64::from(bytes) + self.cell_bytes - 1) & !(self.cell_bytes - 1),
            false => u64::from(bytes).div_ceil(self.cell_bytes) * self.cell_bytes,
        }
    }

    pub(super) fn ingress_pool_configs(&self) -> impl Iterator<Item = PoolConfig> {
        self.ingress.iter().map(|(pool, _)| *pool)
    }

    pub(super) fn egress_pool_configs(&self) -> impl Iterator<Item = PoolConfig> {
        self.egress.iter().map(|(pool, _)| *pool)
    }

    pub(super) fn ingress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.ingress.iter().map(|(_, used)| used)
    }

    pub(super) fn egress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.egress.iter().map(|(_, used)| used)
    }

    /// Returns the current threshold of a group; 0 if the pool of its profile does not exist.
    pub(super) fn group_threshold(&self, profile: &GroupProfile) -> u64 {
        self.ingress
            .get(profile.pool)
            .map_or(0, |(pool, used)| profile.threshold.bytes(pool.size_bytes.saturating_sub(used.bytes)))
    }

    /// Returns where `bytes` more are counted at ingress, or why they do not fit.
    pub(super) fn admit(
        &self,
        profile: &GroupProfile,
        group: &GroupUse,
        queue_profile: &QueueProfile,
        queue: &QueueUse,
        bytes: u64,
    ) -> Result<Account, DropReason> {
        if self.used_bytes + bytes > self.memory_bytes {
            return Err(DropReason::MemoryFull);
        }
        if !self.egress_fits(queue_profile, queue, bytes) {
            return Err(DropReason::EgressThreshold);
        }
        self.admit_ingress(profile, group, bytes)
    }

    fn admit_ingress(
        &self,
        profile: &GroupProfile,
        group: &GroupUse,
        bytes: u64,
    ) -> Result<Account, DropReason> {
        let shared_after = above_reservation(group.bytes + bytes, profile.reserved_bytes);
        let Some((pool, used)) = self.ingress.get(profile.pool) else {
            return if shared_after == 0 { Ok(Account::Group) } else { Err(DropReason::IngressThreshold) };
        };
        let growth = shared_after - above_reservation(group.bytes, profile.reserved_bytes);
        let fits = shared_after <= self.group_threshold(profile) && used.bytes + growth <= pool.size_bytes;
        if shared_after == 0 || fits {
            return Ok(Account::Group);
        }
        let Some(lossless) = profile.lossless else {
            return Err(DropReason::IngressThreshold);
        };
        let own = group.headroom_bytes + bytes <= lossless.headroom_bytes;
        let common = pool.shared_headroom_bytes.is_none_or(|limit| used.headroom_bytes + bytes <= limit);
        if own && common { Ok(Account::Headroom) } else { Err(DropReason::HeadroomFull) }
    }

    fn egress_fits(&self, profile: &QueueProfile, queue: &QueueUse, bytes: u64) -> bool {
        let Some(threshold) = profile.threshold else {
            return true;
        };
        let shared_after = above_reservation(queue.bytes + bytes, profile.reserved_bytes);
        let growth = shared_after - above_reservation(queue.bytes, profile.reserved_bytes);
        shared_after == 0
            || self.egress.get(profile.pool).is_some_and(|(pool, used)| {
                shared_after <= threshold.bytes(pool.size_bytes.saturating_sub(used.bytes))
                    && used.bytes + growth <= pool.size_bytes
            })
    }

    /// Counts an admitted packet at ingress.
    pub(super) fn store_ingress(
        &mut self,
        profile: &GroupProfile,
        group: &mut GroupUse,
        account: Account,
        bytes: u64,
    ) {
        self.used_bytes += bytes;
        self.ingress_bytes += bytes;
        self.watermark_bytes = self.watermark_bytes.max(self.used_bytes);
        let pool = self.ingress.get_mut(profile.pool).map(|(_, used)| used);
        match account {
            Account::Group => {
                let before = above_reservation(group.bytes, profile.reserved_bytes);
                group.bytes += bytes;
                group.watermark_bytes = group.watermark_bytes.max(group.bytes);
                if let Some(pool) = pool {
                    pool.bytes += above_reservation(group.bytes, profile.reserved_bytes) - before;
                    pool.watermark_bytes = pool.watermark_bytes.max(pool.bytes);
                }
            }
            Account::Headroom => {
                group.headroom_bytes += bytes;
                group.headroom_watermark_bytes = group.headroom_watermark_bytes.max(group.headroom_bytes);
                if let Some(pool) = pool {
                    pool.headroom_bytes += bytes;
                    pool.headroom_watermark_bytes = pool.headroom_watermark_bytes.max(pool.headroom_bytes);
                }
            }
        }
    }

    /// Counts an admitted packet at egress.
    pub(super) fn store_egress(&mut self, profile: &QueueProfile, queue: &mut QueueUse, bytes: u64) {
        let before = above_reservation(queue.bytes, profile.reserved_bytes);
        self.egress_bytes += bytes;
        queue.bytes += bytes;
        queue.packets += 1;
        queue.watermark_bytes = queue.watermark_bytes.max(queue.bytes);
        queue.watermark_packets = queue.watermark_packets.max(queue.packets);
        if let Some((_, pool)) = self.egress.get_mut(profile.pool) {
            pool.bytes += above_reservation(queue.bytes, profile.reserved_bytes) - before;
            pool.watermark_bytes = pool.watermark_bytes.max(pool.bytes);
        }
    }

    /// Frees a packet at ingress: headroom first, so that it is available again as early as possible.
    pub(super) fn free_ingress(&mut self, profile: &GroupProfile, group: &mut GroupUse, bytes: u64) {
        self.used_bytes -= bytes;
        self.ingress_bytes -= bytes;
        let from_headroom = group.headroom_bytes.min(bytes);
        let before = above_reservation(group.bytes, profile.reserved_bytes);
        group.headroom_bytes -= from_headroom;
        group.bytes -= bytes - from_headroom;
        if let Some((_, pool)) = self.ingress.get_mut(profile.pool) {
            pool.headroom_bytes -= from_headroom;
            pool.bytes -= before - above_reservation(group.bytes, profile.reserved_bytes);
        }
    }

    /// Frees a packet at egress.
    pub(super) fn free_egress(&mut self, profile: &QueueProfile, queue: &mut QueueUse, bytes: u64) {
        let before = above_reservation(queue.bytes, profile.reserved_bytes);
        self.egress_bytes -= bytes;
        queue.bytes -= bytes;
        queue.packets -= 1;
        if let Some((_, pool)) = self.egress.get_mut(profile.pool) {
            pool.bytes -= before - above_reservation(queue.bytes, profile.reserved_bytes);
        }
    }

    /// Whether the group has reached XOFF.
    pub(super) fn must_pause(&self, profile: &GroupProfile, group: &GroupUse) -> bool {
        profile.lossless.is_some()
            && (group.headroom_bytes > 0 || {
                let shared = above_reservation(group.bytes, profile.reserved_bytes);
                shared > 0 && shared >= self.group_threshold(profile)
            })
    }

    /// Whether the group is at or below XON.
    pub(super) fn may_resume(&self, profile: &GroupProfile, group: &GroupUse) -> bool {
        let Some(lossless) = profile.lossless else {
            return true;
        };
        let shared = above_reservation(group.bytes, profile.reserved_bytes);
        let limit =
            self.group_threshold(profile).saturating_sub(lossless.xon_offset_bytes).max(lossless.xon_bytes);
        group.headroom_bytes == 0 && shared <= limit
    }

    /// Whether both sides of the accounting match the memory in use. Checked for every packet in debug builds;
    /// [`super::TrafficManager::audit`] checks more.
    pub(super) fn is_consistent(&self) -> bool {
        self.ingress_bytes == self.egress_bytes && self.egress_bytes == self.used_bytes
    }

    /// Resets all watermarks to the current occupancy.
    pub(super) fn clear_watermarks(&mut self) {
        self.watermark_bytes = self.used_bytes;
        for (_, used) in self.ingress.iter_mut().chain(&mut self.egress) {
            used.watermark_bytes = used.bytes;
            used.headroom_watermark_bytes = used.headroom_bytes;
        }
    }
}
