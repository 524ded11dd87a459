//! What the sources and the agent's loop share: the core, which judges a measurement in the thread that made it.
//!
//! A capture has something to pass on hundreds of times a second, and waking a second thread each time costs more than what it
//! would do. So the loop is waked only to send a polling packet, or to judge silence at a time that no source will.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use host_agent::{Measured, Poll, Watch};
use tokio::sync::Notify;

use super::source::AT_ONCE;

/// Polls that wait for the loop; further ones are dropped and counted. The core's own limit is lower unless the loop stands still.
const WAITING_POLLS: usize = 1024;

/// The core and the polls that it asks for.
pub(crate) struct Detection {
    state: Mutex<State>,
    /// Notified when the loop has something to do.
    changed: Notify,
}

struct State {
    watch: Watch,
    /// The host's addresses: only flows that leave from these are judged.
    own: Vec<IpAddr>,
    /// The wall clock until which the sources have measured everything: silence is judged only for times from which no
    /// acknowledgement can follow.
    complete_until_ns: u64,
    /// Polls for the loop to send.
    waiting: Vec<Poll>,
    lost_polls: u64,
    /// When the loop wakes up by itself.
    loop_wakes_ns: Option<u64>,
}

impl Detection {
    pub(crate) fn new(watch: Watch, own: Vec<IpAddr>) -> Detection {
        let state = State {
            watch,
            own,
            complete_until_ns: AT_ONCE,
            waiting: Vec::new(),
            lost_polls: 0,
            loop_wakes_ns: None,
        };
        Detection { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Handles measurements, in order. `complete_until_ns` is the wall clock until which everything was measured, for sources
    /// that measure now and then; absent, what was said of it before remains.
    pub(crate) fn measured(&self, batch: &[Measured], complete_until_ns: Option<u64>, now_ns: u64) {
        let mut state = self.state();
        if let Some(complete_until_ns) = complete_until_ns {
            state.complete_until_ns = complete_until_ns;
        }
        for measured in batch {
            if !state.own.contains(&measured.measurement.flow().src) {
                state.watch.count_foreign();
            } else if let Some(poll) = state.watch.handle(measured) {
                state.add(poll);
            }
        }
        let next_ns = state.next_wake_ns();
        if state.complete_until_ns != AT_ONCE && next_ns.is_some_and(|next_ns| next_ns <= now_ns) {
            state.wake(now_ns);
        }
        let is_earlier = match (state.next_wake_ns(), state.loop_wakes_ns) {
            (Some(next_ns), Some(loop_ns)) => next_ns < loop_ns,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_earlier || !state.waiting.is_empty() {
            self.changed.notify_one();
        }
    }

    /// Judges silence at a wall clock, as far as everything was measured.
    pub(crate) fn wake(&self, now_ns: u64) {
        self.state().wake(now_ns);
    }

    /// Returns the wall clock at which the loop has to call [`Detection::wake`], unless [`Detection::changed`] returns before.
    pub(crate) fn next_wake_ns(&self) -> Option<u64> {
        let mut state = self.state();
        state.loop_wakes_ns = state.next_wake_ns();
        state.loop_wakes_ns
    }

    /// Waits until there are polls to send, or until the next wake-up has become earlier.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Returns the polls to send.
    pub(crate) fn take_polls(&self) -> Vec<Poll> {
        std::mem::take(&mut self.state().waiting)
    }

    /// Number of polls that were dropped because the loop did not send them.
    pub(crate) fn lost_polls(&self) -> u64 {
        self.state().lost_polls
    }

    /// Calls `use_it` with the core.
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&mut Watch) -> T) -> T {
        use_it(&mut self.state().watch)
    }

    /// A source that panicked leaves the core as it was between two measurements.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next_wake_ns(&self) -> Option<u64> {
        self.watch.next_wake_ns().filter(|due_ns| *due_ns <= self.complete_until_ns)
    }

    fn wake(&mut self, now_ns: u64) {
        for poll in self.watch.wake(now_ns.min(self.complete_until_ns)) {
            self.add(poll);
        }
    }

