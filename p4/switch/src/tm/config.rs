//! How a traffic manager is set up: ports, memory, classes.
//!
//! The terms are those of SONiC's buffer model (pools, profiles, dynamic thresholds, headroom), which the
//! simpler schemes are special cases of.

use model::{Rate, Time};

use super::watchdog::Watchdog;

/// Priorities, and therefore queues and priority groups, of a port.
pub const CLASSES: usize = 8;

/// Everything a traffic manager needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct TmConfig {
    /// The ports, any order; a number that occurs twice keeps its last entry.
    pub ports: Vec<PortConfig>,
    /// Bytes of packet memory; nothing is accepted beyond.
    pub memory_bytes: u64,
    /// Memory is handed out in cells of this size; 1 counts exact bytes.
    pub cell_bytes: u32,
    /// Pools that priority groups draw on when packets come in.
    pub ingress_pools: Vec<PoolConfig>,
    /// Pools that queues draw on when packets wait to leave.
    pub egress_pools: Vec<PoolConfig>,
    /// Names of the buffer profiles, which [`GroupProfile::profile`] refers to; a report names them.
    pub profiles: Vec<String>,
    /// How a received pause ends.
    pub pause_end: PauseEnd,
    /// Quanta (512 bit times) that sent pause frames ask for.
    pub pause_quanta: u16,
    /// Seed of the marking decisions between Kmin and Kmax.
    pub seed: u64,
}

/// One port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortConfig {
    /// Its number.
    pub number: u16,
    /// Its rate, from which the length of a quantum follows.
    pub rate: Rate,
    /// What may be stored on arrival, per priority.
    pub groups: [GroupProfile; CLASSES],
    /// What may wait for departure and how it is served, per queue.
    pub queues: [QueueProfile; CLASSES],
    /// How classes, groups, queues and the priorities of PFC belong together.
    pub maps: ClassMaps,
    /// Bit n: PFC is on for priority n. Off, its group pauses nobody and pauses of the peer are not obeyed.
    pub pfc_enabled: u8,
    /// Time from the last bit of a received PFC frame until it takes effect, see
    /// [`super::standard_reaction`]. The pause itself counts from the frame.
    pub pfc_reaction: Time,
    /// What looks after queues that the peer does not let go on; absent: nothing.
    pub watchdog: Option<Watchdog>,
}

/// Which group, queue and pause a class of traffic has. The ingress port decides the group, the egress port the
/// queue, as `TC_TO_PRIORITY_GROUP_MAP`, `TC_TO_QUEUE_MAP` and `MAP_PFC_PRIORITY_TO_QUEUE` of SONiC do. Group n
/// pauses priority n. Only the low three bits of each entry count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassMaps {
    /// Ingress priority group, by traffic class.
    pub group: [u8; CLASSES],
    /// Egress queue, by traffic class.
    pub queue: [u8; CLASSES],
    /// The queue that a received pause of each priority silences.
    pub paused_queue: [u8; CLASSES],
}

impl Default for ClassMaps {
    /// Class n has group n, queue n and is paused by priority n.
    fn default() -> ClassMaps {
        let same = std::array::from_fn(|class| class as u8);
        ClassMaps { group: same, queue: same, paused_queue: same }
    }
}

/// A counter that groups or queues share. Pools may promise more than the memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// Bytes that may be used beyond the reservations.
    pub size_bytes: u64,
    /// Bytes of headroom that all groups of the pool together may use; absent: only each group's own limit.
    pub shared_headroom_bytes: Option<u64>,
}

/// A limit on what one group or queue takes from its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// So many bytes.
    Static(u64),
    /// `2^exponent` times what is left of the pool (Choudhury and Hahne's dynamic thresholds).
    Dynamic {
        /// Exponent of alpha; SONiC's `dynamic_th`.
        alpha_exponent: i8,
    },
}

impl Threshold {
    /// The limit in bytes while `left` bytes of the pool are unused.
    pub fn bytes(self, left: u64) -> u64 {
        match self {
            Threshold::Static(bytes) => bytes,
            Threshold::Dynamic { alpha_exponent: e @ 0.. } => {
                left.checked_shl(u32::from(e.unsigned_abs())).unwrap_or(u64::MAX)
            }
            Threshold::Dynamic { alpha_exponent: e } => {
                left.checked_shr(u32::from(e.unsigned_abs())).unwrap_or(0)
            }
        }
    }
}

