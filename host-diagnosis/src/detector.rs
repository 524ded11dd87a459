//! A detector: one way to find one kind of problem inside a host.

use model::HostReport;

use crate::{Fabric, FabricState, HostFinding};

/// Confidence is multiplied by this if it is unknown whether the fabric was congested. Choice: a host cause without
/// this knowledge is a suspicion, never above 60 %.
const UNKNOWN_FABRIC_FACTOR: f64 = 0.6;

/// How a missing section of a report is stated; its name follows.
pub(crate) const NO_SECTION: &str = "the report has no section ";

/// A detector and what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Detector {
    /// Stable name, for example `nic_storm`.
    pub name: &'static str,
    /// The publication or standard that it follows, with the section.
    pub source: &'static str,
    /// Sections of the report without which it cannot run.
    pub needs: &'static [Section],
    /// What it explains, which decides how it depends on the fabric.
    pub explains: Explains,
    /// Judges the evidence. Called only if all sections of [`Detector::needs`] are present.
    pub check: fn(&HostReport, &Fabric) -> Outcome,
}

/// What the findings of a detector are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explains {
    /// A delay or pauses: a fabric that explains them already withholds the findings.
    Delay,
    /// A fact about the host, true whatever the fabric does: a setting, a drop, a degraded link.
    State,
}

/// What a detector says about a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Problems, at least one.
    Found(Vec<HostFinding>),
    /// The evidence is there and shows no problem.
    Clean,
    /// The evidence does not suffice: what is missing, one sentence each.
    Missing(Vec<String>),
    /// The fabric explains what the detector would explain.
    FabricExplains,
}

impl Outcome {
    /// Returns [`Outcome::Found`], or [`Outcome::Clean`] without findings.
    pub fn of(findings: Vec<HostFinding>) -> Outcome {
        if findings.is_empty() { Outcome::Clean } else { Outcome::Found(findings) }
    }
}

/// A section of a host report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the fields of the report")]
pub enum Section {
    Counters,
    Loopback,
    Tenants,
    Workload,
    Latency,
    Polls,
    Probes,
    Jobs,
    Inspection,
}

impl Section {
    /// The name of the field.
    pub fn name(self) -> &'static str {
        match self {
            Section::Counters => "counters",
            Section::Loopback => "loopback",
            Section::Tenants => "tenants",
            Section::Workload => "workload",
            Section::Latency => "latency",
            Section::Polls => "polls",
            Section::Probes => "probes",
            Section::Jobs => "jobs",
            Section::Inspection => "inspection",
        }
    }

    /// Whether the report has this section.
    pub fn is_in(self, report: &HostReport) -> bool {
        match self {
            Section::Counters => report.counters.is_some(),
            Section::Loopback => report.loopback.is_some(),
            Section::Tenants => report.tenants.is_some(),
            Section::Workload => report.workload.is_some(),
            Section::Latency => report.latency.is_some(),
            Section::Polls => report.polls.is_some(),
            Section::Probes => report.probes.is_some(),
            Section::Jobs => report.jobs.is_some(),
            Section::Inspection => report.inspection.is_some(),
        }
    }
}

impl Detector {
    /// Runs the detector, unless the fabric explains the delay or a section that it needs is absent.
    pub fn run(&self, report: &HostReport, fabric: &Fabric) -> Outcome {
        if self.explains == Explains::Delay && fabric.explains_delay_of(&report.host) {
            return Outcome::FabricExplains;
        }
        let missing: Vec<String> = self
            .needs
            .iter()
            .filter(|section| !section.is_in(report))
            .map(|section| format!("{NO_SECTION}`{}`", section.name()))
            .collect();
        if !missing.is_empty() {
            return Outcome::Missing(missing);
        }
        let mut outcome = (self.check)(report, fabric);
        if let Outcome::Found(findings) = &mut outcome
            && self.explains == Explains::Delay
            && fabric.state == FabricState::Unknown
        {
            for finding in findings {
                finding.confidence *= UNKNOWN_FABRIC_FACTOR;
                finding.missing.push(
                    "whether the network was congested: this finding rests on the host's report alone"
                        .to_string(),
                );
            }
        }
        outcome
    }
}
