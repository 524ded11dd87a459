//! The three deadlocks: the pauses form a loop.
//!
//! All ports of the loop wait only for each other: the contention that started it was inside. A port of the
//! loop also waits for something outside: that is what started it, contention or a host. Contention outside did so only
//! if the port that waits for it was the first of the loop to be paused; a standing loop also backs up into what crosses it.

use model::Anomaly;

use super::backpressure::contended;
use super::{Doubt, Finding, trail_doubts};
use crate::contention::{Contention, Question, contention};
use crate::graph::{Vertex, VertexIx};
use crate::scene::Scene;
use crate::span::{Span, clusters, pause_span};
use crate::walk::Trail;

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
        Vertex::Port(_) if !stood_first(scene, trail) => None,
        Vertex::Port(port) => contended(scene, &trail.path, end).map(|contention| Finding {
            anomaly: Anomaly::DeadlockOutOfLoopContention,
            root: Some(scene.view.port_ref(port)),
            path: scene.ports(&trail.path),
            pause_loop: scene.ports(&trail.pause_loop),
            host: None,
            when: contention.when,
            contention: Some(contention),
            doubts: loop_doubts(scene, trail),
        }),
        Vertex::Silent(_) | Vertex::Unlinked(_) => None,
    };
    // The way out of the loop leads to nothing that explains it: the loop itself remains.
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

/// Pauses this close together are not one another's consequence: a buffer takes longer to fill.
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
            "no port of the loop shows packets that waited before it was paused: who started the loop is not recorded",
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

/// The loop's first queue. The standstill grew from one pause, the earliest of its event. The port that was paused then waited for its successor in the loop, where packets had queued.
fn initial(scene: &Scene<'_, '_>, trail: &Trail) -> Option<(VertexIx, Contention)> {
    let ring = &trail.pause_loop;
    let mut starts: Vec<(u64, usize)> =
        ring.iter().enumerate().filter_map(|(at, v)| Some((standing_since(scene, ring, *v)?, at))).collect();
    starts.sort_unstable();
    // Its queue may be gone from the registers: then the ones that were paused next.
    starts.iter().find_map(|(_, at)| {
        let next = ring[(at + 1) % ring.len()];
        queue_before_pause(scene, next).map(|found| (next, found))
    })
}

/// The queue of a port of the loop before the loop paused it, if it was one that somebody made.
fn queue_before_pause(scene: &Scene<'_, '_>, v: VertexIx) -> Option<Contention> {
    let port = scene.graph.port(v)?;
    let first = first_pause(scene, v);
    // Flows of the loop are all paused somewhere in it: being paused upstream excuses nobody here.
    let question = Question {
        victim: scene.victim,
        carriers: &[],
        near: first.map(|at| Span { from: at.saturating_sub(scene.settings.event_gap_ns), to: at }),
        until: first,
    };
    let found = contention(scene.view, scene.settings, port, question)?;
    let weight: f64 = found.contributors().map(|f| f.weight).sum();
    (found.depth >= scene.settings.min_wait_packets && weight > 0.0).then_some(found)
}

/// When `v` was first paused in the event that ends in the standstill. Pauses of the whole loop closer together than an
/// event's gap belong to it: the flutter before the loop closes, and a loop that a watchdog opens and that closes again.
fn standing_since(scene: &Scene<'_, '_>, ring: &[VertexIx], v: VertexIx) -> Option<u64> {
    let spans = |v: VertexIx| -> Vec<Span> {
        let Some(port) = scene.graph.port(v) else { return Vec::new() };
        let frozen_ns = scene.view.switch_of(port).frozen_ns;
        scene.view.pauses(port).iter().map(|p| pause_span(p, frozen_ns)).collect()
    };
    let all: Vec<Span> = ring.iter().flat_map(|v| spans(*v)).collect();
    let event = clusters(all, scene.settings.event_gap_ns).last().copied()?;
    spans(v).into_iter().filter(|span| span.overlaps(event)).map(|span| span.from).min()
}

fn first_pause(scene: &Scene<'_, '_>, v: VertexIx) -> Option<u64> {
    let port = scene.graph.port(v)?;
    let when = scene.graph.when[v];
    let frozen_ns = scene.view.switch_of(port).frozen_ns;
    let pauses = scene.view.pauses(port).iter().map(|p| pause_span(p, frozen_ns));
    pauses.filter(|p| when.is_none_or(|w| w.overlaps(*p))).map(|p| p.from).min()
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
