//! The switch: receives, queues, transmits.

use std::sync::Arc;

use model::Time;
use model::wire::Frame;
use p4_lang::ir::Program;

use crate::config::SwitchConfig;
use crate::control::{ControlPlane, Loaded};
use crate::error::LoadError;
use crate::event::{Counters, Event};
use crate::state::State;
use crate::tm::TrafficManager;

/// A P4 switch. See the crate's description.
#[derive(Debug)]
pub struct Switch {
    config: SwitchConfig,
    loaded: Option<(Arc<Program>, State)>,
    tm: TrafficManager<Frame>,
    events: Vec<Event>,
    counters: Counters,
    now: Time,
}

impl Switch {
    /// A switch without a program; it drops what it receives.
    pub fn new(config: SwitchConfig) -> Switch {
        let tm = TrafficManager::new(config.tm.clone());
        Switch {
            config,
            loaded: None,
            tm,
            events: Vec::new(),
            counters: Counters::default(),
            now: Time::ZERO,
        }
    }

    /// Replaces the program and clears all forwarding state. On an error the old program goes on.
    pub fn load(&mut self, program: Arc<Program>) -> Result<(), LoadError> {
        let state = State::new(&program, &self.config.limits)?;
        self.loaded = Some((program, state));
        Ok(())
    }

    /// A frame arrives at a port.
    pub fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        let _ = (port, frame);
        self.now = self.now.max(now);
    }

    /// The next frame for an idle port; `None` when nothing may leave now.
    pub fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        self.now = self.now.max(now);
        self.tm.dequeue(now, port).map(|d| d.packet)
    }

    /// A frame from the controller arrives at the CPU port.
    pub fn packet_out(&mut self, now: Time, frame: Frame) {
        self.receive(now, self.config.cpu_port, frame);
    }

    /// When [`Switch::wake`] wants to be called.
    pub fn next_wake(&self) -> Option<Time> {
        self.tm.next_wake()
    }

    /// Does what is due.
    pub fn wake(&mut self, now: Time) {
        self.tm.wake(now);
    }

    /// What happened since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Moves what happened since the last call to the end of `into`.
    pub fn drain_events(&mut self, into: &mut Vec<Event>) {
        into.append(&mut self.events);
    }

    /// Access to tables, registers and everything else with state.
    pub fn control(&mut self) -> ControlPlane<'_> {
        ControlPlane {
            now: self.now,
            limits: &self.config.limits,
            loaded: self.loaded.as_mut().map(|(program, state)| Loaded { program, state }),
        }
    }

    /// The loaded program.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.loaded.as_ref().map(|(program, _)| program)
    }

    /// What the switch has counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The traffic manager's levels and counters.
    pub fn traffic_manager(&self) -> &TrafficManager<Frame> {
        &self.tm
    }
}
