//! The latest verdicts from counters, with which verdicts of P4 switches are continued whose pauses lead into switches without
//! telemetry.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use counters::{continue_by_counters, is_open};
use model::{Diagnosis, PortRef, Topology};

use crate::daemons::time_base::TimeBase;

/// How long a verdict is kept after its arrival: longer than telemetry of the same event takes to arrive.
const KEPT_NS: u64 = 60_000_000_000;
/// Maximum verdicts that are kept; beyond it the oldest are forgotten.
pub(super) const MOST: usize = 256;
/// How long a verdict waits for counters: two intervals of a watcher, which it judges as one, and the way here.
pub(crate) const WAIT_NS: u64 = 5_000_000_000;

/// The latest verdicts from counters, in the order of their arrival, each with that time.
#[derive(Debug, Default)]
pub(crate) struct CountedEvents {
    recent: Mutex<VecDeque<(u64, Diagnosis)>>,
}

impl CountedEvents {
    /// Keeps a verdict that arrived at `now_ns` on the wall clock.
    pub(crate) fn note(&self, verdict: &Diagnosis, now_ns: u64) {
        let mut recent = self.lock();
        recent.push_back((now_ns, verdict.clone()));
        if recent.len() > MOST {
            recent.pop_front();
        }
    }

    /// Continues verdicts of telemetry. Verdicts from counters whose root port is among `lasting` hold until now.
    pub(crate) fn continue_all(
        &self,
        verdicts: &mut [Diagnosis],
        lasting: &BTreeSet<PortRef>,
        topology: &Topology,
        time: TimeBase,
        now_ns: u64,
    ) {
        if !verdicts.iter().any(is_open) {
            return;
        }
        let mut recent = self.lock();
        let lasts = |verdict: &Diagnosis| {
            let port = verdict.root_cause.port.as_ref();
            port.is_some_and(|port| lasting.contains(port))
        };
        recent.retain(|(at_ns, verdict)| now_ns.saturating_sub(*at_ns) < KEPT_NS || lasts(verdict));
        let until_now = |(_, verdict): &(u64, Diagnosis)| {
            let mut verdict = verdict.clone();
            if lasts(&verdict)
                && let Some(interval) = &mut verdict.counters
            {
                interval.to_ns = interval.to_ns.max(now_ns);
                verdict.time_ns = time.network_ns(interval.to_ns);
            }
            verdict
        };
        let counted: Vec<Diagnosis> = recent.iter().map(until_now).collect();
        drop(recent);
        continue_by_counters(verdicts, &counted, topology);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, Diagnosis)>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use model::diagnosis::CounterInterval;
    use model::{Anomaly, RootCause};

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// Whether a verdict of telemetry at `at_s` is continued by counters of second 99 to 100 that arrived at second 100.
    fn check(at_s: u64, lasting: &[&str], is_continued: bool) {
        let time = TimeBase { zero_ns: 0, scale: 1 };
        let port: PortRef = "s2:3".parse().unwrap();
        let root_cause = RootCause { port: Some(port.clone()), ..RootCause::default() };
        let counted = Diagnosis {
            time_ns: 100 * SECOND_NS,
            anomaly: Anomaly::PfcStormHostInjection,
            root_cause: RootCause { host: Some("h9".into()), ..root_cause },
            pause_path: vec!["s1:1".parse().unwrap(), port],
            counters: Some(CounterInterval {
                from_ns: 99 * SECOND_NS,
                to_ns: 100 * SECOND_NS,
                watcher: None,
            }),
            ..Diagnosis::undetermined(None)
        };
        let flow: model::FlowKey = "10.0.0.1:10000>10.0.0.3:4791/udp".parse().unwrap();
        let open = Diagnosis {
            time_ns: at_s * SECOND_NS,
            anomaly: Anomaly::PfcBackpressureFlowContention,
            pause_path: vec!["s1:1".parse().unwrap()],
            ..Diagnosis::undetermined(flow)
        };
        let events = CountedEvents::default();
        events.note(&counted, 100 * SECOND_NS);
        let lasting = lasting.iter().map(|port| port.parse().unwrap()).collect();
        let mut verdicts = [open];
        events.continue_all(&mut verdicts, &lasting, &Topology::default(), time, (at_s + 1) * SECOND_NS);
        assert_eq!(verdicts[0].root_cause.host.is_some(), is_continued, "second {at_s}, {lasting:?}");
    }

    #[test]
    fn counters_of_the_time_continue_a_verdict_as_long_as_they_last() {
        check(99, &[], true);
        check(98, &[], true);
        check(90, &[], false);
        check(120, &[], false);
        check(120, &["s2:3"], true);
        check(1_200, &["s2:3"], true);
        check(1_200, &["s2:4"], false);
    }
}
