//! Measures the delay of every flow at its sender. It reads packets only and sends nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use fabric::{HostAgent, PollRequest};
use model::{FlowKey, Time};

/// The delays of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trace {
    /// From the departure of a packet, or from the last progress, to the next ACK; for the victims of verdicts.
    waits: Vec<(Time, Time)>,
    /// Since when data is outstanding without progress.
    pending: Option<Time>,
    /// The longest wait of all.
    longest: Time,
    /// Round-trip time of the path without queueing.
    pub(super) base_rtt: Time,
}

impl Trace {
    /// Returns the longest wait that overlaps a window; an unfinished one lasts until the end of the run.
    pub(super) fn longest_in(&self, (from, to): (Time, Time), end: Time) -> Option<Time> {
        let pending = self.pending.map(|since| (since, end.max(since)));
        let waits = self.waits.iter().copied().chain(pending);
        waits.filter(|(since, until)| *since <= to && from <= *until).map(|(s, u)| u - s).max()
    }

    /// Returns the longest wait of the run.
    pub(super) fn longest(&self, end: Time) -> Time {
        self.longest.max(self.pending.map_or(Time::ZERO, |since| end.saturating_sub(since)))
    }
}

/// The delays of all flows of a run, shared by the stopwatches of all hosts.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces(Arc<Mutex<BTreeMap<FlowKey, Trace>>>);

impl Traces {
    fn change(&self, key: FlowKey, change: impl FnOnce(&mut Trace)) {
        change(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
    }

    /// Removes and returns the traces.
    pub(super) fn take(&self) -> BTreeMap<FlowKey, Trace> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The stopwatch of one host.
pub(super) struct Stopwatch {
    /// The flows of which every wait is kept.
    wanted: Arc<BTreeSet<FlowKey>>,
    traces: Traces,
    /// By the fabric's number of the flow.
    keys: BTreeMap<usize, FlowKey>,
}

impl Stopwatch {
    pub(super) fn new(wanted: Arc<BTreeSet<FlowKey>>, traces: Traces) -> Stopwatch {
        Stopwatch { wanted, traces, keys: BTreeMap::new() }
    }

    fn change(&self, flow: usize, change: impl FnOnce(&mut Trace)) {
        if let Some(key) = self.keys.get(&flow) {
            self.traces.change(*key, change);
        }
    }
}

impl HostAgent for Stopwatch {
    fn started(&mut self, _now: Time, flow: usize, key: &FlowKey, _priority: u8, base_rtt: Option<Time>) {
        self.keys.insert(flow, *key);
        self.traces.change(*key, |trace| trace.base_rtt = base_rtt.unwrap_or_default());
    }

    fn sent(&mut self, now: Time, flow: usize) {
        // A retransmitted packet has been waiting since it was first sent.
        self.change(flow, |trace| trace.pending = trace.pending.or(Some(now)));
    }

    fn acknowledged(&mut self, now: Time, flow: usize, rtt: Option<Time>, outstanding: bool) {
        let Some(rtt) = rtt else { return };
        let is_wanted = self.keys.get(&flow).is_some_and(|key| self.wanted.contains(key));
        self.change(flow, |trace| {
            let departed = now.saturating_sub(rtt);
            let since = trace.pending.map_or(departed, |pending| pending.min(departed));
            trace.longest = trace.longest.max(now.saturating_sub(since));
            if is_wanted {
                trace.waits.push((since, now));
            }
            trace.pending = outstanding.then_some(now);
        });
    }

    fn finished(&mut self, _now: Time, flow: usize) {
        self.change(flow, |trace| trace.pending = None);
        self.keys.remove(&flow);
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
        let trace = Trace { waits, pending: Some(us(60)), longest: us(30), base_rtt: us(5) };
        let longest = |from, to| trace.longest_in((us(from), us(to)), us(100));
        assert_eq!(longest(0, 5), Some(us(10)));
        assert_eq!(longest(12, 15), None);
        assert_eq!(longest(5, 20), Some(us(30)));
        assert_eq!(longest(55, 70), Some(us(40)), "an unfinished wait lasts until the end of the run");
        assert_eq!(trace.longest(us(100)), us(40));
    }
}
