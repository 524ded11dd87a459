//! SONiC's databases as text, and the reading that they contain.
//!
//! Tables and fields are those of sonic-swss: `COUNTERS:oid:0x...` hold the counters of an object, and
//! `COUNTERS_PORT_NAME_MAP`, `COUNTERS_QUEUE_NAME_MAP` and `COUNTERS_PG_NAME_MAP` its name. Watermarks are taken from
//! `USER_WATERMARKS`, which `sonic-clear` resets; `COUNTERS` has only the peak of the last poll.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::natural;
use super::plan::Plan;
use crate::problem::Problem;
use crate::reading::Reading;

/// A database of SONiC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatabaseName {
    /// What the orchestration agent is to apply: ports, LLDP neighbours.
    Appl,
    /// What the ASIC is to apply.
    Asic,
    /// Counters, watermarks, names of their objects.
    Counters,
    /// The configuration.
    Config,
    /// Which counters are polled, and how often.
    FlexCounter,
    /// The state of ports and of the switch.
    State,
}

impl DatabaseName {
    /// All databases.
    pub const ALL: [DatabaseName; 6] = [
        DatabaseName::Appl,
        DatabaseName::Asic,
        DatabaseName::Counters,
        DatabaseName::Config,
        DatabaseName::FlexCounter,
        DatabaseName::State,
    ];

    /// SONiC's name of the database, e.g. `COUNTERS_DB` (`database_config.json`).
    pub fn name(self) -> &'static str {
        match self {
            DatabaseName::Appl => "APPL_DB",
            DatabaseName::Asic => "ASIC_DB",
            DatabaseName::Counters => "COUNTERS_DB",
            DatabaseName::Config => "CONFIG_DB",
            DatabaseName::FlexCounter => "FLEX_COUNTER_DB",
            DatabaseName::State => "STATE_DB",
        }
    }

    /// The number of the database in Redis (`database_config.json`).
    pub fn number(self) -> i64 {
        match self {
            DatabaseName::Appl => 0,
            DatabaseName::Asic => 1,
            DatabaseName::Counters => 2,
            DatabaseName::Config => 4,
            DatabaseName::FlexCounter => 5,
            DatabaseName::State => 6,
        }
    }

    /// The database with this name, in any case, with or without `_DB`.
    pub fn named(name: &str) -> Option<DatabaseName> {
        let upper = name.to_ascii_uppercase();
        let bare = upper.strip_suffix("_DB").unwrap_or(&upper);
        DatabaseName::ALL.into_iter().find(|known| known.name().strip_suffix("_DB") == Some(bare))
    }
}

/// SONiC's databases as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Databases {
    /// Database to key to field to value. Keys are Redis keys, e.g. `COUNTERS:oid:0x1000000000012`,
    /// `PORT_TABLE:Ethernet0` (APPL_DB) or `PORT|Ethernet0` (CONFIG_DB).
    pub tables: BTreeMap<DatabaseName, BTreeMap<String, BTreeMap<String, String>>>,
}

impl Databases {
    /// Adds a hash; fields of a known key are added to it.
    pub fn add(&mut self, database: DatabaseName, key: impl Into<String>, fields: BTreeMap<String, String>) {
        match self.tables.entry(database).or_default().entry(key.into()) {
            // A map that is taken as it is has no half-empty nodes.
            Entry::Vacant(free) => _ = free.insert(fields),
            Entry::Occupied(mut known) => known.get_mut().extend(fields),
        }
    }

    /// Adds all hashes of `other`; where both have a field, that of `other` stays.
    pub fn merge(&mut self, other: Databases) {
        for (database, hashes) in other.tables {
            for (key, fields) in hashes {
                self.add(database, key, fields);
            }
        }
    }

    /// The hash with this key.
    pub fn hash(&self, database: DatabaseName, key: &str) -> Option<&BTreeMap<String, String>> {
        self.tables.get(&database)?.get(key)
    }

    /// A field of a hash, without surrounding blanks; `None` if it is empty.
    pub fn value(&self, database: DatabaseName, key: &str, field: &str) -> Option<&str> {
        let value = self.hash(database, key)?.get(field)?.trim();
        Some(value).filter(|value| !value.is_empty())
    }

    /// The hashes whose key starts with `prefix`, with the rest of the key.
    pub(super) fn table<'d>(
        &'d self,
        database: DatabaseName,
        prefix: &'d str,
    ) -> impl Iterator<Item = (&'d str, &'d BTreeMap<String, String>)> {
        let hashes = self.tables.get(&database).into_iter();
        let from = hashes.flat_map(move |hashes| hashes.range(prefix.to_string()..));
        let found = from.map_while(move |(key, fields)| Some((key.strip_prefix(prefix)?, fields)));
        found.filter(|(rest, _)| !rest.is_empty())
    }
}

/// Returns the reading in a switch's databases. `switch` is its name, if the caller knows it; else it is the
/// `hostname` of CONFIG_DB. Counters that a database lacks are `None`; what is malformed is `None` too, and a problem.
pub fn reading(databases: &Databases, switch: Option<&str>, time_ns: u64) -> (Reading, Vec<Problem>) {
    let plan = Plan::new(databases, switch);
    let hashes = plan.hashes().flat_map(|(key, fields)| {
        let hash = databases.hash(DatabaseName::Counters, &key);
        fields.map(move |field| Some(hash?.get(field.as_ref())?.as_bytes()))
    });
    plan.reading(time_ns, &mut { hashes })
}

/// Port names in natural order, each once.
pub(super) fn in_natural_order<'n>(names: impl Iterator<Item = &'n String>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    names.sort_by(|a, b| natural::compare(a, b));
    names
}
