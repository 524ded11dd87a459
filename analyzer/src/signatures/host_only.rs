//! `host_only`: an agent measured a slow flow, and no queue or pause on its path explains it.

use model::Anomaly;

use super::{Caveat, Finding};
use crate::context::Context;
use crate::path::of_other_times;

pub(super) fn find(context: &Context<'_, '_>) -> Option<Finding> {
    // Without a measurement there is nothing to explain, and a path without any telemetry is unknown, not clean.
    context.trigger?;
    if context.path.reported == 0 {
        return None;
    }
    let silent = context.path.switches - context.path.reported;
    // The same holds if no switch of the path has records of that time.
    let of_other_times = of_other_times(context.view, &context.path, context.analysed);
    if of_other_times.len() >= context.path.reported {
        return None;
    }
    // ACKs may take a different path, which only the receiver's agent can poll.
    let mut caveats = Vec::new();
    if context.view.snapshot.switches.iter().all(|switch| switch.back_port.is_none()) {
        caveats.push(Caveat::new(1.0, "the reverse path was not collected"));
    }
    if silent > 0 {
        caveats.push(Caveat {
            factor: 0.4 * context.path.reported as f64 / context.path.switches as f64,
            missing: None,
        });
    } else if !context.path.missing.is_empty() {
        caveats.push(Caveat { factor: 0.6, missing: None });
    }
    caveats.extend(of_other_times.into_iter().map(|missing| Caveat::new(0.6, missing)));
    Some(Finding {
        anomaly: Anomaly::HostOnly,
        root: None,
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: context.analysed,
        caveats,
    })
}
