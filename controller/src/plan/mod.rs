//! What to write into each switch, from the topology.
//!
//! Plans are neutral: names as the switch program's control plane knows them (their last parts, unique in the
//! program), values as big-endian bytes. Drivers turn them into calls on an embedded switch or into P4Runtime messages.

mod build;
mod settings;

pub use build::{PlanError, plan};
pub use settings::{PlanSettings, Router, StaticRoute, dscp_classes};

/// Multicast group of the ports that lead to other switches; `POLL_GROUP` in the switch program.
pub const POLL_GROUP: u32 = 1;

/// How an entry's key component matches. Values are big-endian, as long as the component needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchValue {
    /// Equal.
    Exact(Vec<u8>),
    /// The first bits equal; the others are zero in `value`.
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

/// A multicast group: one copy a port, all with replication id 0.
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

/// Everything to write into one switch before traffic starts.
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
