//! System ports of a chassis, which all of its cards must state alike.

use std::collections::{BTreeMap, BTreeSet};

use super::kept::Kept;
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

/// A card, its name in keys, and the cards whose ports it lists.
struct Card<'f> {
    kept: &'f Kept,
    own: String,
    listed: BTreeSet<String>,
}

/// A system port of which one card states something else, or nothing.
struct Odd {
    key: u32,
    own: Option<u32>,
    usual: Option<u32>,
}

impl Card<'_> {
    fn is_of_chassis(&self, other: &Self) -> bool {
        self.listed.contains(&other.own) || other.listed.contains(&self.own)
    }
}

impl Fleet {
    /// Reports cards whose system ports differ from those of most cards of the chassis.
    pub(super) fn chassis(&self, found: &mut Vec<Finding>) {
        let with_ports = self.switches.iter().filter(|card| !card.shared.system_ports.is_empty());
        let mut left: Vec<Card<'_>> = with_ports.map(|kept| self.card(kept)).collect();
        while let Some(first) = left.pop() {
            let (mut same, other): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|card| first.is_of_chassis(card));
            left = other;
            same.push(first);
            if same.len() > 1 {
                let cards: Vec<&Kept> = same.iter().map(|card| card.kept).collect();
                self.system_ports(&cards, found);
            }
        }
    }

    fn card<'f>(&self, kept: &'f Kept) -> Card<'f> {
        let own = format!("{}|{}", self.names.of(kept.name), self.names.of(kept.chip)).to_ascii_lowercase();
        let owner = |key: &u32| Some(self.names.of(*key).rsplit_once('|')?.0.to_ascii_lowercase());
        let listed = kept.shared.system_ports.iter().filter_map(|(key, _)| owner(key)).collect();
        Card { kept, own, listed }
    }

    fn system_ports(&self, cards: &[&Kept], found: &mut Vec<Finding>) {
        let of: Vec<BTreeMap<u32, u32>> =
            cards.iter().map(|card| card.shared.system_ports.iter().copied().collect()).collect();
        let keys: BTreeSet<u32> = of.iter().flat_map(|ports| ports.keys().copied()).collect();
        let mut odd: BTreeMap<usize, Vec<Odd>> = BTreeMap::new();
        for key in keys {
            let values: Vec<Option<u32>> = of.iter().map(|ports| ports.get(&key).copied()).collect();
            // Of equally frequent values, that of the first card.
            let count = |value: &Option<u32>| values.iter().filter(|other| *other == value).count();
            let Some(usual) = values.iter().rev().max_by_key(|value| count(value)).copied() else { continue };
            for (card, value) in values.iter().enumerate().filter(|(_, value)| **value != usual) {
                odd.entry(card).or_default().push(Odd { key, own: *value, usual });
            }
        }
        for (card, ports) in odd {
            let (Some(card), Some(first)) = (cards.get(card), ports.first()) else { continue };
            found.push(self.odd_card(card, first, ports.len()));
        }
    }

    fn odd_card(&self, card: &Kept, first: &Odd, count: usize) -> Finding {
        let Odd { key, own, usual } = first;
        let text = |value: &Option<u32>| {
            value.map_or("no entry".to_string(), |value| self.names.of(value).to_string())
        };
        let more =
            if count > 1 { format!("; {} more system ports differ", count - 1) } else { String::new() };
        let message = format!(
            "{}: system port {} has {}, but on other cards of the chassis {}{more}",
            self.name_of(card),
            self.names.of(*key),
            text(own),
            text(usual)
        );
        let step = crate::db::escape(self.names.of(*key)).into_owned();
        let pointer = if own.is_some() { format!("/SYSTEM_PORT/{step}") } else { "/SYSTEM_PORT".to_string() };
        finding("FLEET017", Severity::Error, &card.file, &pointer, message)
    }
}
