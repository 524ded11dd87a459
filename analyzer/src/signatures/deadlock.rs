//! The three deadlocks: the paused ports form a cyclic buffer dependency.
//!
//! If all ports of the loop wait only for each other, the initial congestion was in the loop. If a port of the loop also
//! waits for a port outside, that is where it started: contention or a host. Contention outside is the start only if the
//! port that waits for it was the first of the loop to be paused, and if more of the traffic queued then was queued outside
//! than at the loop's next port; a standing deadlock also pauses the paths that cross it.
//!
//! Once the last port of the loop is paused, no packet circulates. Queue contents after that show which flows the loop
//! blocks, not which flows closed it.

use model::Anomaly;

use super::backpressure::contended;
use super::standstill::Standstill;
use super::{Doubt, Finding, trail_doubts};
use crate::contention::{Bounds, Contention, Question, contention};
use crate::graph::{Vertex, VertexIx};
use crate::pause_paths::Trail;
use crate::scene::Scene;
use crate::span::{Span, pause_span};

pub(super) fn find(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Finding> {
    if trail.pause_loop.is_empty() {
        return None;
    }
    let end = *trail.path.last()?;
    if trail.pause_loop.contains(&end) {
        return Some(in_loop(scene, trail, end));
    }
    let outside = match scene.graph.vertices[end] {
        Vertex::Host(host) => {
            let ports = scene.ports(&trail.path);
            Some(Finding {
                anomaly: Anomaly::DeadlockOutOfLoopInjection,
                root: ports.last().map(|p| scene.view.port_ref(*p)),
                path: ports,
                pause_loop: scene.ports(&trail.pause_loop),
                host: Some(host),
                contention: None,
                when: scene.graph.when[end],
                doubts: loop_doubts(scene, trail),
            })
        }
        Vertex::Port(_) if !stood_first(scene, trail) || !left_by_exit(scene, trail) => None,
        Vertex::Port(port) => {
            contended(scene, &trail.path, end, closing(scene, trail)).map(|contention| Finding {
                anomaly: Anomaly::DeadlockOutOfLoopContention,
                root: Some(scene.view.port_ref(port)),
                path: scene.ports(&trail.path),
                pause_loop: scene.ports(&trail.pause_loop),
                host: None,
                when: contention.when,
                contention: Some(contention),
                doubts: loop_doubts(scene, trail),
            })
        }
        Vertex::Silent(_) | Vertex::Unlinked(_) => None,
    };
    // No port outside explains the loop, so it started inside.
    outside.or_else(|| {
        let entry = trail.path.iter().copied().find(|v| trail.pause_loop.contains(v))?;
        Some(in_loop(scene, trail, entry))
    })
}

/// Whether the port by which a trail leaves the loop was the first of the loop to be paused, as far as that is recorded.
fn stood_first(scene: &Scene<'_, '_>, trail: &Trail) -> bool {
    let ring = &trail.pause_loop;
    let since = |v: &VertexIx| standing_since(scene, ring, *v);
    let exit = trail.path.iter().rev().find(|v| ring.contains(v));
    let Some(own) = exit.and_then(since) else { return true };
    ring.iter().filter_map(since).all(|other| own <= other.saturating_add(AT_ONCE_NS))
}

/// From when the loop was last opened until the last of its ports was paused for the standstill.
fn closing(scene: &Scene<'_, '_>, trail: &Trail) -> Bounds {
    let stands = |v: &VertexIx| {
        let pauses = scene.view.pauses(scene.graph.port(*v)?);
        pauses.iter().filter(|pause| pause.end_ns.is_none()).map(|pause| pause.start_ns).min()
    };
    let closed: Option<Vec<u64>> = trail.pause_loop.iter().map(stands).collect();
    let standstill = Standstill::of(scene, &trail.pause_loop);
    Bounds {
        since: standstill.and_then(|standstill| standstill.opened_ns),
        until: closed.and_then(|at| at.into_iter().max()),
    }
}

/// Whether what was to leave by a trail's way out of the loop, when the port before it was first paused, was more than what was
/// to stay in the loop.
fn left_by_exit(scene: &Scene<'_, '_>, trail: &Trail) -> bool {
    let ring = &trail.pause_loop;
    let Some(at) = trail.path.iter().rposition(|v| ring.contains(v)) else { return true };
    let (exit, outside) = (trail.path[at], trail.path.get(at + 1));
    let inside = ring.iter().position(|v| *v == exit).map(|at| ring[(at + 1) % ring.len()]);
    let view = scene.view;
    let port = |v: VertexIx| scene.graph.port(v);
    let (Some(exit_port), Some(outside), Some(inside)) =
        (port(exit), outside.and_then(|v| port(*v)), inside.and_then(port))
    else {
        return true;
    };
    let ingress = view.topo(exit_port).and_then(|p| view.index.peer(p)).map(|peer| peer.number);
    let (Some(ingress), Some(since)) = (ingress, standing_since(scene, ring, exit)) else { return true };
    let known = Standstill::of(scene, ring).and_then(|standstill| standstill.first_pause(scene, exit));
    // What fills a buffer so far that it pauses does so in microseconds.
    let from = since.saturating_sub(scene.settings.event_gap_ns / 4);
    let before = Span { from, to: known.unwrap_or(since).max(since) };
    view.held(outside, ingress, before) >= view.held(inside, ingress, before)
}

/// Pauses this close together do not cause one another: a buffer takes longer to fill.
const AT_ONCE_NS: u64 = 1_000;

/// The loop explains itself: its first queue stood at one of its own ports.
fn in_loop(scene: &Scene<'_, '_>, trail: &Trail, entry: VertexIx) -> Finding {
    let root = initial(scene, trail);
    let mut path: Vec<VertexIx> = trail.path.iter().copied().take_while(|v| *v != entry).collect();
    let turn = trail.pause_loop.iter().position(|v| *v == entry).unwrap_or(0);
    let around = trail.pause_loop.iter().cycle().skip(turn).take(trail.pause_loop.len());
    for v in around {
        path.push(*v);
        if root.as_ref().is_some_and(|(r, _)| r == v) {
            break;
        }
    }
    let mut doubts = loop_doubts(scene, trail);
    if root.is_none() {
        doubts.push(Doubt::new(
            0.5,
            "no port of the loop has records of a queue before it was paused, so the flows that started the loop are unknown",
        ));
    }
    let (root, contention) = root.unzip();
    Finding {
        anomaly: Anomaly::DeadlockInLoopContention,
        root: root.and_then(|v| scene.graph.port(v)).map(|p| scene.view.port_ref(p)),
        path: scene.ports(&path),
        pause_loop: scene.ports(&trail.pause_loop),
        host: None,
        when: contention.as_ref().and_then(|c: &Contention| c.when),
        contention,
        doubts,
    }
}

/// The loop's first queue. The standstill grew from one pause, the earliest of its event. The port that was paused then
/// waited for its successor in the loop, where packets had queued; if that one was paused as well, they waited for the next.
fn initial(scene: &Scene<'_, '_>, trail: &Trail) -> Option<(VertexIx, Contention)> {
    let ring = &trail.pause_loop;
    let mut starts: Vec<(u64, usize)> =
        ring.iter().enumerate().filter_map(|(at, v)| Some((standing_since(scene, ring, *v)?, at))).collect();
    starts.sort_unstable();
    // If its queue is no longer in the registers, try the port that was paused next.
    starts.iter().find_map(|(since, at)| {
        let after = (1..ring.len()).map(|step| ring[(at + step) % ring.len()]);
        let next = after.into_iter().find(|v| !was_paused(scene, *v, *since))?;
        queue_before_pause(scene, ring, next).map(|found| (next, found))
    })
}

/// Whether `v` was paused at `at`, or so shortly before that its backlog had not drained.
fn was_paused(scene: &Scene<'_, '_>, v: VertexIx, at: u64) -> bool {
    let Some(port) = scene.graph.port(v) else { return false };
    let frozen_ns = scene.view.switch_of(port).frozen_ns;
    let near = Span { from: at.saturating_sub(scene.settings.event_gap_ns / 4), to: at };
    scene.view.pauses(port).iter().any(|p| pause_span(p, frozen_ns).overlaps(near) && p.start_ns < at)
}

/// The queue of a port of the loop before the loop paused it, if it was one that somebody made.
fn queue_before_pause(scene: &Scene<'_, '_>, ring: &[VertexIx], v: VertexIx) -> Option<Contention> {
    let port = scene.graph.port(v)?;
    let standstill = Standstill::of(scene, ring);
    let first = standstill.and_then(|standstill| standstill.first_pause(scene, v));
    // Flows of the loop are all paused somewhere in it: being paused upstream excuses nobody here.
    let question = Question {
        victim: scene.victim,
        carriers: &[],
        near: first.map(|at| Span { from: at.saturating_sub(scene.settings.event_gap_ns), to: at }),
        bounds: Bounds { since: standstill.and_then(|standstill| standstill.opened_ns), until: first },
    };
    let found = contention(scene.view, scene.settings, port, question)?;
    let weight: f64 = found.contributors().map(|f| f.weight).sum();
    (found.depth >= scene.settings.min_wait_packets && weight > 0.0).then_some(found)
}

/// When `v` was first paused in the event that ends in the standstill, as far as its log tells, or as much earlier as it may
/// have been where the log had no room for all pauses.
fn standing_since(scene: &Scene<'_, '_>, ring: &[VertexIx], v: VertexIx) -> Option<u64> {
    let standstill = Standstill::of(scene, ring)?;
    let first = standstill.first_pause(scene, v)?;
    let earliest = scene.view.paused_since(scene.graph.port(v)?, first);
    Some(earliest.max(standstill.opened_ns.unwrap_or(0)).min(first))
}

fn loop_doubts(scene: &Scene<'_, '_>, trail: &Trail) -> Vec<Doubt> {
    let mut doubts = trail_doubts(scene, trail);
    let ended = |v: &VertexIx| {
        let Some(port) = scene.graph.port(*v) else { return false };
        let pauses = scene.view.pauses(port);
        !pauses.is_empty() && pauses.iter().all(|p| p.end_ns.is_some())
    };
    if trail.pause_loop.iter().any(ended) {
        doubts.push(Doubt::new(
            0.7,
            "a port of the loop was no longer paused when it was read: the loop may have resolved itself",
        ));
    }
    doubts
}
