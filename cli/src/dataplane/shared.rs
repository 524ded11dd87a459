//! The switch, shared by the thread that moves frames and the tasks of the P4Runtime server.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::Time;
use net::Bell;
use p4_switch::{PacedSwitch, Switch};
use p4runtime::server::{EventSink, SwitchAccess};

/// How long the thread that moves frames lets a waiting task go first.
const TURN: Duration = Duration::from_millis(20);

/// A switch in wall-clock time. Clones refer to the same switch.
#[derive(Clone)]
pub(crate) struct LiveSwitch {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Tasks that wait for the switch.
    waiting: AtomicUsize,
    /// Notified when a task has finished with the switch.
    finished: Condvar,
    /// Wakes the thread that moves frames.
    bell: Bell,
    stop: AtomicBool,
    start: Instant,
    /// How many times slower than the wall clock the switch's clock runs.
    time_scale: u64,
}

/// What the lock protects.
pub(crate) struct State {
    pub(crate) paced: PacedSwitch,
    pub(crate) sink: EventSink,
}

impl LiveSwitch {
    /// Creates the shared switch. Its time is that since `start` and runs `time_scale` times slower than the wall clock.
    pub(crate) fn new(
        paced: PacedSwitch,
        sink: EventSink,
        start: Instant,
        time_scale: u64,
    ) -> std::io::Result<LiveSwitch> {
        let shared = Shared {
            state: Mutex::new(State { paced, sink }),
            waiting: AtomicUsize::new(0),
            finished: Condvar::new(),
            bell: Bell::new()?,
            stop: AtomicBool::new(false),
            start,
            time_scale: time_scale.max(1),
        };
        Ok(LiveSwitch { shared: Arc::new(shared) })
    }

    /// Returns the time since the switch was created.
    pub(crate) fn now(&self) -> Time {
        let passed = self.shared.start.elapsed();
        let passed_ps = passed.as_nanos() * 1_000 / u128::from(self.shared.time_scale);
        Time(u64::try_from(passed_ps).unwrap_or(u64::MAX))
    }

    /// Returns the wall-clock time until `due` on the switch's clock.
    pub(crate) fn until(&self, due: Time) -> Duration {
        let left = due.saturating_sub(self.now());
        Duration::from_nanos(left.as_ns().saturating_mul(self.shared.time_scale))
    }

    /// Returns the switch to the thread that moves frames. The lock is not fair and that thread takes it again at once,
    /// so it lets a waiting task go first.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.waiting.load(Ordering::Acquire) == 0 {
            return state;
        }
        self.shared.finished.wait_timeout(state, TURN).unwrap_or_else(PoisonError::into_inner).0
    }

    /// What wakes the thread that moves frames.
    pub(crate) fn bell(&self) -> &Bell {
        &self.shared.bell
    }

    /// Whether the thread that moves frames must stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.stop.load(Ordering::Acquire)
    }

    /// Makes the thread that moves frames stop.
    pub(crate) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.bell.ring();
    }
}

/// Counts a task that waits for the switch, until it is dropped: also in a panic of the task, after which the thread that
/// moves frames must not wait for it.
struct Waiting<'a>(&'a AtomicUsize);

impl Waiting<'_> {
    fn new(count: &AtomicUsize) -> Waiting<'_> {
        count.fetch_add(1, Ordering::AcqRel);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl SwitchAccess for LiveSwitch {
    fn with<R>(&self, f: impl FnOnce(&mut Switch, Time) -> R) -> R {
        let shared = &*self.shared;
        let waiting = Waiting::new(&shared.waiting);
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.now();
        let result = f(state.paced.switch(), now);
        drop(waiting);
        let is_due = state.paced.switch().has_events();
        drop(state);
        shared.finished.notify_one();
        // Frames of the controller, and timers that the closure may have changed.
        if is_due {
            shared.bell.ring();
        }
        result
    }
}
