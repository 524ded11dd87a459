//! What an anomaly costs, and how urgent it is.
//!
//! Queues are what buffers are for: a queue that congestion control tolerates is telemetry, not an incident. The limit
//! is the start of the marking range (Kmin 400 kB at 100 Gb/s, proportional to the rate) that HPCC (SIGCOMM 2019,
//! section 5.1) uses for DCQCN, three round trips of 10 us: a shorter queue is not even marked. What stops traffic or
//! loses packets is urgent at any delay.

use model::diagnosis::{Cost, Severity};
use model::job::StepRole;
use model::{Anomaly, Cause, Diagnosis, FlowKey, LossReason, NetworkChange, NetworkEvent, PortRef};

use crate::facts::span::Span;
use crate::findings::signatures::packet_loss;
use crate::findings::signatures::path_change::{self, Kind};
use crate::settings::UNKNOWN_NS;
use crate::thresholds as t;
use crate::verdict::causes::{Case, misconfiguration};

/// Returns the cost of a verdict, without the packets that its evidence shows as lost.
pub(crate) fn cost(case: &Case<'_, '_, '_>, victim: FlowKey, victims: &[FlowKey]) -> Cost {
    let view = case.context.view;
    let delay_ns = delay_ns(case).unwrap_or(0);
    let rate_bps = first_link_bps(case, victim);
    let carried = u128::from(delay_ns) * u128::from(rate_bps) / 8_000_000_000;
    let depends = |job: &&model::Job| job.transfers.iter().any(|t| victims.contains(&t.flow));
    Cost {
        delay_ns,
        base_rtt_ns: case.context.trigger.map_or(0, |trigger| trigger.base_rtt_ns),
        bytes: u64::try_from(carried).unwrap_or(u64::MAX),
        flows: victims.len() as u64,
        jobs: view.jobs().iter().filter(depends).count() as u64,
        lost_packets: 0,
    }
}

/// The victim's delay above its base RTT; `None` without a measurement.
fn delay_ns(case: &Case<'_, '_, '_>) -> Option<u64> {
    case.context.trigger.map(|trigger| trigger.excess_ns())
}

/// The rate of the sender's link; of its slowest one if it has several.
fn first_link_bps(case: &Case<'_, '_, '_>, victim: FlowKey) -> u64 {
    let index = case.context.view.index;
    let ports = index.host_of(victim.src).map(|host| index.ports_of(host)).unwrap_or_default();
    ports.iter().map(|port| port.rate.0).min().unwrap_or(0)
}

/// What decides the severity of a verdict.
#[derive(Clone, Debug)]
struct Facts {
    anomaly: Anomaly,
    cause: Cause,
    delay_ns: u64,
    base_rtt_ns: u64,
    /// Number of affected flows.
    flows: u64,
    /// Whether PFC pauses delay the victim.
    paused: bool,
    /// Whether the root host's pauses hold the port most of the time.
    holds_port: bool,
    /// Whether a lossless class, or a class that a wrong configuration made lossy, lost packets.
    loses: bool,
    /// Whether the path has failed and has not recovered.
    failed: bool,
    /// Whether the path is only longer.
    is_detour: bool,
    /// Whether a transfer that delays its whole job is affected.
    delays_job: bool,
    /// Whether an operation or a job was slow: its delay is no queue, however short.
    is_operation: bool,
    /// The delay of an ordinary queue, in nanoseconds.
    ordinary_ns: u64,
}

/// Returns the severity of a verdict that has its cost.
pub(crate) fn severity(case: &Case<'_, '_, '_>, diagnosis: &Diagnosis) -> Severity {
    let change = (diagnosis.anomaly == Anomaly::PathChange).then(|| path_change::of(case.context)).flatten();
    of(&Facts {
        anomaly: diagnosis.anomaly,
        cause: diagnosis.cause,
        delay_ns: diagnosis.cost.delay_ns,
        base_rtt_ns: diagnosis.cost.base_rtt_ns,
        flows: diagnosis.cost.flows,
        paused: !diagnosis.pause_path.is_empty(),
        holds_port: holds_port(case),
        loses: loses(case, diagnosis),
        failed: change.as_ref().is_some_and(|c| match c.kind {
            Kind::BlackHole => true,
            Kind::Outage => !recovered(case, &c.root),
            Kind::Detour { .. } => false,
        }),
        is_detour: change.is_some_and(|change| matches!(change.kind, Kind::Detour { .. })),
        delays_job: diagnosis.steps.iter().any(|s| s.role == StepRole::Victim && s.holds_up == Some(true)),
        is_operation: case.context.is_about_operation(),
        ordinary_ns: ordinary_ns(
            case.context.trigger.map_or(0, |trigger| trigger.base_rtt_ns),
            case.context.settings.value(&t::ORDINARY_QUEUE),
        ),
    })
}

