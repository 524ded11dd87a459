//! Compares the ground truth of a run with the expectation of the scenario.

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::GroundTruth;
use model::PortRef;
use scenario::Expectation;

use super::Facts;

/// The deviations; empty for a run as intended.
pub(super) fn deviations(facts: &Facts<'_>, expect: &Expectation, truth: &GroundTruth) -> Vec<String> {
    let mut said = Vec::new();
    one(expect, truth, &mut said);
    for (position, also) in expect.also.iter().enumerate() {
        match truth.others.get(position) {
            Some(truth) => one(also, truth, &mut said),
            None => {
                said.push(format!("a further anomaly was expected and did not occur: {:?}", also.anomaly))
            }
        }
    }
    said.extend(pauses_and_drops(facts, expect));
    said
}

/// The deviations that do not depend on the ground truth.
pub(super) fn pauses_and_drops(facts: &Facts<'_>, expect: &Expectation) -> Vec<String> {
    let mut said = Vec::new();
    let paused = facts.pauses.iter().find(|pause| pause.on);
    match (expect.pauses, paused) {
        (Some(true), None) => said.push("no port was ever paused".to_string()),
        (Some(false), Some(pause)) => said.push(format!("port {} was paused at {}", pause.port, pause.at)),
        _ => {}
    }
    match (expect.drops, facts.dropped_packets) {
        (Some(true), 0) => said.push("no switch dropped a packet".to_string()),
        (Some(false), lost @ 1..) => said.push(format!("switches dropped {lost} packets")),
        _ => {}
    }
    said
}

fn one(expect: &Expectation, truth: &GroundTruth, said: &mut Vec<String>) {
    let name = |anomaly: &Option<_>| match anomaly {
        Some(anomaly) => serde_json::to_string(anomaly).unwrap_or_default(),
        None => "nothing".to_string(),
    };
    if expect.anomaly != truth.anomaly {
        said.push(format!("{} was expected and {} occurred", name(&expect.anomaly), name(&truth.anomaly)));
        return;
    }
    let root = &truth.root_cause;
    if expect.port.is_some() && expect.port != root.port {
        said.push(format!("the root was expected at {} and is at {}", show(&expect.port), show(&root.port)));
    }
    if expect.host.is_some() && expect.host != root.host {
        said.push(format!(
            "pauses were expected from host {} and came from {}",
            show(&expect.host),
            show(&root.host)
        ));
    }
    let mut culprits = root.flows.clone();
    culprits
        .extend(truth.minor.iter().filter(|flow| expect.flows.iter().flatten().any(|known| known == *flow)));
    sets("culprits", &expect.flows, &culprits, expect.at_least, said);
    sets("spreaders", &expect.spreaders, &truth.spreaders, false, said);
    let victims: Vec<_> =
        std::iter::once(truth).chain(&truth.again).flat_map(|truth| &truth.victims).copied().collect();
    sets("victims", &expect.victims, &victims, true, said);
    sets("configuration", &expect.config, &root.config, false, said);
    if let Some(path) = &expect.pause_path
        && *path != truth.pause_path
    {
        said.push(format!(
            "the pause path was expected to be {} and is {}",
            list(path),
            list(&truth.pause_path)
        ));
    }
    if let Some(loop_ports) = &expect.pause_loop
        && !is_same_loop(loop_ports, &truth.pause_loop)
    {
        said.push(format!(
            "the loop was expected as {} and is {}",
            list(loop_ports),
            list(&truth.pause_loop)
        ));
    }
}

/// Compares lists in any order; with `at_least`, more entries than expected are allowed.
fn sets<T: Ord + Display>(
    what: &str,
    expected: &Option<Vec<T>>,
    found: &[T],
    at_least: bool,
    said: &mut Vec<String>,
) {
    let Some(expected) = expected else { return };
    let (wanted, there): (BTreeSet<&T>, BTreeSet<&T>) = (expected.iter().collect(), found.iter().collect());
    let missing: Vec<&&T> = wanted.difference(&there).collect();
    let more: Vec<&&T> = there.difference(&wanted).collect();
    if !missing.is_empty() {
        said.push(format!("{what} expected and not found: {}", list(&missing)));
    }
    if !at_least && !more.is_empty() {
        said.push(format!("{what} found and not expected: {}", list(&more)));
    }
}

fn is_same_loop(a: &[PortRef], b: &[PortRef]) -> bool {
    a.len() == b.len() && (a.is_empty() || (0..b.len()).any(|turn| b[turn..].iter().chain(&b[..turn]).eq(a)))
}

fn show<T: Display>(value: &Option<T>) -> String {
    value.as_ref().map_or("nothing".to_string(), ToString::to_string)
}

fn list<T: Display>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
