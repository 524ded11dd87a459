//! Where a value comes from.

use std::collections::BTreeMap;
use std::fmt;

/// A line and column of an input file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path of the file below the root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Places by the item of an inspection, e.g. `interfaces/eth1/qos/trust`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<String, Place>);

impl Places {
    /// Records the place of an item. The first place counts.
    pub(crate) fn insert(&mut self, item: String, place: Place) {
        self.0.entry(item).or_insert(place);
    }

    /// Returns the place of an item, or of the closest item above or below it that has one.
    pub fn of(&self, item: &str) -> Option<&Place> {
        if let Some(place) = self.0.get(item) {
            return Some(place);
        }
        let below = format!("{item}/");
        if let Some((_, place)) =
            self.0.range(below.clone()..).next().filter(|(key, _)| key.starts_with(&below))
        {
            return Some(place);
        }
        self.of(item.rsplit_once('/')?.0)
    }
}

/// Text in an input file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_without_a_place_has_that_of_its_neighbours() {
        let mut places = Places::default();
        let place = |line| Place { file: "f".into(), line, column: 1 };
        places.insert("interfaces/eth1/qos/trust".into(), place(2));
        places.insert("interfaces/eth1/mtu_bytes".into(), place(9));
        let line = |item: &str| places.of(item).map(|place| place.line);
        assert_eq!(line("interfaces/eth1/qos/trust"), Some(2));
        assert_eq!(line("interfaces/eth1/qos"), Some(2));
        assert_eq!(line("interfaces/eth1/qos/pfc_priorities"), Some(2));
        assert_eq!(line("interfaces/eth1/dcqcn/reaction_priorities"), Some(9));
        assert_eq!(line("memory/page_bytes"), None);
    }
}
