//! The thread that moves frames between the interfaces and the switch.

use std::os::fd::{AsFd, BorrowedFd};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::Time;
use model::wire::Frame;
use net::{Counters, Error, Ready, wait};
use p4_switch::Event;
use tokio::sync::oneshot;

use super::ports::AttachedPort;
use super::shared::LiveSwitch;

/// Interval at which links are looked at.
const LINK_INTERVAL: Duration = Duration::from_millis(100);
/// Batches received from one port before the switch sends.
const BATCHES: usize = 4;

/// End of the switch's clock, which counts picoseconds in 64 bits: 200 days of network time. Rates and pauses would be
/// wrong at 213 days.
const END_OF_TIME: Time = Time(u64::MAX / 16 * 15);

/// The thread, which returns the counters of each port.
type Moving = JoinHandle<Vec<(AttachedPort, Counters)>>;

/// Starts the thread. It ends with [`LiveSwitch::stop`], at a panic, or at the end of the switch's clock; the receiver
/// resolves then.
pub(crate) fn start(
    switch: LiveSwitch,
    ports: Vec<AttachedPort>,
) -> std::io::Result<(Moving, oneshot::Receiver<()>)> {
    let (ends, ended) = oneshot::channel();
    let run = move || {
        let _ends = ends;
        net::set_precise_timers();
        let ports = ports.into_iter().map(Line::new).collect();
        Mover { switch, ports, looked_at: Instant::now(), link_is_doubtful: false }.run()
    };
    let thread = std::thread::Builder::new().name("dataplane".into()).spawn(run)?;
    Ok((thread, ended))
}

/// A port and its frames on the way out.
struct Line {
    port: AttachedPort,
    out: Vec<Frame>,
    up: bool,
    readable: bool,
}

impl Line {
    fn new(port: AttachedPort) -> Line {
        Line { port, out: Vec::new(), up: true, readable: true }
    }
}

struct Mover {
    switch: LiveSwitch,
    ports: Vec<Line>,
    looked_at: Instant,
    /// Whether receiving failed since then.
    link_is_doubtful: bool,
}

impl Mover {
    fn run(mut self) -> Vec<(AttachedPort, Counters)> {
        self.look_at_links();
        let mut ready = Vec::new();
        while !self.switch.is_stopping() {
            if self.switch.now() >= END_OF_TIME {
                tracing::error!(
                    "the switch has run for 200 days, after which its clock ends; start it again"
                );
                break;
            }
            let due = self.turn();
            for line in &mut self.ports {
                line.port.interface.send(&line.out);
                line.out.clear();
            }
            self.wait(due, &mut ready);
            if self.link_is_doubtful || self.looked_at.elapsed() >= LINK_INTERVAL {
                self.look_at_links();
            }
        }
        let counted = |line: Line| {
            let mut port = line.port;
            let counters = port.interface.counters();
            (port, counters)
        };
        self.ports.into_iter().map(counted).collect()
    }

    /// Receives what has arrived and takes what is due from the switch. Returns when something is due next.
    fn turn(&mut self) -> Option<Time> {
        let mut state = self.switch.lock();
        let now = self.switch.now();
        let mut has_failed = false;
        for line in self.ports.iter_mut().filter(|line| line.readable) {
            let number = line.port.number;
            for _ in 0..BATCHES {
                let switch = state.paced.switch();
                let received = line.port.interface.receive(|frame| {
                    switch.receive(now, number, Frame::new(frame.bytes, 0));
                });
                match received {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        has_failed = true;
                        report_failure(number, &error);
                        break;
                    }
                }
            }
        }
        let ports = &mut self.ports;
        let state = &mut *state;
        let sink = &state.sink;
        state.paced.advance(
            now,
            |sent| {
                if let Some(line) = ports.iter_mut().find(|line| line.port.number == sent.port) {
                    line.out.push(sent.frame);
                }
            },
            |event| report(sink.offer(event)),
        );
        let due = state.paced.next_due();
        self.link_is_doubtful |= has_failed;
        due
    }

    /// Waits until a frame arrives, something is due or the bell rings.
    fn wait(&mut self, due: Option<Time>, ready: &mut Vec<Ready>) {
        let to_look = LINK_INTERVAL.saturating_sub(self.looked_at.elapsed());
        let to_due = due.map_or(to_look, |due| self.switch.until(due));
        let mut fds: Vec<BorrowedFd<'_>> = vec![self.switch.bell().as_fd()];
        fds.extend(self.ports.iter().filter(|line| line.up).map(|line| line.port.interface.as_fd()));
        if let Err(error) = wait(&fds, Some(to_due.min(to_look)), ready) {
            tracing::error!("cannot wait for frames: {error}");
        }
        if ready.first().is_some_and(|bell| bell.readable) {
            self.switch.bell().clear();
        }
        let mut ready = ready.iter().skip(1);
        for line in &mut self.ports {
            line.readable = line.up && ready.next().is_some_and(|ready| ready.readable || ready.failed);
        }
    }

    /// Reports links that went down or came up to the switch.
    fn look_at_links(&mut self) {
        self.looked_at = Instant::now();
        self.link_is_doubtful = false;
        for line in &mut self.ports {
            let up = line.port.interface.refresh();
            if up == line.up {
                continue;
            }
            line.up = up;
            let (number, name) = (line.port.number, line.port.interface.name());
            tracing::warn!("port {number} ({name}): link {}", if up { "up" } else { "down" });
            let now = self.switch.now();
            self.switch.lock().paced.switch().set_link(now, number, up);
        }
    }
}

fn report_failure(number: u16, error: &Error) {
    tracing::warn!("port {number}: {error}");
}

/// Logs an event that controllers do not receive.
fn report(event: Option<Event>) {
    match event {
        Some(Event::WatchdogFired { port, priority, action, .. }) => {
            tracing::warn!("port {port}: PFC storm on priority {priority}; watchdog action {action:?}");
        }
        Some(Event::WatchdogRestored { port, priority, .. }) => {
            tracing::warn!("port {port}: priority {priority} restored after a PFC storm");
        }
        Some(Event::LosslessDrop { ingress_port, egress_port, priority, reason, .. }) => {
            tracing::warn!(
                "lossless packet of priority {priority} from port {ingress_port} to port {egress_port} dropped: \
                 {reason:?}"
            );
        }
        Some(event) => tracing::trace!(?event),
        None => {}
    }
}
