//! A full table evicts the flow whose last packet is oldest, as a linear scan would find it.

use std::collections::BTreeMap;

use harrier_host_agent::{Agent, FlowId, Settings};
use model::FlowKey;
use proptest::prelude::*;

const MAX_FLOWS: usize = 5;

fn flow(n: u16) -> FlowKey {
    FlowKey::udp([10, 0, 0, 1].into(), 10_000 + n, [10, 0, 0, 2].into(), 4791)
}

fn evicted(agent: &Agent) -> u64 {
    agent.stats().flows_given_up
}

/// Whether the agent still watches `flow`: opening it again evicts nothing and returns the same id.
fn is_watched(agent: &Agent, now_ns: u64, flow: FlowKey, id: FlowId) -> bool {
    let mut copy = agent.clone();
    copy.open(now_ns, flow, 3, None) == id && evicted(&copy) == evicted(agent)
}

#[derive(Clone, Debug)]
enum Step {
    Open(u16),
    Acknowledge(u16),
    Close(u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..12u16).prop_map(Step::Open),
        4 => (0..12u16).prop_map(Step::Acknowledge),
        1 => (0..12u16).prop_map(Step::Close),
    ]
}

proptest! {
    #[test]
    fn the_flow_with_the_oldest_last_packet_is_evicted(
        steps in proptest::collection::vec((step(), 0..3u64), 1..80),
    ) {
        let settings = Settings { max_flows: MAX_FLOWS, ..Settings::default() };
        let mut agent = Agent::new("h1", 1, 0, settings).expect("valid settings");
        // Time of the last packet and id of every watched flow.
        let mut watched: BTreeMap<FlowKey, (u64, FlowId)> = BTreeMap::new();
        let mut now_ns = 0;
        for (step, passed_ns) in steps {
            now_ns += passed_ns;
            match step {
                Step::Open(n) if watched.contains_key(&flow(n)) => {
                    agent.open(now_ns, flow(n), 3, None);
                }
                Step::Open(n) => {
                    if watched.len() == MAX_FLOWS {
                        let (oldest, _) = watched.iter().min_by_key(|(_, (last_ns, _))| *last_ns).expect("full");
                        watched.remove(&oldest.clone());
                    }
                    let id = agent.open(now_ns, flow(n), 3, None);
                    watched.insert(flow(n), (now_ns, id));
                }
                Step::Acknowledge(n) => {
                    if let Some((last_ns, id)) = watched.get_mut(&flow(n)) {
                        agent.acknowledged(now_ns, *id, Some(9_000), false);
                        *last_ns = now_ns;
                    }
                }
                Step::Close(n) => {
                    if let Some((_, id)) = watched.remove(&flow(n)) {
                        agent.close(now_ns, id);
                    }
                }
            }
            for (flow, (_, id)) in &watched {
                prop_assert!(is_watched(&agent, now_ns, *flow, *id), "{flow} was evicted");
            }
        }
    }
}

/// Half a million evictions at the default limit; a scan of all flows for each of them would take minutes.
#[test]
fn evictions_do_not_scan_all_flows() {
    let mut agent = Agent::new("h1", 1, 0, Settings::default()).expect("valid settings");
    let max_flows = Settings::default().max_flows as u64;
    let opened = 8 * max_flows;
    for n in 0..opened {
        let [_, a, b, c] = (n as u32).to_be_bytes();
        agent.open(n, FlowKey::udp([10, a, b, c].into(), 1, [11, 0, 0, 1].into(), 4791), 3, None);
    }
    assert_eq!(evicted(&agent), opened - max_flows);
}
