//! A switch whose ports send at the rates of their links, for a driver whose timers are coarse.
//!
//! A fabric in virtual time calls [`Switch::transmit`] exactly when a port becomes idle. A process on a real machine
//! wakes up late, by tens of microseconds or milliseconds, so a port that had to wait for the process would be slower
//! than its link. [`PacedSwitch`] therefore keeps the time until which each link is busy and lets a backlogged port
//! catch up: frames that were due while the process slept leave together, and the average rate is that of the link.
//! [`Pacing::catch_up`] bounds such a burst.
//!
//! The link is busy for the serialisation time of the frame, without preamble, frame check sequence and inter-frame
//! gap, as in the simulated fabric.

use std::collections::BTreeSet;

use model::wire::Frame;
use model::{Rate, Time};

use crate::event::Event;
use crate::switch::Switch;

/// Settings of [`PacedSwitch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// How much time of its link a backlogged port may make up for after a late call. What was missed before is lost,
    /// as if the link had been idle.
    pub catch_up: Time,
    /// Frames that one call of [`PacedSwitch::advance`] sends at most, so that receiving continues on a switch whose
    /// ports are faster than its processor. The next call continues.
    pub frames_per_call: usize,
}

impl Default for Pacing {
    /// 5 ms, more than the time slice of a busy machine, and 1024 frames.
    fn default() -> Pacing {
        Pacing { catch_up: Time::from_ms(5), frames_per_call: 1024 }
    }
}

/// The transmitter of a port.
#[derive(Clone, Copy, Debug)]
struct Transmitter {
    number: u16,
    rate: Rate,
    /// Until when the link is busy with frames already sent.
    busy_until: Time,
    /// When it may send next, if it has something to send.
    due: Option<Time>,
}

/// A frame that leaves a port.
#[derive(Debug, PartialEq, Eq)]
pub struct Sent {
    /// The port.
    pub port: u16,
    /// The frame.
    pub frame: Frame,
}

/// A switch and its transmitters. Times must not decrease from call to call.
#[derive(Debug)]
pub struct PacedSwitch {
    switch: Switch,
    pacing: Pacing,
    /// By index; sorted by port number.
    transmitters: Vec<Transmitter>,
    /// Transmitters that have something to send, by the time at which they may: ports take turns.
    due: BTreeSet<(Time, usize)>,
    events: Vec<Event>,
}

impl PacedSwitch {
    /// Creates the driver's part of a switch. The rates are those of its traffic manager's ports.
    pub fn new(switch: Switch, pacing: Pacing) -> PacedSwitch {
        let config = switch.config();
        let ports = config.tm.ports.iter().filter(|port| port.number != config.cpu_port);
        let mut transmitters: Vec<Transmitter> = ports
            .map(|port| Transmitter {
                number: port.number,
                rate: port.rate,
                busy_until: Time::ZERO,
                due: None,
            })
            .collect();
        // Of two entries for a port the traffic manager uses the last one.
        transmitters.reverse();
        transmitters.sort_by_key(|port| port.number);
        transmitters.dedup_by_key(|port| port.number);
        PacedSwitch { switch, pacing, transmitters, due: BTreeSet::new(), events: Vec::new() }
    }

    /// Returns the switch, to receive frames and for control. [`PacedSwitch::advance`] must be called after it was
    /// used.
    pub fn switch(&mut self) -> &mut Switch {
        &mut self.switch
    }

    /// Runs timers and sends what is due at `now`: frames go to `send`, in order for each port, and the switch's events
    /// except [`Event::PortReady`] to `report`.
    pub fn advance(&mut self, now: Time, mut send: impl FnMut(Sent), mut report: impl FnMut(Event)) {
        self.switch.wake(now);
        self.settle(now, &mut report);
        let mut left = self.pacing.frames_per_call;
        while let Some(&(at, index)) = self.due.first() {
            if at > now || left == 0 {
                return;
            }
            left -= 1;
            self.due.pop_first();
            let transmitter = &mut self.transmitters[index];
            transmitter.due = None;
            let port = transmitter.number;
            if let Some(frame) = self.switch.transmit(now, port) {
                let start = at.max(now.saturating_sub(self.pacing.catch_up));
                let transmitter = &mut self.transmitters[index];
                transmitter.busy_until =
                    Time(start.0.saturating_add(transmitter.rate.serialisation(frame.len()).0));
                let next = transmitter.busy_until;
                self.schedule(index, next);
                send(Sent { port, frame });
            }
            self.settle(now, &mut report);
        }
    }

    /// Returns when [`PacedSwitch::advance`] must be called next, without further frames or control; `None` if never.
    pub fn next_due(&self) -> Option<Time> {
        [self.switch.next_wake(), self.due.first().map(|(at, _)| *at)].into_iter().flatten().min()
    }

    /// Passes events on and schedules ports that have become ready.
    fn settle(&mut self, now: Time, report: &mut impl FnMut(Event)) {
        if !self.switch.has_events() {
            return;
        }
        let mut events = std::mem::take(&mut self.events);
        self.switch.drain_events(&mut events);
        for event in events.drain(..) {
            match event {
                Event::PortReady(port) => {
                    let found = self.transmitters.binary_search_by_key(&port, |of| of.number);
                    if let Ok(index) = found {
                        let at = self.transmitters[index].busy_until.max(now);
                        self.schedule(index, at);
                    }
                }
                other => report(other),
            }
        }
        self.events = events;
    }

    fn schedule(&mut self, index: usize, at: Time) {
        let transmitter = &mut self.transmitters[index];
        if transmitter.due.is_none() {
            transmitter.due = Some(at);
            self.due.insert((at, index));
        }
    }
}
