//! One long scenario out of several short ones, played by turns.

use model::Time;
use scenario::Scenario;

/// Quiet time between two rounds.
const GAP: Time = Time::from_ms(4);
/// Rounds of a demo. At the default pace one takes some twelve seconds, so the last begins after a day.
const ROUNDS: u64 = 8_000;

/// The first scenario's network and settings with the traffic and faults of all, over and over. Scenarios of another
/// network or with other switches cannot join and are left out.
pub(super) fn merge(scenarios: &[Scenario]) -> Scenario {
    let Some(first) = scenarios.first() else {
        unreachable!("the demo has at least one scenario");
    };
    let same = |s: &&Scenario| {
        (&s.topology, &s.switch, &s.switches, &s.routing)
            == (&first.topology, &first.switch, &first.switches, &first.routing)
    };
    let joining: Vec<&Scenario> = scenarios.iter().filter(same).collect();
    let mut merged =
        Scenario { flows: Vec::new(), faults: Vec::new(), expect: None, source: None, ..first.clone() };
    merged.agents.hosts = None;
    let mut start = GAP;
    for round in 0..ROUNDS {
        let scenario = joining[(round % joining.len() as u64) as usize];
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
