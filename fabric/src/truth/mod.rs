//! What really happened in a run, told from the simulator's inside: which packet was where at every instant, who
//! paused whom when, and which hosts injected pauses. Nothing here uses telemetry, and nothing of the analyzer: this is
//! what its verdicts are measured against.
//!
//! [`log`] keeps the raw facts, [`replay`] rebuilds the queues from them, [`queue`] cuts them into the times that belong together, [`tree`] says which port waited for which,
//! [`deadlock`] and [`loops`] find rings, [`blame`] finds out which flows made a queue grow, [`events`] lists what went
//! wrong and when, [`judge`] puts it together, and [`compare`] sets it against what the scenario was meant to produce.

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

/// A run that is over, with everything that the truth is found from.
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

/// The truth of a run, and in words what of the intention the run did not show. Nothing is known of runs without
/// an intention, or whose packets were not followed.
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
