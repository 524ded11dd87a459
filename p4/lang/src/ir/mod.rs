//! The typed intermediate representation of a checked v1model program.
//!
//! Everything that P4 resolves at compile time is resolved here: names, types, generics, constants and
//! instances. Sub-parsers, sub-controls and functions are inlined (P4 has no recursion), structs and tuples are
//! taken apart into scalars, copy-in/copy-out is spelled out as assignments, and expressions have no side
//! effects: what has one (an extern's result, `apply().hit`) is a statement that stores into a scalar.
//! What remains is a program over numbered storage ([`Storage`]) that an engine runs without looking up a name.
//!
//! Values: a scalar of kind `Unsigned(w)` or `Signed(w)` holds `w` bits; `bool` is `Unsigned(1)`, `error` and
//! plain enums are `Unsigned(32)` holding the member's number, serialisable enums have their declared type.
//! Widths of operands are those the type checker decided; the engine checks nothing.

mod bits;
mod resource;
mod statement;
mod types;

pub use bits::Bits;
pub use resource::*;
pub use statement::*;
pub use types::*;

use std::collections::BTreeMap;

/// Index newtypes, so that a header is never used as a scalar.
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

/// A whole program for the v1model architecture.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Name of the package instance's file, for messages.
    pub name: String,
    /// Everything that holds a value while a packet is processed.
    pub storage: Storage,
    /// Names of the `error` members in number order; the first is `NoError`.
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
    /// The deparser: statements among which are [`Stmt::Emit`].
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
    /// Digest types, one a distinct message type.
    pub digests: Vec<Digest>,
    /// Metadata headers of packets to and from the controller (`@controller_header`).
    pub controller_headers: Vec<ControllerHeader>,
    /// Types and annotations for the control plane's description of the program.
    pub types: ControlTypes,
}

/// All storage of a program. A packet's storage is all zero (and all headers invalid) when it arrives.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// Every scalar: header fields, validity bits, metadata, locals, parameters.
    ///
    /// The first [`Storage::carried`] of them live as long as the packet (headers, user metadata, standard
    /// metadata); the others are locals of one block and are dead once the block has run.
    pub scalars: Vec<Scalar>,
    /// How many scalars live as long as the packet.
    pub carried: u32,
    /// Every header instance, elements of stacks and members of unions included.
    pub headers: Vec<Header>,
    /// Every header stack.
    pub stacks: Vec<Stack>,
    /// Every header union.
    pub unions: Vec<Union>,
    /// The fields of `standard_metadata` by name.
    pub standard_metadata: BTreeMap<String, ScalarId>,
    /// User metadata to keep on clone, resubmit and recirculate, by `@field_list` number.
    pub field_lists: BTreeMap<u8, Vec<ScalarId>>,
}

/// One piece of storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Full path for people, e.g. `hdr.ipv4.ttl`.
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
    /// Bits it takes at most.
    pub fn width(self) -> u32 {
        match self {
            ScalarKind::Unsigned(w) | ScalarKind::Signed(w) | ScalarKind::Varbit(w) => w,
        }
    }
}

/// A header instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Full path, e.g. `hdr.ipv4` or `hdr.vlan[1]`.
    pub name: String,
    /// Name of its header type.
    pub type_name: String,
    /// Its validity bit.
    pub valid: ScalarId,
    /// Its fields in wire order.
    pub fields: Vec<ScalarId>,
    /// The union it belongs to: making it valid makes the other members invalid.
    pub union: Option<UnionId>,
}

/// A header stack (`T[n]`), of headers or of unions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Full path.
    pub name: String,
    /// Its elements in order.
    pub elements: StackElements,
    /// Scalar (32 bits) that holds `nextIndex`.
    pub next_index: ScalarId,
}

/// What a stack holds.
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

/// A control's body, run from the start for each packet.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its statements.
    pub body: Vec<Stmt>,
}

/// The parser as one flat state machine; `accept` and `reject` are transitions, not states.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    /// The states; parsing starts at the first.
    pub states: Vec<State>,
}

/// A parser state.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name for traces; states of an inlined sub-parser carry the instance's name as prefix.
    pub name: String,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Where it goes.
    pub transition: Transition,
}

/// Where a state goes.
#[derive(Clone, Debug)]
pub enum Transition {
    /// Parsing is complete.
    Accept,
    /// Parsing failed; `parser_error` keeps what the state set, if anything.
    Reject,
    /// Another state.
    Goto(StateId),
    /// The first case whose patterns match all keys; if none does, the error is `NoMatch`.
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
    /// One pattern a key. [`Pattern::ValueSet`] is about as many keys as its members have parts; the patterns of
    /// the further ones are [`Pattern::Any`].
    pub patterns: Vec<Pattern>,
    /// The state it leads to.
    pub target: Target,
}

/// A state, or an end of parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Parsing is complete.
    Accept,
    /// Parsing failed.
    Reject,
    /// Go on there.
    State(StateId),
}

/// A pattern of a select case, of a constant entry or of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `default` or `_`.
    Any,
    /// Equal.
    Value(Bits),
    /// Equal under the mask.
    Mask {
        /// The value.
        value: Bits,
        /// Bits that count.
        mask: Bits,
    },
    /// Between the two, both included; signed when `signed`.
    Range {
        /// The lowest.
        low: Bits,
        /// The highest.
        high: Bits,
        /// Whether the comparison is signed.
        signed: bool,
    },
    /// A member of a value set that the control plane fills.
    ValueSet(ValueSetId),
}
