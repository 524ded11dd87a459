//! The scenarios that come with Harrier.

use crate::Scenario;
use crate::read::{parse, parse_with};

/// The scenarios of these names, whose texts are in `scenario/library`.
macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../library/", $name, ".toml")))),*]
    };
}

/// Name and text, in the order in which they are listed.
const BUILTIN: &[(&str, &str)] = &texts![
    "poster-fig1",
    "host-storm",
    "contention-only",
    "growing-trouble",
    "incast-backpressure",
    "pfc-storm",
    "slow-receiver",
    "narrow-host-bus",
    "mtt-misses",
    "context-misses",
    "receive-wqe-misses",
    "narrow-bus",
    "loopback-traffic",
    "unpaused-receiver",
    "harmless-misses",
    "hidden-fence",
    "poll-gaps",
    "noisy-tenant",
    "congestion-leaking",
    "host-control",
    "co-location",
    "network-bound",
    "deadlock-in-loop",
    "deadlock-out-of-loop-contention",
    "deadlock-out-of-loop-injection",
    "ecmp-imbalance",
    "elephant-collision",
    "low-rate-attack",
    "routing-loop",
    "link-flap",
    "short-flap",
    "detour",
    "black-hole",
    "lossy-link",
    "watchdog-rescue",
    "misconfigured-alpha",
    "short-headroom",
    "stale-headroom-profile",
    "one-sided-pfc",
    "dscp-mix-up",
    "two-anomalies",
    "collective-step",
    "ring-incast-outside",
    "ring-storm-outside",
    "almost-fast-receiver",
    "storm-duty",
    "self-made-queue",
    "self-made-pauses",
    "fast-sender",
    "other-priority",
    "class-behind-pauses",
    "victim-alone",
    "released-backlog",
    "microburst",
    "two-questions",
    "two-causes",
    "uplink-beside-receiver",
    "quiet",
];

/// Files of `scenario/library`, by their names in the texts of the scenarios.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../library/", $name)))),*]
    };
}

/// The files that built-in scenarios refer to.
const FILES: [(&str, &str); 4] = files![
    "stale-headroom-profile/near.json",
    "stale-headroom-profile/far.json",
    "one-sided-pfc/near.json",
    "one-sided-pfc/far.json",
];

/// The evaluation of Hawkeye (SIGCOMM 2025) as scenarios, one for each anomaly; `{load}` is replaced by the load of the
/// background.
const PAPER: [(&str, &str); 5] = [
    ("paper-contention", include_str!("../library/paper/contention.toml")),
    ("paper-backpressure", include_str!("../library/paper/backpressure.toml")),
    ("paper-storm", include_str!("../library/paper/storm.toml")),
    ("paper-in-loop-deadlock", include_str!("../library/paper/in-loop-deadlock.toml")),
    ("paper-out-of-loop-deadlock", include_str!("../library/paper/out-of-loop-deadlock.toml")),
];

/// The names of the evaluation's scenarios at these loads, in percent: `paper-storm@30`.
pub fn paper_names(loads: &[u32]) -> Vec<String> {
    loads.iter().flat_map(|load| PAPER.iter().map(move |(name, _)| format!("{name}@{load}"))).collect()
}

/// Returns what is wrong with the load of a name like `paper-storm@95`; `None` if the name is not of that form, or valid.
pub fn paper_problem(named: &str) -> Option<String> {
    let (name, load) = named.split_once('@')?;
    PAPER.iter().find(|(known, _)| *known == name)?;
    let is_valid = load.parse::<u32>().is_ok_and(|percent| (1..=90).contains(&percent));
    (!is_valid).then(|| format!("the load of `{named}` must be a number from 1 to 90 (percent)"))
}

/// A scenario of the evaluation, `NAME@LOAD` with the load of the background in percent, 1 to 90.
fn paper(named: &str) -> Option<Scenario> {
    let (name, load) = named.split_once('@')?;
    let percent: u32 = load.parse().ok().filter(|percent| (1..=90).contains(percent))?;
    let (_, text) = PAPER.iter().find(|(known, _)| *known == name)?;
    let text = text.replace("{load}", &format!("{:.2}", f64::from(percent) / 100.0));
    let scenario = parse(&format!("{name}.toml"), &text);
    let scenario = scenario.expect("the evaluation's scenarios are valid: a test reads them all");
    Some(Scenario { name: named.to_string(), ..scenario })
}

/// The names of all built-in scenarios.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The TOML text of a built-in scenario.
pub fn builtin_source(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The files that a built-in scenario refers to: their names in its text, and their texts.
pub fn builtin_files(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let text = builtin_source(name).unwrap_or_default();
    FILES.into_iter().filter(move |(file, _)| text.contains(&format!("\"{file}\"")))
}

/// A file that built-in scenarios refer to: its path and text.
fn load(name: &str) -> Result<(String, String), String> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    let (path, text) = found.ok_or_else(|| format!("no built-in scenario has a file `{name}`"))?;
    Ok((path.to_string(), text.to_string()))
}

/// A built-in scenario, or one of the evaluation's ([`paper_names`]).
pub fn builtin(name: &str) -> Option<Scenario> {
    if let Some(scenario) = paper(name) {
        return Some(scenario);
    }
    let text = builtin_source(name)?;
    let scenario = parse_with(&format!("{name}.toml"), text, load);
    Some(scenario.expect("built-in scenarios are valid: a test reads them all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_of_the_evaluation_are_valid_at_every_load() {
        for name in paper_names(&[1, 30, 90]) {
            assert_eq!(builtin(&name).map(|scenario| scenario.name), Some(name));
        }
        assert!(builtin("paper-storm@0").is_none() && builtin("paper-nothing@30").is_none());
        let expected = "the load of `paper-storm@95` must be a number from 1 to 90 (percent)";
        assert_eq!(paper_problem("paper-storm@95").as_deref(), Some(expected));
        assert_eq!((paper_problem("paper-storm@30"), paper_problem("paper-nothing@95")), (None, None));
    }

    #[test]
    fn every_file_is_used_by_a_scenario() {
        for (file, _) in FILES {
            let mut scenarios = builtin_names();
            assert!(scenarios.any(|name| builtin_files(name).any(|(named, _)| named == file)), "{file}");
        }
    }

    #[test]
    fn all_scenarios_are_valid_and_have_the_names_of_their_files() {
        for name in builtin_names() {
            let text = builtin_source(name).unwrap();
            let scenario = parse_with(name, text, load).unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(scenario.name, name);
        }
    }
}
