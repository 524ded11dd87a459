//! The scenario generator: scenarios with known disturbances, as a function of a seed and the version.
//!
//! It draws a network ([`Family`]), settings of switches and hosts, none to three disturbances ([`KINDS`]) and
//! background traffic, and writes a scenario file. Everything is drawn from distributions over physical quantities:
//! rates, delays, bandwidth-delay products, shares of a link. None of them depends on what the analyzer can recognise;
//! `docs/generate.md` lists them with their reasons. Degrees are drawn over several orders of magnitude, so that some
//! disturbances are too mild to slow a flow down.
//!
//! The estimated cost of a run is limited: sizes, windows and the number of hosts with background traffic are reduced
//! until it fits.

mod background;
mod dice;
mod kinds;
mod network;
mod plan;
mod settings;
mod text;

use std::collections::BTreeSet;

use self::dice::Dice;
use self::network::Net;
use self::plan::Plan;
use crate::{Problems, Scenario, parse};

pub use self::kinds::{KINDS, Kind, NAMED_KINDS};
pub use self::network::Family;

/// Version of the distributions: a seed gives the same scenario as long as it does not change.
pub const GENERATOR_VERSION: u32 = 1;

/// Most attempts at one seed. An attempt fails if the drawn network has no place for a drawn disturbance.
const MAX_ATTEMPTS: u64 = 1_000;

/// A generated scenario.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The seed.
    pub seed: u64,
    /// The family of its network.
    pub family: Family,
    /// The scenario, as [`parse`] reads it from the text.
    pub scenario: Scenario,
    /// Its file.
    pub text: String,
    /// What was injected; empty for an undisturbed network.
    pub disturbances: Vec<Disturbance>,
}

/// An injected disturbance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// The name of its kind.
    pub kind: &'static str,
    /// What causes it. The undisturbed scenario is the one without these.
    pub actors: Vec<Actor>,
    /// Labels of flows that it may slow down. Whether it does depends on its degree.
    pub victims: Vec<String>,
}

/// A cause of a disturbance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The flows of the entry with this label.
    Flows {
        /// The label.
        label: String,
    },
    /// A fault.
    Fault {
        /// Its position among the scenario's faults.
        position: usize,
        /// Its host.
        host: String,
    },
    /// A setting or a tenant of a host.
    Host {
        /// The host.
        host: String,
    },
    /// A static route.
    Route {
        /// The switch.
        switch: String,
        /// The receivers.
        hosts: Vec<String>,
    },
    /// A link that fails, loses frames or is slower than its neighbours.
    Link {
        /// Its ends.
        between: [String; 2],
    },
    /// A setting of a switch.
    Setting {
        /// The switch.
        switch: String,
        /// The key.
        key: &'static str,
    },
    /// All switches choose among equal-cost ports alike.
    EqualHashes,
}

/// Generates the scenario of a seed.
pub fn generate(seed: u64) -> Generated {
    generate_from(seed, None)
}

/// Generates a scenario with one disturbance, of the kind with this name; `None` if there is no such kind.
pub fn generate_kind(seed: u64, name: &str) -> Option<Generated> {
    let kind = KINDS.iter().chain(&NAMED_KINDS).find(|kind| kind.name == name)?;
    Some(generate_from(seed, Some(kind)))
}

fn generate_from(seed: u64, only: Option<&Kind>) -> Generated {
    // What is drawn belongs to the seed: a network without a place for it is drawn again, not the disturbances, so
    // that kinds with rare places are as frequent as the others.
    let mut dice = Dice::new(seed, 0);
    let drawn = match only {
        Some(kind) => vec![*kind],
        None => draw_kinds(&mut dice),
    };
    for attempt in 1..=MAX_ATTEMPTS {
        // After many attempts, the disturbances do not fit together.
        let kept = drawn.len() - (drawn.len().saturating_sub(1)).min((attempt / 200) as usize);
        if let Some(Ok(generated)) = attempt_at(seed, attempt, &drawn[..kept]) {
            return generated;
        }
    }
    let fallback = attempt_at(seed, 0, &[]).and_then(Result::ok);
    fallback.expect("a network without disturbances is always possible: a test draws them")
}

/// None in a fifth of the scenarios; otherwise mostly one, and up to three whose networks are compatible.
fn draw_kinds(dice: &mut Dice) -> Vec<Kind> {
    let count = dice.weighted(&[(0, 20), (1, 48), (2, 20), (3, 12)]);
    let mut drawn: Vec<Kind> = Vec::new();
    while drawn.len() < count {
        let Some(kind) = dice.one(&KINDS) else { break };
        let fits = |family: &Family| drawn.iter().chain([&kind]).all(|kind| kind.needs.fits(*family));
        let is_new = drawn.iter().all(|other| other.name != kind.name);
        if is_new
            && drawn.iter().all(|other| other.needs.is_compatible(kind.needs))
            && Family::ALL.iter().any(fits)
        {
            drawn.push(kind);
        }
    }
    drawn
}

