//! Records the RTTs of some flows at their senders.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use model::{FlowKey, Time};

use crate::agent::{HostAgent, PollRequest};

/// The RTTs of one flow, with their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trace {
    /// From the departure of a packet to its ACK. With retransmissions, from the last progress.
    waits: Vec<(Time, Time)>,
    /// Since when data is outstanding without progress.
    pending: Option<Time>,
    /// RTT of the path without queueing.
    pub(super) base_rtt: Option<Time>,
}

impl Trace {
    /// The longest wait that overlaps the window. A pending one lasts until the end of the run.
    pub(super) fn longest(&self, (from, to): (Time, Time), end: Time) -> Option<Time> {
        let pending = self.pending.map(|since| (since, end.max(since)));
        let waits = self.waits.iter().copied().chain(pending);
        waits
            .filter(|(since, until)| *since <= to && from <= *until)
            .map(|(since, until)| until - since)
            .max()
    }
}

/// Traces by flow, shared by the stopwatches of all hosts.
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

/// An agent that records the RTTs of flows of one host and sends no polling packets.
pub(super) struct Stopwatch {
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
        if self.wanted.contains(key) {
            self.keys.insert(flow, *key);
            self.traces.change(*key, |trace| trace.base_rtt = base_rtt);
        }
    }

    fn sent(&mut self, now: Time, flow: usize) {
        // A retransmitted packet has been waiting since it was first sent.
        self.change(flow, |trace| trace.pending = trace.pending.or(Some(now)));
    }

    fn acknowledged(&mut self, now: Time, flow: usize, rtt: Option<Time>, outstanding: bool) {
        let Some(rtt) = rtt else { return };
        self.change(flow, |trace| {
            let departed = now.saturating_sub(rtt);
            let since = trace.pending.map_or(departed, |pending| pending.min(departed));
            trace.waits.push((since, now));
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
    fn the_longest_wait_that_overlaps_the_window_is_returned() {
        let us = Time::from_us;
        let trace =
            Trace { waits: vec![(us(0), us(10)), (us(20), us(50))], pending: Some(us(60)), base_rtt: None };
        let longest = |from, to| trace.longest((us(from), us(to)), us(100));
        assert_eq!(longest(0, 5), Some(us(10)));
        assert_eq!(longest(12, 15), None);
        assert_eq!(longest(5, 20), Some(us(30)));
        assert_eq!(longest(55, 70), Some(us(40)), "a pending wait lasts until the end of the run");
    }
}
