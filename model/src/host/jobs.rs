//! Jobs on a host: class, placement, progress, demand.

use serde::{Deserialize, Serialize};

/// The jobs of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostJobs {
    /// The jobs.
    pub jobs: Vec<PlacedJob>,
}

/// A job, its place and its progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlacedJob {
    /// Its name.
    pub name: String,
    /// Whether other jobs may slow it down.
    pub class: JobClass,
    /// What it does, as a label of its flows: `training`, `allreduce`, `moe`, `gnn-fetch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The GPUs that it uses, for example `h1/gpu0`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<String>,
    /// Its rate alone on these GPUs, in iterations, kernels or samples a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_rate: Option<f64>,
    /// Its progress, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<JobProgress>,
    /// What it needs of the network, if batches of data are its unit of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<FetchDemand>,
}

/// Classes of jobs (TGS, NSDI 2023, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobClass {
    /// Runs without a large slowdown by other jobs.
    Production,
    /// Uses what is spare.
    Opportunistic,
}

/// The progress of a job in an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JobProgress {
    /// Start, in nanoseconds.
    pub start_ns: u64,
    /// End, in nanoseconds.
    pub end_ns: u64,
    /// Its rate, in the unit of the usual rate.
    pub rate: f64,
    /// What the job did, if it reports its phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<JobPhase>,
    /// Utilisation of its GPUs by all jobs, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_utilisation: Option<f64>,
}

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobPhase {
    /// It trains: its rate is its progress.
    Training,
    /// It validates its model.
    Validation,
    /// It computes on processors.
    Cpu,
    /// It reads or writes a checkpoint, or loads data.
    Storage,
}

/// The demand of a job that fetches data in batches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FetchDemand {
    /// Bytes of a batch.
    pub batch_bytes: u64,
    /// Batches a second that the job could compute.
    pub batches_per_s: f64,
    /// Rate of the NIC that fetches them, in bits a second.
    pub nic_bits_per_s: f64,
    /// Measured rate of the job's traffic, in bits a second.
    pub measured_bits_per_s: f64,
}
