//! Drops on a lossless priority.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC016",
    name: "lossless-drops",
    severity: InspectionSeverity::Error,
    summary: "The NIC dropped received packets of a priority with PFC. Drops of other priorities are not reported.",
    why: "No RDMA packet should be dropped. A drop makes go-back-N repeat all packets since, and shows that buffers, PFC or the priority of the traffic are wrong.",
    fix: "Compare buffer sizes and PFC of the NIC with the switch (NIC007 to NIC010), and look for a slow receiver.",
    source: "RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), section 5.2; Linux, mlx5 counters (`rx_prioN_discards`)",
    input: "`ethtool -S DEV`; `mlnx_qos -i DEV`, or the configuration of the switch",
    check,
};

/// Statistics of a priority that count drops.
const DROPS: [&str; 3] = ["discards", "buf_discard", "cong_discard"];

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (name, interface) in &context.host.interfaces {
        let own = interface.qos.as_ref().and_then(|qos| qos.pfc_priorities.as_ref());
        let port = connected(context.host, context.ports).find(|(other, ..)| other == name);
        let Some(lossless) = own.or(port.map(|(_, _, port)| &port.pfc_priorities)) else { continue };
        for (statistic, count) in &interface.statistics {
            let Some(priority) = dropping_priority(statistic) else { continue };
            is_compared = true;
            if *count > 0 && lossless.contains(&priority) {
                let message = format!(
                    "interface {name} dropped {count} packets of lossless priority {priority} ({statistic})"
                );
                out.report(
                    InspectionSeverity::Error,
                    format!("interfaces/{name}/statistics/{statistic}"),
                    message,
                );
            }
        }
    }
    if !is_compared {
        out.needs("drops by priority (`ethtool -S`) and PFC priorities (`mlnx_qos`)");
    }
}

/// The priority of `rx_prio3_discards`.
fn dropping_priority(statistic: &str) -> Option<u8> {
    let (priority, what) = statistic.strip_prefix("rx_prio")?.split_once('_')?;
    DROPS.contains(&what).then(|| priority.parse().ok())?
}
