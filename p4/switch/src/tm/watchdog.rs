//! The PFC watchdog of a port: it frees the switch from a peer that does not let a queue go on.
//!
//! A queue with packets that has been paused for the detection time without a break is given up: what waits in it
//! and what comes is dropped (or sent in spite of the pauses, or merely reported). When no pause frame has come for
//! the restoration time, it works as before. Timers are exact; real watchdogs look every poll interval.
//!
//! Sources: Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.3 (both conditions; the
//! lossless packets to *and from* the peer are discarded; 200 ms to restore); SONiC's `PFC_WD` table (actions).

use model::Time;

use super::event::{DropReason, TmEvent};
use super::pause::Timer;
use super::{CLASSES, TrafficManager};

/// What a watchdog does with a queue that it has given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchdogAction {
    /// Drops what waits in the queue, what is to enter it, and lossless packets from the peer.
    Drop,
    /// Sends in spite of the pauses.
    Forward,
    /// Reports.
    Alert,
}

/// Settings of a port's watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    /// A queue that has been paused and not empty for this long is given up.
    pub detection: Time,
    /// It works again this long after the last pause frame, or after it was given up if none came since; absent:
    /// never by itself.
    pub restoration: Option<Time>,
    /// What is done meanwhile.
    pub action: WatchdogAction,
    /// Bit n: priority n is watched.
    pub priorities: u8,
}

/// What the watchdog thinks of one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Guard {
    /// Nothing is wrong.
    #[default]
    Calm,
    /// Packets wait behind a pause; at this time it is enough.
    Watching(Time),
    /// The queue is given up, since this time; it works again at the other.
    Storm { since: Time, restore_at: Option<Time> },
}

impl<P> TrafficManager<P> {
    fn watchdog(&self, at: usize, priority: usize) -> Option<Watchdog> {
        self.ports[at].config.watchdog.filter(|dog| dog.priorities >> priority & 1 == 1)
    }

    /// Starts or ends the watch over a priority, according to whether packets wait behind a pause.
    pub(super) fn watch(&mut self, now: Time, at: usize, priority: usize) {
        let Some(dog) = self.watchdog(at, priority) else {
            return;
        };
        let port = &mut self.ports[at];
        let queue = usize::from(port.config.maps.paused_queue[priority] & 7);
        let held = port.paused >> priority & 1 == 1 && port.queue_use[queue].packets > 0;
        match (port.guard[priority], held) {
            (Guard::Calm, true) => {
                let due = Time(now.0.saturating_add(dog.detection.0));
                port.guard[priority] = Guard::Watching(due);
                self.timers.insert((due, at as u16, priority as u8, Timer::Detect));
            }
            (Guard::Watching(due), false) => {
                port.guard[priority] = Guard::Calm;
                self.timers.remove(&(due, at as u16, priority as u8, Timer::Detect));
            }
            _ => {}
        }
    }

    /// A packet has been stored in a queue that was empty.
    pub(super) fn watch_queue(&mut self, now: Time, at: usize, queue: usize) {
        for priority in 0..CLASSES {
            if usize::from(self.ports[at].config.maps.paused_queue[priority] & 7) == queue {
                self.watch(now, at, priority);
            }
        }
    }

    /// A pause frame has come: a queue that is given up stays so for longer.
    pub(super) fn prolong_storm(&mut self, now: Time, at: usize, priority: usize) {
        let Some(dog) = self.watchdog(at, priority) else {
            return;
        };
        if let Guard::Storm { since, restore_at: Some(due) } = self.ports[at].guard[priority] {
            self.timers.remove(&(due, at as u16, priority as u8, Timer::Restore));
            self.set_restore(now, at, priority, dog, since);
        }
    }

    fn set_restore(&mut self, now: Time, at: usize, priority: usize, dog: Watchdog, since: Time) {
        let restore_at = dog.restoration.map(|wait| Time(now.0.saturating_add(wait.0)));
        self.ports[at].guard[priority] = Guard::Storm { since, restore_at };
        if let Some(due) = restore_at {
            self.timers.insert((due, at as u16, priority as u8, Timer::Restore));
        }
    }

    pub(super) fn fire_watchdog(&mut self, now: Time, at: usize, priority: usize) {
        let Some(dog) = self.watchdog(at, priority) else {
            return;
        };
        self.set_restore(now, at, priority, dog, now);
        let port = &mut self.ports[at];
        port.counters[priority].watchdog_fires += 1;
        let queue = usize::from(port.config.maps.paused_queue[priority] & 7);
        let (number, action) = (port.config.number, dog.action);
        self.events.push(TmEvent::WatchdogFired { port: number, priority: priority as u8, action });
        self.settle_given_up(at, action);
        if action == WatchdogAction::Drop {
            while let Some(waiting) = self.take_out(at, queue) {
                self.count_drop(waiting.arrival(number), DropReason::Watchdog, true);
            }
        }
        self.settle_silence(at);
    }

    pub(super) fn restore_after_storm(&mut self, now: Time, at: usize, priority: usize) {
        let Some(dog) = self.watchdog(at, priority) else {
            return;
        };
        self.ports[at].guard[priority] = Guard::Calm;
        let port = self.ports[at].config.number;
        self.events.push(TmEvent::WatchdogRestored { port, priority: priority as u8 });
        self.settle_given_up(at, dog.action);
        self.settle_silence(at);
        self.watch(now, at, priority);
    }

    /// Which pauses are defied and which queues and groups given up follows from the priorities in a storm.
    fn settle_given_up(&mut self, at: usize, action: WatchdogAction) {
        let port = &mut self.ports[at];
        (port.defied, port.given_up_queues, port.given_up_groups) = (0, 0, 0);
        for priority in 0..CLASSES {
            if !matches!(port.guard[priority], Guard::Storm { .. }) || action == WatchdogAction::Alert {
                continue;
            }
            port.defied |= 1 << priority;
            if action == WatchdogAction::Drop {
                port.given_up_queues |= 1 << (port.config.maps.paused_queue[priority] & 7);
                port.given_up_groups |= 1 << priority;
            }
        }
    }

    /// Since when the watchdog has given a priority of a port up; absent while it works.
    pub fn storm_since(&self, port: u16, priority: u8) -> Option<Time> {
        match self.ports[self.find(port)?].guard[usize::from(priority & 7)] {
            Guard::Storm { since, .. } => Some(since),
            Guard::Calm | Guard::Watching(_) => None,
        }
    }
}
