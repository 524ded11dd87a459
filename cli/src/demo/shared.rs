//! A switch that the simulation drives and a P4Runtime server accesses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use fabric::FabricSwitch;
use model::Time;
use model::wire::Frame;
use p4_switch::tm::AuditError;
use p4_switch::{Event, Switch, SwitchConfig};
use p4runtime::server::{EventSink, SwitchAccess};

/// Every switch by name.
pub(super) type SwitchMap = BTreeMap<String, SharedSwitch>;

/// The simulated time, for the P4Runtime servers.
#[derive(Debug, Default)]
pub(super) struct Clock(AtomicU64);

impl Clock {
    pub(super) fn set(&self, now: Time) {
        self.0.store(now.0, Ordering::Relaxed);
    }

    pub(super) fn now(&self) -> Time {
        Time(self.0.load(Ordering::Relaxed))
    }
}

/// A handle to a switch; clones share it.
#[derive(Clone)]
pub(super) struct SharedSwitch {
    switch: Arc<Mutex<Switch>>,
    config: SwitchConfig,
    sink: Arc<OnceLock<EventSink>>,
    /// Bytes sent by each port.
    sent_bytes: Arc<Mutex<BTreeMap<u16, u64>>>,
}

impl SharedSwitch {
    pub(super) fn new(config: SwitchConfig) -> SharedSwitch {
        SharedSwitch {
            switch: Arc::new(Mutex::new(Switch::new(config.clone()))),
            config,
            sink: Arc::default(),
            sent_bytes: Arc::default(),
        }
    }

    /// Returns the settings of the switch.
    pub(super) fn config(&self) -> SwitchConfig {
        self.config.clone()
    }

    /// The port of the controller, which is none of the topology.
    pub(super) fn cpu_port(&self) -> u16 {
        self.config.cpu_port
    }

    /// Connects the switch to the event sink of its server.
    pub(super) fn attach(&self, sink: EventSink) {
        // There is only one server, so this is never set twice.
        let _ = self.sink.set(sink);
    }

    /// Forwards an event to the server.
    pub(super) fn offer(&self, event: Event) {
        if let Some(sink) = self.sink.get() {
            sink.offer(event);
        }
    }

    /// Returns the bytes that a port has sent.
    pub(super) fn sent_bytes(&self, port: u16) -> u64 {
        lock(&self.sent_bytes).get(&port).copied().unwrap_or(0)
    }

    /// Locks the switch. A poisoned lock is ignored: the switch changes only in its own methods, so a panic in a server
    /// thread leaves it consistent.
    pub(super) fn lock(&self) -> MutexGuard<'_, Switch> {
        lock(&self.switch)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FabricSwitch for SharedSwitch {
    fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        self.lock().receive(now, port, frame);
    }

    fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        let frame = self.lock().transmit(now, port)?;
        *lock(&self.sent_bytes).entry(port).or_default() += frame.len();
        Some(frame)
    }

    fn next_wake(&self) -> Option<Time> {
        self.lock().next_wake()
    }

    fn wake(&mut self, now: Time) {
        self.lock().wake(now);
    }

    fn drain_events(&mut self, into: &mut Vec<Event>) {
        self.lock().drain_events(into);
    }

    fn audit(&self) -> Result<(), AuditError> {
        self.lock().traffic_manager().audit()
    }
}

/// The access of a P4Runtime server to its switch.
#[derive(Clone)]
pub(super) struct Endpoint {
    switch: SharedSwitch,
    clock: Arc<Clock>,
}

impl Endpoint {
    pub(super) fn new(switch: SharedSwitch, clock: Arc<Clock>) -> Endpoint {
        Endpoint { switch, clock }
    }
}

impl SwitchAccess for Endpoint {
    /// The simulation thread polls the switches many times a second and processes the events that `f` causes.
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R {
        let now = self.clock.now();
        f(&mut self.switch.lock(), now)
    }
}
