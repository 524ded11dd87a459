//! Which flows a disturbance delays: what a diagnosis could have been asked about.

use std::collections::BTreeSet;

use fabric::RunError;
use fabric::stopwatch::Trace;
use model::{FlowKey, Time};

use super::actor::Actor;
use super::bench::Bench;

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

/// A flow is delayed if its worst wait, or that of an operation that the network did not hold up, is longer than without the
/// disturbance by at least this many quarters of the round-trip time of its path: in a round trip it could have sent a
/// bandwidth-delay product.
const QUARTERS: u64 = 4;

/// Measures the harm of a disturbance.
///
/// # Errors
/// A run that cannot be repeated.
pub fn harm(bench: &mut Bench<'_>, disturbance: &Disturbance) -> Result<Harm, RunError> {
    // The victim is irrelevant here: nothing is thinned.
    let actors: BTreeSet<Actor> =
        disturbance.actors.iter().filter(|actor| **actor != Actor::Victim).cloned().collect();
    let mut harm = Harm::default();
    let flows: Vec<FlowKey> = bench.base()?.flows.iter().map(|flow| flow.flow).collect();
    for flow in flows {
        let Some(before) = bench.read(&BTreeSet::new(), &flow, Experience::new)? else { continue };
        let Some(after) = bench.read(&actors, &flow, Experience::new)? else { continue };
        if is_delayed(&before, &after, QUARTERS / 4) {
            harm.touched.insert(flow);
        }
        if !actors.contains(&Actor::Flow(flow)) && is_delayed(&before, &after, QUARTERS) {
            harm.victims.insert(flow);
        }
    }
    Ok(harm)
}

/// What a flow experienced.
struct Experience {
    longest: Time,
    longest_operation: Time,
    base_rtt: Time,
}

impl Experience {
    fn new(trace: &Trace, end: Time) -> Experience {
        Experience {
            longest: trace.longest(end),
            longest_operation: trace.longest_operation(),
            base_rtt: trace.base_rtt.unwrap_or_default(),
        }
    }
}

fn is_delayed(with: &Experience, without: &Experience, quarters: u64) -> bool {
    let of_packets = with.longest.saturating_sub(without.longest);
    let of_operations = with.longest_operation.saturating_sub(without.longest_operation);
    let lost = of_packets.max(of_operations);
    lost.0.saturating_mul(4) >= with.base_rtt.0.saturating_mul(quarters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_delayed_if_it_waits_a_round_trip_longer() {
        let seen = |longest| Experience {
            longest: Time::from_us(longest),
            longest_operation: Time::ZERO,
            base_rtt: Time::from_us(10),
        };
        assert!(is_delayed(&seen(30), &seen(12), QUARTERS));
        assert!(is_delayed(&seen(22), &seen(12), QUARTERS));
        assert!(!is_delayed(&seen(21), &seen(12), QUARTERS), "less than a round trip");
        assert!(is_delayed(&seen(21), &seen(12), 1), "but more than a quarter");
        assert!(!is_delayed(&seen(12), &seen(30), 1), "it waits longer without the disturbance");
        let slow = Experience { longest_operation: Time::from_us(10), ..seen(12) };
        assert!(is_delayed(&slow, &seen(12), QUARTERS), "an operation waits longer");
    }
}
