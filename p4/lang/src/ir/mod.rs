//! The typed intermediate representation of a checked v1model program.
//!
//! Everything that P4 resolves at compile time is resolved here: names, types, generics, constants and instances.
//! Sub-parsers, sub-controls and functions are inlined (P4 has no recursion), structs and tuples are split into
//! scalars, copy-in/copy-out consists of explicit assignments, and expressions have no side effects: an extern's result
//! or `apply().hit` is a statement that stores into a scalar. The result is a program over numbered storage
//! ([`Storage`]) that an engine executes without name lookup.
//!
//! Values: a scalar of kind `Unsigned(w)` or `Signed(w)` holds `w` bits; `bool` is `Unsigned(1)`, `error` and plain
//! enums are `Unsigned(32)` and hold the number of the member, serialisable enums have their underlying type. The type
//! checker determines the widths of operands; the engine does not check them.

mod bits;
pub mod identity;
mod resource;
mod statement;
mod types;

pub use bits::Bits;
pub use resource::*;
pub use statement::*;
pub use types::*;

use std::collections::BTreeMap;

/// Defines index newtypes, so that a header id cannot be used as a scalar id.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index into its vector.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`Storage::scalars`].
    ScalarId,
    /// Index into [`Storage::headers`].
    HeaderId,
    /// Index into [`Storage::stacks`].
    StackId,
    /// Index into [`Storage::unions`].
    UnionId,
    /// Index into [`Parser::states`].
    StateId,
    /// Index into [`Program::actions`].
    ActionId,
    /// Index into [`Program::tables`].
    TableId,
    /// Index into [`Program::registers`].
    RegisterId,
    /// Index into [`Program::counters`].
    CounterId,
    /// Index into [`Program::meters`].
    MeterId,
    /// Index into [`Program::action_profiles`].
    ActionProfileId,
    /// Index into [`Program::value_sets`].
    ValueSetId,
    /// Index into [`Program::digests`].
    DigestId,
}

/// A complete v1model program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The file of the package instance, for messages.
    pub name: String,
    /// Everything that holds a value while a packet is processed.
    pub storage: Storage,
    /// Names of the `error` members by number; the first is `NoError`.
    pub errors: Vec<String>,
    /// The parser.
    pub parser: Parser,
    /// The `VerifyChecksum` control.
    pub verify_checksum: Block,
    /// The ingress control.
    pub ingress: Block,
    /// The egress control.
    pub egress: Block,
    /// The `ComputeChecksum` control.
    pub compute_checksum: Block,
    /// The deparser; its statements include [`Stmt::Emit`].
    pub deparser: Block,
    /// Actions that tables or direct calls invoke.
    pub actions: Vec<Action>,
    /// Tables of all controls.
    pub tables: Vec<Table>,
    /// Register arrays.
    pub registers: Vec<Register>,
    /// Indirect and direct counters.
    pub counters: Vec<Counter>,
    /// Indirect and direct meters.
    pub meters: Vec<Meter>,
    /// Action profiles and selectors.
    pub action_profiles: Vec<ActionProfile>,
    /// Parser value sets.
    pub value_sets: Vec<ValueSet>,
    /// Digests, one for each distinct message type.
    pub digests: Vec<Digest>,
    /// Metadata headers of packets to and from the controller (`@controller_header`).
    pub controller_headers: Vec<ControllerHeader>,
    /// Types and annotations for the P4Info of the program.
    pub types: ControlTypes,
}

/// All storage of a program. When a packet arrives, its storage is zero and all headers are invalid.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// Every scalar: header fields, validity bits, metadata, locals, parameters.
    ///
    /// The first [`Storage::carried`] scalars live as long as the packet (headers, user metadata, standard metadata);
    /// the others are locals of one block and are dead once the block has run.
    pub scalars: Vec<Scalar>,
    /// The number of scalars that live as long as the packet.
    pub carried: u32,
    /// All header instances, including stack elements and union members.
    pub headers: Vec<Header>,
    /// Every header stack.
    pub stacks: Vec<Stack>,
    /// Every header union.
    pub unions: Vec<Union>,
    /// The fields of `standard_metadata` by name.
    pub standard_metadata: BTreeMap<String, ScalarId>,
    /// The user metadata to preserve on clone, resubmit and recirculate, by `@field_list` number.
    pub field_lists: BTreeMap<u8, Vec<ScalarId>>,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The full path for messages, e.g. `hdr.ipv4.ttl`.
    pub name: String,
    /// Its type.
    pub kind: ScalarKind,
}

