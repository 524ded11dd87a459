//! What a switch really runs with: every name looked up, every daemon's addition made, every number in bytes.
//!
//! The rules judge this view and the fabric's shared-buffer MMU is configured from it, so that what is checked is what
//! runs. Made by [`crate::resolve`]; source: the CONFIG_DB tables and what SONiC's daemons make of them.

use serde::Serialize;

/// One switch as its ASIC would see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ResolvedSwitch {
    /// `DEVICE_METADATA|localhost` `hostname`, empty when absent.
    pub hostname: String,
    /// The hardware SKU, empty when absent.
    pub hwsku: String,
    /// The role, e.g. `ToRRouter`, empty when absent.
    pub role: String,
    /// Name of this chip in a switch with several (`asic_name`), empty when absent.
    pub chip: String,
    /// What the chip is for in a switch with several (`sub_role`, e.g. `FrontEnd`), empty when absent.
    pub chip_role: String,
    /// ASIC family by Harrier's name, e.g. `spectrum-3`; `None` when it cannot be told from platform and SKU.
    pub asic: Option<&'static str>,
    /// Bytes of one buffer cell; `None` when the ASIC is unknown.
    pub cell_bytes: Option<u32>,
    /// Bytes of the shared packet memory; `None` when the ASIC is unknown.
    pub memory_bytes: Option<u64>,
    /// The largest lossless frame, bytes (`LOSSLESS_TRAFFIC_PATTERN` `mtu`); `None` when the file does not say.
    pub lossless_mtu_bytes: Option<u32>,
    /// The buffer pools, in the order of the file.
    pub pools: Vec<ResolvedPool>,
    /// The buffer profiles, in the order of the file, then those that `buffermgrd` adds.
    pub profiles: Vec<ResolvedProfile>,
    /// The WRED/ECN profiles, in the order of the file.
    pub wred: Vec<ResolvedWred>,
    /// The front-panel ports, in the order of the file.
    pub ports: Vec<ResolvedPort>,
    /// How often the PFC watchdog looks, in milliseconds (`PFC_WD|GLOBAL` `POLL_INTERVAL`, default 100).
    pub watchdog_poll_ms: u32,
    /// What could not be resolved and is therefore missing above, one sentence each.
    pub unresolved: Vec<String>,
}

/// Traffic direction of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Admission of what comes in.
    Ingress,
    /// Admission to egress queues.
    Egress,
    /// Both at once (Jericho).
    Both,
}

/// How profiles of a pool limit their share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolMode {
    /// Fixed limits in bytes.
    Static,
    /// Limits as a multiple of the free part of the pool.
    Dynamic,
}

/// A buffer pool: an admission counter, not a partition of the memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedPool {
    /// Its name in the configuration.
    pub name: String,
    /// Direction of the traffic it counts.
    pub direction: Direction,
    /// Static or dynamic thresholds.
    pub mode: PoolMode,
    /// Shared bytes; computed as SONiC's dynamic model would when the file gives none and the ASIC is known.
    pub size_bytes: Option<u64>,
    /// Shared headroom pool: bytes beside `size_bytes` for packets that arrive after a pause was sent. 0: each
    /// priority group owns its headroom.
    pub shared_headroom_bytes: u64,
}

/// The limit of a profile in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Threshold {
    /// At most `2^n` times the free part of the pool (`dynamic_th` = n, -8..=7).
    Dynamic {
        /// The exponent n.
        exponent: i8,
    },
    /// At most this many bytes (`static_th`).
    Static {
        /// The limit.
        bytes: u64,
    },
}

impl Threshold {
    /// Bytes that one queue or priority group may hold while `free_bytes` of its pool are free.
    pub fn limit_bytes(self, free_bytes: u64) -> u64 {
        match self {
            Self::Static { bytes } => bytes,
            Self::Dynamic { exponent } if exponent >= 0 => free_bytes.saturating_mul(1 << exponent.min(62)),
            Self::Dynamic { exponent } => free_bytes >> (-i32::from(exponent)).min(63),
        }
    }

    /// Where one group alone is stopped: alpha/(1+alpha) of the pool, or the fixed limit. With `groups` equally
    /// loaded groups: alpha/(1+groups*alpha).
    pub fn trip_bytes(self, pool_bytes: u64, groups: u64) -> u64 {
        match self {
            Self::Static { bytes } => bytes,
            Self::Dynamic { exponent } => {
                let alpha = 2f64.powi(i32::from(exponent));
                (alpha * pool_bytes as f64 / (1.0 + groups as f64 * alpha)) as u64
            }
        }
    }
}

/// A buffer profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedProfile {
    /// Its name in the configuration.
    pub name: String,
    /// Index into [`ResolvedSwitch::pools`].
    pub pool: usize,
    /// Reserved bytes (`size`): with own headroom on Spectrum this includes xon and xoff.
    pub reserved_bytes: u64,
    /// The limit in the shared part; `None` when the file names none.
    pub threshold: Option<Threshold>,
    /// Resume when the group holds less than this (`xon`).
    pub xon_bytes: u64,
    /// Resume when this far below the pause point (`xon_offset`).
    pub xon_offset_bytes: Option<u64>,
    /// Headroom: bytes that are still taken after the pause was sent (`xoff`). `Some`: lossless.
    pub headroom_bytes: Option<u64>,
    /// A packet over the limit is trimmed instead of dropped (`packet_discard_action` = `trim`).
    pub trims: bool,
    /// Added by `buffermgrd`, not in the file.
    pub is_generated: bool,
}

