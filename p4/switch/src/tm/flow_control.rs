//! Priority flow control in both directions: pauses for peers whose groups are full, and pauses of peers obeyed.
//!
//! A pause is renewed at half its time for as long as it is needed. A received frame takes effect after the
//! port's reaction time; a packet that is already on the wire is finished. Source: IEEE 802.1Qbb and IEEE 802.3,
//! annex 31B and 31D.

use model::Time;
use model::wire::pfc::{Pfc, quanta_time};

use super::config::PauseEnd;
use super::event::TmEvent;
use super::pause::{Sent, Timer};
use super::{CLASSES, TrafficManager};

impl<P> TrafficManager<P> {
    pub(super) fn pause_if_due(&mut self, ingress: usize, class: usize) {
        let port = &mut self.ports[ingress];
        let must = !port.sent[class].pausing
            && port.config.pfc_enabled >> class & 1 == 1
            && self.mmu.must_pause(&port.config.groups[class], &port.group_use[class]);
        if must {
            port.sent[class] = Sent { pausing: true, pending: true, refresh: false, ..port.sent[class] };
            port.pending |= 1 << class;
            self.announce(ingress);
        }
    }

    pub(super) fn resume_if_due(&mut self, ingress: usize, class: usize) {
        let port = &mut self.ports[ingress];
        let may = port.sent[class].pausing
            && self.mmu.may_resume(&port.config.groups[class], &port.group_use[class]);
        if may {
            let refresh_at = port.sent[class].refresh_at.take();
            port.sent[class] = Sent { pausing: false, pending: true, refresh: false, refresh_at: None };
            port.pending |= 1 << class;
            if let Some(at) = refresh_at {
                self.timers.remove(&(at, ingress as u16, class as u8, Timer::Refresh));
            }
            self.announce(ingress);
        }
    }

    /// The PFC frame that must leave `port` before anything else, if there is one. One frame speaks of all
    /// classes that have something to say.
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
                let quanta = self.tell(now, at, class);
                pfc.set(class as u8, quanta);
            }
        }
        self.ports[at].pending = 0;
        pfc
    }

    /// Settles what is pending about a class and returns its quanta.
    fn tell(&mut self, now: Time, at: usize, class: usize) -> u16 {
        let port = &mut self.ports[at];
        let sent = &mut port.sent[class];
        let refresh = std::mem::take(&mut sent.refresh);
        sent.pending = false;
        let quanta = if sent.pausing { self.pause_quanta } else { 0 };
        if sent.pausing {
            // Renewed at half time, so that a frame that waits for a long one on the wire is not too late.
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

    /// Obeys a PFC frame that arrived at `port`. An unknown port is ignored, and so is a priority for which PFC is
    /// off.
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
        if port.config.pfc_enabled >> class & 1 == 0 {
            return;
        }
        self.events.push(TmEvent::PauseReceived { port: port.config.number, priority, quanta });
        if quanta == 0 {
            port.counters[class].resumes_received += 1;
        } else {
            port.counters[class].pauses_received += 1;
            self.prolong_storm(now, at, class);
        }
        let reaction = self.ports[at].config.pfc_reaction;
        if reaction == Time::ZERO {
            self.obey(now, at, class, quanta, now);
        } else {
            let due = Time(now.0.saturating_add(reaction.0));
            self.timers.insert((due, at as u16, priority, Timer::Obey { quanta, received: now }));
        }
    }

    /// A frame takes effect that came in at `received`.
    fn obey(&mut self, now: Time, at: usize, class: usize, quanta: u16, received: Time) {
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
                // Shorter than the reaction: over before it begins.
                Some(until).filter(|until| *until > now)
            }
        };
        if let Some(until) = until.filter(|until| *until < Time::MAX) {
            self.timers.insert((until, at as u16, priority, Timer::Expire));
        }
        self.set_paused(now, at, class, until);
    }

    /// A priority is paused until a time, or not any more.
    fn set_paused(&mut self, now: Time, at: usize, class: usize, until: Option<Time>) {
        let port = &mut self.ports[at];
        port.received[class].until = until;
        match until {
            Some(_) => port.paused |= 1 << class,
            None => port.paused &= !(1 << class),
        }
        self.settle_silence(at);
        self.watch(now, at, class);
    }

    /// Works out which queues are silent and lets the port go on if it may.
    pub(super) fn settle_silence(&mut self, at: usize) {
        let port = &mut self.ports[at];
        let effective = port.paused & !port.defied;
        let silenced = (0..CLASSES).filter(|priority| effective >> priority & 1 == 1);
        let silent = silenced.fold(0, |set, p| set | 1 << (port.config.maps.paused_queue[p] & 7));
        let freed = port.silent & !silent != 0;
        port.silent = silent;
        if freed && !port.blocked && port.queues.has_work(silent) {
            self.announce(at);
        }
    }

    /// When [`TrafficManager::wake`] must be called next; absent while nothing is due.
    pub fn next_wake(&self) -> Option<Time> {
        self.timers.first().map(|timer| timer.0)
    }

    /// Does what is due up to `now`: pauses run out, take effect and are renewed, watchdogs bark.
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
                    self.announce(at);
                }
                Timer::Obey { quanta, received } => self.obey(due, at, class, quanta, received),
                Timer::Detect => self.fire_watchdog(due, at, class),
                Timer::Restore => self.restore_after_storm(due, at, class),
            }
        }
    }

    /// Keeps a port from sending anything but PFC frames, as a test equipment's breakpoint does: what is sent to
    /// it piles up and can be looked at. False when there is no such port.
    pub fn block(&mut self, port: u16) -> bool {
        let Some(at) = self.find(port) else {
            return false;
        };
        self.ports[at].blocked = true;
        true
    }

    /// Ends what [`TrafficManager::block`] began.
    pub fn release(&mut self, port: u16) -> bool {
        let Some(at) = self.find(port) else {
            return false;
        };
        let port = &mut self.ports[at];
        port.blocked = false;
        if port.queues.has_work(port.silent) {
            self.announce(at);
        }
        true
    }
}
