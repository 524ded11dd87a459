//! Sets of the eight priorities of a port (IEEE 802.1Q).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The number of priorities.
const PRIORITIES: u8 = 8;

/// A set of priorities, written as an ascending list of numbers from 0 to 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Priorities(u8);

impl Priorities {
    /// Adds a priority. A number above 7 is none and changes nothing.
    pub fn insert(&mut self, priority: u8) {
        if priority < PRIORITIES {
            self.0 |= 1 << priority;
        }
    }

    /// Whether there is none in it.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Returns its priorities in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..PRIORITIES).filter(move |priority| self.0 & (1 << priority) != 0)
    }
}

impl Serialize for Priorities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Priorities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Priorities, D::Error> {
        let mut priorities = Priorities::default();
        for priority in Vec::<u8>::deserialize(deserializer)? {
            if priority >= PRIORITIES {
                return Err(de::Error::custom(format!("{priority} is not a priority from 0 to 7")));
            }
            priorities.insert(priority);
        }
        Ok(priorities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_an_ascending_list() {
        let mut set = Priorities::default();
        assert!(set.is_empty());
        for priority in [7, 0, 3, 3, 8] {
            set.insert(priority);
        }
        assert_eq!(serde_json::to_string(&set).unwrap(), "[0,3,7]");
        assert_eq!(serde_json::from_str::<Priorities>("[3,7,0]").unwrap(), set);
        assert!(serde_json::from_str::<Priorities>("[8]").is_err());
    }
}
