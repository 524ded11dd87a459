//! Compares a verdict with the ground truth of a scenario's expectation: the exact anomaly and root cause.

use std::collections::BTreeSet;

use model::{Anomaly, Cause, Diagnosis, FlowKey, RootCause};

use crate::GroundTruth;

/// Whether anomaly and root cause match exactly: port, host, flows and configuration, and the cause if the truth has
/// one. Flows with a minor contribution may be named or not. The victim's own contribution does not count. If the
/// culprits changed during the event, the set at the time of the trigger or any later set is right. Of an event in a host, a
/// verdict that the fabric is clean need not name the host and the cause.
pub fn names_truth(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    let others = |flows: &[FlowKey]| {
        flows.iter().copied().filter(|flow| Some(*flow) != diagnosis.victim).collect::<BTreeSet<_>>()
    };
    let named = others(&diagnosis.root_cause.flows);
    let names = |flows: &[FlowKey], minor: &[FlowKey]| {
        let culprits = others(flows);
        culprits.is_subset(&named) && named.iter().all(|flow| culprits.contains(flow) || minor.contains(flow))
    };
    let phases = truth.phases.iter().filter(|phase| diagnosis.time_ns <= phase.until_ns);
    let (found, real) = (&diagnosis.root_cause, &truth.root_cause);
    let is_clean = diagnosis.anomaly == Anomaly::HostOnly && found.host.is_none();
    Some(diagnosis.anomaly) == truth.anomaly
        && found.port == real.port
        && (found.host == real.host || is_clean)
        && (names(&real.flows, &truth.minor)
            || phases.into_iter().any(|phase| names(&phase.flows, &phase.minor)))
        && real.config.iter().cloned().collect::<BTreeSet<_>>() == diagnosis.blamed_settings()
        && (is_clean
            || truth.cause.is_none_or(|cause| cause == Cause::Undetermined || cause == diagnosis.cause))
}

/// Whether a verdict's root cause names the place of an event or of one of its recurrences: the host, if the event has
/// one, else the root port. A fair measure for methods that see ports and no flows.
pub fn names_place(found: &RootCause, truth: &GroundTruth) -> bool {
    std::iter::once(truth).chain(&truth.again).map(|event| &event.root_cause).any(|real| match &real.host {
        Some(host) => found.host.as_ref() == Some(host),
        None => real.port.is_some() && found.port == real.port,
    })
}

/// Whether a verdict names an event or one of its recurrences.
pub fn names_event(diagnosis: &Diagnosis, truth: &GroundTruth) -> bool {
    names_truth(diagnosis, truth) || truth.again.iter().any(|again| names_truth(diagnosis, again))
}

#[cfg(test)]
mod tests {
    use model::PortRef;

    use super::*;

    fn check(found: RootCause, real: RootCause, expected: bool) {
        let truth = GroundTruth { root_cause: real, ..GroundTruth::default() };
        assert_eq!(names_place(&found, &truth), expected, "{found:?} {truth:?}");
    }

    /// Checks whether a verdict about a delay in a host names an event in `h1`.
    fn check_in_host(host: Option<&str>, cause: Cause, expected: bool) {
        let in_host =
            |host: Option<&str>| RootCause { host: host.map(str::to_string), ..RootCause::default() };
        let truth = GroundTruth {
            anomaly: Some(Anomaly::HostOnly),
            cause: Some(Cause::GoBackNWaste),
            root_cause: in_host(Some("h1")),
            ..GroundTruth::default()
        };
        let flow = "10.0.0.1:10000>10.0.0.2:4791/udp".parse::<FlowKey>().unwrap();
        let verdict = Diagnosis {
            anomaly: Anomaly::HostOnly,
            cause,
            root_cause: in_host(host),
            ..Diagnosis::undetermined(flow)
        };
        assert_eq!(names_event(&verdict, &truth), expected, "{host:?} {cause:?}");
    }

    #[test]
    fn a_verdict_about_a_host_names_it_or_says_that_the_fabric_is_clean() {
        check_in_host(None, Cause::Undetermined, true);
        check_in_host(Some("h1"), Cause::GoBackNWaste, true);
        check_in_host(Some("h2"), Cause::GoBackNWaste, false);
        check_in_host(Some("h1"), Cause::SlowReceiver, false);
    }

    #[test]
    fn the_place_is_the_host_or_else_the_port() {
        let place = |port: Option<u16>, host: Option<&str>| RootCause {
            port: port.map(|port| PortRef::new("sw1", port)),
            host: host.map(str::to_string),
            ..RootCause::default()
        };
        check(place(Some(1), None), place(Some(1), None), true);
        check(place(Some(2), None), place(Some(1), None), false);
        check(place(Some(1), Some("h2")), place(Some(1), Some("h1")), false);
        check(place(None, Some("h1")), place(Some(1), Some("h1")), true);
        check(place(None, None), place(None, None), false);
    }
}
