//! What is wrong inside a host: which part of it, which tenant, which setting, or the application.
//!
//! A verdict about the fabric ends at a host when the host sends the pauses, receives too slowly, or when every hop
//! was clean. [`diagnose`] continues there: it runs every [`Detector`] on the host's report
//! ([`model::HostReport`]). Two rules protect hosts from false accusations: a detector names no cause while the fabric
//! explains the delay ([`Fabric`]), and none concludes from byte or connection counts alone.
//!
//! Sources: the published systems that each detector names in its module.

mod cache_misses;
pub mod collie;
mod continuation;
mod detector;
mod detectors;
pub mod estats;
mod fabric;
pub mod fence;
mod held;
pub mod hostping;
pub mod husky;
pub mod inspection;
pub mod jobs;
pub mod loss_recovery;
mod median;
pub mod mtt;
pub mod pause_ratio;
mod pauses;
pub mod perftest;
pub mod pingmesh;
pub mod repeated_packets;
mod report_problems;
pub mod rnic_memory;
mod unite;
pub mod water_filling;
mod workload_problems;
pub mod xrdma;

pub use continuation::{AgedReport, continue_in_hosts, hosts_in_question};
pub use detector::{Detector, Explains, Outcome, Section};
pub use detectors::all;
pub use fabric::{Fabric, FabricState};
pub use model::host::{
    HostCheck as Check, HostCheckResult as CheckResult, HostClaim as Claim, HostDiagnosis, HostFinding,
    HostPart,
};
pub use report_problems::{ReportProblem, problems};
pub use unite::{United, unite};
pub use workload_problems::descriptor_problems;

use model::HostReport;

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
        checks.push(Check { detector: detector.name.to_string(), result, missing });
    }
    findings.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    HostDiagnosis { host: report.host.clone(), findings, checks }
}
