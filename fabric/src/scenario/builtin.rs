//! The scenarios that come with Harrier.

use super::{Scenario, parse};

/// The scenarios of these names, whose texts are in `fabric/scenarios`.
macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../scenarios/", $name, ".toml")))),*]
    };
}

/// Name and text, in the order in which they are listed.
const BUILTIN: [(&str, &str); 20] = texts![
    "poster-fig1",
    "host-storm",
    "contention-only",
    "incast-backpressure",
    "pfc-storm",
    "slow-receiver",
    "deadlock-in-loop",
    "deadlock-out-of-loop-contention",
    "deadlock-out-of-loop-injection",
    "ecmp-imbalance",
    "elephant-collision",
    "low-rate-attack",
    "routing-loop",
    "link-flap",
    "watchdog-rescue",
    "misconfigured-alpha",
    "short-headroom",
    "dscp-mix-up",
    "two-anomalies",
    "quiet",
];

/// The names of all built-in scenarios.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The TOML text of a built-in scenario.
pub fn builtin_source(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// A built-in scenario.
pub fn builtin(name: &str) -> Option<Scenario> {
    let text = builtin_source(name)?;
    Some(parse(&format!("{name}.toml"), text).expect("built-in scenarios are valid: a test reads them all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_valid_and_called_by_their_names() {
        for name in builtin_names() {
            let text = builtin_source(name).unwrap();
            let scenario = parse(name, text).unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(scenario.name, name);
            assert!(scenario.expect.is_some());
        }
    }
}