/// The longest base RTT that counts for the delay of an ordinary queue: 100 us. Choice: a switch with 32 MB of shared buffer
/// for 64 ports of 100 Gb/s holds 40 us of traffic for each port, whatever the distance of the hosts.
const LONGEST_NS: u64 = 100_000;

/// The delay of an ordinary queue: a number of base RTTs ([`t::ORDINARY_QUEUE`]). A base RTT below that of a data-centre
/// network counts as such, because marking thresholds are set for it, and one above [`LONGEST_NS`] as that.
fn ordinary_ns(base_rtt_ns: u64, round_trips: f64) -> u64 {
    (round_trips * base_rtt_ns.clamp(UNKNOWN_NS, LONGEST_NS) as f64) as u64
}

fn of(facts: &Facts) -> Severity {
    let is_long = facts.delay_ns > facts.ordinary_ns;
    let severity = match facts.anomaly {
        Anomaly::DeadlockInLoopContention
        | Anomaly::DeadlockOutOfLoopContention
        | Anomaly::DeadlockOutOfLoopInjection
        | Anomaly::RoutingLoop => Severity::Critical,
        Anomaly::PathChange if facts.failed => Severity::Critical,
        Anomaly::PathChange if facts.is_detour => Severity::Minor,
        Anomaly::PathChange | Anomaly::PacketLoss => Severity::Major,
        Anomaly::PfcStormHostInjection if facts.cause == Cause::NicStorm && facts.holds_port => {
            Severity::Critical
        }
        Anomaly::PfcStormHostInjection => Severity::Major,
        Anomaly::PfcBackpressureFlowContention if facts.flows > 1 || is_long => Severity::Major,
        Anomaly::ClassContention if is_long => Severity::Major,
        Anomaly::PfcBackpressureFlowContention | Anomaly::ClassContention => Severity::Minor,
        Anomaly::FlowContention | Anomaly::SelfInflicted | Anomaly::Undetermined if is_long => {
            Severity::Minor
        }
        Anomaly::SelfInflicted if facts.paused => Severity::Minor,
        Anomaly::HostOnly if facts.is_operation || facts.delay_ns > facts.base_rtt_ns => Severity::Minor,
        Anomaly::FlowContention | Anomaly::SelfInflicted | Anomaly::HostOnly | Anomaly::Undetermined => {
            Severity::Info
        }
    };
    let at_least = match facts.cause {
        _ if facts.loses => Severity::Critical,
        _ if facts.delays_job => Severity::Major,
        Cause::Misconfiguration | Cause::CollectiveStep => Severity::Minor,
        _ => Severity::Info,
    };
    severity.max(at_least)
}

/// Whether pauses hold the root port most of the time since the first of them.
fn holds_port(case: &Case<'_, '_, '_>) -> bool {
    let Some(port) = case.finding.path.last() else { return false };
    let spans = case.context.view.pause_spans(*port);
    let Some(window) = case.context.analysed.or(case.finding.when) else { return false };
    held_percent(spans, window) >= 100.0 * case.context.settings.value(&t::STOPPED_SHARE)
}

/// The percentage of `window` after the first pause in it that the port was paused.
fn held_percent(spans: &[Span], window: Span) -> f64 {
    let within: Vec<Span> = spans.iter().filter_map(|span| span.intersection(window)).collect();
    let Some(from) = within.iter().map(|span| span.from).min() else { return 0.0 };
    let paused: f64 = within.iter().map(|span| span.length_ns()).sum();
    100.0 * paused / Span::new(from, window.to).length_ns().max(1.0)
}

