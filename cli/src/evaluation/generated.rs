//! The examination: generated scenarios, whose disturbances are known because they were put in.

use std::collections::BTreeSet;
use std::sync::Arc;

use eval::judge::{Actor, Disturbance};
use scenario::Scenario;
use scenario::generate::{self, Generated};

use super::Subject;

/// Returns the runs of generated scenarios: one for each seed, and of one kind if `kind` is given. `None` if there is no
/// such kind.
pub(crate) fn subjects(seeds: std::ops::Range<u64>, kind: Option<&str>) -> Option<Vec<Subject>> {
    let generate = |seed| match kind {
        Some(kind) => generate::generate_kind(seed, kind),
        None => Some(scenario::generate(seed)),
    };
    seeds.map(|seed| generate(seed).map(|generated| subject(seed, kind, generated))).collect()
}

fn subject(seed: u64, kind: Option<&str>, generated: Generated) -> Subject {
    let row = match generated.disturbances.as_slice() {
        [] => "undisturbed".to_string(),
        [one] => one.kind.to_string(),
        several => format!("{} at once", several.len()),
    };
    let scenario = &generated.scenario;
    let known = generated.disturbances.iter().map(|disturbance| Disturbance {
        kind: disturbance.kind.to_string(),
        actors: disturbance.actors.iter().flat_map(|actor| actors(actor, scenario)).collect(),
    });
    let disturbances = known.filter(|disturbance| !disturbance.actors.is_empty()).collect();
    let option = kind.map_or_else(String::new, |kind| format!(" --kind {kind}"));
    Subject {
        row,
        // `harrier run` takes a file, which this command writes.
        name: format!("{seed}.toml # harrier generate --seed {seed}{option} --output {seed}.toml"),
        scenario: Arc::new(generated.scenario),
        seed,
        disturbances: Some(disturbances),
    }
}

/// What has to be removed to undo a part of a disturbance. Equal hashes of all switches cannot be removed: the flows that
/// meet because of them are no actors of the generator.
fn actors(actor: &generate::Actor, scenario: &Scenario) -> BTreeSet<Actor> {
    match actor {
        generate::Actor::Flows { label } => {
            let is_named = |name: &str| {
                name.strip_prefix(label.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@']))
            };
            let flows = scenario.flows.iter().filter(|flow| is_named(&flow.label));
            flows.filter_map(|flow| scenario.key(flow)).map(Actor::Flow).collect()
        }
        generate::Actor::Host { host } | generate::Actor::Fault { host, .. } => {
            BTreeSet::from([Actor::Host(host.clone())])
        }
        generate::Actor::Route { switch, .. } => BTreeSet::from([Actor::Routes(switch.clone())]),
        generate::Actor::Link { between: [a, b] } => {
            let links = scenario.topology.links.iter();
            let is_between = |x: &str, y: &str| x == a && y == b || x == b && y == a;
            let found = links.filter(|link| is_between(&link.a.switch, &link.b.switch));
            found.map(|link| Actor::Link(link.a.clone())).collect()
        }
        generate::Actor::Setting { switch, key } => {
            // A static threshold is corrected together with alpha.
            let key = if *key == "xoff" { "alpha" } else { key };
            BTreeSet::from([Actor::Setting(format!("{switch}/{key}"))])
        }
        generate::Actor::EqualHashes => BTreeSet::new(),
    }
}
