//! Objects visible to the control plane: actions, tables, stateful externs.
//!
//! `id` is the P4Runtime id, `name` the full control-plane name (`ingress.routes`), `alias` the shortest unique suffix.
//! Objects marked `@hidden` have id 0 and are not part of the P4Info.

use super::{ActionId, ActionProfileId, Bits, CounterId, Expr, MeterId, Pattern, ScalarId, ScalarKind, Stmt};

/// Identity and annotations of an object visible to the control plane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preamble {
    /// P4Runtime id including the type prefix; 0 if hidden.
    pub id: u32,
    /// Full name.
    pub name: String,
    /// Shortest unique suffix of the name.
    pub alias: String,
    /// The annotations for the P4Info as text, e.g. `@fields("a:8,b:24")`; including `@brief` and `@description`.
    pub annotations: Vec<String>,
    /// The position in the order of P4Info: the block (0 is the top level), then the position among the declarations of
    /// each enclosing instance.
    pub position: Vec<u32>,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    /// Identity.
    pub preamble: Preamble,
    /// The parameters that the control plane supplies, in order.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Vec<Stmt>,
}

/// An action parameter that the control plane supplies.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its id, starting at 1.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The scalar that receives its value before the body runs.
    pub scalar: ScalarId,
    /// Its type.
    pub kind: ScalarKind,
    /// The name of its user-defined type, if it has one (`type bit<9> port_t`).
    pub type_name: Option<String>,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Identity.
    pub preamble: Preamble,
    /// The components of the key, in order.
    pub keys: Vec<Key>,
    /// The actions that entries may use.
    pub actions: Vec<ActionRef>,
    /// The action that runs when no entry matches.
    pub default_action: BoundAction,
    /// Whether the default action cannot be changed.
    pub const_default: bool,
    /// The entries of the program, in order; see `const_entries`.
    pub entries: Vec<Entry>,
    /// Whether entries can be neither added nor removed at run time.
    pub const_entries: bool,
    /// Whether a larger priority wins among the entries of the program (`largest_priority_wins`).
    pub largest_priority_wins: bool,
    /// The requested number of entries.
    pub size: u64,
    /// The action profile or selector that implements the table.
    pub implementation: Option<ActionProfileId>,
    /// Its direct counter.
    pub direct_counter: Option<CounterId>,
    /// Its direct meter.
    pub direct_meter: Option<MeterId>,
    /// Whether entries may have an idle timeout (`support_timeout`).
    pub idle_timeout: bool,
    /// Whether the whole table is `@hidden`.
    pub hidden: bool,
}

/// A component of a table's key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its id, starting at 1.
    pub id: u32,
    /// Its control-plane name, e.g. `hdr.ipv4.dstAddr`.
    pub name: String,
    /// Its value.
    pub expr: Expr,
    /// How it matches.
    pub match_kind: MatchKind,
    /// The name of its user-defined type, if it has one.
    pub type_name: Option<String>,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// How a component of a key matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// Exact match.
    Exact,
    /// Longest prefix match.
    Lpm,
    /// Value and mask, by priority.
    Ternary,
    /// Between two bounds, by priority.
    Range,
    /// Exact match or wildcard, by priority.
    Optional,
    /// An input of the hash of an action selector.
    Selector,
}

/// An action in a table's list.
#[derive(Clone, Debug)]
pub struct ActionRef {
    /// The action. Its body includes the assignment of the directional arguments that the list binds.
    pub action: ActionId,
    /// Whether it is for entries only (`@tableonly`), the default only (`@defaultonly`), or both.
    pub scope: ActionScope,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// Where a table may use an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionScope {
    /// Entries and default.
    TableAndDefault,
    /// Entries only.
    TableOnly,
    /// Default only.
    DefaultOnly,
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundAction {
    /// The position in [`Table::actions`].
    pub action: usize,
    /// The values of its parameters.
    pub args: Vec<Bits>,
}

/// An entry of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// One pattern for each component of the key; for `Lpm` a prefix mask or a value.
    pub patterns: Vec<Pattern>,
    /// The action it executes.
    pub action: BoundAction,
    /// Its priority, if the keys need one, as in P4Runtime (larger wins).
    pub priority: Option<i32>,
    /// Whether this entry is `const`.
    pub is_const: bool,
}

/// A register array.
#[derive(Clone, Debug)]
pub struct Register {
    /// Identity.
    pub preamble: Preamble,
    /// The components of an element: one for `register<bit<w>>`, the fields for a struct.
    pub components: Vec<(String, ScalarKind)>,
    /// The name of the struct type of an element, if it is a struct.
    pub type_name: Option<String>,
    /// Number of elements.
    pub size: u64,
}

/// What a counter or meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Both (counters only).
    PacketsAndBytes,
}

/// A counter array, or the direct counter of a table.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Identity.
    pub preamble: Preamble,
    /// What it counts.
    pub unit: Unit,
    /// The number of elements; 0 for a direct counter, whose table determines the size.
    pub size: u64,
    /// Whether it is a direct counter.
    pub direct: bool,
}

/// A meter array, or the direct meter of a table.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Identity.
    pub preamble: Preamble,
    /// What it meters.
    pub unit: Unit,
    /// The number of elements; 0 for a direct meter.
    pub size: u64,
    /// Whether it is a direct meter.
    pub direct: bool,
    /// The scalar in which a direct meter stores its colour before the action runs.
    pub result: Option<ScalarId>,
}

/// An action profile or selector.
#[derive(Clone, Debug)]
pub struct ActionProfile {
    /// Identity.
    pub preamble: Preamble,
    /// The requested number of members.
    pub size: u64,
    /// The hash of a selector; `None` for a plain action profile.
    pub selector: Option<Selector>,
}

impl ActionProfile {
    /// Returns whether `@selector_size_semantics("sum_of_members")` makes the size of a group the number of its
    /// members; otherwise the size is the sum of their weights (P4Runtime specification, "ActionProfile").
    pub fn sizes_by_members(&self) -> bool {
        self.preamble.annotations.iter().any(|text| {
            let arguments = text.trim_start_matches('@').strip_prefix("selector_size_semantics");
            arguments.is_some_and(|text| text.to_ascii_lowercase().contains("\"sum_of_members\""))
        })
    }
}

/// How a selector chooses a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The hash algorithm.
    pub algorithm: super::HashAlgorithm,
    /// The number of hash bits used.
    pub output_width: u32,
    /// The maximum group size.
    pub max_group_size: u32,
}

/// A parser value set.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Identity.
    pub preamble: Preamble,
    /// The components of a member: control-plane name, width and match kind.
    pub components: Vec<(String, u32, MatchKind)>,
    /// The maximum number of members.
    pub size: u64,
}

/// A digest message type.
#[derive(Clone, Debug)]
pub struct Digest {
    /// Identity; the name is that of the struct type.
    pub preamble: Preamble,
    /// Its fields: name and type.
    pub fields: Vec<(String, ScalarKind)>,
    /// The name of its struct type, if it is a struct.
    pub type_name: Option<String>,
}

/// A header of packets to or from the controller.
#[derive(Clone, Debug)]
pub struct ControllerHeader {
    /// Identity; the name is `packet_in` or `packet_out`.
    pub preamble: Preamble,
    /// The fields: id, name, width.
    pub fields: Vec<(u32, String, u32)>,
    /// The header instance that the parser extracts or the deparser emits.
    pub type_name: String,
}