/// Whether a lossless class lost packets, or the configuration that the verdict names did.
fn loses(case: &Case<'_, '_, '_>, diagnosis: &Diagnosis) -> bool {
    match diagnosis.anomaly {
        Anomaly::PacketLoss => {
            packet_loss::of(case.context).is_some_and(|l| l.reason == LossReason::Headroom)
        }
        _ if diagnosis.cause == Cause::Misconfiguration => {
            let settings = diagnosis.blamed_settings();
            let is_blamed =
                |switch: &str| settings.iter().any(|place| place.split(['/', ':']).next() == Some(switch));
            case.context.view.losses().iter().any(|loss| {
                matches!(loss.reason, LossReason::Headroom | LossReason::Lossy) && is_blamed(&loss.switch)
            })
        }
        // The wrong setting did not delay this victim, but it loses packets of others.
        _ => !misconfiguration::risks(case).is_empty(),
    }
}

/// Whether the last change of the link of a port is that it came up.
fn recovered(case: &Case<'_, '_, '_>, root: &PortRef) -> bool {
    let peer = case.context.view.index.topology().peer(root);
    let is_of_link =
        |event: &&NetworkEvent| event.link_port().is_some_and(|port| port == *root || Some(&port) == peer);
    let last = case.context.view.events().iter().filter(is_of_link).max_by_key(|event| event.time_ns);
    last.is_some_and(|event| matches!(event.change, NetworkChange::LinkUp { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(anomaly: Anomaly) -> Facts {
        Facts {
            anomaly,
            cause: Cause::Undetermined,
            delay_ns: 10_000,
            base_rtt_ns: 8_000,
            flows: 1,
            paused: false,
            holds_port: false,
            loses: false,
            failed: false,
            is_detour: false,
            delays_job: false,
            is_operation: false,
            ordinary_ns: 80_000,
        }
    }

    #[test]
    fn a_queue_that_congestion_control_tolerates_is_no_incident() {
        for anomaly in [Anomaly::FlowContention, Anomaly::SelfInflicted] {
            assert_eq!(of(&facts(anomaly)), Severity::Info);
            let long = Facts { delay_ns: 80_001, ..facts(anomaly) };
            assert_eq!(of(&long), Severity::Minor);
            assert_eq!(of(&Facts { delays_job: true, ..facts(anomaly) }), Severity::Major);
        }
    }

    #[test]
    fn a_delay_without_any_queue_counts_from_one_base_round_trip_on() {
        assert_eq!(of(&facts(Anomaly::HostOnly)), Severity::Minor);
        assert_eq!(of(&Facts { delay_ns: 8_000, ..facts(Anomaly::HostOnly) }), Severity::Info);
        assert_eq!(of(&facts(Anomaly::Undetermined)), Severity::Info);
    }

    #[test]
    fn what_stops_or_loses_traffic_is_critical() {
        assert_eq!(of(&facts(Anomaly::RoutingLoop)), Severity::Critical);
        assert_eq!(of(&facts(Anomaly::DeadlockInLoopContention)), Severity::Critical);
        assert_eq!(of(&Facts { failed: true, ..facts(Anomaly::PathChange) }), Severity::Critical);
        assert_eq!(of(&Facts { loses: true, ..facts(Anomaly::PacketLoss) }), Severity::Critical);
        let storm = Facts { cause: Cause::NicStorm, ..facts(Anomaly::PfcStormHostInjection) };
        assert_eq!(of(&storm), Severity::Major);
        assert_eq!(of(&Facts { holds_port: true, ..storm }), Severity::Critical);
    }

    #[test]
    fn pauses_that_affect_several_flows_are_major() {
        let pauses = facts(Anomaly::PfcBackpressureFlowContention);
        assert_eq!(of(&pauses), Severity::Minor);
        assert_eq!(of(&Facts { flows: 2, ..pauses }), Severity::Major);
        assert_eq!(of(&Facts { paused: true, ..facts(Anomaly::SelfInflicted) }), Severity::Minor);
    }

    #[test]
    fn an_ordinary_queue_is_three_round_trips_within_bounds() {
        let check = |base_rtt_ns, expected| assert_eq!(ordinary_ns(base_rtt_ns, 3.0), expected);
        check(0, 30_000);
        check(1_000, 30_000);
        check(14_000, 42_000);
        check(600_000, 300_000);
    }

    #[test]
    fn the_held_share_counts_from_the_first_pause_on() {
        let span = |from, to| Span { from, to };
        assert_eq!(held_percent(&[span(50, 75)], span(0, 100)), 50.0);
        assert_eq!(held_percent(&[], span(0, 100)), 0.0);
    }
}
