//! Coverage: why a snapshot supports no verdict, and which telemetry it lacks.

use model::{Snapshot, Topology};

use crate::facts::gap::{Gap, lines};
use crate::facts::path::{of_other_times, victim_path};
use crate::facts::topology_index::TopologyIndex;
use crate::facts::view::{Classes, View};
use crate::facts::wording::flow_name;
use crate::graph::context::analysed_span;
use crate::settings::{Settings, Tuning};

/// Returns why `snapshot` supports no verdict, one line per reason; for use when [`crate::diagnose`] returns none.
///
/// Empty if the network was quiet. Data that the collection reports as missing ([`Snapshot::missing`]) comes last;
/// reasons are not repeated.
pub fn unanswered(snapshot: &Snapshot, topology: &Topology) -> Vec<String> {
    let index = TopologyIndex::new(topology);
    let mut reasons: Vec<Gap> = Vec::new();
    if snapshot.switches.is_empty() {
        reasons.push("no switch reported, so there is no telemetry to diagnose from".into());
    }
    if let Some(victim) = snapshot.victim.or_else(|| snapshot.trigger.as_ref().map(|t| t.flow)) {
        let tuning = Tuning::of(&Settings::default(), snapshot);
        let view = View::new(snapshot, &index, Classes::ALL, &tuning);
        let recorded = || view.ports().any(|p| view.flows(p).iter().any(|f| f.flow == victim));
        if !snapshot.switches.is_empty() && !recorded() {
            let victim = flow_name(&index, victim);
            reasons.push(format!("no switch has a record of the victim {victim}").into());
        }
        let path = victim_path(&view, victim);
        let analysed = snapshot.trigger.as_ref().map(|trigger| analysed_span(&view, trigger, &tuning));
        reasons.extend(of_other_times(&view, &path, analysed));
        reasons.extend(path.missing);
        if index.host_of(victim.dst).is_none() {
            let text =
                format!("the topology has no host with the victim's destination address {}", victim.dst);
            reasons.push(text.into());
        }
    }
    reasons.extend(snapshot.missing.iter().map(Gap::of));
    lines(reasons)
}
