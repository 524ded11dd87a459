//! Configuration of a traffic manager: ports, memory, traffic classes.
//!
//! The terms are those of SONiC's buffer model (pools, profiles, dynamic thresholds, headroom); simpler buffer
//! schemes are special cases of it.

use model::{Rate, Time};

use super::watchdog::Watchdog;

/// Number of priorities, and therefore of queues and priority groups, per port.
pub const CLASSES: usize = 8;

/// Configuration of a traffic manager.
#[derive(Clone, Debug, PartialEq)]
pub struct TmConfig {
    /// The ports, in any order; if a port number occurs twice, the last entry is used.
    pub ports: Vec<PortConfig>,
    /// Size of the packet memory in bytes. A packet that does not fit is dropped.
    pub memory_bytes: u64,
    /// Allocation unit of the memory in bytes; 1 counts exact bytes.
    pub cell_bytes: u32,
    /// Pools of the ingress priority groups.
    pub ingress_pools: Vec<PoolConfig>,
    /// Pools of the egress queues.
    pub egress_pools: Vec<PoolConfig>,
    /// Names of the buffer profiles, for reports; [`GroupProfile::profile`] is an index into this list.
    pub profiles: Vec<String>,
    /// How a received pause ends.
    pub pause_end: PauseEnd,
    /// Duration in quanta (512 bit times) of the pauses that are sent.
    pub pause_quanta: u16,
    /// Seed of the ECN marking and early-drop decisions.
    pub seed: u64,
}

/// One port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortConfig {
    /// The port number.
    pub number: u16,
    /// The link rate, which determines the length of a quantum.
    pub rate: Rate,
    /// Buffer profiles of the ingress priority groups.
    pub groups: [GroupProfile; CLASSES],
    /// Buffer profiles and scheduling of the egress queues.
    pub queues: [QueueProfile; CLASSES],
    /// Maps from traffic class to priority group and queue, and from PFC priority to queue.
    pub maps: ClassMaps,
    /// Bit n: PFC is enabled for priority n. If it is disabled, the priority group sends no pauses and pauses from
    /// the peer are ignored.
    pub pfc_enabled: u8,
    /// Time from the last bit of a received PFC frame until the pause takes effect, see [`super::standard_reaction`].
    /// The duration of the pause counts from the frame.
    pub pfc_reaction: Time,
    /// The PFC watchdog; `None` disables it.
    pub watchdog: Option<Watchdog>,
}

/// Maps of a port, as in SONiC's `TC_TO_PRIORITY_GROUP_MAP`, `TC_TO_QUEUE_MAP` and `MAP_PFC_PRIORITY_TO_QUEUE`. The
/// ingress port maps a traffic class to a priority group, the egress port maps it to a queue. Group n pauses priority
/// n. Only the low three bits of each entry are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassMaps {
    /// Ingress priority group, by traffic class.
    pub group: [u8; CLASSES],
    /// Egress queue, by traffic class.
    pub queue: [u8; CLASSES],
    /// Egress queue that a received pause stops, by priority.
    pub paused_queue: [u8; CLASSES],
}

impl Default for ClassMaps {
    /// The identity maps: class n uses group n and queue n, and priority n pauses queue n.
    fn default() -> ClassMaps {
        let same = std::array::from_fn(|class| class as u8);
        ClassMaps { group: same, queue: same, paused_queue: same }
    }
}

/// A pool of shared buffer. The pools together may be larger than the memory (oversubscription).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// Shared bytes, not counting reservations.
    pub size_bytes: u64,
    /// Headroom that all groups of the pool share, in bytes; `None` applies only the limit of each group.
    pub shared_headroom_bytes: Option<u64>,
}

/// Maximum share of one group or queue in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// A fixed number of bytes.
    Static(u64),
    /// A dynamic threshold: alpha = `2^exponent` times the free bytes of the pool (Choudhury and Hahne).
    Dynamic {
        /// Exponent of alpha; `dynamic_th` in SONiC.
        alpha_exponent: i8,
    },
}

impl Threshold {
    /// Returns the threshold in bytes when `free_bytes` of the pool are unused.
    pub fn bytes(self, free_bytes: u64) -> u64 {
        match self {
            Threshold::Static(bytes) => bytes,
            Threshold::Dynamic { alpha_exponent: e @ 0.. } => {
                free_bytes.checked_shl(u32::from(e.unsigned_abs())).unwrap_or(u64::MAX)
            }
            Threshold::Dynamic { alpha_exponent: e } => {
                free_bytes.checked_shr(u32::from(e.unsigned_abs())).unwrap_or(0)
            }
        }
    }
}

/// Buffer profile of an ingress priority group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupProfile {
    /// Index into [`TmConfig::profiles`].
    pub profile: u16,
    /// Index into [`TmConfig::ingress_pools`].
    pub pool: usize,
    /// Reserved bytes.
    pub reserved_bytes: u64,
    /// Maximum share of the pool. It is the XOFF threshold of a lossless group.
    pub threshold: Threshold,
    /// Present for a lossless group, which sends pauses instead of dropping packets.
    pub lossless: Option<Lossless>,
}

/// Additional settings of a lossless group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lossless {
    /// Headroom in bytes, for packets that still arrive after a pause was sent.
    pub headroom_bytes: u64,
    /// XON: the group resumes its sender when its headroom is empty and its share of the pool is at most the larger of
    /// `xon_bytes` and the threshold minus `xon_offset_bytes`.
    pub xon_bytes: u64,
    /// Distance of XON from the threshold; see `xon_bytes`.
    pub xon_offset_bytes: u64,
}

/// Buffer profile and scheduling of an egress queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueProfile {
    /// Index into [`TmConfig::egress_pools`].
    pub pool: usize,
    /// Reserved bytes.
    pub reserved_bytes: u64,
    /// Maximum share of the pool; packets above it are dropped. `None` for no limit at egress, because lossless
    /// traffic is admitted at ingress only.
    pub threshold: Option<Threshold>,
    /// ECN marking; `None` disables it.
    pub ecn: Option<Ecn>,
    /// Random early drop of packets that are not ECN capable, or of all packets if `ecn` is `None`. `None` disables
    /// it.
    pub early_drop: Option<Ecn>,
    /// How the queue is scheduled.
    pub service: Service,
}

/// How a queue is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Strict priority: before all weighted queues, and among strict queues the highest number first.
    Strict,
    /// Deficit round robin with this quantum in bytes (Shreedhar and Varghese); values below 64 count as 64.
    Weighted(u32),
}

/// A WRED curve for ECN marking or early drop, as a function of queue depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecn {
    /// Depth up to which no packet is selected.
    pub kmin_bytes: u64,
    /// Depth above which every packet is selected.
    pub kmax_bytes: u64,
    /// Probability at Kmax in parts per million; it rises linearly from 0 at Kmin.
    pub pmax_ppm: u32,
}

/// How a received pause ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseEnd {
    /// When its quanta have passed, or with a resume frame (802.1Qbb).
    Quanta,
    /// Only with a resume frame, as in the HPCC family of ns-3 simulators.
    ResumeOnly,
}

impl TmConfig {
    /// Ports of equal `rate` whose eight classes share `memory_bytes` with alpha 1/8 and drop packets when it is
    /// full. A starting point; adjust the public fields as needed.
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
    /// A port whose classes use the first pools with alpha 1/8, without reservation, headroom or ECN marking.
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