/// The memory of one ingress priority group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupProfile {
    /// Index into [`TmConfig::profiles`].
    pub profile: u16,
    /// Index into [`TmConfig::ingress_pools`].
    pub pool: usize,
    /// Bytes of its own.
    pub reserved_bytes: u64,
    /// Limit of what it takes from the pool beyond. A lossless group pauses its peer when it is reached.
    pub threshold: Threshold,
    /// Present for a lossless group, which pauses instead of dropping.
    pub lossless: Option<Lossless>,
}

/// What a lossless group has in addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lossless {
    /// Bytes for what is still on the wire when a pause is sent.
    pub headroom_bytes: u64,
    /// It resumes when the headroom is empty and its share of the pool is at most this ...
    pub xon_bytes: u64,
    /// ... or at most the threshold less this, whichever is more.
    pub xon_offset_bytes: u64,
}

/// One egress queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueProfile {
    /// Index into [`TmConfig::egress_pools`].
    pub pool: usize,
    /// Bytes of its own.
    pub reserved_bytes: u64,
    /// Limit of what it takes from the pool; packets beyond are dropped. Absent: no limit at egress, as
    /// lossless traffic is admitted at ingress alone.
    pub threshold: Option<Threshold>,
    /// Congestion marking; absent: none.
    pub ecn: Option<Ecn>,
    /// Random early drop of packets that cannot be marked, or that are not to be marked; absent: none.
    pub early_drop: Option<Ecn>,
    /// How it is served.
    pub service: Service,
}

/// How a queue is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Before all weighted queues; among strict ones the higher priority first.
    Strict,
    /// Deficit round robin with this many bytes a round (Shreedhar and Varghese); fewer than 64 count as 64.
    Weighted(u32),
}

/// Marking (or dropping) between two depths, as for WRED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecn {
    /// Below, nothing is marked.
    pub kmin_bytes: u64,
    /// Above, everything is marked.
    pub kmax_bytes: u64,
    /// Probability at Kmax in millionths; it rises from 0 at Kmin.
    pub pmax_ppm: u32,
}

/// How a received pause ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseEnd {
    /// When its quanta have passed, or by a resume frame (802.1Qbb).
    Quanta,
    /// Only by a resume frame, as in the HPCC family of ns-3 simulators.
    ResumeOnly,
}

impl TmConfig {
    /// Ports of one `rate` each, whose eight classes share `memory_bytes` with alpha 1/8 and lose packets when
    /// it is full. A starting point to be narrowed with the public fields.
    pub fn lossy(ports: impl IntoIterator<Item = (u16, Rate)>, memory_bytes: u64) -> TmConfig {
        let pool = PoolConfig { size_bytes: memory_bytes, shared_headroom_bytes: None };
        TmConfig {
            ports: ports.into_iter().map(|(number, rate)| PortConfig::lossy(number, rate)).collect(),
            memory_bytes,
            cell_bytes: 1,
            ingress_pools: vec![pool],
            egress_pools: vec![pool],
            profiles: vec!["lossy".to_string()],
            pause_end: PauseEnd::Quanta,
            pause_quanta: u16::MAX,
            seed: 1,
        }
    }
}

impl PortConfig {
    /// A port whose classes draw on the first pools with alpha 1/8, without reservation, headroom or marking.
    pub fn lossy(number: u16, rate: Rate) -> PortConfig {
        let group = GroupProfile {
            profile: 0,
            pool: 0,
            reserved_bytes: 0,
            threshold: Threshold::Dynamic { alpha_exponent: -3 },
            lossless: None,
        };
        let queue = QueueProfile {
            pool: 0,
            reserved_bytes: 0,
            threshold: None,
            ecn: None,
            early_drop: None,
            service: Service::Strict,
        };
        PortConfig {
            number,
            rate,
            groups: [group; CLASSES],
            queues: [queue; CLASSES],
            maps: ClassMaps::default(),
            pfc_enabled: u8::MAX,
            pfc_reaction: Time::ZERO,
            watchdog: None,
        }
    }
}
