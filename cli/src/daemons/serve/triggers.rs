//! The latest triggers of agents by event, for snapshots that a controller emitted before the trigger reached it.

use std::collections::{BTreeMap, VecDeque};

use model::Trigger;

/// Maximum triggers; the oldest is forgotten.
const REMEMBERED: usize = 16_384;

/// The triggers, with times of the server's clock.
#[derive(Debug, Default)]
pub(crate) struct Triggers {
    by_event: BTreeMap<u32, Trigger>,
    order: VecDeque<u32>,
}

impl Triggers {
    /// Adds a trigger; it replaces an earlier one with the same event id.
    pub(crate) fn add(&mut self, event: u32, trigger: Trigger) {
        if self.by_event.insert(event, trigger).is_none() {
            self.order.push_back(event);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_event.remove(&oldest);
        }
    }

    /// Returns the trigger of an event.
    pub(crate) fn of(&self, event: u32) -> Option<&Trigger> {
        self.by_event.get(&event)
    }
}
