//! Undetermined: no cause matches, so the verdict states the anomaly alone.

use model::{Anomaly, Cause};

use super::{Case, Judged, enumerate};

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Judged {
    let names: Vec<String> = case.culprits.iter().map(ToString::to_string).collect();
    let because = match (&case.finding.host, names.as_slice()) {
        (Some(host), _) => {
            format!("the NIC of host {} pauses that port", case.context.view.index.name(*host))
        }
        (None, []) if !case.finding.pause_loop.is_empty() && case.finding.root.is_none() => {
            "the records do not show what closed the loop".to_string()
        }
        (None, []) if case.finding.root.is_none() => {
            "the records do not show where these pauses began".to_string()
        }
        (None, []) if case.finding.contention.is_some() => {
            "only the victim is queued at that port: it sends faster than the port drains".to_string()
        }
        (None, []) if case.finding.anomaly == Anomaly::RoutingLoop => {
            "the switches of the loop forward the packets to each other".to_string()
        }
        (None, []) => "the records do not show what congests that port".to_string(),
        (None, [one]) => format!("{one} congests that port"),
        (None, some) => format!("{} congest that port", enumerate(some)),
    };
    let advice = match case.finding.anomaly {
        Anomaly::RoutingLoop => {
            let root = case.finding.root.as_ref().map(ToString::to_string).unwrap_or_default();
            vec![format!("check the route by which packets leave at {root}: they come back from there")]
        }
        _ => Vec::new(),
    };
    Judged { cause: Cause::Undetermined, factor: 0.9, because, advice, config: Vec::new() }
}
