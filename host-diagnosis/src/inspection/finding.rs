//! Findings of an inspection.

use model::host::inspection::HostInspection;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InspectionSeverity {
    /// Worth knowing.
    Info,
    /// Likely to cause problems.
    Warning,
    /// Packets are lost or pause the fabric, or most of the bandwidth is lost.
    Error,
}

/// A violation that a rule reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectionFinding {
    /// The rule's code, e.g. `NIC001`.
    pub code: &'static str,
    /// The rule's name.
    pub rule: &'static str,
    /// Severity.
    pub severity: InspectionSeverity,
    /// The violation, with its numbers.
    pub message: String,
    /// The item of the inspection, e.g. `interfaces/eth1/mtu_bytes`.
    pub item: String,
}

/// The findings of a rule while it runs.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Violations: severity, item, message.
    pub(super) found: Vec<(InspectionSeverity, String, String)>,
    /// The input without which the rule was not evaluated.
    pub(super) missing: Vec<&'static str>,
}

impl Findings {
    /// Reports a violation.
    pub(super) fn report(&mut self, severity: InspectionSeverity, item: String, message: String) {
        self.found.push((severity, item, message));
    }

    /// States the input that the rule needs and does not have.
    pub(super) fn needs(&mut self, input: &'static str) {
        if !self.missing.contains(&input) {
            self.missing.push(input);
        }
    }
}

/// What rules read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'i> {
    /// The host.
    pub(super) host: &'i HostInspection,
    /// Its switch ports.
    pub(super) ports: &'i [super::SwitchPort],
}
