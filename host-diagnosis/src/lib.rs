//! What is wrong inside a host: which part of it, which tenant, which setting, or the application.
//!
//! A verdict about the fabric ends at a host when the host sends the pauses, receives too slowly, or when every hop
//! was clean. [`diagnose`] continues there: it runs every [`Detector`] on the host's report
//! ([`model::HostReport`]). Two rules protect hosts from false accusations: a detector names no cause while the fabric
//! explains the delay ([`Fabric`]), and none concludes from byte or connection counts alone.
//!
//! Sources: the published systems that each detector names in its module.

pub mod collie;
mod detector;
mod detectors;
pub mod estats;
mod fabric;
pub mod fence;
mod finding;
pub mod hostping;
pub mod husky;
pub mod inspection;
pub mod jobs;
pub mod loss_recovery;
pub mod mtt;
pub mod pause_ratio;
mod pauses;
pub mod pingmesh;
pub mod repeated_packets;
mod report_problems;
pub mod rnic_memory;
mod unite;
pub mod water_filling;
mod workload_problems;
pub mod xrdma;

pub use detector::{Detector, Explains, Outcome, Section};
pub use detectors::all;
pub use fabric::{Fabric, FabricState};
pub use finding::{Claim, HostFinding, HostPart};
pub use report_problems::{ReportProblem, problems};
pub use unite::{United, unite};
pub use workload_problems::descriptor_problems;

use model::HostReport;
use serde::Serialize;

/// What all detectors say about one report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostDiagnosis {
    /// The host.
    pub host: String,
    /// Findings of all detectors, the most certain first; detectors of equal certainty are in the order of the
    /// registry.
    pub findings: Vec<HostFinding>,
    /// The outcome of every detector, in the order of the registry.
    pub checks: Vec<Check>,
}

/// The outcome of one detector.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The detector's name.
    pub detector: &'static str,
    /// The outcome in one word.
    pub result: CheckResult,
    /// The evidence that is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The outcome of a detector in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It has findings.
    Found,
    /// The evidence shows no problem.
    Clean,
    /// The report lacks evidence that the detector needs.
    MissingEvidence,
    /// The fabric explains the delay, so that the detector names no cause.
    FabricExplains,
}

/// Judges one report with every detector.
pub fn diagnose(report: &HostReport, fabric: &Fabric) -> HostDiagnosis {
    let mut findings = Vec::new();
    let mut checks = Vec::new();
    for detector in all() {
        let (result, missing) = match detector.run(report, fabric) {
            Outcome::FabricExplains => (CheckResult::FabricExplains, Vec::new()),
            Outcome::Found(found) => {
                findings.extend(found);
                (CheckResult::Found, Vec::new())
            }
            Outcome::Clean => (CheckResult::Clean, Vec::new()),
            Outcome::Missing(missing) => (CheckResult::MissingEvidence, missing),
        };
        checks.push(Check { detector: detector.name, result, missing });
    }
    findings.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    HostDiagnosis { host: report.host.clone(), findings, checks }
}
