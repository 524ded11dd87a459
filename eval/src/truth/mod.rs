//! The ground truth of a run, computed from the simulator's packet log: where every packet was at every time, which
//! pauses were sent, and which hosts injected pauses. It uses neither telemetry nor the analyzer. Two inputs come from
//! the scenario: an RTT counts as slow above the agents' threshold, and the name of the cause is the expected one.
//!
//! [`replay`] reconstructs the queues from the packet log, [`queue`] splits them into periods,
//! [`tree`] computes which port waited for which, [`deadlock`] and [`loops`] find loops, [`blame`] computes which flows
//! made a queue grow, [`events`] lists the events of the run, [`judge`] selects the expected one, and [`compare`]
//! compares the result with the expectation.

mod blame;
mod compare;
mod deadlock;
mod events;
mod judge;
mod loops;
mod queue;
mod replay;
mod tree;

use fabric::{FlowRecord, PacketLog, PauseRecord, RunOutcome};
use model::{Anomaly, Cause, PortRef, Time};
use scenario::{Expectation, Scenario};

use crate::GroundTruth;

/// A completed run, with the inputs of the ground truth.
pub(crate) struct Facts<'r> {
    pub(crate) scenario: &'r Scenario,
    /// Names of the switches, by the numbers in the log.
    pub(crate) switches: &'r [String],
    pub(crate) log: &'r PacketLog,
    pub(crate) flows: &'r [FlowRecord],
    pub(crate) pauses: &'r [PauseRecord],
    pub(crate) dropped_packets: u64,
    pub(crate) end: Time,
}

impl Facts<'_> {
    /// The port at the far end of a switch's port.
    pub(crate) fn peer(&self, port: &PortRef) -> Option<&PortRef> {
        self.scenario.topology.peer(port)
    }
}

/// Whether the packet log shows an expected anomaly. Others are verdicts: that a queue is the victim's own or that of another
/// class, that losses or a changed path delay it, or that the records do not show why. Operations that wait in a host are not
/// in the log.
pub fn is_computed(expect: &Expectation) -> bool {
    let waits_in_host = matches!(
        expect.cause,
        Some(
            Cause::HiddenFence
                | Cause::NoisyTenant
                | Cause::PollGap
                | Cause::CongestionLeaking
                | Cause::HostControlOverhead
                | Cause::GpuCoLocation
                | Cause::LegitimatelyNetworkBound
        )
    );
    let is_in_host = expect.anomaly == Some(Anomaly::HostOnly) && waits_in_host;
    !is_in_host
        && !matches!(
            expect.anomaly,
            Some(
                Anomaly::SelfInflicted
                    | Anomaly::ClassContention
                    | Anomaly::PacketLoss
                    | Anomaly::PathChange
                    | Anomaly::Undetermined
            )
        )
}

/// The ground truth of a run of `instance`, the instance of a scenario for the run's seed, and its deviations from the
/// expectation. Absent for runs without an expectation, and for an expected anomaly that is not computed ([`is_computed`]).
pub fn establish(instance: &Scenario, outcome: &RunOutcome) -> (Option<GroundTruth>, Vec<String>) {
    let (Some(expect), Some(log)) = (&instance.expect, &outcome.packet_log) else {
        return (None, Vec::new());
    };
    let facts = Facts {
        scenario: instance,
        switches: &outcome.switches,
        log,
        flows: &outcome.flows,
        pauses: &outcome.pauses,
        dropped_packets: outcome.counters.dropped_packets,
        end: outcome.end,
    };
    if !is_computed(expect) {
        return (None, compare::pauses_and_drops(&facts, expect));
    }
    let (truth, worse) = judge::judge(&facts, expect);
    let mut deviations = compare::deviations(&facts, expect, &truth);
    deviations.extend(worse);
    let outages = instance.outages(outcome.end);
    (Some(GroundTruth { outages, ..truth }), deviations)
}
