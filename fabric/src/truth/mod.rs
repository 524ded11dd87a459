//! The ground truth of a run, computed from the simulator's packet log: where every packet was at every time, which
//! pauses were sent, and which hosts injected pauses. It uses neither telemetry nor the analyzer. Two inputs come from
//! the scenario: an RTT counts as slow above the agents' threshold, and the name of the cause is the expected one.
//!
//! [`log`] keeps the packet log, [`replay`] reconstructs the queues from it, [`queue`] splits them into periods,
//! [`tree`] computes which port waited for which, [`deadlock`] and [`loops`] find loops, [`blame`] computes which flows
//! made a queue grow, [`events`] lists the events of the run, [`judge`] selects the expected one, and [`compare`]
//! compares the result with the expectation.

mod blame;
mod compare;
mod deadlock;
mod events;
mod judge;
mod log;
mod loops;
mod queue;
mod replay;
mod tree;

use model::{GroundTruth, PortRef, Time};
use scenario::Scenario;

use crate::fabric::Fabric;
use crate::record::{FlowRecord, PauseRecord};
use crate::switch::FabricSwitch;

pub(crate) use log::PacketLog;

/// A completed run, with the inputs of the ground truth.
pub(crate) struct Facts<'r> {
    pub(crate) scenario: &'r Scenario,
    /// Names of the switches, by the numbers in the log.
    pub(crate) switches: Vec<String>,
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

/// The ground truth of a run, and its deviations from the expectation. Absent for runs without an expectation or
/// without a packet log.
pub(crate) fn establish<S: FabricSwitch>(
    scenario: &Scenario,
    fabric: &Fabric<S>,
    flows: &[FlowRecord],
) -> (Option<GroundTruth>, Vec<String>) {
    let (Some(expect), Some(log)) = (&scenario.expect, fabric.packet_log()) else {
        return (None, Vec::new());
    };
    let facts = Facts {
        scenario,
        switches: fabric.switches().map(|(name, _)| name.to_string()).collect(),
        log,
        flows,
        pauses: fabric.pauses(),
        dropped_packets: fabric.counters().dropped_packets,
        end: fabric.now(),
    };
    let (truth, worse) = judge::judge(&facts, expect);
    let mut deviations = compare::deviations(&facts, expect, &truth);
    deviations.extend(worse);
    (Some(truth), deviations)
}
