//! What is wrong inside a host: findings of the detectors, and what each detector says about a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Cause;

/// What all detectors say about one report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HostDiagnosis {
    /// The host.
    pub host: String,
    /// Findings of all detectors, the most certain first; detectors of equal certainty are in the order of the
    /// registry.
    pub findings: Vec<HostFinding>,
    /// The outcome of every detector, in the order of the registry.
    pub checks: Vec<HostCheck>,
}

/// The outcome of one detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HostCheck {
    /// The detector's name.
    pub detector: String,
    /// The outcome in one word.
    pub result: HostCheckResult,
    /// The evidence that is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The outcome of a detector in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HostCheckResult {
    /// It has findings.
    Found,
    /// The evidence shows no problem.
    Clean,
    /// The report lacks evidence that the detector needs.
    MissingEvidence,
    /// The fabric explains the delay, so that the detector names no cause.
    FabricExplains,
}

/// A problem inside a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HostFinding {
    /// The detector that found it.
    pub detector: String,
    /// The host.
    pub host: String,
    /// The part of the host.
    pub part: HostPart,
    /// The cause; `undetermined` for a finding that is a symptom or a fact.
    pub cause: Cause,
    /// The finding in one sentence, for people.
    pub summary: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// The claims that support the finding.
    pub evidence: Vec<HostClaim>,
    /// Data without which the finding is less certain, one sentence each.
    pub missing: Vec<String>,
    /// What the operator can do, most useful first.
    pub advice: Vec<String>,
}

/// A claim and where its records are in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HostClaim {
    /// One sentence for people.
    pub claim: String,
    /// JSON Pointers (RFC 6901) into the host's report; empty for a claim about the fabric.
    pub records: Vec<String>,
}

impl HostClaim {
    /// A claim that records of the host's report show.
    pub fn new(claim: impl Into<String>, records: impl IntoIterator<Item = String>) -> HostClaim {
        HostClaim { claim: claim.into(), records: records.into_iter().collect() }
    }

    /// A claim that the fabric's verdict shows.
    pub fn of_fabric(claim: impl Into<String>) -> HostClaim {
        HostClaim { claim: claim.into(), records: Vec::new() }
    }
}

/// A part of a host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum HostPart {
    /// An RNIC, by the name of its device.
    Nic(String),
    /// A link inside the host: PCIe, between sockets, a memory channel.
    Link(String),
    /// A tenant.
    Tenant(String),
    /// An application, a job or a process.
    Application(String),
    /// A connection of the host.
    Connection(String),
    /// A setting.
    Setting(String),
    /// The host as a whole.
    Host,
}

impl fmt::Display for HostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostPart::Nic(name) => write!(f, "RNIC {name}"),
            HostPart::Link(name) => write!(f, "link {name}"),
            HostPart::Tenant(name) => write!(f, "tenant {name}"),
            HostPart::Application(name) => write!(f, "application {name}"),
            HostPart::Connection(name) => write!(f, "connection {name}"),
            HostPart::Setting(name) => write!(f, "setting {name}"),
            HostPart::Host => f.write_str("the host"),
        }
    }
}
