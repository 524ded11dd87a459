//! Events whose verdicts end at a host, until the requested report of the host arrives, or whose pauses lead into switches without
//! telemetry, until verdicts from their counters arrive.

use std::collections::BTreeMap;

use crate::daemons::analysis::AnalysedEvent;

/// Maximum events that wait, each with its snapshot; beyond it the one that waits longest is final.
const WAITING: usize = 64;

/// Hosts whose requested reports have not arrived, with the time of the request.
pub(crate) type Awaited = BTreeMap<String, u64>;

/// What an event waits for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Reports of hosts.
    pub(crate) reports: Awaited,
    /// Verdicts from counters, until this time on the wall clock; 0: none.
    pub(crate) counters_until_ns: u64,
}

/// The events that wait, in the order of their arrival.
#[derive(Default)]
pub(crate) struct AwaitingReports {
    events: Vec<(Waiting, AnalysedEvent)>,
}

impl AwaitingReports {
    /// Adds an event. Returns the one that waits longest if too many wait.
    pub(crate) fn add(&mut self, awaited: Waiting, event: AnalysedEvent) -> Option<AnalysedEvent> {
        self.events.push((awaited, event));
        (self.events.len() > WAITING).then(|| self.events.remove(0).1)
    }

    /// Removes and returns the events that need not wait any longer: what they wait for has arrived or does not arrive in
    /// time.
    pub(crate) fn take(&mut self, is_over: impl Fn(&Waiting, &AnalysedEvent) -> bool) -> Vec<AnalysedEvent> {
        let over = self.events.extract_if(.., |(awaited, event)| is_over(awaited, event));
        over.map(|(_, event)| event).collect()
    }
}
