//! What really happened: the scenario's intention, checked against what the simulation showed.

use model::GroundTruth;

use crate::record::{FlowRecord, PauseRecord};
use crate::scenario::Scenario;

/// The truth of a run, and in words what of the intention the run did not show.
pub(crate) fn establish(
    scenario: &Scenario,
    flows: &[FlowRecord],
    pauses: &[PauseRecord],
) -> (Option<GroundTruth>, Vec<String>) {
    let Some(expect) = &scenario.expect else {
        return (None, Vec::new());
    };
    let mut truth = expect.truth.clone();
    let mut deviations = Vec::new();
    let paused = |port: &model::PortRef| pauses.iter().any(|pause| pause.on && pause.port == *port);
    if expect.pauses == Some(true) {
        // The last port of the path is where it starts. Contention there pauses others; a host pauses it.
        let injected = truth.root_cause.host.is_some();
        let root = truth.root_cause.port.clone();
        truth.pause_path.retain(|port| {
            let seen = paused(port) || (!injected && root.as_ref() == Some(port));
            if !seen {
                deviations.push(format!("port {port} was never paused"));
            }
            seen
        });
    }
    if expect.pauses == Some(false)
        && let Some(pause) = pauses.iter().find(|pause| pause.on)
    {
        deviations.push(format!("port {} was paused at {}", pause.port, pause.at));
    }
    truth.victims.retain(|victim| {
        let slowed = flows.iter().any(|flow| flow.flow == *victim && is_slowed(flow));
        if !slowed {
            deviations.push(format!("flow {victim} was not slowed"));
        }
        slowed
    });
    (Some(truth), deviations)
}

/// Whether a flow has had round trips well above its best one.
fn is_slowed(flow: &FlowRecord) -> bool {
    flow.rtt.count > 0 && flow.rtt.max.0 > flow.rtt.min.0.saturating_mul(3) / 2
}
