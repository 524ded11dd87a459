//! `host_only`: an agent found its flow slow, and the fabric is clean along its path.

use model::Anomaly;

use super::{Doubt, Finding};
use crate::path::of_other_times;
use crate::scene::Scene;

pub(super) fn find(scene: &Scene<'_, '_>) -> Option<Finding> {
    // A clean fabric explains nothing unless somebody measured that a flow is slow; and a path that no switch
    // answered for is not clean but unknown.
    scene.trigger?;
    if scene.path.answered == 0 {
        return None;
    }
    let silent = scene.path.switches - scene.path.answered;
    // Nor is one clean at a time of which nothing is known.
    let of_other_times = of_other_times(scene.view, &scene.path, scene.asked);
    if of_other_times.len() >= scene.path.answered {
        return None;
    }
    // Acknowledgements may take another way back, which only the receiver's agent can ask about.
    let mut doubts = Vec::new();
    if scene.view.snapshot.switches.iter().all(|switch| switch.back_port.is_none()) {
        doubts.push(Doubt::new(1.0, "the way back of its acknowledgements was not looked at"));
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
