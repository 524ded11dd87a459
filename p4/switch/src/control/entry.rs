//! Values that the control plane passes to and from the switch.

use model::Time;
use p4_lang::ir::{ActionId, Bits};

/// Names an object of the program: by P4Runtime id, or by full name, alias or any unique suffix of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectRef<'a> {
    /// P4Runtime id.
    Id(u32),
    /// Name.
    Name(&'a str),
}

impl From<u32> for ObjectRef<'_> {
    fn from(id: u32) -> Self {
        ObjectRef::Id(id)
    }
}

impl<'a> From<&'a str> for ObjectRef<'a> {
    fn from(name: &'a str) -> Self {
        ObjectRef::Name(name)
    }
}

impl<'a> From<&'a String> for ObjectRef<'a> {
    fn from(name: &'a String) -> Self {
        ObjectRef::Name(name)
    }
}

impl std::fmt::Display for ObjectRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ObjectRef::Id(id) => write!(f, "id {id:#010x}"),
            ObjectRef::Name(name) => f.write_str(name),
        }
    }
}

/// What an entry wants of one component of the key. Widths are those of the component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldMatch {
    /// Don't care: any value. Not allowed for exact components.
    Any,
    /// Equal (exact and optional components).
    Exact(Bits),
    /// The highest `prefix_bits` are equal; the others are zero in `value`.
    Lpm {
        /// The prefix.
        value: Bits,
        /// Its length.
        prefix_bits: u32,
    },
    /// Equal under the mask; bits outside of the mask are zero in `value`.
    Ternary {
        /// The value.
        value: Bits,
        /// Bits that count.
        mask: Bits,
    },
    /// Between the two, both included.
    Range {
        /// The lowest.
        low: Bits,
        /// The highest.
        high: Bits,
    },
}

/// What makes an entry of a table different from all others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryKey {
    /// One for each component of the key that is not of kind `selector`, in the order of the key.
    pub matches: Vec<FieldMatch>,
    /// Larger wins. Positive in tables with ternary, range or optional components, 0 in others.
    pub priority: i32,
}

/// An action with the values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionCall {
    /// The action.
    pub action: ActionId,
    /// One value a parameter, in order, of the parameter's width.
    pub args: Vec<Bits>,
}

/// What an entry does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryAction {
    /// Runs an action.
    Direct(ActionCall),
    /// Runs the action of a member of the table's action profile.
    Member(u32),
    /// Runs the action of one member of a group of the table's selector.
    Group(u32),
    /// A group that belongs to this entry alone.
    OneShot(Vec<WeightedAction>),
    /// As [`EntryAction::OneShot`], but each packet takes one at random instead of by its hash.
    OneShotRandom(Vec<WeightedAction>),
}

/// An action of a one-shot group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedAction {
    /// The action.
    pub call: ActionCall,
    /// Its share, at least 1.
    pub weight: u32,
    /// A port's number, most significant byte first: it is chosen only while the port is up
    /// ([`crate::Switch::set_port_up`]). Empty, or no number of a port: always.
    pub watch: Vec<u8>,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// Which packets.
    pub key: EntryKey,
    /// What happens to them.
    pub action: EntryAction,
    /// Each time this has passed without a match comes [`crate::Event::EntryIdle`]; `None` never.
    pub idle_timeout: Option<Time>,
    /// Whatever the client wants to remember.
    pub metadata: Vec<u8>,
    /// Whether it comes from a `const` entry of the source. Ignored on insertion.
    pub is_const: bool,
}

impl TableEntry {
    /// An entry that runs an action.
    pub fn new(matches: Vec<FieldMatch>, priority: i32, call: ActionCall) -> TableEntry {
        TableEntry {
            key: EntryKey { matches, priority },
            action: EntryAction::Direct(call),
            idle_timeout: None,
            metadata: Vec::new(),
            is_const: false,
        }
    }
}

/// A counter's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterValue {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Settings of a two-rate three-colour meter (RFC 2698). Rates are bytes or packets a second, bursts bytes or
/// packets, as the meter's unit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterConfig {
    /// Committed rate.
    pub committed_rate: u64,
    /// Committed burst.
    pub committed_burst: u64,
    /// Peak rate.
    pub peak_rate: u64,
    /// Peak burst.
    pub peak_burst: u64,
}

/// A member of an action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileMember {
    /// Chosen by the client.
    pub id: u32,
    /// Its action.
    pub call: ActionCall,
}

/// A group of an action selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileGroup {
    /// Chosen by the client.
    pub id: u32,
    /// Largest sum of weights, 0: as the program says.
    pub max_size: u32,
    /// Its members.
    pub members: Vec<GroupMember>,
}

/// A member in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The member.
    pub member: u32,
    /// Its share, at least 1.
    pub weight: u32,
    /// A port's number, most significant byte first: it is chosen only while the port is up
    /// ([`crate::Switch::set_port_up`]). Empty, or no number of a port: always.
    pub watch: Vec<u8>,
}

/// A copy that a multicast group or a clone session makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Replica {
    /// Where it leaves.
    pub egress_port: u16,
    /// What the program reads as `egress_rid`.
    pub instance: u16,
}

/// What `clone` to a session does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneSession {
    /// Copies to make.
    pub replicas: Vec<Replica>,
    /// A multicast group whose copies are made too.
    pub multicast_group: Option<u32>,
    /// Priority of the copies, as egress reads it too; `None` keeps the packet's.
    pub class_of_service: Option<u8>,
    /// Copies are cut to this many bytes when they leave; 0 leaves them whole.
    pub truncate_bytes: u32,
}

/// What a meter has counted of each colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkedCounts {
    /// Within the committed rate.
    pub green: CounterValue,
    /// Above it, and within the peak rate.
    pub yellow: CounterValue,
    /// Above the peak rate.
    pub red: CounterValue,
}

/// How the controller wants to be told of digests. The switch keeps it for the server, which batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DigestConfig {
    /// Longest wait of a message in a list.
    pub max_timeout_ns: i64,
    /// Longest list.
    pub max_list_size: i32,
    /// How long an unacknowledged list suppresses duplicates.
    pub ack_timeout_ns: i64,
}
