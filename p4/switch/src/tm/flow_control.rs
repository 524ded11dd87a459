//! Priority flow control: pauses sent when a priority group reaches XOFF, and pauses received from the peer.
//!
//! A sent pause is refreshed at half its duration for as long as it is needed. A received frame takes effect after
//! the reaction time of the port; a packet whose transmission has begun is completed. Source: IEEE 802.1Qbb and IEEE
//! 802.3, annexes 31B and 31D.

use model::Time;
use model::wire::pfc::{Pfc, quanta_time};

use super::config::PauseEnd;
use super::event::TmEvent;
use super::pause::{SentPause, Timer};
use super::{CLASSES, TrafficManager};

impl<P> TrafficManager<P> {
    pub(super) fn pause_if_due(&mut self, ingress: usize, class: usize) {
        let port = &mut self.ports[ingress];
        let must = !port.sent[class].pausing
            && port.config.pfc_enabled >> class & 1 == 1
            && self.mmu.must_pause(&port.config.groups[class], &port.group_use[class]);
        if must {
            port.sent[class] = SentPause { pausing: true, pending: true, refresh: false, ..port.sent[class] };
            port.pending |= 1 << class;
            self.signal_ready(ingress);
        }
    }

    pub(super) fn resume_if_due(&mut self, ingress: usize, class: usize) {
        let port = &mut self.ports[ingress];
        let may = port.sent[class].pausing
            && self.mmu.may_resume(&port.config.groups[class], &port.group_use[class]);
        if may {
            let refresh_at = port.sent[class].refresh_at.take();
            port.sent[class] = SentPause { pausing: false, pending: true, refresh: false, refresh_at: None };
            port.pending |= 1 << class;
            if let Some(at) = refresh_at {
                self.timers.remove(&(at, ingress as u16, class as u8, Timer::Refresh));
            }
            self.signal_ready(ingress);
        }
    }

    /// Returns the PFC frame that must leave `port` before any packet, if one is pending. One frame covers all
    /// priorities that have changed.
    #[inline]
    pub fn take_pfc(&mut self, now: Time, port: u16) -> Option<Pfc> {
        let at = self.find(port)?;
        match self.ports[at].pending {
            0 => None,
            _ => Some(self.collect_pfc(now, at)),
        }
    }

    fn collect_pfc(&mut self, now: Time, at: usize) -> Pfc {
        let mut pfc = Pfc::default();
        for class in 0..CLASSES {
            if self.ports[at].pending >> class & 1 == 1 {
                let quanta = self.take_quanta(now, at, class);
                pfc.set(class as u8, quanta);
            }
        }
        self.ports[at].pending = 0;
        pfc
    }

    /// Clears the pending state of a priority and returns the quanta to send.
    fn take_quanta(&mut self, now: Time, at: usize, class: usize) -> u16 {
        let port = &mut self.ports[at];
        let sent = &mut port.sent[class];
        let refresh = std::mem::take(&mut sent.refresh);
        sent.pending = false;
        let quanta = if sent.pausing { self.pause_quanta } else { 0 };
        if sent.pausing {
            // The refresh is due at half the duration, so that a long packet on the wire cannot delay it past the
            // end.
            let half = quanta_time(quanta, port.config.rate).0 / 2;
            let due = Time(now.0.saturating_add(half));
            sent.refresh_at = Some(due);
            self.timers.insert((due, at as u16, class as u8, Timer::Refresh));
            port.counters[class].pauses_sent += 1;
        } else {
            port.counters[class].resumes_sent += 1;
        }
        let (number, priority) = (port.config.number, class as u8);
        self.events.push(TmEvent::PauseSent { port: number, priority, quanta, refresh });
        quanta
    }

    /// Processes a PFC frame that arrived at `port`. Unknown ports and priorities without PFC are ignored.
    pub fn receive_pfc(&mut self, now: Time, port: u16, pfc: &Pfc) {
        let Some(at) = self.find(port) else {
            return;
        };
        for (priority, quanta) in pfc.classes() {
            self.receive_class(now, at, priority, quanta);
        }
    }

    fn receive_class(&mut self, now: Time, at: usize, priority: u8, quanta: u16) {
        let class = usize::from(priority);
        let port = &mut self.ports[at];
        port.counters[class].pfc_frames_received += 1;
        if port.config.pfc_enabled >> class & 1 == 0 {
            return;
        }
        self.events.push(TmEvent::PauseReceived { port: port.config.number, priority, quanta });
        if quanta == 0 {
            port.counters[class].resumes_received += 1;
        } else {
            port.counters[class].pauses_received += 1;
            self.postpone_restore(now, at, class);
        }
        let reaction = self.ports[at].config.pfc_reaction;
        if reaction == Time::ZERO {
            self.apply_pause(now, at, class, quanta, now);
        } else {
            let due = Time(now.0.saturating_add(reaction.0));
            self.timers.insert((due, at as u16, priority, Timer::Apply { quanta, received: now }));
        }
    }

