//! The interface of the fabric to its switches.

use std::sync::{Arc, Mutex, PoisonError};

use model::Time;
use model::wire::Frame;
use p4_switch::tm::AuditError;
use p4_switch::{Event, Switch};

/// A switch in the fabric: a [`Switch`], or one that is shared with a P4Runtime server through `Arc<Mutex<Switch>>` and
/// locked for one packet at a time. After a change by a server that may cause packets (a packet-out), call
/// [`crate::Fabric::poll_switches`].
pub trait FabricSwitch {
    /// See [`Switch::receive`].
    fn receive(&mut self, now: Time, port: u16, frame: Frame);
    /// See [`Switch::transmit`].
    fn transmit(&mut self, now: Time, port: u16) -> Option<Frame>;
    /// See [`Switch::next_wake`].
    fn next_wake(&self) -> Option<Time>;
    /// See [`Switch::wake`].
    fn wake(&mut self, now: Time);
    /// See [`Switch::drain_events`].
    fn drain_events(&mut self, into: &mut Vec<Event>);
    /// See [`p4_switch::tm::TrafficManager::audit`].
    fn audit(&self) -> Result<(), AuditError>;
}

impl FabricSwitch for Switch {
    fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        Switch::receive(self, now, port, frame);
    }

    fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        Switch::transmit(self, now, port)
    }

    fn next_wake(&self) -> Option<Time> {
        Switch::next_wake(self)
    }

    fn wake(&mut self, now: Time) {
        Switch::wake(self, now);
    }

    fn drain_events(&mut self, into: &mut Vec<Event>) {
        Switch::drain_events(self, into);
    }

    fn audit(&self) -> Result<(), AuditError> {
        self.traffic_manager().audit()
    }
}

/// A poisoned lock is used nevertheless: a panicking server thread cannot leave a switch half-changed, since a switch
/// changes only inside its own methods.
impl<S: FabricSwitch> FabricSwitch for Arc<Mutex<S>> {
    fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        self.lock().unwrap_or_else(PoisonError::into_inner).receive(now, port, frame);
    }

    fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        self.lock().unwrap_or_else(PoisonError::into_inner).transmit(now, port)
    }

    fn next_wake(&self) -> Option<Time> {
        self.lock().unwrap_or_else(PoisonError::into_inner).next_wake()
    }

    fn wake(&mut self, now: Time) {
        self.lock().unwrap_or_else(PoisonError::into_inner).wake(now);
    }

    fn drain_events(&mut self, into: &mut Vec<Event>) {
        self.lock().unwrap_or_else(PoisonError::into_inner).drain_events(into);
    }
    fn audit(&self) -> Result<(), AuditError> {
        self.lock().unwrap_or_else(PoisonError::into_inner).audit()
    }
}
