//! Firmware with published issues of RoCE.

use model::host::inspection::HostInspection;

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::firmware::{FIRMWARE_ISSUES, IssueCondition, version};
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC012",
    name: "firmware-issue",
    severity: InspectionSeverity::Warning,
    summary: "The firmware of a NIC has a published issue that affects RoCE.",
    why: "Retransmissions, congestion control or pauses behave differently from the rest of the fleet.",
    fix: "Follow the workaround, or update the firmware. The table below lists the issues.",
    source: "the vendor's release notes, named with each issue",
    input: "sysfs (`fw_ver`), `ibv_devinfo` or `ethtool -i DEV`; `ecn/roce_rp` for issues that depend on it",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let versions = versions(context.host);
    if versions.is_empty() {
        out.needs("firmware version (sysfs `fw_ver`, `ibv_devinfo` or `ethtool -i`)");
    }
    for (name, item, text, interface) in versions {
        let Some(number) = version(text) else { continue };
        for issue in FIRMWARE_ISSUES.iter().filter(|issue| issue.affects(number)) {
            let applies = match issue.condition {
                IssueCondition::Always => true,
                IssueCondition::UnequalReaction => has_unequal_reaction(context.host, interface),
            };
            if applies {
                let message = format!(
                    "NIC {name} ({}) has firmware {text}, issue {}: {}; {}",
                    issue.nic, issue.reference, issue.effect, issue.fix
                );
                out.report(InspectionSeverity::Warning, item.clone(), message);
            }
        }
    }
}

/// Name, item and text of each firmware version, and the interface; of RDMA devices, or of interfaces without them.
fn versions(host: &HostInspection) -> Vec<(&str, String, &str, &str)> {
    let mut all = Vec::new();
    for (name, device) in &host.rdma {
        let interface = device.interface.as_deref().unwrap_or_default();
        if let Some(version) = &device.firmware {
            all.push((name.as_str(), format!("rdma/{name}/firmware"), version.as_str(), interface));
        }
    }
    for (name, interface) in &host.interfaces {
        let is_known = all.iter().any(|(_, _, _, other)| other == name);
        if let Some(version) = interface.firmware.as_ref().filter(|_| !is_known) {
            all.push((name.as_str(), format!("interfaces/{name}/firmware"), version.as_str(), name.as_str()));
        }
    }
    all
}

fn has_unequal_reaction(host: &HostInspection, interface: &str) -> bool {
    let dcqcn = host.interfaces.get(interface).and_then(|interface| interface.dcqcn.as_ref());
    let reaction = dcqcn.and_then(|dcqcn| dcqcn.reaction_priorities.as_ref());
    reaction.is_some_and(|priorities| !priorities.is_empty() && priorities.len() < 8)
}
