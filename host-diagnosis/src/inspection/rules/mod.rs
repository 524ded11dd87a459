//! The rules: one file each.

mod acs;
mod ats;
mod dcqcn;
mod dscp_trust;
mod firmware_issue;
mod global_pause;
mod gpu_numa;
mod link_speed;
mod lossless_drops;
mod mixed_firmware;
mod mtt_reach;
mod mtu;
mod nics;
mod pcie_link;
mod pfc;
mod process_numa;
mod relaxed_ordering;
mod roce_dscp;

pub(crate) use pcie_link::data_rate_mbps;

use model::host::inspection::HostInspection;

use super::SwitchPort;
use super::finding::{Context, Findings, InspectionFinding, InspectionSeverity};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct InspectionRule {
    /// Stable code, e.g. `NIC001`.
    pub code: &'static str,
    /// Stable name.
    pub name: &'static str,
    /// The usual severity; a finding may have another one.
    pub severity: InspectionSeverity,
    /// What it reports, in one sentence.
    pub summary: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
    /// Where the rule is from.
    pub source: &'static str,
    /// The input that it reads.
    pub input: &'static str,
    check: fn(&Context<'_>, &mut Findings),
}

impl InspectionRule {
    /// A finding of this rule.
    pub(super) fn finding(
        &self,
        severity: InspectionSeverity,
        item: String,
        message: String,
    ) -> InspectionFinding {
        InspectionFinding { code: self.code, rule: self.name, severity, message, item }
    }

    /// The section of the documentation about this rule, in Markdown.
    pub fn page(&self) -> String {
        let severity = match self.severity {
            InspectionSeverity::Info => "note",
            InspectionSeverity::Warning => "warning",
            InspectionSeverity::Error => "error",
        };
        format!(
            "### {} {}\n\n{} Severity: {severity}.\n\n- **Why**: {}\n- **Fix**: {}\n- **Input**: {}\n- **Source**: {}\n",
            self.code, self.name, self.summary, self.why, self.fix, self.input, self.source
        )
    }
}

/// Reported by [`super::drift()`].
pub(super) const DRIFT: InspectionRule = InspectionRule {
    code: "NIC018",
    name: "drift",
    severity: InspectionSeverity::Error,
    summary: "A running setting differs from the desired one.",
    why: "Hosts that were repaired, reinstalled or updated lose settings, and the first sign of it is often a pause storm or a loss.",
    fix: "Apply the desired setting, or change the desired settings.",
    source: "RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 5.1",
    input: "`--desired FILE`, and the input of each item",
    check: |_, _| {},
};

/// Reported by [`check()`] for rules without input.
const NOT_CHECKED: InspectionRule = InspectionRule {
    code: "NIC019",
    name: "not-checked",
    severity: InspectionSeverity::Info,
    summary: "A rule was not evaluated, because its input is missing.",
    why: "A host without findings may be a host of which little is known.",
    fix: "Record the missing input; see the input of each rule.",
    source: "Harrier",
    input: "none",
    check: |_, _| {},
};

const RULES: &[InspectionRule] = &[
    pcie_link::RULE,
    acs::RULE,
    ats::RULE,
    relaxed_ordering::RULE,
    mtt_reach::RULE,
    mtu::RULE,
    pfc::RULE,
    dscp_trust::RULE,
    global_pause::RULE,
    roce_dscp::RULE,
    dcqcn::RULE,
    firmware_issue::RULE,
    mixed_firmware::RULE,
    process_numa::RULE,
    gpu_numa::RULE,
    lossless_drops::RULE,
    link_speed::RULE,
    DRIFT,
    NOT_CHECKED,
];

/// All rules, by code.
pub fn rules() -> impl Iterator<Item = &'static InspectionRule> {
    RULES.iter()
}

/// The rule with this code (in any case) or name.
pub fn rule(code: &str) -> Option<&'static InspectionRule> {
    rules().find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name == code)
}

/// Checks a host. `ports` are the switch ports that may be its; those of other hosts are ignored.
///
/// Findings are in the order of the rules. A rule that lacks input reports which.
pub fn check(host: &HostInspection, ports: &[SwitchPort]) -> Vec<InspectionFinding> {
    let context = Context { host, ports };
    let mut all = Vec::new();
    let mut not_checked = Vec::new();
    for rule in RULES {
        let mut findings = Findings::default();
        (rule.check)(&context, &mut findings);
        all.extend(
            findings.found.into_iter().map(|(severity, item, message)| rule.finding(severity, item, message)),
        );
        if !findings.missing.is_empty() {
            let message = format!(
                "{} {} was not evaluated: no {}",
                rule.code,
                rule.name,
                findings.missing.join("; no ")
            );
            not_checked.push(NOT_CHECKED.finding(NOT_CHECKED.severity, String::new(), message));
        }
    }
    all.extend(not_checked);
    all
}
