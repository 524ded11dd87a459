//! How the server reaches its switch, and how the switch's driver reaches the server.

use model::Time;
use model::wire::Frame;
use p4_switch::{Event, Switch};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Access to a switch that somebody drives: a fabric in virtual time, or a daemon with sockets.
///
/// The driver decides what time it is. After the closure has run, the implementation deals with the switch's events:
/// a packet from the controller may have made ports ready.
pub trait SwitchAccess: Send + Sync + 'static {
    /// Runs a closure with the switch and the driver's time, while nobody else has the switch.
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R;
}

impl<A: SwitchAccess> SwitchAccess for Arc<A> {
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R {
        A::with(self, f)
    }
}

/// Where a driver puts the switch's events for the server. It never waits, so that it can be used while the switch is
/// held; what does not fit is counted and lost.
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

/// A way for events from a driver to a server that holds up to `capacity` of them.
pub fn event_channel(capacity: usize) -> (EventSink, EventSource) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    let lost = Arc::new(AtomicU64::new(0));
    (EventSink { events: sender, lost: lost.clone() }, EventSource { events: receiver, lost })
}

impl EventSink {
    /// Gives the server an event, when it is one that controllers are told of; returns others.
    pub fn offer(&self, event: Event) -> Option<Event> {
        if !matches!(event, Event::Digest { .. } | Event::PacketIn { .. } | Event::EntryIdle { .. }) {
            return Some(event);
        }
        if self.events.try_send(event).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        None
    }

    /// Events that were lost because the server had too many waiting.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// What becomes of a frame that leaves.
type Transmit = Box<dyn FnMut(u16, Frame) + Send>;

/// The simplest driver: a switch whose links are never busy. What is ready to leave leaves at once.
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
    /// A switch with a clock, a sink for the server's events and a receiver of leaving frames.
    pub fn new(
        switch: Switch,
        clock: impl Fn() -> Time + Send + Sync + 'static,
        sink: EventSink,
        transmit: impl FnMut(u16, Frame) + Send + 'static,
    ) -> ImmediateSwitch {
        let inner = Driven { switch, sink, transmit: Box::new(transmit), events: Vec::new() };
        ImmediateSwitch { inner: Mutex::new(inner), clock: Box::new(clock) }
    }

    /// A frame arrives at a port.
    pub fn receive(&self, port: u16, frame: Frame) {
        self.with(|switch, now| switch.receive(now, port, frame));
    }

    /// Does what is due by the clock (timeouts).
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
    /// Sends what is ready and passes on what the server wants to know.
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
