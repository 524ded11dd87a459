//! Types that the control plane passes to and from the switch.

use model::Time;
use p4_lang::ir::{ActionId, Bits};

/// A reference to an object of the program: a P4Runtime id, or a full name, alias or unique suffix of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectRef<'a> {
    /// A P4Runtime id.
    Id(u32),
    /// A name.
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

/// What an entry matches in one component of the key. Values have the width of the component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldMatch {
    /// Don't care: matches any value. Not allowed for exact components.
    Any,
    /// Matches an equal value (exact and optional components).
    Exact(Bits),
    /// Matches values with the same leading `prefix_bits` bits; the other bits of `value` are zero.
    Lpm {
        /// The prefix.
        value: Bits,
        /// Its length in bits.
        prefix_bits: u32,
    },
    /// Matches values that are equal under the mask; the other bits of `value` are zero.
    Ternary {
        /// The value.
        value: Bits,
        /// The bits that are compared.
        mask: Bits,
    },
    /// Matches values from `low` to `high`, both included.
    Range {
        /// The lowest value.
        low: Bits,
        /// The highest value.
        high: Bits,
    },
}

/// The key that identifies an entry of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryKey {
    /// One match for each component of the key that is not of kind `selector`, in key order.
    pub matches: Vec<FieldMatch>,
    /// Larger values win. Positive in tables with ternary, range or optional components, 0 in others.
    pub priority: i32,
}

/// An action with the values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionCall {
    /// The action.
    pub action: ActionId,
    /// One value per parameter, in order, with the width of the parameter.
    pub args: Vec<Bits>,
}

/// What happens to a packet that matches an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryAction {
    /// Runs an action.
    Direct(ActionCall),
    /// Runs the action of a member of the table's action profile.
    Member(u32),
    /// Runs the action of one member of a group of the table's selector.
    Group(u32),
    /// Runs one of the actions of a group that belongs to this entry alone (one-shot programming), chosen by hash.
    OneShot(Vec<WeightedAction>),
    /// Like [`EntryAction::OneShot`], but the action is chosen at random for each packet.
    OneShotRandom(Vec<WeightedAction>),
}

/// An action of a one-shot group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedAction {
    /// The action.
    pub call: ActionCall,
    /// Its weight, at least 1.
    pub weight: u32,
    /// Watch port as a big-endian number: the action is chosen only while this port is up
    /// ([`crate::Switch::set_port_up`]). If it is empty or not a valid port number, the action can always be chosen.
    pub watch: Vec<u8>,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// What it matches.
    pub key: EntryKey,
    /// What happens to packets that match.
    pub action: EntryAction,
    /// Idle timeout: [`crate::Event::EntryIdle`] is sent each time this interval has passed without a match; `None`
    /// disables it.
    pub idle_timeout: Option<Time>,
    /// Opaque data of the client.
    pub metadata: Vec<u8>,
    /// Whether it is a `const` entry of the source. Ignored on insertion.
    pub is_const: bool,
}

impl TableEntry {
    /// Creates an entry that runs an action.
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

/// Settings of a two-rate three-colour meter (RFC 2698). Rates are in bytes or packets per second and bursts in bytes
/// or packets, depending on the unit of the meter.
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
    /// Identifier chosen by the client.
    pub id: u32,
    /// Its action.
    pub call: ActionCall,
}

/// A group of an action selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileGroup {
    /// Identifier chosen by the client.
    pub id: u32,
    /// Maximum sum of weights; 0 selects the limit that the program declares.
    pub max_size: u32,
    /// Its members.
    pub members: Vec<GroupMember>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Identifier of the member.
    pub member: u32,
    /// Its weight, at least 1.
    pub weight: u32,
    /// Watch port as a big-endian number: the member is chosen only while this port is up
    /// ([`crate::Switch::set_port_up`]). If it is empty or not a valid port number, the member can always be chosen.
    pub watch: Vec<u8>,
}

/// A copy that a multicast group or a clone session makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Replica {
    /// The egress port.
    pub egress_port: u16,
    /// The value of `egress_rid`.
    pub instance: u16,
}

/// What `clone` does for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneSession {
    /// Copies to make.
    pub replicas: Vec<Replica>,
    /// A multicast group whose replicas are copied as well.
    pub multicast_group: Option<u32>,
    /// Priority of the copies, also the value that egress reads; `None` keeps the packet's priority.
    pub class_of_service: Option<u8>,
    /// Maximum length of the copies in bytes when they leave; 0 does not truncate them.
    pub truncate_bytes: u32,
}

/// Packets and bytes that a meter has counted for each colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkedCounts {
    /// Within the committed rate.
    pub green: CounterValue,
    /// Above the committed rate, within the peak rate.
    pub yellow: CounterValue,
    /// Above the peak rate.
    pub red: CounterValue,
}

/// How digests are sent to the controller. The switch stores the settings for the P4Runtime server, which does the
/// batching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DigestConfig {
    /// Maximum time that a message is buffered before its list is sent.
    pub max_timeout_ns: i64,
    /// Maximum number of messages in a list.
    pub max_list_size: i32,
    /// How long duplicates of an unacknowledged list are suppressed.
    pub ack_timeout_ns: i64,
}
