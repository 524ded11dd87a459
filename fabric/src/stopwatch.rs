//! Measures the delay of every flow at its sender: of its packets, and of operations that the network did not hold up. It sends
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::{FlowKey, Time};

use crate::agent::{CompletedOperation, HostAgent, PollRequest};

/// The delays of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// From the departure of a packet, or from the last progress, to the next ACK; for wanted flows only.
    waits: Vec<(Time, Time)>,
    /// Since when data is outstanding without progress.
    pending: Option<Time>,
    /// The longest wait of all.
    longest: Time,
    /// Of operations that the network did not hold up: when they (or the iterations of a job that they end) began and were polled,
    /// and how long they waited in between while link, rate and computing alone had time for them; for wanted flows only.
    operations: Vec<((Time, Time), Time)>,
    /// The longest wait of all operations.
    longest_operation: Time,
    /// Round-trip time of the path without queueing, if it is known.
    pub base_rtt: Option<Time>,
}

impl Trace {
    /// Returns the longest wait that overlaps a window; an unfinished one lasts until the end of the run.
    pub fn longest_in(&self, (from, to): (Time, Time), end: Time) -> Option<Time> {
        let pending = self.pending.map(|since| (since, end.max(since)));
        let waits = self.waits.iter().copied().chain(pending);
        waits.filter(|(since, until)| *since <= to && from <= *until).map(|(s, u)| u - s).max()
    }

    /// Returns the longest wait of an operation that overlaps a window.
    pub fn longest_operation_in(&self, (from, to): (Time, Time)) -> Option<Time> {
        let inside = self.operations.iter().filter(|((posted, polled), _)| *posted <= to && from <= *polled);
        inside.map(|(_, wait)| *wait).max()
    }

    /// Returns the longest wait of an operation of the run, of all flows.
    pub fn longest_operation(&self) -> Time {
        self.longest_operation
    }

    /// Whether every wait for packets that were sent after `until` begins after it as well.
    pub(crate) fn has_progressed(&self, until: Time) -> bool {
        self.pending.is_none_or(|since| since > until)
    }

    /// Returns the longest wait of the run, of all flows.
    pub fn longest(&self, end: Time) -> Time {
        self.longest.max(self.pending.map_or(Time::ZERO, |since| end.saturating_sub(since)))
    }
}

#[derive(Debug, Default)]
struct Shared {
    /// Positions in `traces`.
    positions: BTreeMap<FlowKey, usize>,
    traces: Vec<Trace>,
}

/// The delays of all flows of a run, shared by the stopwatches of all hosts.
#[derive(Clone, Debug, Default)]
pub struct Traces(Arc<Mutex<Shared>>);

impl Traces {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the trace of a flow, if the flow has started.
    pub fn read<T>(&self, flow: &FlowKey, read: impl FnOnce(&Trace) -> T) -> Option<T> {
        let shared = self.lock();
        let position = *shared.positions.get(flow)?;
        shared.traces.get(position).map(read)
    }
}

/// The stopwatch of one host.
#[derive(Debug)]
pub struct Stopwatch {
    /// The flows of which every wait is kept.
    wanted: Arc<BTreeSet<FlowKey>>,
    traces: Traces,
    /// By the fabric's number of the flow, while it runs: the position of its trace, and whether it is wanted.
    running: Vec<Option<(usize, bool)>>,
}

impl Stopwatch {
    /// A stopwatch that keeps every wait of the `wanted` flows, and the longest one of all others.
    pub fn new(wanted: Arc<BTreeSet<FlowKey>>, traces: Traces) -> Stopwatch {
        Stopwatch { wanted, traces, running: Vec::new() }
    }

    fn change(&self, flow: usize, change: impl FnOnce(&mut Trace, bool)) {
        if let Some((position, is_wanted)) = self.running.get(flow).copied().flatten()
            && let Some(trace) = self.traces.lock().traces.get_mut(position)
        {
            change(trace, is_wanted);
        }
    }
}

