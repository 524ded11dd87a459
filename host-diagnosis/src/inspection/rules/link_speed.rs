//! Speed of a link at both ends.

use super::super::finding::{Context, Findings, InspectionSeverity};
use super::super::switch_port::connected;
use super::InspectionRule;

/// The rule.
pub(super) const RULE: InspectionRule = InspectionRule {
    code: "NIC017",
    name: "link-speed",
    severity: InspectionSeverity::Warning,
    summary: "The link of a NIC runs at another speed than its switch port is configured for.",
    why: "A link that negotiated less is a bottleneck that no counter of congestion explains; buffers and headroom of the port fit the configured speed only.",
    fix: "Check cable and transceiver, then the speed, FEC and autonegotiation of both ends.",
    source: "Harrier's headroom arithmetic (`harrier headroom`); IEEE 802.3",
    input: "sysfs (`speed`) or `ethtool DEV`; configuration of the switch, and LLDP or `--port`",
    check,
};

fn check(context: &Context<'_>, out: &mut Findings) {
    let mut is_compared = false;
    for (name, interface, port) in connected(context.host, context.ports) {
        let Some(speed) = interface.speed_mbps.filter(|_| port.speed_mbps > 0) else { continue };
        is_compared = true;
        if speed != port.speed_mbps {
            let message = format!(
                "interface {name} runs at {} Gb/s, but {} is configured for {} Gb/s",
                speed / 1000,
                port.name(),
                port.speed_mbps / 1000
            );
            out.report(InspectionSeverity::Warning, format!("interfaces/{name}/speed_mbps"), message);
        }
    }
    if !is_compared {
        out.needs("speed, or switch port of an interface (`--switches` and LLDP or `--port`)");
    }
}
