//! What a network's operators know besides telemetry, put into a snapshot: findings about configurations, losses by the
//! switches' counters, the jobs that run.

use model::{Job, LossRecord, Snapshot, Time};

use super::Scenario;
use crate::fabric::Fabric;
use crate::switching::FabricSwitch;

/// What changes while a network runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Packets that switches have lost so far.
    pub losses: Vec<LossRecord>,
    /// Jobs, with how far each has come.
    pub jobs: Vec<Job>,
}

impl Scenario {
    /// What of the circumstances the network itself tells now.
    pub fn circumstances<S: FabricSwitch>(&self, fabric: &Fabric<S>) -> Circumstances {
        Circumstances { losses: fabric.losses().cloned().collect(), jobs: self.job_progress(fabric) }
    }

    /// Completes a snapshot that was collected by `now`. Of the configuration it gets what was wrong at any time of which
    /// its records speak.
    pub fn survey(&self, snapshot: &mut Snapshot, circumstances: Circumstances, now: Time) {
        let starts = snapshot.switches.iter().flat_map(|switch| &switch.epochs).map(|epoch| epoch.start_ns);
        snapshot.configuration = self.audit(starts.min().map_or(now, Time::from_ns), now);
        snapshot.losses = circumstances.losses;
        snapshot.jobs = circumstances.jobs;
    }
}
