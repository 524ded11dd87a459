//! The records of a snapshot that operators have besides telemetry: configuration findings, the loss counters of
//! switches, the changes of links and routes that they log, and the progress of jobs.

use model::{Job, LossRecord, NetworkEvent, Snapshot, Time, Transfer};
use scenario::{JobSpec, Scenario};

use crate::fabric::Fabric;
use crate::record::FlowRecord;
use crate::switch::FabricSwitch;

/// The records of a running network that are not telemetry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorRecords {
    /// Packets that switches and links have lost so far.
    pub losses: Vec<LossRecord>,
    /// The latest changes of links and routes.
    pub events: Vec<NetworkEvent>,
    /// Jobs, with the progress of each.
    pub jobs: Vec<Job>,
}

impl OperatorRecords {
    /// The present records of a network that runs `scenario`.
    pub fn of<S: FabricSwitch>(scenario: &Scenario, fabric: &Fabric<S>) -> OperatorRecords {
        OperatorRecords {
            losses: fabric.losses().cloned().collect(),
            events: fabric.network_events().to_vec(),
            jobs: jobs(scenario, fabric),
        }
    }

    /// Completes a snapshot that was collected by `now`. Configuration findings are those of the time since the
    /// snapshot's first telemetry epoch.
    pub fn complete(self, scenario: &Scenario, snapshot: &mut Snapshot, now: Time) {
        let starts = snapshot.switches.iter().flat_map(|switch| &switch.epochs).map(|epoch| epoch.start_ns);
        snapshot.configuration = scenario.audit(starts.min().map_or(now, Time::from_ns), now);
        snapshot.losses = self.losses;
        snapshot.events = self.events;
        snapshot.jobs = self.jobs;
    }
}

/// The jobs of a scenario, with their progress.
fn jobs<S: FabricSwitch>(scenario: &Scenario, fabric: &Fabric<S>) -> Vec<Job> {
    if scenario.jobs.is_empty() {
        return Vec::new();
    }
    let records = fabric.flows();
    scenario.jobs.iter().map(|spec| job(scenario, spec, &records)).collect()
}

fn job(scenario: &Scenario, spec: &JobSpec, records: &[FlowRecord]) -> Job {
    let mut transfers: Vec<Transfer> = Vec::new();
    for position in spec.flows.clone() {
        let (Some(flow), Some(record)) = (scenario.flows.get(position), records.get(position)) else {
            break;
        };
        let inside = |before: &usize| before.checked_sub(spec.flows.start);
        let after: Vec<u32> = flow.after.iter().filter_map(inside).map(|at| at as u32).collect();
        let before = after.iter().filter_map(|at| transfers.get(*at as usize));
        transfers.push(Transfer {
            step: before.map(|transfer| transfer.step).max().unwrap_or(0) + 1,
            flow: record.flow,
            bytes: record.bytes,
            after,
            // A transfer without packets has not started: it depends on transfers that are not complete.
            start_ns: (record.sent_packets > 0).then(|| record.start.as_ns()),
            finish_ns: record.finish.map(|finish| finish.as_ns()),
        });
    }
    Job { name: spec.name.clone(), transfers }
}
