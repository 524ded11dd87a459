//! `host_only`: an agent measured a slow flow, and no queue or pause on its path explains it.

use model::Anomaly;

use super::{Doubt, Finding};
use crate::path::of_other_times;
use crate::scene::Scene;

pub(super) fn find(scene: &Scene<'_, '_>) -> Option<Finding> {
    // Without a measurement there is nothing to explain, and a path without any telemetry is unknown, not clean.
    scene.trigger?;
    if scene.path.answered == 0 {
        return None;
    }
    let silent = scene.path.switches - scene.path.answered;
    // The same holds if no switch of the path has records of that time.
    let of_other_times = of_other_times(scene.view, &scene.path, scene.asked);
    if of_other_times.len() >= scene.path.answered {
        return None;
    }
    // ACKs may take a different path, which only the receiver's agent can poll.
    let mut doubts = Vec::new();
    if scene.view.snapshot.switches.iter().all(|switch| switch.back_port.is_none()) {
        doubts.push(Doubt::new(1.0, "the reverse path of its ACKs was not collected"));
    }
    if silent > 0 {
        doubts.push(Doubt {
            factor: 0.4 * scene.path.answered as f64 / scene.path.switches as f64,
            missing: None,
        });
    } else if !scene.path.missing.is_empty() {
        doubts.push(Doubt { factor: 0.6, missing: None });
    }
    doubts.extend(of_other_times.into_iter().map(|missing| Doubt::new(0.6, missing)));
    Some(Finding {
        anomaly: Anomaly::HostOnly,
        root: None,
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: scene.asked,
        doubts,
    })
}
