//! SONiC's YANG models of the tables that the rules check: types, ranges, references and `must` conditions.
//!
//! Source: sonic-buildimage src/sonic-yang-models/yang-models, August 2026, rewritten as tables (`tables`).
//! Every leaf names the rule that reports its violations.

mod suggestion;
mod tables;
mod types;
mod validate;

pub(crate) use suggestion::{meant, nearest_name};
pub use types::Type;
pub(crate) use validate::reference;
pub use validate::{Kind, Violation, validate};

/// One table of the models.
#[derive(Debug)]
pub struct TableSchema {
    /// Its name.
    pub name: &'static str,
    /// Its lists in sonic-yang JSON, with their keys.
    pub lists: &'static [(&'static str, &'static [&'static str])],
    /// Types of the parts of a key.
    pub keys: &'static [Type],
    /// The rule that reports an invalid key.
    pub key_code: &'static str,
    /// Its fields; empty for a map.
    pub leaves: &'static [Leaf],
    /// For a map: leaf names and types of both sides, and the rule that reports them.
    pub map: Option<MapSchema>,
}

/// Both sides of a map table.
#[derive(Debug)]
pub struct MapSchema {
    /// Leaf names in sonic-yang JSON.
    pub leaves: [&'static str; 2],
    /// Type of the field name.
    pub from: Type,
    /// Type of the value.
    pub to: Type,
    /// The rule that reports violations of both.
    pub code: &'static str,
}

/// One field.
#[derive(Debug)]
pub struct Leaf {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// Whether it is mandatory.
    pub is_mandatory: bool,
    /// The rule that reports its violations.
    pub code: &'static str,
}

/// The schema of a table.
pub fn table(name: &str) -> Option<&'static TableSchema> {
    tables::TABLES.iter().find(|table| table.name == name)
}

/// All tables.
pub(crate) fn tables() -> impl Iterator<Item = &'static TableSchema> {
    tables::TABLES.iter()
}

/// The names of the tables of CONFIG_DB that rules read: all that a check needs of a switch that serves its tables one by one.
pub fn read_tables() -> impl Iterator<Item = &'static str> {
    tables().map(|table| table.name).chain(tables::READ_ELSEWHERE.iter().copied())
}

pub(crate) fn is_table(name: &str) -> bool {
    table(name).is_some() || tables::KNOWN_ELSEWHERE.contains(&name)
}

pub(crate) fn is_map(name: &str) -> bool {
    table(name).is_some_and(|t| t.map.is_some())
}

pub(crate) fn yang_keys(name: &str, list: &str) -> Option<&'static [&'static str]> {
    let Some(schema) = table(name) else { return Some(&["name"]) };
    schema.lists.iter().find(|(l, _)| *l == list).map(|(_, keys)| *keys)
}

pub(crate) fn yang_map_leaves(name: &str) -> Option<[&'static str; 2]> {
    table(name)?.map.as_ref().map(|map| map.leaves)
}