impl HostAgent for Stopwatch {
    fn started(&mut self, _now: Time, flow: usize, key: &FlowKey, _priority: u8, base_rtt: Option<Time>) {
        let mut shared = self.traces.lock();
        let next = shared.traces.len();
        let position = *shared.positions.entry(*key).or_insert(next);
        if position == next {
            shared.traces.push(Trace::default());
        }
        shared.traces[position].base_rtt = base_rtt;
        drop(shared);
        if self.running.len() <= flow {
            self.running.resize(flow + 1, None);
        }
        self.running[flow] = Some((position, self.wanted.contains(key)));
    }

    fn sent(&mut self, now: Time, flow: usize) {
        // A retransmitted packet has been waiting since it was first sent.
        self.change(flow, |trace, _| trace.pending = trace.pending.or(Some(now)));
    }

    fn acknowledged(&mut self, now: Time, flow: usize, rtt: Option<Time>, outstanding: bool) {
        let Some(rtt) = rtt else { return };
        self.change(flow, |trace, is_wanted| {
            let departed = now.saturating_sub(rtt);
            let since = trace.pending.map_or(departed, |pending| pending.min(departed));
            trace.longest = trace.longest.max(now.saturating_sub(since));
            if is_wanted {
                trace.waits.push((since, now));
            }
            trace.pending = outstanding.then_some(now);
        });
    }

    fn completed(&mut self, _now: Time, flow: usize, operation: &CompletedOperation) {
        if operation.is_held_up {
            return;
        }
        let times = (operation.times.begun, operation.times.polled);
        let needed = Time(operation.computing.0.saturating_add(operation.busy.0));
        let wait = times.1.saturating_sub(times.0).saturating_sub(needed);
        self.change(flow, |trace, is_wanted| {
            trace.longest_operation = trace.longest_operation.max(wait);
            if is_wanted {
                trace.operations.push((times, wait));
            }
        });
    }

    fn finished(&mut self, _now: Time, flow: usize) {
        self.change(flow, |trace, _| trace.pending = None);
        if let Some(running) = self.running.get_mut(flow) {
            *running = None;
        }
    }

    fn next_wake(&self) -> Option<Time> {
        None
    }

    fn wake(&mut self, _now: Time) {}

    fn take_polls(&mut self) -> Vec<PollRequest> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_counts_in_every_window_that_it_overlaps() {
        let us = Time::from_us;
        let waits = vec![(us(0), us(10)), (us(20), us(50))];
        let trace =
            Trace { waits, pending: Some(us(60)), longest: us(30), base_rtt: None, ..Trace::default() };
        let longest = |from, to| trace.longest_in((us(from), us(to)), us(100));
        assert_eq!(longest(0, 5), Some(us(10)));
        assert_eq!(longest(12, 15), None);
        assert_eq!(longest(5, 20), Some(us(30)));
        assert_eq!(longest(55, 70), Some(us(40)), "an unfinished wait lasts until the end of the run");
        assert_eq!(trace.longest(us(100)), us(40));
    }

    #[test]
    fn flows_that_are_not_wanted_have_no_waits_but_a_longest_one() {
        let us = Time::from_us;
        let key = |port| FlowKey::udp([10, 0, 0, 1].into(), port, [10, 0, 0, 2].into(), 4791);
        let traces = Traces::default();
        let mut watch = Stopwatch::new(Arc::new(BTreeSet::from([key(1)])), traces.clone());
        for (flow, port) in [(0, 1), (1, 2)] {
            watch.started(us(0), flow, &key(port), 3, Some(us(5)));
            watch.sent(us(0), flow);
            watch.acknowledged(us(10), flow, Some(us(10)), false);
            watch.finished(us(10), flow);
            watch.sent(us(20), flow);
        }
        let read = |port| traces.read(&key(port), Trace::clone).unwrap();
        assert_eq!(read(1).waits, [(us(0), us(10))]);
        assert_eq!((read(2).waits.len(), read(2).longest(us(100))), (0, us(10)));
        assert!(traces.read(&key(3), |_| ()).is_none());
    }
}
