//! Plans: the table entries, groups and registers to write to each switch, derived from the topology.
//!
//! Plans do not depend on the driver. They use the last part of control-plane names, which is unique in the program,
//! and big-endian values. Drivers translate them to calls on an embedded switch or to P4Runtime messages.

mod build;
mod change;
mod routes;
mod settings;

pub use build::{PlanError, plan};
pub use change::{PlanChange, change, keep_group_numbers};
pub use routes::route_changes;
pub use settings::{PlanSettings, Router, StaticRoute, dscp_classes};

/// Multicast group of the ports with links to other switches; `POLL_GROUP` in the switch program.
pub const POLL_GROUP: u32 = 1;

/// The match of one key field of an entry. Values are big-endian and have the length of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchValue {
    /// Exact match.
    Exact(Vec<u8>),
    /// Longest-prefix match; bits of `value` after the prefix are zero.
    Lpm {
        /// The prefix.
        value: Vec<u8>,
        /// Its length in bits.
        prefix_length: u32,
    },
}

/// A table entry, or a table's default action when `key` is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// Table.
    pub table: &'static str,
    /// Key components by name.
    pub key: Vec<(&'static str, MatchValue)>,
    /// Action.
    pub action: &'static str,
    /// Its parameters by name.
    pub params: Vec<(&'static str, Vec<u8>)>,
}

/// A member of a value set with one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSetMember {
    /// Value set.
    pub value_set: &'static str,
    /// The value, matched exactly.
    pub value: Vec<u8>,
}

/// A multicast group: one copy per port, all with replication id 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MulticastGroup {
    /// Its number.
    pub id: u32,
    /// Its ports, ascending.
    pub ports: Vec<u16>,
}

/// A write into a register array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Full name of the array.
    pub register: String,
    /// Index of the element.
    pub index: u64,
    /// Its value, big-endian, of the element's full length.
    pub value: Vec<u8>,
}

/// All writes to one switch before traffic starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchPlan {
    /// The switch.
    pub switch: String,
    /// Table entries.
    pub entries: Vec<TableEntry>,
    /// Value set members.
    pub value_sets: Vec<ValueSetMember>,
    /// Multicast groups.
    pub groups: Vec<MulticastGroup>,
    /// Register contents.
    pub registers: Vec<RegisterWrite>,
}
