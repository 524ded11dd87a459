//! A job that could use several times what its NIC carries: a busy NIC is expected, and no part is broken.
//!
//! Source: BGL (Liu et al., NSDI 2023), section 2.2: batches of 200 MB, of which a 100 Gb/s NIC carries 62.5 a second and GPUs
//! could compute 400.

use model::{Cause, HostReport};

use crate::jobs::demand::supply;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent, rate};

/// A NIC is saturated above this utilisation: that of Hostping for links.
const SATURATED: f64 = 0.9;
/// Both numbers are given; what is open is whether the demand is real.
const CONFIDENCE: f64 = 0.9;

pub(super) const DETECTOR: Detector = Detector {
    name: "network_bound",
    source: "BGL, NSDI 2023, section 2.2",
    needs: &[Section::Jobs],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    let is_about_pauses = is_about_pauses(fabric);
    let jobs = report.jobs.iter().flat_map(|jobs| jobs.jobs.iter().enumerate());
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    for (at, job) in jobs {
        let Some(demand) = &job.demand else { continue };
        let Some(supply) = supply(demand) else {
            missing.push(format!("job {}: its demand must have sizes and rates above zero", job.name));
            continue;
        };
        if supply.ratio <= 1.0 || supply.utilisation < SATURATED {
            continue;
        }
        let label = job.workload.as_deref().map(|label| format!(" (workload `{label}`)")).unwrap_or_default();
        findings.push(HostFinding {
            detector: DETECTOR.name.to_string(),
            host: report.host.clone(),
            part: HostPart::Application(job.name.clone()),
            // A busy link labels the pauses of a host with the job, and does not explain them.
            cause: if is_about_pauses { Cause::Undetermined } else { Cause::LegitimatelyNetworkBound },
            summary: format!(
                "job {}{label} could use {}, {:.1} times its NIC: a saturated NIC is expected",
                job.name,
                rate(supply.wanted_bits_per_s),
                supply.ratio
            ),
            confidence: CONFIDENCE,
            evidence: vec![Claim::new(
                format!(
                    "the NIC carries {:.1} batches a second of {:.1} that the job could compute; it is {} busy",
                    supply.batches_per_s,
                    demand.batches_per_s,
                    percent(supply.utilisation)
                ),
                [format!("/jobs/jobs/{at}/demand")],
            )],
            missing: Vec::new(),
            advice: vec![
                "reduce what the job sends or fetches (cache, partition), or give it a faster network".to_string(),
            ],
        });
    }
    conclude(findings, missing)
}
