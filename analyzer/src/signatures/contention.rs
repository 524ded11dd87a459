//! `flow_contention`: no pause explains the delay, and flows contend at a port of the victim's path.

use std::collections::BTreeSet;

use model::snapshot::Source;
use model::{Anomaly, FlowKey};

use super::{Doubt, Finding};
use crate::contention::{Bounds, Contention, Question, contention};
use crate::scene::Scene;
use crate::view::PortIx;

/// Confidence factor where a switch of the victim's path sent no telemetry.
const SILENT_ON_PATH: f64 = 0.5;

/// The queues of the victim's path that explain its delay, the longest delay first: a flow may wait in more than one. Of those
/// beside the longest only what somebody made by sending more than before counts, and somebody else than is named already.
pub(super) fn find(scene: &Scene<'_, '_>) -> Vec<Finding> {
    let Some(victim) = scene.victim else { return Vec::new() };
    let mut queues: Vec<(f64, Contention)> = Vec::new();
    for port in &scene.path.ports {
        let question =
            Question { victim: Some(victim), carriers: &[], near: scene.asked, bounds: Bounds::default() };
        let Some(found) = contention(scene.view, scene.settings, *port, question) else { continue };
        if found.contributors().next().is_none() || !stood_when_asked(scene, &found) {
            continue;
        }
        let waited = found.part(victim).map_or(found.depth, |part| part.depth);
        let delay_ns = waited * scene.view.packet_ns(*port);
        if waited >= scene.settings.min_wait_packets && explains(scene, delay_ns) {
            queues.push((delay_ns, found));
        }
    }
    // Stable: of equal delays the first one of the path.
    queues.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least_ns = queues.first().map_or(0.0, |(longest_ns, _)| longest_ns * scene.settings.branch_share);
    let mut named: BTreeSet<FlowKey> = BTreeSet::new();
    queues.retain(|(delay_ns, found)| {
        let is_longest = named.is_empty();
        let is_other = found.contributors().any(|part| !named.contains(&part.flow));
        let counts = is_longest || *delay_ns >= least_ns && found.changed && is_other;
        if counts {
            named.extend(found.contributors().map(|part| part.flow));
        }
        counts
    });
    queues.into_iter().map(|(_, found)| on_path(scene, victim, found)).collect()
}

fn on_path(scene: &Scene<'_, '_>, victim: FlowKey, found: Contention) -> Finding {
    let mut doubts = Vec::new();
    if scene.path.switches > scene.path.answered {
        // Another queue, or who pauses, may be where nobody answered.
        doubts.push(Doubt { factor: SILENT_ON_PATH, missing: None });
    }
    if found.part(victim).is_none() {
        doubts.push(Doubt::new(0.7, "the congested port has no record of the victim's own packets"));
    }
    finding(scene, found, doubts)
}

/// Ports with a deep queue that no finding explains yet, for a snapshot without a victim.
pub(super) fn everywhere(scene: &Scene<'_, '_>, known: &[Finding]) -> Vec<Finding> {
    // Depths of input queues cannot show a congested output by themselves.
    if scene.view.snapshot.source == Source::HawkeyeNs3 {
        return Vec::new();
    }
    let explained: BTreeSet<PortIx> =
        known.iter().flat_map(|f| f.path.iter().chain(&f.pause_loop)).copied().collect();
    scene
        .view
        .ports()
        .filter(|p| !explained.contains(p) && !scene.view.is_paused(*p, None))
        .filter(|p| scene.view.waiting_depth(*p, None) >= scene.settings.incident_packets)
        .filter_map(|p| contention(scene.view, scene.settings, p, Question::default()))
        .filter(|c| c.depth >= scene.settings.incident_packets && c.contributors().next().is_some())
        .map(|c| finding(scene, c, Vec::new()))
        .collect()
}

fn finding(scene: &Scene<'_, '_>, found: Contention, doubts: Vec<Doubt>) -> Finding {
    Finding {
        anomaly: Anomaly::FlowContention,
        root: Some(scene.view.port_ref(found.port)),
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        when: found.when,
        contention: Some(found),
        doubts,
    }
}

/// Whether a queue stood while the slow packet was under way, as far as times are known.
fn stood_when_asked(scene: &Scene<'_, '_>, found: &Contention) -> bool {
    found.when.zip(scene.asked).is_none_or(|(when, asked)| when.overlaps(asked))
}

/// Whether a delay accounts for a substantial part of what the agent measured.
fn explains(scene: &Scene<'_, '_>, delay_ns: f64) -> bool {
    let Some(trigger) = scene.trigger else { return true };
    let extra_ns = trigger.rtt_ns.saturating_sub(trigger.base_rtt_ns) as f64;
    delay_ns >= extra_ns * scene.settings.explained_share
}
