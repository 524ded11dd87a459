//! Emptying the traffic manager: between two experiments on one switch, and when its program changes.

use super::event::TmEvent;
use super::watchdog::WatchdogState;
use super::{CLASSES, TrafficManager};

impl<P> TrafficManager<P> {
    /// Removes all packets, ends all pauses in both directions and all storms, and stops all timers, as if the links of
    /// all ports had been replaced by idle ones. Returns the removed packets, which do not count as dropped.
    ///
    /// Reports received pauses as expired and storms as restored. Counters, watermarks and [`TrafficManager::block`]
    /// stay.
    pub fn clear(&mut self) -> Vec<P> {
        let removed = self.remove_all();
        // Only after the removal, which makes ports ready and resumes peers.
        self.events.retain(|event| !matches!(event, TmEvent::Ready { .. }));
        self.timers.clear();
        for at in 0..self.ports.len() {
            self.clear_flow_control(at);
        }
        removed
    }

    /// Removes all packets, also those of paused queues, and resumes peers that were paused because of them. Returns the removed
    /// packets, which do not count as dropped. Received pauses stay.
    pub fn remove_all(&mut self) -> Vec<P> {
        let mut removed = Vec::new();
        for at in 0..self.ports.len() {
            for queue in 0..CLASSES {
                while let Some(waiting) = self.remove_first(at, queue) {
                    removed.push(waiting.packet);
                }
            }
        }
        removed
    }

    fn clear_flow_control(&mut self, at: usize) {
        let port = &mut self.ports[at];
        let number = port.config.number;
        for class in 0..CLASSES {
            let priority = class as u8;
            if port.received[class].until.is_some() {
                self.events.push(TmEvent::PauseExpired { port: number, priority });
            }
            if matches!(port.watchdog[class], WatchdogState::Storm { .. }) {
                self.events.push(TmEvent::WatchdogRestored { port: number, priority });
            }
        }
        port.queues.restart_schedule();
        (port.received, port.sent, port.watchdog) = Default::default();
        (port.paused, port.overridden, port.paused_queues) = (0, 0, 0);
        (port.dropping_queues, port.dropping_groups, port.pending) = (0, 0, 0);
        port.idle = true;
    }
}