/// One attempt: a plan with these kinds, and its scenario; `None` if a kind has no place.
fn attempt_at(seed: u64, attempt: u64, drawn: &[Kind]) -> Option<Result<Generated, Problems>> {
    let mut dice = Dice::new(seed, attempt);
    let families = [
        (Family::LeafSpine, 35),
        (Family::FatTree, 20),
        (Family::Rail, 15),
        (Family::Ring, 15),
        (Family::Irregular, 15),
    ];
    let fitting: Vec<(Family, u64)> = families
        .into_iter()
        .filter(|(family, _)| drawn.iter().all(|kind| kind.needs.fits(*family)))
        .collect();
    let family = dice.weighted(&fitting);
    let one_way = drawn.iter().any(|kind| kind.needs == kinds::Needs::OneWayRing);
    let net = Net::draw(&mut dice, family, one_way);
    let mut plan = Plan::new(dice, net);
    for kind in drawn {
        (kind.add)(&mut plan)?;
    }
    background::add(&mut plan);
    let ecmp_seed = plan.dice.integer(0, u64::from(u32::MAX));
    let jitter_ns = plan.dice.log(100.0, 5_000.0);
    let text = head(seed, &plan) + &plan.write(ecmp_seed, jitter_ns);
    Some(parse(&format!("generated-{seed}.toml"), &text).map(|scenario| Generated {
        seed,
        family,
        scenario,
        text,
        disturbances: plan.disturbances,
    }))
}

/// The comments and top-level keys of a file.
fn head(seed: u64, plan: &Plan) -> String {
    let family = plan.net.family.name();
    let kinds: BTreeSet<&str> = plan.disturbances.iter().map(|disturbance| disturbance.kind).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let title = if kinds.is_empty() { "no disturbance".to_string() } else { kinds.join(", ") };
    let mut out = format!(
        "# Generated by `harrier generate --seed {seed}`, harrier {}, generator {GENERATOR_VERSION}.\n",
        env!("CARGO_PKG_VERSION")
    );
    for (number, disturbance) in plan.disturbances.iter().enumerate() {
        let actors: Vec<String> = disturbance.actors.iter().map(Actor::describe).collect();
        let (kind, number) = (disturbance.kind, number + 1);
        out += &format!("# Disturbance {number}: {kind}: {}.\n", actors.join("; "));
    }
    out + &format!(
        "version = 2\nname = \"generated-{seed}\"\ntitle = \"{family}: {title}\"\nstop = {}\n",
        text::time(plan.stop_ns)
    )
}

impl Actor {
    /// In words, for the head of the file.
    fn describe(&self) -> String {
        match self {
            Actor::Flows { label } => format!("flows {label}"),
            Actor::Host { host } => format!("host {host}"),
            Actor::Fault { position, host } => format!("fault {} at {host}", position + 1),
            Actor::Route { switch, hosts } => format!("route of {switch} to {}", hosts.join(", ")),
            Actor::Link { between: [a, b] } => format!("link between {a} and {b}"),
            Actor::Setting { switch, key } => format!("{key} of {switch}"),
            Actor::EqualHashes => "equal hashes of all switches".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undisturbed_network_is_always_possible() {
        for seed in 1..=40 {
            let generated = attempt_at(seed, 0, &[]).unwrap().unwrap_or_else(|problems| panic!("{problems}"));
            assert!(generated.disturbances.is_empty());
        }
    }

    /// A plan that is complete is a valid scenario: attempts fail for lack of a place only.
    #[test]
    fn complete_plans_are_valid_scenarios() {
        for (index, kind) in KINDS.iter().chain(&NAMED_KINDS).enumerate() {
            for attempt in 1..=12 {
                let seed = 1000 + index as u64;
                if let Some(Err(problems)) = attempt_at(seed, attempt, &[*kind]) {
                    panic!("{} of seed {seed}, attempt {attempt}: {problems}", kind.name);
                }
            }
        }
    }

    #[test]
    fn every_kind_finds_a_place() {
        for kind in KINDS.iter().chain(&NAMED_KINDS) {
            for seed in 1..=10 {
                let generated = generate_from(seed, Some(kind));
                assert_eq!(generated.disturbances.len(), 1, "{} of seed {seed}", kind.name);
                assert_eq!(generated.disturbances[0].kind, kind.name);
            }
        }
    }
}
