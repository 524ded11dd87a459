//! Which flows a disturbance delays: what a diagnosis could have been asked about.

use std::collections::{BTreeMap, BTreeSet};

use fabric::{FlowRecord, RunError};
use model::{FlowKey, Time};

use super::actor::Actor;
use super::bench::{Bench, Run};

/// Something that the author of a scenario put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// The kind, for tables.
    pub kind: String,
    /// What has to be removed to undo it.
    pub actors: BTreeSet<Actor>,
}

/// The effect of a disturbance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Harm {
    /// The flows that it delays, itself excluded.
    pub victims: BTreeSet<FlowKey>,
    /// The flows that it delays at all: by a quarter of what makes a victim.
    pub touched: BTreeSet<FlowKey>,
}

/// A flow is delayed if its worst wait is longer than without the disturbance by at least this many quarters of the
/// round-trip time of its path: in a round trip it could have sent a bandwidth-delay product.
const QUARTERS: u64 = 4;

/// Measures the harm of a disturbance.
///
/// # Errors
/// A run that cannot be repeated.
pub fn harm(bench: &mut Bench<'_>, disturbance: &Disturbance) -> Result<Harm, RunError> {
    // The victim is irrelevant here: nothing is thinned.
    let actors: BTreeSet<Actor> =
        disturbance.actors.iter().filter(|actor| **actor != Actor::Victim).cloned().collect();
    let Some(any) = bench.any_flow() else { return Ok(Harm::default()) };
    let with = outcomes(bench.run(&BTreeSet::new(), any)?);
    let without = outcomes(bench.run(&actors, any)?);
    let mut harm = Harm::default();
    for (flow, before) in &with {
        let Some(after) = without.get(flow) else { continue };
        if is_delayed(before, after, QUARTERS / 4) {
            harm.touched.insert(*flow);
        }
        if !actors.contains(&Actor::Flow(*flow)) && is_delayed(before, after, QUARTERS) {
            harm.victims.insert(*flow);
        }
    }
    Ok(harm)
}

/// What a flow experienced.
struct Experience {
    longest: Time,
    base_rtt: Time,
}

fn outcomes(run: &Run) -> BTreeMap<FlowKey, Experience> {
    let experience = |flow: &FlowRecord| {
        let trace = run.traces.get(&flow.flow)?;
        Some((flow.flow, Experience { longest: trace.longest(run.end), base_rtt: trace.base_rtt }))
    };
    run.flows.iter().filter_map(experience).collect()
}

fn is_delayed(with: &Experience, without: &Experience, quarters: u64) -> bool {
    let lost = with.longest.saturating_sub(without.longest);
    lost.0.saturating_mul(4) >= with.base_rtt.0.saturating_mul(quarters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_delayed_if_it_waits_a_round_trip_longer() {
        let seen = |longest| Experience { longest: Time::from_us(longest), base_rtt: Time::from_us(10) };
        assert!(is_delayed(&seen(30), &seen(12), QUARTERS));
        assert!(is_delayed(&seen(22), &seen(12), QUARTERS));
        assert!(!is_delayed(&seen(21), &seen(12), QUARTERS), "less than a round trip");
        assert!(is_delayed(&seen(21), &seen(12), 1), "but more than a quarter");
        assert!(!is_delayed(&seen(12), &seen(30), 1), "it waits longer without the disturbance");
    }
}
