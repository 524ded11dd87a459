//! Undetermined: no cause matches, so the verdict states the anomaly alone, and the next check.

use crate::thresholds as t;
use model::{Anomaly, Cause};

use super::{Case, Judged, culprit_names, host_names};

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Judged {
    let advice = vec![advice(case)];
    Judged {
        cause: Cause::Undetermined,
        factor: case.context.settings.value(&t::CAUSE_UNKNOWN),
        because: because(case),
        advice,
        config: Vec::new(),
    }
}

fn because(case: &Case<'_, '_, '_>) -> String {
    let finding = case.finding;
    match (finding.host, case.culprits.len()) {
        (Some(host), _) => format!("the NIC of host {} pauses that port", case.context.view.index.name(host)),
        (None, 0) if !finding.pause_loop.is_empty() && finding.root.is_none() => {
            "the records do not show what closed the loop".to_string()
        }
        (None, 0) if finding.root.is_none() => "the records do not show where these pauses began".to_string(),
        (None, 0) if finding.contention.is_some() => {
            "only the victim is queued at that port: it sends faster than the port drains".to_string()
        }
        (None, 0) if finding.anomaly == Anomaly::RoutingLoop => {
            "the switches of the loop forward the packets to each other".to_string()
        }
        (None, 0) => "the records do not show what congests that port".to_string(),
        (None, 1) => format!("{} congests that port", culprit_names(case)),
        (None, _) => format!("{} congest that port", culprit_names(case)),
    }
}

/// What a finding identifies, as text.
#[derive(Clone, Debug, Default)]
struct Known {
    host: Option<String>,
    /// The hosts that send the culprits.
    senders: Option<String>,
    root: Option<String>,
    /// The last port with telemetry before the unknown root.
    near: Option<String>,
}

/// Returns the next check.
pub(super) fn advice(case: &Case<'_, '_, '_>) -> String {
    let finding = case.finding;
    let view = case.context.view;
    let near = finding.path.last().or(finding.pause_loop.first());
    let senders = || host_names(case, case.culprits.iter().map(|flow| flow.src));
    let known = Known {
        host: finding.host.map(|host| view.index.name(host).to_string()),
        senders: (!case.culprits.is_empty()).then(senders),
        root: finding.root.as_ref().map(ToString::to_string),
        near: near.map(|port| view.port_ref(*port).to_string()),
    };
    next_check(finding.anomaly, &known)
}

/// Returns the next check: the anomaly's own, else about what is known, from the most specific to the least.
fn next_check(anomaly: Anomaly, known: &Known) -> String {
    let Known { host, senders, root, near } = known;
    match (anomaly, root) {
        (Anomaly::RoutingLoop, Some(root)) => {
            return format!("check the route by which packets leave at {root}: they come back from there");
        }
        (Anomaly::RoutingLoop, None) => return "compare the routes of the switches of the loop".to_string(),
        (Anomaly::PacketLoss, Some(root)) => return format!("read the drop and FCS counters of {root}"),
        (Anomaly::PathChange, Some(root)) => {
            return format!("check the link of {root} and the log of its routes");
        }
        (Anomaly::HostOnly, _) => return "check the sender, the receiver and the application".to_string(),
        _ => {}
    }
    match (host, senders, root, near) {
        (Some(host), ..) => format!(
            "read the pause counters of host {host} and check its NIC receive path: PCIe, IOMMU and NIC translation caches, memory bandwidth"
        ),
        (_, Some(senders), ..) => {
            format!(
                "find out what {senders} sent at that time, and limit the rate or the window of these flows"
            )
        }
        (_, _, Some(root), _) => format!(
            "read the queue depths and pause counters of {root} and find out which flows use it: the records of this event do not show it"
        ),
        (_, _, _, Some(near)) => {
            format!("query the flow again while it is slow, and find out which device pauses {near}")
        }
        _ => "query the flow again while it is slow".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANOMALIES: [Anomaly; 13] = [
        Anomaly::FlowContention,
        Anomaly::PfcBackpressureFlowContention,
        Anomaly::PfcStormHostInjection,
        Anomaly::DeadlockInLoopContention,
        Anomaly::DeadlockOutOfLoopContention,
        Anomaly::DeadlockOutOfLoopInjection,
        Anomaly::RoutingLoop,
        Anomaly::ClassContention,
        Anomaly::PacketLoss,
        Anomaly::PathChange,
        Anomaly::SelfInflicted,
        Anomaly::HostOnly,
        Anomaly::Undetermined,
    ];

    #[test]
    fn every_anomaly_without_a_cause_has_a_next_check_whatever_is_known() {
        for anomaly in ANOMALIES {
            for bits in 0..16_u8 {
                let known = |bit: u8, name: &str| (bits >> bit & 1 == 1).then(|| name.to_string());
                let known = Known {
                    host: known(0, "h1"),
                    senders: known(1, "h2 and h3"),
                    root: known(2, "sw1:1"),
                    near: known(3, "sw2:1"),
                };
                let text = next_check(anomaly, &known);
                assert!(text.len() > 20 && !text.ends_with('.'), "{anomaly:?}, {known:?}: `{text}`");
            }
        }
    }

    #[test]
    fn the_next_check_is_about_the_most_specific_known_thing() {
        let check = |known: Known, part: &str| {
            let text = next_check(Anomaly::PfcBackpressureFlowContention, &known);
            assert!(text.contains(part), "{text}");
        };
        let near = Known { near: Some("sw2:1".to_string()), ..Known::default() };
        let root = Known { root: Some("sw1:1".to_string()), ..near.clone() };
        let senders = Known { senders: Some("h2".to_string()), ..root.clone() };
        check(Known::default(), "query the flow again");
        check(near, "which device pauses sw2:1");
        check(root, "pause counters of sw1:1");
        check(senders.clone(), "what h2 sent");
        check(Known { host: Some("h1".to_string()), ..senders }, "pause counters of host h1");
    }
}