/// Type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// `bit<w>`, `bool` (w = 1), enums and errors.
    Unsigned(u32),
    /// `int<w>`, two's complement.
    Signed(u32),
    /// `varbit<max>`: up to `max` bits with a current length.
    Varbit(u32),
}

impl ScalarKind {
    /// Returns the maximum width in bits.
    pub fn width(self) -> u32 {
        match self {
            ScalarKind::Unsigned(w) | ScalarKind::Signed(w) | ScalarKind::Varbit(w) => w,
        }
    }
}

/// A header instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The full path, e.g. `hdr.ipv4` or `hdr.vlan[1]`.
    pub name: String,
    /// The name of its header type.
    pub type_name: String,
    /// Its validity bit.
    pub valid: ScalarId,
    /// Its fields in wire order.
    pub fields: Vec<ScalarId>,
    /// The union it belongs to: making one member valid invalidates the others.
    pub union: Option<UnionId>,
}

/// A header stack (`T[n]`), of headers or of unions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Full path.
    pub name: String,
    /// Its elements in order.
    pub elements: StackElements,
    /// The 32-bit scalar that holds `nextIndex`.
    pub next_index: ScalarId,
}

/// The elements of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackElements {
    /// Headers.
    Headers(Vec<HeaderId>),
    /// Header unions.
    Unions(Vec<UnionId>),
}

/// A header union: at most one member is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Union {
    /// Full path.
    pub name: String,
    /// Its members in order.
    pub members: Vec<HeaderId>,
}

/// The body of a control, executed once for each packet.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its statements.
    pub body: Vec<Stmt>,
}

/// The parser as a flat state machine; `accept` and `reject` are transitions, not states.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    /// The states; parsing starts at the first one.
    pub states: Vec<State>,
}

/// A parser state.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name for traces; states of an inlined sub-parser have the name of the instance as prefix.
    pub name: String,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Its transition.
    pub transition: Transition,
}

/// The transition of a state.
#[derive(Clone, Debug)]
pub enum Transition {
    /// Parsing succeeded.
    Accept,
    /// Parsing failed; `parser_error` keeps the error that the state has set, if any.
    Reject,
    /// Another state.
    Goto(StateId),
    /// The first case whose patterns match all keys; if there is none, parsing fails with `NoMatch`.
    Select {
        /// The keys.
        keys: Vec<Expr>,
        /// The cases in order.
        cases: Vec<SelectCase>,
    },
}

/// A case of a select.
#[derive(Clone, Debug)]
pub struct SelectCase {
    /// One pattern for each key. A [`Pattern::ValueSet`] covers as many keys as its members have components; the
    /// patterns of the other keys are then [`Pattern::Any`].
    pub patterns: Vec<Pattern>,
    /// The state to continue with.
    pub target: Target,
}

/// The target of a transition: a state, or the end of parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Parsing succeeded.
    Accept,
    /// Parsing failed.
    Reject,
    /// Parsing continues in this state.
    State(StateId),
}

/// A pattern of a select case, of a constant entry or of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `default` or `_`.
    Any,
    /// Equal to the value.
    Value(Bits),
    /// Equal to the value under the mask.
    Mask {
        /// The value.
        value: Bits,
        /// The bits that are compared.
        mask: Bits,
    },
    /// Between two bounds, both included.
    Range {
        /// The lower bound.
        low: Bits,
        /// The upper bound.
        high: Bits,
        /// Whether the comparison is signed.
        signed: bool,
    },
    /// A member of a value set, which the control plane fills.
    ValueSet(ValueSetId),
}