impl ResolvedProfile {
    /// It has headroom, so its priority groups pause the sender instead of dropping.
    pub fn is_lossless(&self) -> bool {
        self.headroom_bytes.is_some_and(|bytes| bytes > 0)
    }
}

/// Marking (or early drop) of one colour. Data packets of an uncongested class are green.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Below: never (Kmin).
    pub min_bytes: u64,
    /// Above: always; between: rising to `max_percent` (Kmax).
    pub max_bytes: u64,
    /// Probability at `max_bytes` (Pmax), 0..=100.
    pub max_percent: u8,
}

/// A WRED profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedWred {
    /// Its name in the configuration.
    pub name: String,
    /// Green packets, when enabled for them.
    pub green: Option<Curve>,
    /// Yellow packets, when enabled for them.
    pub yellow: Option<Curve>,
    /// Red packets, when enabled for them.
    pub red: Option<Curve>,
    /// Green ECN-capable packets are marked, not dropped.
    pub marks_green: bool,
    /// The same for yellow.
    pub marks_yellow: bool,
    /// The same for red.
    pub marks_red: bool,
}

/// What the watchdog does with a queue that is paused too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogAction {
    /// Drop what is queued and what comes.
    Drop,
    /// Ignore the pauses and send.
    Forward,
    /// Only say so.
    Alert,
}

/// PFC watchdog of one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResolvedWatchdog {
    /// A storm is a queue that is paused this long.
    pub detection_ms: u32,
    /// Without pauses for this long the queue works again; `None`: never by itself.
    pub restoration_ms: Option<u32>,
    /// What is done meanwhile.
    pub action: WatchdogAction,
    /// Priorities it watches, bit n for priority n (`pfcwd_sw_enable`, **not** `pfc_enable`).
    pub priorities: u8,
}

/// One front-panel port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedPort {
    /// Its name, e.g. `Ethernet0`.
    pub name: String,
    /// What else it is called (`alias`), empty when absent: a neighbour may name it so.
    pub alias: String,
    /// What other chips of its switch call it (`asic_port_name`), empty when absent.
    pub chip_port: String,
    /// `admin_status` is `up`.
    pub is_up: bool,
    /// Speed in Mbit/s.
    pub speed_mbps: u32,
    /// Largest frame it sends and takes, bytes.
    pub mtu_bytes: u32,
    /// Number of lanes.
    pub lanes: u32,
    /// Length of its cable in metres; `None` when the file does not say.
    pub cable_m: Option<u32>,
    /// Profile of each priority group: index into [`ResolvedSwitch::profiles`].
    pub priority_groups: [Option<usize>; 8],
    /// Buffer profile of each queue: index into [`ResolvedSwitch::profiles`].
    pub queues: [Option<usize>; 16],
    /// WRED profile of each queue: index into [`ResolvedSwitch::wred`].
    pub queue_wred: [Option<usize>; 16],
    /// Scheduling of each queue.
    pub queue_schedule: [Option<Schedule>; 16],
    /// Traffic class of each DSCP.
    pub dscp_to_tc: DscpMap,
    /// Priority group of each traffic class; what the file does not map goes to 0.
    pub tc_to_group: [u8; 16],
    /// Queue of each traffic class; what the file does not map goes to the queue of its number.
    pub tc_to_queue: [u8; 16],
    /// Queue that a received pause of each priority stops.
    pub pause_to_queue: [u8; 8],
    /// Priorities that may pause, bit n for priority n (`pfc_enable`).
    pub pfc_priorities: u8,
    /// Its watchdog, if any.
    pub watchdog: Option<ResolvedWatchdog>,
    /// Name of the neighbour and of its port (`DEVICE_NEIGHBOR`).
    pub neighbour: Option<(String, String)>,
}

impl ResolvedPort {
    /// Whether a port differs from another in nothing but its name and its neighbour's.
    pub fn is_like(&self, other: &Self) -> bool {
        let Self {
            name: _,
            alias: _,
            chip_port: _,
            is_up,
            speed_mbps,
            mtu_bytes,
            lanes,
            cable_m,
            priority_groups,
            queues,
            queue_wred,
            queue_schedule,
            dscp_to_tc,
            tc_to_group,
            tc_to_queue,
            pause_to_queue,
            pfc_priorities,
            watchdog,
            neighbour,
        } = self;
        *is_up == other.is_up
            && *speed_mbps == other.speed_mbps
            && *mtu_bytes == other.mtu_bytes
            && *lanes == other.lanes
            && *cable_m == other.cable_m
            && *pfc_priorities == other.pfc_priorities
            && neighbour.is_some() == other.neighbour.is_some()
            && *watchdog == other.watchdog
            && *priority_groups == other.priority_groups
            && *queues == other.queues
            && *queue_wred == other.queue_wred
            && *queue_schedule == other.queue_schedule
            && *tc_to_group == other.tc_to_group
            && *tc_to_queue == other.tc_to_queue
            && *pause_to_queue == other.pause_to_queue
            && *dscp_to_tc == other.dscp_to_tc
    }
}

/// Traffic class of each of the 64 DSCPs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DscpMap(pub [u8; 64]);

impl Serialize for DscpMap {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_slice().serialize(serializer)
    }
}

/// How a queue shares the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Before all others.
    Strict,
    /// By weight (DWRR or WRR).
    Weighted {
        /// 1..=100.
        weight: u8,
    },
}
