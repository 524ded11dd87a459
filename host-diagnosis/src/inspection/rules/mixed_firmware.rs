//! NICs of one board type with different firmware.

use std::collections::BTreeMap;

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC013",
    name: "mixed-firmware",
    severity: InspectionSeverity::Warning,
    summary: "NICs of the same board type in one host have different firmware.",
    why: "Versions differ in congestion control and retransmission, so that flows of one host do not share links fairly, and a fault appears on some of its NICs only.",
    fix: "Use one version on all NICs of a type.",
    source: "Empowering Azure Storage with RDMA (NSDI 2023), section 6.3; RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 5.1",
    input: "sysfs (`fw_ver`, `board_id`) or `ibv_devinfo`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut first: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for (name, device) in &context.host.rdma {
        let (Some(board), Some(firmware)) = (&device.board, &device.firmware) else { continue };
        let (other, version) = *first.entry(board).or_insert((name, firmware));
        if version != firmware {
            let message = format!(
                "NIC {name} has firmware {firmware}, but {other} of the same type ({board}) has {version}"
            );
            out.report(InspectionSeverity::Warning, format!("rdma/{name}/firmware"), message);
        }
    }
    if first.is_empty() {
        out.needs("firmware and board of RDMA devices (sysfs or `ibv_devinfo`)");
    }
}
