//! Properties of generated scenarios.

use std::collections::{BTreeMap, BTreeSet};

use model::{PortRef, Time};
use scenario::ecmp::Tracer;
use scenario::generate::{Actor, Family, Generated, KINDS, generate_kind};
use scenario::{Scenario, generate, parse};

fn repeat(generated: &Generated) -> String {
    format!("harrier generate --seed {}", generated.seed)
}

/// Flows whose data cannot reach its receiver when the run starts.
fn unreachable(scenario: &Scenario) -> Vec<String> {
    let plan = scenario.plan_settings(1, Time::ZERO);
    let mut tracer = Tracer::new(&scenario.topology, &plan);
    let mut lost = Vec::new();
    for flow in &scenario.flows {
        let key = scenario.key(flow).expect("generated hosts have addresses");
        let end: Option<&PortRef> = tracer.path(&key).last().and_then(|port| scenario.topology.peer(port));
        let receiver = scenario.topology.host_of(key.dst).map(|host| host.name.as_str());
        if end.map(|end| end.switch.as_str()) != receiver {
            lost.push(flow.label.clone());
        }
    }
    lost
}

#[test]
fn a_seed_gives_the_same_scenario_again() {
    for seed in [1, 2, 3, 77, u64::MAX] {
        assert_eq!(generate(seed).text, generate(seed).text);
    }
}

#[test]
fn the_text_is_read_as_the_scenario() {
    for seed in 1..=60 {
        let generated = generate(seed);
        let read = parse(&format!("generated-{seed}.toml"), &generated.text);
        assert_eq!(read.as_ref(), Ok(&generated.scenario), "{}", repeat(&generated));
    }
}

#[test]
fn three_hundred_seeds_have_routes_for_all_flows() {
    for seed in 1..=300 {
        let generated = generate(seed);
        let lost = unreachable(&generated.scenario);
        assert!(lost.is_empty(), "{}: no path for {lost:?}", repeat(&generated));
        assert!(!generated.scenario.flows.is_empty(), "{}: no flow", repeat(&generated));
    }
}

#[test]
fn a_thousand_seeds_contain_every_kind_and_family() {
    let (mut kinds, mut families) = (BTreeMap::<&str, usize>::new(), BTreeSet::new());
    let mut counts = [0; 4];
    for seed in 1..=1000 {
        let generated = generate(seed);
        counts[generated.disturbances.len()] += 1;
        families.insert(generated.family);
        generated.disturbances.iter().for_each(|d| *kinds.entry(d.kind).or_default() += 1);
    }
    for kind in &KINDS {
        assert!(kinds.get(kind.name).copied().unwrap_or(0) >= 8, "{}: {kinds:?}", kind.name);
    }
    assert_eq!(families.len(), Family::ALL.len());
    // A fifth of the seeds have no disturbance.
    assert!((150..=250).contains(&counts[0]), "{counts:?}");
    assert!(counts[2] >= 120 && counts[3] >= 60, "{counts:?}");
}

#[test]
fn actors_are_part_of_the_scenario() {
    for (kind, seed) in KINDS.iter().flat_map(|kind| [(kind, 5), (kind, 6)]) {
        let generated = generate_kind(seed, kind.name).expect("the kind exists");
        let scenario = &generated.scenario;
        let named = |label: &str| {
            let numbered = format!("{label}-");
            let repeated = format!("{label}@");
            scenario.flows.iter().any(|flow| {
                flow.label == *label || flow.label.starts_with(&numbered) || flow.label.starts_with(&repeated)
            })
        };
        let [disturbance] = generated.disturbances.as_slice() else { panic!("{}", kind.name) };
        assert!(!disturbance.actors.is_empty(), "{} of seed {seed}", kind.name);
        for actor in &disturbance.actors {
            let exists = match actor {
                Actor::Flows { label } => named(label),
                Actor::Host { host } => scenario.topology.is_host(host),
                Actor::Fault { position, host } => scenario.faults[*position].host == *host,
                Actor::Route { switch, .. } => {
                    scenario.routing.routes.iter().any(|timed| timed.route.switch == *switch)
                }
                Actor::Link { between: [a, b] } => scenario
                    .topology
                    .links
                    .iter()
                    .any(|link| [&link.a.switch, &link.b.switch].iter().all(|end| [a, b].contains(end))),
                Actor::Setting { switch, .. } => scenario.switches.contains_key(switch),
                Actor::EqualHashes => scenario.routing.alike,
            };
            assert!(exists, "{} of seed {seed}: {actor:?}", kind.name);
        }
        assert!(disturbance.victims.iter().all(|label| named(label)), "{} of seed {seed}", kind.name);
    }
}

#[test]
fn unknown_kinds_are_refused() {
    assert!(generate_kind(1, "no-such-kind").is_none());
}
