//! The scenarios that come with Harrier.

use super::{Scenario, parse};

/// Name and text, in the order in which they are listed.
const BUILTIN: [(&str, &str); 3] = [
    ("poster-fig1", include_str!("../../scenarios/poster-fig1.toml")),
    ("host-storm", include_str!("../../scenarios/host-storm.toml")),
    ("contention-only", include_str!("../../scenarios/contention-only.toml")),
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
