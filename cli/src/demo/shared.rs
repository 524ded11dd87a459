//! A switch that the fabric drives and a P4Runtime server reads.

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

/// The network's time, for servers.
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

/// A handle on a switch; clones share it.
#[derive(Clone)]
pub(super) struct SharedSwitch {
    switch: Arc<Mutex<Switch>>,
    config: SwitchConfig,
    sink: Arc<OnceLock<EventSink>>,
    /// Bytes sent, by port.
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

    /// The settings it was made with.
    pub(super) fn config(&self) -> SwitchConfig {
        self.config.clone()
    }

    /// Sends its events to a server from now on.
    pub(super) fn attach(&self, sink: EventSink) {
        // Only the first server counts; there is one.
        let _ = self.sink.set(sink);
    }

    /// Passes an event on to the server.
    pub(super) fn offer(&self, event: Event) {
        if let Some(sink) = self.sink.get() {
            sink.offer(event);
        }
    }

    /// Bytes sent so far by a port.
    pub(super) fn sent_bytes(&self, port: u16) -> u64 {
        lock(&self.sent_bytes).get(&port).copied().unwrap_or(0)
    }

    /// The switch itself. A poisoned lock is taken all the same: a switch changes only inside its own methods, so a
    /// panicking server thread leaves it whole.
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

/// A server's way to its switch.
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
    /// Events that the closure causes are seen by the network's thread, which looks at every switch many times a
    /// second.
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R {
        let now = self.clock.now();
        f(&mut self.switch.lock(), now)
    }
}
