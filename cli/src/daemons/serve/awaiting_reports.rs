//! Events whose verdicts end at a host, until the requested report of the host arrives.

use std::collections::BTreeMap;

use crate::daemons::analysis::AnalysedEvent;

/// Maximum events that wait, each with its snapshot; beyond it the one that waits longest is final.
const WAITING: usize = 64;

/// Hosts whose requested reports have not arrived, with the time of the request.
pub(crate) type Awaited = BTreeMap<String, u64>;

/// The events that wait, in the order of their arrival.
#[derive(Default)]
pub(crate) struct AwaitingReports {
    events: Vec<(Awaited, AnalysedEvent)>,
}

impl AwaitingReports {
    /// Adds an event. Returns the one that waits longest if too many wait.
    pub(crate) fn add(&mut self, awaited: Awaited, event: AnalysedEvent) -> Option<AnalysedEvent> {
        self.events.push((awaited, event));
        (self.events.len() > WAITING).then(|| self.events.remove(0).1)
    }

    /// Removes and returns the events that need not wait any longer: whose reports have arrived or do not arrive in time.
    pub(crate) fn take(&mut self, is_over: impl Fn(&Awaited, &AnalysedEvent) -> bool) -> Vec<AnalysedEvent> {
        let over = self.events.extract_if(.., |(awaited, event)| is_over(awaited, event));
        over.map(|(_, event)| event).collect()
    }
}
