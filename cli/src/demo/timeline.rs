//! Merges scenarios to a long one that repeats them in turn.

use model::Time;
use scenario::Scenario;

/// Idle time between two rounds.
const GAP: Time = Time::from_ms(4);
/// Number of rounds. At the default pace a round takes about twelve seconds, so the demo lasts more than a day.
const ROUNDS: u64 = 8_000;

/// Returns a scenario with the topology and settings of the first one that repeats the traffic and faults of all in
/// turn. Scenarios with another topology, other switches or other routing are left out.
pub(super) fn merge(scenarios: &[Scenario]) -> Scenario {
    let Some(first) = scenarios.first() else {
        unreachable!("the demo has at least one scenario");
    };
    let is_compatible = |s: &&Scenario| {
        (&s.topology, &s.switch, &s.switches, &s.routing)
            == (&first.topology, &first.switch, &first.switches, &first.routing)
    };
    let compatible: Vec<&Scenario> = scenarios.iter().filter(is_compatible).collect();
    let mut merged =
        Scenario { flows: Vec::new(), faults: Vec::new(), expect: None, source: None, ..first.clone() };
    merged.agents.hosts = None;
    let mut start = GAP;
    for round in 0..ROUNDS {
        let scenario = compatible[(round % compatible.len() as u64) as usize];
        let before = merged.flows.len();
        for flow in &scenario.flows {
            let label = format!("{}#{round}", flow.label);
            merged.flows.push(scenario::FlowSpec {
                label,
                start: if flow.after.is_empty() { start + flow.start } else { flow.start },
                after: flow.after.iter().map(|position| before + position).collect(),
                ..flow.clone()
            });
        }
        for fault in &scenario.faults {
            merged.faults.push(scenario::FaultSpec { start: start + fault.start, ..fault.clone() });
        }
        start = start + scenario.stop + GAP;
    }
    merged.stop = start;
    merged
}
