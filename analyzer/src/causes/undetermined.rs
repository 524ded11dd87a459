//! Nothing more is known than the anomaly itself.

use model::{Anomaly, Cause};

use super::{Case, Judged, enumerate};

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Judged {
    let names: Vec<String> = case.culprits.iter().map(ToString::to_string).collect();
    let because = match (&case.finding.host, names.as_slice()) {
        (Some(host), _) => {
            format!("the NIC of host {} pauses it", case.scene.view.index.name(*host))
        }
        (None, []) if case.finding.contention.is_some() => {
            "nobody else waits there, its own packets come faster than the port sends".to_string()
        }
        (None, []) if case.finding.anomaly == Anomaly::RoutingLoop => {
            "switches send its packets back to where they came from".to_string()
        }
        (None, []) => "what congests it is not recorded".to_string(),
        (None, some) => format!("it is congested by {}", enumerate(some)),
    };
    let advice = match case.finding.anomaly {
        Anomaly::HostOnly => {
            vec!["look at sender, receiver and application: the fabric did not delay this flow".to_string()]
        }
        Anomaly::DeadlockInLoopContention
        | Anomaly::DeadlockOutOfLoopContention
        | Anomaly::DeadlockOutOfLoopInjection => {
            vec!["break the loop: reset one of its ports, then remove the route that closes it".to_string()]
        }
        Anomaly::RoutingLoop => {
            let root = case.finding.root.as_ref().map(ToString::to_string).unwrap_or_default();
            vec![format!("look at the route by which packets leave at {root}: they come back from there")]
        }
        _ => Vec::new(),
    };
    // `host_only` asks for no further cause inside the fabric.
    let factor = if case.finding.anomaly == Anomaly::HostOnly { 1.0 } else { 0.9 };
    Judged { cause: Cause::Undetermined, factor, because, advice, config: Vec::new() }
}