    /// Applies a frame that arrived at `received`.
    fn apply_pause(&mut self, now: Time, at: usize, class: usize, quanta: u16, received: Time) {
        let priority = class as u8;
        let port = &mut self.ports[at];
        if let Some(until) = port.received[class].until.take() {
            self.timers.remove(&(until, at as u16, priority, Timer::Expire));
        }
        let until = match (quanta, self.pause_end) {
            (0, _) => None,
            (_, PauseEnd::ResumeOnly) => Some(Time::MAX),
            (_, PauseEnd::Quanta) => {
                let until = Time(received.0.saturating_add(quanta_time(quanta, port.config.rate).0));
                // A pause shorter than the reaction time has ended before it takes effect.
                Some(until).filter(|until| *until > now)
            }
        };
        if let Some(until) = until.filter(|until| *until < Time::MAX) {
            self.timers.insert((until, at as u16, priority, Timer::Expire));
        }
        self.set_paused(now, at, class, until);
    }

    /// Sets or ends the pause of a priority.
    fn set_paused(&mut self, now: Time, at: usize, class: usize, until: Option<Time>) {
        let port = &mut self.ports[at];
        let received = &mut port.received[class];
        received.until = until;
        match until {
            Some(_) => {
                if received.since.replace(received.since.unwrap_or(now)).is_none() {
                    port.counters[class].pauses_begun += 1;
                }
                port.paused |= 1 << class;
            }
            None => {
                let lasted = received.since.take().map_or(Time::ZERO, |since| now.saturating_sub(since));
                let counters = &mut port.counters[class];
                counters.paused = Time(counters.paused.0.saturating_add(lasted.0));
                port.paused &= !(1 << class);
            }
        }
        self.update_paused_queues(at);
        self.update_detection(now, at, class);
    }

    /// Recomputes the paused queues, and reports the port as ready if a queue with packets was resumed.
    pub(super) fn update_paused_queues(&mut self, at: usize) {
        let port = &mut self.ports[at];
        let effective = port.paused & !port.overridden;
        let priorities = (0..CLASSES).filter(|priority| effective >> priority & 1 == 1);
        let paused_queues = priorities.fold(0, |set, p| set | 1 << (port.config.maps.paused_queue[p] & 7));
        let resumed = port.paused_queues & !paused_queues != 0;
        port.paused_queues = paused_queues;
        if resumed && !port.blocked && port.queues.has_work(paused_queues) {
            self.signal_ready(at);
        }
    }

    /// Returns when [`TrafficManager::wake`] must be called next; `None` while no timer is set.
    pub fn next_wake(&self) -> Option<Time> {
        self.timers.first().map(|timer| timer.0)
    }

    /// Runs all timers up to `now`: pauses expire, take effect and are refreshed, watchdogs detect storms and restore
    /// queues.
    pub fn wake(&mut self, now: Time) {
        while let Some(&(due, at, priority, kind)) = self.timers.first() {
            if due > now {
                return;
            }
            self.timers.pop_first();
            let (at, class) = (usize::from(at), usize::from(priority));
            match kind {
                Timer::Expire => {
                    let port = self.ports[at].config.number;
                    self.events.push(TmEvent::PauseExpired { port, priority });
                    self.set_paused(due, at, class, None);
                }
                Timer::Refresh => {
                    let port = &mut self.ports[at];
                    port.sent[class].refresh_at = None;
                    port.sent[class].pending = true;
                    port.sent[class].refresh = true;
                    port.pending |= 1 << class;
                    self.signal_ready(at);
                }
                Timer::Apply { quanta, received } => self.apply_pause(due, at, class, quanta, received),
                Timer::Detect => self.fire_watchdog(due, at, class),
                Timer::Restore => self.restore_after_storm(due, at, class),
            }
        }
    }

    /// Blocks a port: only PFC frames leave it. This is the breakpoint of test equipment, which fills a queue for
    /// inspection. Returns false if the port does not exist.
    pub fn block(&mut self, port: u16) -> bool {
        let Some(at) = self.find(port) else {
            return false;
        };
        self.ports[at].blocked = true;
        true
    }

    /// Ends [`TrafficManager::block`]. Returns false if the port does not exist.
    pub fn release(&mut self, port: u16) -> bool {
        let Some(at) = self.find(port) else {
            return false;
        };
        let port = &mut self.ports[at];
        port.blocked = false;
        if port.queues.has_work(port.paused_queues) {
            self.signal_ready(at);
        }
        true
    }
}
