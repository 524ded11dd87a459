//! Signatures: which anomaly the end of a pause path, or the victim's path without pauses, shows.
//!
//! Source: Hawkeye, SIGCOMM 2025, section "diagnosis": the table of anomalies over the port graph. One file an anomaly. A
//! signature reads the analysis context (and one pause path) and returns a finding or `None`; the first signature that
//! matches a path decides. To add an anomaly, add a file and a line here.

mod backpressure;
mod contention;
mod deadlock;
mod host_only;
mod lost_trail;
mod routing_loop;
mod standstill;
mod storm;

use model::{Anomaly, PortRef};

use crate::contention::Contention;
use crate::pause_paths::Trail;
use crate::scene::Scene;
use crate::span::Span;
use crate::topology_index::NodeId;
use crate::view::PortIx;

/// The match of a signature.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) anomaly: Anomaly,
    /// The root port, if known.
    pub(crate) root: Option<PortRef>,
    /// Ports of the pause path that have telemetry; the root port is last if it is one of them.
    pub(crate) path: Vec<PortIx>,
    pub(crate) pause_loop: Vec<PortIx>,
    pub(crate) host: Option<NodeId>,
    pub(crate) contention: Option<Contention>,
    pub(crate) when: Option<Span>,
    pub(crate) doubts: Vec<Doubt>,
}

/// A reason for lower confidence.
#[derive(Clone, Debug)]
pub(crate) struct Doubt {
    /// Factor on the confidence, 0 to 1.
    pub(crate) factor: f64,
    /// The data that is missing, for people.
    pub(crate) missing: Option<String>,
}

impl Doubt {
    pub(crate) fn new(factor: f64, missing: impl Into<String>) -> Doubt {
        Doubt { factor, missing: Some(missing.into()) }
    }
}

/// Minimum share of the pause that the other paths must account for together to explain it.
const LEAST_REST: f64 = 0.02;

type OnTrail = fn(&Scene<'_, '_>, &Trail) -> Option<Finding>;

/// Signatures of a pause trail; the first that fits holds.
const ON_TRAIL: [OnTrail; 4] = [deadlock::find, storm::find, backpressure::find, lost_trail::find];

/// All findings of a scene, the best explanation first.
pub(crate) fn find(scene: &Scene<'_, '_>) -> Vec<Finding> {
    // Packets that go round fill queues on their way: whatever else is seen comes of that.
    if let Some(found) = routing_loop::find(scene) {
        return vec![found];
    }
    if scene.victim.is_none() {
        let mut findings: Vec<Finding> =
            scene.trails.iter().filter_map(|t| on_trail(scene, t)).filter(is_named).collect();
        findings.extend(contention::everywhere(scene, &findings));
        return findings;
    }
    let mut findings = on_trails(scene);
    // An end that cannot be named is worth a line only if no other end explains the pause; a queue in which
    // nobody sends more than before, only if nothing has changed elsewhere.
    if findings.iter().any(is_named) {
        findings.retain(is_named);
    } else {
        findings.truncate(1);
    }
    one_a_loop(&mut findings);
    beside_a_standstill(scene, &mut findings);
    if findings.iter().any(|f| !always_stood(f)) {
        findings.retain(|f| !always_stood(f));
    }
    // Pauses from another time explain a slow packet only if nothing at its own time does.
    if scene.aligned && !findings.is_empty() {
        return findings;
    }
    let queues = contention::find(scene);
    if !queues.is_empty() {
        return queues;
    }
    if findings.is_empty() {
        findings.extend(host_only::find(scene));
    }
    findings
}

/// A flow that is stuck behind a standstill comes nowhere else: a pause elsewhere on its path, in which none of its packets came,
/// did not slow it down.
fn beside_a_standstill(scene: &Scene<'_, '_>, findings: &mut Vec<Finding>) {
    let Some(victim) = scene.victim else { return };
    if findings.iter().all(|f| f.pause_loop.is_empty()) {
        return;
    }
    let met = |f: &Finding| {
        let Some(records) = f.path.first().map(|port| scene.view.records_of(*port, victim)) else {
            return true;
        };
        records.is_empty() || records.iter().any(|r| r.paused_packets > 0)
    };
    findings.retain(|f| !f.pause_loop.is_empty() || met(f));
}

/// A loop has one reason. If something outside of it is one, the trails that end inside are its echo; of several outside the one
/// is it that holds most of the pause.
fn one_a_loop(findings: &mut Vec<Finding>) {
    let outside = |f: &Finding| f.anomaly != Anomaly::DeadlockInLoopContention && !f.pause_loop.is_empty();
    let sorted = |f: &Finding| {
        let mut ports = f.pause_loop.clone();
        ports.sort_unstable();
        ports
    };
    let explained: Vec<Vec<PortIx>> = findings.iter().filter(|f| outside(f)).map(sorted).collect();
    let mut named: Vec<Vec<PortIx>> = Vec::new();
    findings.retain(|f| match (f.anomaly, outside(f)) {
        (Anomaly::DeadlockInLoopContention, _) => !explained.contains(&sorted(f)),
        (_, true) if named.contains(&sorted(f)) => false,
        (_, true) => {
            named.push(sorted(f));
            true
        }
        _ => true,
    });
}

/// Returns the findings of all pause paths with a substantial share of the pause, largest share first.
///
/// A queue of the victim alone (its way leads into a slower link) delays nobody else and is there without any
/// incident: if anything else explains the pause, shares are those of the rest.
fn on_trails(scene: &Scene<'_, '_>) -> Vec<Finding> {
    let own = |t: &&Trail| {
        t.share >= scene.settings.graph_share && lost_trail::queue_of_the_victim(scene, t).is_some()
    };
    let own_share: f64 = scene.trails.iter().filter(own).map(|t| t.share).sum();
    let (least, others_only) = match 1.0 - own_share {
        rest if rest >= LEAST_REST => (scene.settings.branch_share * rest, true),
        _ => (scene.settings.branch_share, false),
    };
    let substantial = scene.trails.iter().filter(|t| t.share >= least);
    substantial.filter(|t| !others_only || !own(t)).filter_map(|t| on_trail(scene, t)).collect()
}

fn on_trail(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Finding> {
    ON_TRAIL.iter().find_map(|signature| signature(scene, trail))
}

/// Whether the ring shows that nobody at the root sends more than before.
fn always_stood(finding: &Finding) -> bool {
    finding.host.is_none()
        && finding.pause_loop.is_empty()
        && finding.contention.as_ref().is_some_and(|c| c.history && !c.changed)
}

/// Whether a finding identifies a culprit, a host or a loop.
fn is_named(finding: &Finding) -> bool {
    finding.host.is_some()
        || !finding.pause_loop.is_empty()
        || finding.contention.as_ref().is_some_and(|c| c.contributors().next().is_some())
}

/// Doubts that every trail has in common.
fn trail_doubts(scene: &Scene<'_, '_>, trail: &Trail) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if trail.weak {
        doubts.push(Doubt::new(
            0.6,
            "the queue that held the paused packets is no longer in the registers: one edge of the pause path is the most likely one, not a recorded one",
        ));
    }
    if !scene.aligned {
        doubts.push(Doubt::new(
            0.8,
            "the victim's path was not paused during the slow round trip: the verdict explains the nearest earlier pause",
        ));
    }
    doubts
}