    fn add(&mut self, poll: Poll) {
        if self.waiting.len() < WAITING_POLLS {
            self.waiting.push(poll);
        } else {
            self.lost_polls += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use host_agent::{Measurement, Settings};
    use model::FlowKey;

    use super::*;

    const US: u64 = 1_000;
    const START_NS: u64 = 1_800_000_000_000_000_000;

    fn flow(text: &str) -> FlowKey {
        text.parse().unwrap()
    }

    fn own_flow() -> FlowKey {
        flow("10.0.0.1:10000>10.0.3.1:4791/udp")
    }

    /// A detection with a flow whose base round trip is 10 us, and which sent data 10 us after the start.
    fn detection() -> Detection {
        let watch = Watch::new("h1", 1, START_NS, 1, Settings::default()).unwrap();
        let detection = Detection::new(watch, vec!["10.0.0.1".parse().unwrap()]);
        let opened = Measurement::Opened { flow: own_flow(), priority: 3, base_ns: Some(10 * US) };
        let batch = [(0, opened), (10 * US, Measurement::Sent { flow: own_flow() })];
        let batch = batch.map(|(at_ns, measurement)| Measured { time_ns: START_NS + at_ns, measurement });
        detection.measured(&batch, Some(START_NS + 10 * US), START_NS + 10 * US);
        assert_eq!(detection.take_polls().len(), 0);
        detection
    }

    /// The polls after a batch that is complete until `complete_until_us`, at `now_us`; and the wake-up of the loop, in us.
    #[track_caller]
    fn check(
        batch: Option<(u64, Measurement)>,
        (complete_until_us, now_us): (Option<u64>, u64),
        expected: (usize, bool),
    ) {
        let detection = detection();
        let at = |us: u64| START_NS + us * US;
        let measured = batch.map(|(us, measurement)| Measured { time_ns: at(us), measurement });
        let batch: Vec<Measured> = measured.into_iter().collect();
        let complete_until_ns = complete_until_us.map_or(AT_ONCE, at);
        detection.measured(&batch, Some(complete_until_ns), at(now_us));
        let wakes = detection.next_wake_ns().is_some();
        assert_eq!((detection.take_polls().len(), wakes), expected);
    }

    fn acknowledged(flow: FlowKey, rtt_us: u64) -> Measurement {
        Measurement::Acknowledged { flow, rtt_ns: Some(rtt_us * US), outstanding: false }
    }

    #[test]
    fn a_slow_round_trip_is_polled_and_a_usual_one_is_not() {
        check(Some((20, acknowledged(own_flow(), 10))), (Some(30), 30), (0, false));
        check(Some((310, acknowledged(own_flow(), 300))), (Some(310), 311), (1, false));
    }

    #[test]
    fn flows_of_other_hosts_are_not_judged() {
        let foreign = flow("10.0.9.1:10000>10.0.3.1:4791/udp");
        check(Some((20, acknowledged(foreign, 300))), (Some(20), 20), (0, false));
    }

    #[test]
    fn silence_is_judged_as_far_as_everything_was_measured() {
        check(None, (Some(11), 5_000), (0, false));
        check(None, (Some(5_000), 5_000), (1, false));
        // Nothing follows from the sources: the loop wakes up by itself.
        check(None, (None, 11), (0, true));
    }

    #[test]
    fn the_loop_is_notified_only_if_it_has_something_to_do() {
        let notified = |detection: &Detection| {
            let changed = std::pin::pin!(detection.changed());
            changed.poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        let detection = detection();
        let at = |us: u64| START_NS + us * US;
        let usual = [Measured { time_ns: at(20), measurement: acknowledged(own_flow(), 10) }];
        detection.measured(&usual, Some(at(30)), at(30));
        assert!(!notified(&detection), "a usual round trip");
        let sent = [Measured { time_ns: at(40), measurement: Measurement::Sent { flow: own_flow() } }];
        detection.measured(&sent, Some(AT_ONCE), at(41));
        assert!(notified(&detection), "silence may begin");
        assert!(detection.next_wake_ns().is_some_and(|due_ns| due_ns <= at(100)));
        detection.measured(&[], Some(AT_ONCE), at(42));
        assert!(!notified(&detection), "the loop waits for it");
        detection.wake(at(100));
        assert_eq!(detection.take_polls().len(), 1);
    }
}
