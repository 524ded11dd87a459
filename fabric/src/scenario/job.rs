//! Collective operations among a scenario's traffic: what their hosts would tell of them.

use std::ops::Range;

use model::{Job, Transfer};

use super::Scenario;
use crate::fabric::Fabric;
use crate::switching::FabricSwitch;

/// A collective operation of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    /// Its name: the label of its workload.
    pub name: String,
    /// Its flows, by position; each waits only for others of the job.
    pub flows: Range<usize>,
}

impl Scenario {
    /// The jobs, with how far each has come by now.
    pub(crate) fn job_progress<S: FabricSwitch>(&self, fabric: &Fabric<S>) -> Vec<Job> {
        if self.jobs.is_empty() {
            return Vec::new();
        }
        let records = fabric.flows();
        let job = |spec: &JobSpec| {
            let mut transfers: Vec<Transfer> = Vec::new();
            for position in spec.flows.clone() {
                let (Some(flow), Some(record)) = (self.flows.get(position), records.get(position)) else {
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
                    // What has not started yet waits for others.
                    start_ns: (record.sent_packets > 0).then(|| record.start.as_ns()),
                    finish_ns: record.finish.map(|finish| finish.as_ns()),
                });
            }
            Job { name: spec.name.clone(), transfers }
        };
        self.jobs.iter().map(job).collect()
    }
}
