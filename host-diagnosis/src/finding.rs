//! A finding about a host.

use std::fmt;

use model::Cause;
use serde::Serialize;

/// A problem inside a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostFinding {
    /// The detector that found it.
    pub detector: &'static str,
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
    pub evidence: Vec<Claim>,
    /// Data without which the finding is less certain, one sentence each.
    pub missing: Vec<String>,
    /// What the operator can do, most useful first.
    pub advice: Vec<String>,
}

/// A claim and where its records are in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// One sentence for people.
    pub claim: String,
    /// JSON Pointers (RFC 6901) into the host's report; empty for a claim about the fabric.
    pub records: Vec<String>,
}

impl Claim {
    /// A claim that records of the host's report show.
    pub fn new(claim: impl Into<String>, records: impl IntoIterator<Item = String>) -> Claim {
        Claim { claim: claim.into(), records: records.into_iter().collect() }
    }

    /// A claim that the fabric's verdict shows.
    pub fn of_fabric(claim: impl Into<String>) -> Claim {
        Claim { claim: claim.into(), records: Vec::new() }
    }
}

/// A part of a host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
