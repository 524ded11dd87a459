//! The interface between the server and the driver of its switch.

use model::Time;
use model::wire::Frame;
use p4_switch::{Event, Switch};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Access to the switch of a driver: a fabric in virtual time, or a daemon with sockets.
///
/// The driver provides the time. After the closure has run, the implementation processes the switch's events, because a
/// packet of the controller may have made ports ready to send.
pub trait SwitchAccess: Send + Sync + 'static {
    /// Runs a closure with exclusive access to the switch, and the driver's time.
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R;
}

impl<A: SwitchAccess> SwitchAccess for Arc<A> {
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R {
        A::with(self, f)
    }
}

/// The driver's end of the queue of switch events. Never blocks, so that it can be used while the switch is locked;
/// events that do not fit are dropped and counted.
#[derive(Clone, Debug)]
pub struct EventSink {
    events: mpsc::Sender<Event>,
    lost: Arc<AtomicU64>,
}

/// The server's end of an [`EventSink`].
#[derive(Debug)]
pub struct EventSource {
    pub(crate) events: mpsc::Receiver<Event>,
    pub(crate) lost: Arc<AtomicU64>,
}

/// Creates a queue for up to `capacity` events from a driver to a server.
pub fn event_channel(capacity: usize) -> (EventSink, EventSource) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    let lost = Arc::new(AtomicU64::new(0));
    (EventSink { events: sender, lost: lost.clone() }, EventSource { events: receiver, lost })
}

impl EventSink {
    /// Queues an event if controllers receive events of its kind; returns it otherwise.
    pub fn offer(&self, event: Event) -> Option<Event> {
        if !matches!(event, Event::Digest { .. } | Event::PacketIn { .. } | Event::EntryIdle { .. }) {
            return Some(event);
        }
        if self.events.try_send(event).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        None
    }

    /// Number of events dropped because the queue was full.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Receiver of the frames that the switch sends.
type Transmit = Box<dyn FnMut(u16, Frame) + Send>;

/// The simplest driver: the links are never busy, so every frame is sent at once.
pub struct ImmediateSwitch {
    inner: Mutex<Driven>,
    clock: Box<dyn Fn() -> Time + Send + Sync>,
}

struct Driven {
    switch: Switch,
    sink: EventSink,
    transmit: Transmit,
    events: Vec<Event>,
}

impl ImmediateSwitch {
    /// Creates a driver from a switch, a clock, a sink for the server's events and a receiver of sent frames.
    pub fn new(
        switch: Switch,
        clock: impl Fn() -> Time + Send + Sync + 'static,
        sink: EventSink,
        transmit: impl FnMut(u16, Frame) + Send + 'static,
    ) -> ImmediateSwitch {
        let inner = Driven { switch, sink, transmit: Box::new(transmit), events: Vec::new() };
        ImmediateSwitch { inner: Mutex::new(inner), clock: Box::new(clock) }
    }

    /// Processes a frame that arrives at a port.
    pub fn receive(&self, port: u16, frame: Frame) {
        self.with(|switch, now| switch.receive(now, port, frame));
    }

    /// Processes timeouts.
    pub fn wake(&self) {
        self.with(|switch, now| switch.wake(now));
    }
}

impl SwitchAccess for ImmediateSwitch {
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R {
        let now = (self.clock)();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let result = f(&mut inner.switch, now);
        inner.settle(now);
        result
    }
}

impl Driven {
    /// Sends ready frames and passes events to the server.
    fn settle(&mut self, now: Time) {
        loop {
            self.switch.drain_events(&mut self.events);
            if self.events.is_empty() {
                return;
            }
            let events = std::mem::take(&mut self.events);
            for event in events {
                let Some(Event::PortReady(port)) = self.sink.offer(event) else { continue };
                while let Some(frame) = self.switch.transmit(now, port) {
                    (self.transmit)(port, frame);
                }
            }
        }
    }
}

impl std::fmt::Debug for ImmediateSwitch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImmediateSwitch").finish_non_exhaustive()
    }
}
