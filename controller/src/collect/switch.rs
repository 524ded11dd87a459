//! Collected telemetry and freeze state of one switch.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::layout::{BankContent, Eviction, LockState, TelemetryLayout, at_or_after};

use super::settings::CollectSettings;

/// A switch that runs the program.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) layout: Arc<TelemetryLayout>,
    /// Banks that were read, oldest first.
    pub(super) history: VecDeque<BankContent>,
    pub(super) evictions: VecDeque<Eviction>,
    pub(super) gaps: Vec<EvictionGap>,
    last_sequence: Option<u32>,
    /// Banks that were not read by this collector.
    pub(super) lost: Vec<LostBank>,
    last_generation: Option<u16>,
    /// When to read the freeze state.
    pub(super) audit_at_ns: Option<u64>,
}

/// Consecutive evictions whose digests were lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EvictionGap {
    pub(super) count: u32,
    /// Sequence number of the last of them.
    pub(super) last: u32,
    /// Switch time of the next eviction that arrived.
    pub(super) until_ns: u64,
}

/// A bank that this collector has not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LostBank {
    pub(super) generation: u16,
    pub(super) frozen_ns: u64,
    pub(super) why: String,
    /// Whether the switch keeps its rows and continues to count in them when the bank becomes active again.
    pub(super) recoverable: bool,
    /// Generation whose read included these rows later.
    pub(super) recovered_by: Option<u16>,
}

impl LostBank {
    /// Whether its rows belong to a freeze of `generation` and are missing from it.
    pub(super) fn is_missing_from(&self, generation: u16) -> bool {
        let is_before = self.generation != generation && at_or_after(generation, self.generation);
        is_before && self.recovered_by.is_none_or(|by| !at_or_after(generation, by))
    }
}

impl Switch {
    pub(super) fn new(layout: Arc<TelemetryLayout>) -> Switch {
        Switch {
            layout,
            history: VecDeque::new(),
            evictions: VecDeque::new(),
            gaps: Vec::new(),
            last_sequence: None,
            lost: Vec::new(),
            last_generation: None,
            audit_at_ns: None,
        }
    }

    /// Resets the state to the freeze state of a switch that has just connected.
    pub(super) fn connected(&mut self, lock: &LockState) {
        self.last_sequence = Some(lock.evictions);
        self.last_generation = Some(lock.generation);
        self.history.clear();
        self.evictions.clear();
        self.gaps.clear();
        self.lost.clear();
        // A bank that is still frozen can be read and is not lost.
        if lock.generation != 0 && !lock.is_locked() {
            let generation = lock.frozen_generation();
            let bank = usize::from(generation & 1);
            self.lost.push(LostBank {
                generation,
                frozen_ns: lock.frozen_ns,
                why: "it was frozen and released before this controller took over".into(),
                recoverable: at_or_after(generation, lock.collected[bank]),
                recovered_by: None,
            });
        }
    }

    /// Whether `lock` shows that the switch has restarted: its generation went backwards.
    pub(super) fn has_restarted(&self, lock: &LockState) -> bool {
        self.last_generation.is_some_and(|known| !at_or_after(lock.generation, known))
    }

    /// Records the newest generation seen.
    pub(super) fn saw_generation(&mut self, generation: u16) {
        self.last_generation = Some(generation);
    }

    /// Adds an eviction, and a gap for those that are missing before it.
    pub(super) fn evicted(&mut self, eviction: Eviction, settings: &CollectSettings) {
        let expected = self.last_sequence.map(|last| last.wrapping_add(1));
        let ahead = expected.map_or(0, |expected| eviction.sequence.wrapping_sub(expected));
        if ahead >= 1 << 31 {
            // The digest arrived out of order and closes a gap.
            if let Some(at) =
                self.gaps.iter().position(|gap| gap.last.wrapping_sub(eviction.sequence) < gap.count)
            {
                self.gaps[at].count -= 1;
                if self.gaps[at].count == 0 {
                    self.gaps.remove(at);
                }
            }
        } else {
            if ahead > 0 {
                let last = eviction.sequence.wrapping_sub(1);
                self.gaps.push(EvictionGap { count: ahead, last, until_ns: eviction.time_ns });
            }
            self.last_sequence = Some(eviction.sequence);
        }
        self.evictions.push_back(eviction);
        while self.evictions.len() > settings.max_evictions {
            if let Some(oldest) = self.evictions.pop_front() {
                let (last, until_ns) = (oldest.sequence, oldest.time_ns);
                self.gaps.push(EvictionGap { count: 1, last, until_ns });
            }
        }
        self.forget(settings);
    }

    /// Lost evictions that may fall between `from_ns` and a freeze, before which the switch had exported `made` slots.
    pub(super) fn exports_lost(&self, from_ns: u64, made: u32) -> u64 {
        let before = |sequence: u32| made.wrapping_sub(sequence) < 1 << 31;
        let in_gaps: u64 = self
            .gaps
            .iter()
            .filter(|gap| gap.until_ns >= from_ns && before(gap.last))
            .map(|gap| u64::from(gap.count))
            .sum();
        let tail = self.last_sequence.map_or(0, |last| made.wrapping_sub(last));
        in_gaps + if tail < 1 << 31 { u64::from(tail) } else { 0 }
    }

    /// The bank of `generation`, if it has been read.
    pub(super) fn bank(&self, generation: u16) -> Option<&BankContent> {
        self.history.iter().find(|bank| bank.generation == generation)
    }

    /// Adds a bank that was read.
    pub(super) fn collected(&mut self, bank: BankContent, settings: &CollectSettings) {
        let parity = bank.generation & 1;
        let done = bank.lock.collected[usize::from(parity)];
        // Rows that the switch did not know to be collected have been read again with this bank.
        self.history.retain(|old| old.generation & 1 != parity || !at_or_after(old.generation, done));
        for lost in &mut self.lost {
            if lost.generation & 1 == parity && lost.recoverable {
                lost.recovered_by.get_or_insert(bank.generation);
            }
        }
        self.saw_generation(bank.lock.generation);
        self.history.push_back(bank);
        self.forget(settings);
    }

    /// Records that a bank could not be read.
    pub(super) fn not_collected(&mut self, generation: u16, frozen_ns: u64, why: String) {
        self.lost.retain(|lost| lost.generation != generation);
        self.lost.push(LostBank { generation, frozen_ns, why, recoverable: true, recovered_by: None });
    }

    fn forget(&mut self, settings: &CollectSettings) {
        let newest_ns = self
            .history
            .back()
            .map(|bank| bank.lock.frozen_ns)
            .max(self.evictions.back().map(|eviction| eviction.time_ns))
            .unwrap_or(0);
        let oldest_ns = newest_ns.saturating_sub(settings.history_ns);
        while self.history.len() > 1 && self.history.front().is_some_and(|b| b.lock.frozen_ns < oldest_ns) {
            self.history.pop_front();
        }
        while self.evictions.front().is_some_and(|eviction| eviction.time_ns < oldest_ns) {
            self.evictions.pop_front();
        }
        self.gaps.retain(|gap| gap.until_ns >= oldest_ns);
        self.lost.retain(|lost| lost.frozen_ns >= oldest_ns);
    }
}
