//! The PFC watchdog of a port. It protects the switch from a peer that keeps a queue paused.
//!
//! A queue with packets that is paused for the whole detection time is in a storm: its packets and arriving packets
//! are dropped (or forwarded despite the pauses, or the storm is only reported). The queue is restored when no pause
//! frame has arrived for the restoration time. Timers are exact; real watchdogs poll at intervals.
//!
//! Sources: Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.3 (both conditions; lossless
//! packets to *and from* the peer are dropped; restoration after 200 ms); SONiC's `PFC_WD` table (actions).

use model::Time;

use super::event::{DropReason, TmEvent};
use super::pause::Timer;
use super::{CLASSES, TrafficManager};

/// What a watchdog does with a queue during a storm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchdogAction {
    /// Flushes the queue, and drops packets for it and lossless packets from the peer.
    Drop,
    /// Forwards packets despite the pauses.
    Forward,
    /// Only reports the storm.
    Alert,
}

/// Settings of a port's watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    /// Detection time: how long a non-empty queue must be paused.
    pub detection: Time,
    /// Restoration time after the last pause frame, or after detection if no pause frame followed. `None` never
    /// restores the queue.
    pub restoration: Option<Time>,
    /// The action during a storm.
    pub action: WatchdogAction,
    /// Bit n: priority n is watched.
    pub priorities: u8,
}

/// State of the watchdog for one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WatchdogState {
    /// The queue is empty or not paused.
    #[default]
    Idle,
    /// The queue is paused and not empty; detection is due at this time.
    Detecting(Time),
    /// A storm was detected at `since`; restoration is due at `restore_at`.
    Storm { since: Time, restore_at: Option<Time> },
}

impl<P> TrafficManager<P> {
    fn watchdog(&self, at: usize, priority: usize) -> Option<Watchdog> {
        self.ports[at].config.watchdog.filter(|settings| settings.priorities >> priority & 1 == 1)
    }

    /// Starts or cancels detection for a priority, depending on whether its queue is paused and not empty.
    pub(super) fn update_detection(&mut self, now: Time, at: usize, priority: usize) {
        let Some(settings) = self.watchdog(at, priority) else {
            return;
        };
        let port = &mut self.ports[at];
        let queue = usize::from(port.config.maps.paused_queue[priority] & 7);
        let is_paused = port.paused >> priority & 1 == 1 && port.queue_use[queue].packets > 0;
        match (port.watchdog[priority], is_paused) {
            (WatchdogState::Idle, true) => {
                let due = Time(now.0.saturating_add(settings.detection.0));
                port.watchdog[priority] = WatchdogState::Detecting(due);
                self.timers.insert((due, at as u16, priority as u8, Timer::Detect));
            }
            (WatchdogState::Detecting(due), false) => {
                port.watchdog[priority] = WatchdogState::Idle;
                self.timers.remove(&(due, at as u16, priority as u8, Timer::Detect));
            }
            _ => {}
        }
    }

    /// Updates detection after a packet was stored in an empty queue.
    pub(super) fn update_detection_of_queue(&mut self, now: Time, at: usize, queue: usize) {
        for priority in 0..CLASSES {
            if usize::from(self.ports[at].config.maps.paused_queue[priority] & 7) == queue {
                self.update_detection(now, at, priority);
            }
        }
    }

    /// Postpones restoration, because a pause frame arrived.
    pub(super) fn postpone_restore(&mut self, now: Time, at: usize, priority: usize) {
        let Some(settings) = self.watchdog(at, priority) else {
            return;
        };
        if let WatchdogState::Storm { since, restore_at: Some(due) } = self.ports[at].watchdog[priority] {
            self.timers.remove(&(due, at as u16, priority as u8, Timer::Restore));
            self.set_restore(now, at, priority, settings, since);
        }
    }

    fn set_restore(&mut self, now: Time, at: usize, priority: usize, settings: Watchdog, since: Time) {
        let restore_at = settings.restoration.map(|wait| Time(now.0.saturating_add(wait.0)));
        self.ports[at].watchdog[priority] = WatchdogState::Storm { since, restore_at };
        if let Some(due) = restore_at {
            self.timers.insert((due, at as u16, priority as u8, Timer::Restore));
        }
    }

    pub(super) fn fire_watchdog(&mut self, now: Time, at: usize, priority: usize) {
        let Some(settings) = self.watchdog(at, priority) else {
            return;
        };
        self.set_restore(now, at, priority, settings, now);
        let port = &mut self.ports[at];
        port.counters[priority].watchdog_fires += 1;
        let queue = usize::from(port.config.maps.paused_queue[priority] & 7);
        let (number, action) = (port.config.number, settings.action);
        self.events.push(TmEvent::WatchdogFired { port: number, priority: priority as u8, action });
        self.update_watchdog_masks(at, action);
        if action == WatchdogAction::Drop {
            while let Some(waiting) = self.remove_first(at, queue) {
                self.count_drop(waiting.arrival(number), DropReason::Watchdog, true);
            }
        }
        self.update_paused_queues(at);
    }

    pub(super) fn restore_after_storm(&mut self, now: Time, at: usize, priority: usize) {
        let Some(settings) = self.watchdog(at, priority) else {
            return;
        };
        let port = &mut self.ports[at];
        port.watchdog[priority] = WatchdogState::Idle;
        port.counters[priority].watchdog_restores += 1;
        let port = port.config.number;
        self.events.push(TmEvent::WatchdogRestored { port, priority: priority as u8 });
        self.update_watchdog_masks(at, settings.action);
        self.update_paused_queues(at);
        self.update_detection(now, at, priority);
    }

    /// Derives the overridden pauses and the dropping queues and groups from the priorities in a storm.
    fn update_watchdog_masks(&mut self, at: usize, action: WatchdogAction) {
        let port = &mut self.ports[at];
        (port.overridden, port.dropping_queues, port.dropping_groups) = (0, 0, 0);
        for priority in 0..CLASSES {
            if !matches!(port.watchdog[priority], WatchdogState::Storm { .. })
                || action == WatchdogAction::Alert
            {
                continue;
            }
            port.overridden |= 1 << priority;
            if action == WatchdogAction::Drop {
                port.dropping_queues |= 1 << (port.config.maps.paused_queue[priority] & 7);
                port.dropping_groups |= 1 << priority;
            }
        }
    }

    /// Returns when the current storm of a priority was detected; `None` if there is none.
    pub fn storm_since(&self, port: u16, priority: u8) -> Option<Time> {
        match self.ports[self.find(port)?].watchdog[usize::from(priority & 7)] {
            WatchdogState::Storm { since, .. } => Some(since),
            WatchdogState::Idle | WatchdogState::Detecting(_) => None,
        }
    }
}
