//! What the control plane sees: actions, tables, externs with state.
//!
//! `id` is the P4Runtime identifier, `name` the full control-plane name (`ingress.routes`), `alias` the shortest
//! unique suffix. Objects marked `@hidden` keep an id of 0 and are not in the P4Info.

use super::{ActionId, ActionProfileId, Bits, CounterId, Expr, MeterId, Pattern, ScalarId, ScalarKind, Stmt};

/// Identity and annotations of an object that the control plane can name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preamble {
    /// P4Runtime id, type prefix included; 0 when hidden.
    pub id: u32,
    /// Full name.
    pub name: String,
    /// Shortest unique suffix of the name.
    pub alias: String,
    /// Annotations that P4Info carries, as text, e.g. `@fields("a:8,b:24")`; `@brief` and `@description` too.
    pub annotations: Vec<String>,
    /// Where it stands in the order in which P4Info lists objects: the block (0 is the top level), then the position
    /// among what each enclosing instance declares.
    pub position: Vec<u32>,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    /// Identity.
    pub preamble: Preamble,
    /// Parameters that the control plane supplies, in order.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Vec<Stmt>,
}

/// A parameter of an action that the control plane supplies.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its id, from 1.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Where its value goes before the body runs.
    pub scalar: ScalarId,
    /// Its type.
    pub kind: ScalarKind,
    /// Name of the user-defined type it has, where it has one (`type bit<9> port_t`).
    pub type_name: Option<String>,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Identity.
    pub preamble: Preamble,
    /// The key's components in order.
    pub keys: Vec<Key>,
    /// Actions that entries may choose.
    pub actions: Vec<ActionRef>,
    /// Runs when nothing matches.
    pub default_action: BoundAction,
    /// Whether the default may not be changed.
    pub const_default: bool,
    /// Entries of the source, in order; see `const_entries`.
    pub entries: Vec<Entry>,
    /// Whether entries may be neither added nor removed at run time.
    pub const_entries: bool,
    /// Whether a larger priority number wins among the source's entries (`largest_priority_wins`).
    pub largest_priority_wins: bool,
    /// Wanted number of entries.
    pub size: u64,
    /// Action profile or selector that holds its actions.
    pub implementation: Option<ActionProfileId>,
    /// Its direct counter.
    pub direct_counter: Option<CounterId>,
    /// Its direct meter.
    pub direct_meter: Option<MeterId>,
    /// Whether entries may time out (`support_timeout`).
    pub idle_timeout: bool,
    /// Whether the whole table is `@hidden`.
    pub hidden: bool,
}

/// A component of a table's key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its id, from 1.
    pub id: u32,
    /// Its control-plane name, e.g. `hdr.ipv4.dstAddr`.
    pub name: String,
    /// Its value.
    pub expr: Expr,
    /// How it matches.
    pub match_kind: MatchKind,
    /// Name of the user-defined type it has, where it has one.
    pub type_name: Option<String>,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// How a key component matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// Equal.
    Exact,
    /// Longest prefix.
    Lpm,
    /// Value under mask, by priority.
    Ternary,
    /// Between two values, by priority.
    Range,
    /// Equal or anything, by priority.
    Optional,
    /// Input of an action selector's hash.
    Selector,
}

/// An action in a table's list.
#[derive(Clone, Debug)]
pub struct ActionRef {
    /// The action. Directional arguments that the list binds are part of the action's body.
    pub action: ActionId,
    /// Only for entries (`@tableonly`), only as default (`@defaultonly`), or both.
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
    /// Position in [`Table::actions`].
    pub action: usize,
    /// Values of its parameters.
    pub args: Vec<Bits>,
}

/// An entry of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// One pattern a key component; for `Lpm` a mask of leading ones or a value.
    pub patterns: Vec<Pattern>,
    /// What it runs.
    pub action: BoundAction,
    /// Its priority where keys need one; as P4Runtime counts (larger wins).
    pub priority: Option<i32>,
    /// Whether this entry is `const`.
    pub is_const: bool,
}

/// A register array.
#[derive(Clone, Debug)]
pub struct Register {
    /// Identity.
    pub preamble: Preamble,
    /// Components of one element: one for `register<bit<w>>`, the fields for a struct.
    pub components: Vec<(String, ScalarKind)>,
    /// Name of the struct type of an element, where it is one.
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

/// A counter array, or a table's direct counter.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Identity.
    pub preamble: Preamble,
    /// What it counts.
    pub unit: Unit,
    /// Number of elements; for a direct counter the table decides and this is 0.
    pub size: u64,
    /// Whether it belongs to a table's entries.
    pub direct: bool,
}

/// A meter array, or a table's direct meter.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Identity.
    pub preamble: Preamble,
    /// What it meters.
    pub unit: Unit,
    /// Number of elements; 0 for a direct meter.
    pub size: u64,
    /// Whether it belongs to a table's entries.
    pub direct: bool,
    /// Where a direct meter stores its colour before the action runs.
    pub result: Option<ScalarId>,
}

/// An action profile or selector.
#[derive(Clone, Debug)]
pub struct ActionProfile {
    /// Identity.
    pub preamble: Preamble,
    /// Wanted number of members.
    pub size: u64,
    /// The hash of a selector; a plain profile has none.
    pub selector: Option<Selector>,
}

impl ActionProfile {
    /// Whether `@selector_size_semantics("sum_of_members")` makes the size of a group the number of its members;
    /// without it the size is the sum of their weights (P4Runtime specification, "ActionProfile").
    pub fn sizes_by_members(&self) -> bool {
        self.preamble.annotations.iter().any(|text| {
            let arguments = text.trim_start_matches('@').strip_prefix("selector_size_semantics");
            arguments.is_some_and(|text| text.to_ascii_lowercase().contains("\"sum_of_members\""))
        })
    }
}

/// How a selector picks a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The hash.
    pub algorithm: super::HashAlgorithm,
    /// Bits of it that are used.
    pub output_width: u32,
    /// Largest group.
    pub max_group_size: u32,
}

/// A parser value set.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Identity.
    pub preamble: Preamble,
    /// The components of a member: control-plane name, width and match kind.
    pub components: Vec<(String, u32, MatchKind)>,
    /// Members it may hold.
    pub size: u64,
}

/// A digest's message type.
#[derive(Clone, Debug)]
pub struct Digest {
    /// Identity; the name is that of the struct type.
    pub preamble: Preamble,
    /// Its fields: name and type.
    pub fields: Vec<(String, ScalarKind)>,
    /// Name of its struct type, where it is one.
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
