//! The verdict in words: one sentence, what is missing, what to do.

use model::{Anomaly, PortRef};

use crate::causes::{Judged, enumerate};
use crate::contention::{Contention, UNACCOUNTED_SHARE};
use crate::ranking::Ranked;
use crate::scene::Scene;
use crate::signatures::Finding;

/// The summary of a diagnosis. `path` is the pause path, the root last.
pub(crate) fn summary(
    scene: &Scene<'_, '_>,
    finding: &Finding,
    ranked: &Ranked,
    judged: &Judged,
    path: &[PortRef],
) -> String {
    let victim = match scene.is_way_back {
        true => format!("what answers {}", ranked.victim),
        false => ranked.victim.to_string(),
    };
    let because = &judged.because;
    let root = finding.root.as_ref().map_or_else(|| "an unknown port".to_string(), ToString::to_string);
    let way = way(path);
    let loops = || {
        let ports: Vec<String> =
            finding.pause_loop.iter().map(|p| scene.view.port_ref(*p).to_string()).collect();
        ports.join(" -> ")
    };
    let mut text = match finding.anomaly {
        Anomaly::FlowContention => format!("{victim} waits in the queue of {root}: {because}"),
        Anomaly::PfcBackpressureFlowContention => {
            format!("{victim} is stopped by PFC pauses that come from {root}{way}: {because}")
        }
        Anomaly::PfcStormHostInjection => {
            format!("{victim} is stopped by PFC pauses that a host sends into {root}{way}: {because}")
        }
        Anomaly::DeadlockInLoopContention => format!(
            "{victim} is stuck behind a PFC deadlock ({}), which started inside the loop at {root}: {because}",
            loops()
        ),
        Anomaly::DeadlockOutOfLoopContention | Anomaly::DeadlockOutOfLoopInjection => format!(
            "{victim} is stuck behind a PFC deadlock ({}), which {root} outside the loop started: {because}",
            loops()
        ),
        Anomaly::RoutingLoop => format!("{victim} runs in a circle: {because}"),
        Anomaly::HostOnly => {
            format!(
                "{victim} is slow although no port of its path has a queue or a pause: {}",
                host_only(scene)
            )
        }
    };
    if !ranked.spreaders.is_empty() {
        let names: Vec<String> = ranked.spreaders.iter().map(ToString::to_string).collect();
        let spread = if names.len() == 1 {
            "carries the pause and is a victim itself"
        } else {
            "carry the pause and are victims themselves"
        };
        text.push_str(&format!("; {} {spread}", enumerate(&names)));
    }
    text
}

fn host_only(scene: &Scene<'_, '_>) -> &'static str {
    if scene.path.answered == scene.path.switches {
        "sender, receiver or application delays it"
    } else {
        "as far as its switches answered, sender, receiver or application delays it"
    }
}

/// The ports between the root and the victim, as the pause crossed them.
fn way(path: &[PortRef]) -> String {
    let before = path.split_last().map_or(&[][..], |(_, before)| before);
    let names: Vec<String> = before.iter().rev().map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!(" over {}", enumerate(&names)) }
}

/// Everything that would have been needed and was not there, each once.
pub(crate) fn missing(scene: &Scene<'_, '_>, finding: &Finding) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    let of_contention = finding.contention.iter().flat_map(|c| contention_gaps(scene, c));
    let found = finding.doubts.iter().filter_map(|d| d.missing.clone());
    let all =
        scene.view.snapshot.missing.iter().map(ToString::to_string).chain(scene.path.missing.iter().cloned());
    for text in all.chain(found).chain(of_contention) {
        if !missing.contains(&text) {
            missing.push(text);
        }
    }
    missing
}

/// What a contention's records leave open.
fn contention_gaps(scene: &Scene<'_, '_>, c: &Contention) -> Vec<String> {
    let mut gaps = Vec::new();
    if !c.history && c.when.is_some() {
        gaps.push(format!(
            "the ring of {} does not reach back to before the event: flows that were always there cannot be told from newcomers",
            scene.view.switch_of(c.port).name
        ));
    }
    if c.unaccounted > UNACCOUNTED_SHARE {
        gaps.push(format!(
            "no flow record accounts for {:.0} % of the packets of {}: flows were evicted or lost, and one of them may have a part in it",
            100.0 * c.unaccounted,
            scene.view.port_ref(c.port)
        ));
    }
    gaps
}
