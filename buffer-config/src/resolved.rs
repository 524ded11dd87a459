//! The values that a switch runs with: references resolved, additions of SONiC's daemons included, sizes in bytes.
//!
//! The rules check these values, and the fabric's shared-buffer MMU is configured from them. [`crate::resolve`]
//! computes them from the CONFIG_DB tables in the same way as SONiC's daemons.

use serde::Serialize;

/// The resolved configuration of one switch, or of one chip of a switch with several.
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
    /// The role of the chip in a switch with several (`sub_role`, e.g. `FrontEnd`), empty when absent.
    pub chip_role: String,
    /// ASIC family by Harrier's name, e.g. `spectrum-3`; `None` if platform and SKU do not identify it.
    pub asic: Option<&'static str>,
    /// Bytes of the buffer cells that each frame fills alone; `None` when the ASIC is unknown, or when frames share
    /// cells.
    pub cell_bytes: Option<u32>,
    /// Bytes of the shared packet memory; `None` when the ASIC is unknown.
    pub memory_bytes: Option<u64>,
    /// The largest lossless frame, bytes (`LOSSLESS_TRAFFIC_PATTERN` `mtu`); `None` if the file does not specify it.
    pub lossless_mtu_bytes: Option<u32>,
    /// The buffer pools, in the order of the file.
    pub pools: Vec<ResolvedPool>,
    /// The buffer profiles, in the order of the file, then those that `buffermgrd` adds.
    pub profiles: Vec<ResolvedProfile>,
    /// The WRED/ECN profiles, in the order of the file.
    pub wred: Vec<ResolvedWred>,
    /// The front-panel ports, in the order of the file.
    pub ports: Vec<ResolvedPort>,
    /// Names of neighbours and their roles (`DEVICE_NEIGHBOR_METADATA`), in the order of the file.
    pub neighbour_roles: Vec<(String, String)>,
    /// Values that other switches state as well, or must not have.
    pub shared: SharedValues,
    /// Poll interval of the PFC watchdog, milliseconds (`PFC_WD|GLOBAL` `POLL_INTERVAL`, default 100).
    pub watchdog_poll_ms: u32,
    /// Names and values that could not be resolved and are missing above, one message each.
    pub unresolved: Vec<String>,
}

/// Values of a switch that must agree with those of another one, or be its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SharedValues {
    /// MAC address in lower case (`DEVICE_METADATA|localhost` `mac`), empty when absent.
    pub mac: String,
    /// Name and IPv4 address of the second switch of a dual ToR (`PEER_SWITCH`).
    pub peer: Option<(String, String)>,
    /// IPv4 addresses of `Loopback0`.
    pub loopbacks: Vec<String>,
    /// Servers with a cable to two switches, and the type of the cable (`MUX_CABLE`), in the order of the file.
    pub cables: Vec<(String, String)>,
    /// System ports of the chassis and their values as text (`SYSTEM_PORT`), in the order of the file.
    pub system_ports: Vec<(String, String)>,
    /// Settings of the tunnel to the second switch (`TUNNEL`) and their values; of maps, their entries.
    pub tunnel: Vec<(String, String)>,
    /// Ports with MACsec, and what both ends of a link have in common. Not in reports.
    #[serde(skip)]
    pub macsec: Vec<(String, MacsecKeys)>,
    /// Ports whose VLAN tag type (`tpid`) is not 0x8100.
    pub tag_types: Vec<(String, String)>,
}

/// The part of a MACsec profile that both ends of a link have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacsecKeys {
    /// Length of the keys, bits.
    pub bits: u32,
    /// Names of the keys (`primary_ckn`, `fallback_ckn`), not the keys.
    pub names: Vec<String>,
}

/// Traffic direction of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Admission at ingress.
    Ingress,
    /// Admission to egress queues.
    Egress,
    /// Both directions in one pool (Jericho).
    Both,
}

/// The type of the thresholds of a pool's profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolMode {
    /// Fixed numbers of bytes.
    Static,
    /// Multiples of the free part of the pool.
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
    /// Size in bytes. If the file has none and the ASIC is known, it is computed like in SONiC's dynamic model.
    pub size_bytes: Option<u64>,
    /// Whether the size is computed: it depends on the ports that are up.
    #[serde(skip)]
    pub is_computed: bool,
    /// Size of the shared headroom pool, in addition to `size_bytes`, for packets that arrive after a pause was sent.
    /// If it is 0, each priority group reserves its own headroom.
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
    /// The limit of one queue or priority group while `free_bytes` of its pool are free.
    pub fn limit_bytes(self, free_bytes: u64) -> u64 {
        match self {
            Self::Static { bytes } => bytes,
            Self::Dynamic { exponent } if exponent >= 0 => free_bytes.saturating_mul(1 << exponent.min(62)),
            Self::Dynamic { exponent } => free_bytes >> (-i32::from(exponent)).min(63),
        }
    }

    /// The occupancy at which each of `groups` equally congested groups reaches its limit: alpha/(1+groups*alpha) of
    /// the pool, or the fixed limit.
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
    /// Reserved bytes (`size`). On Spectrum without shared headroom, this includes xon and xoff.
    pub reserved_bytes: u64,
    /// The limit in the shared buffer; `None` if the file has none.
    pub threshold: Option<Threshold>,
    /// XON threshold: the group resumes below this occupancy (`xon`).
    pub xon_bytes: u64,
    /// Distance of XON below XOFF (`xon_offset`).
    pub xon_offset_bytes: Option<u64>,
    /// Headroom: bytes that are admitted after the pause was sent (`xoff`). `Some` if the profile is lossless.
    pub headroom_bytes: Option<u64>,
    /// Whether a packet above the limit is trimmed instead of dropped (`packet_discard_action` = `trim`).
    pub trims: bool,
    /// Whether `buffermgrd` adds the profile; it is then not in the file.
    pub is_generated: bool,
}

impl ResolvedProfile {
    /// Whether the profile has headroom, so that its priority groups pause the sender instead of dropping packets.
    pub fn is_lossless(&self) -> bool {
        self.headroom_bytes.is_some_and(|bytes| bytes > 0)
    }
}

/// The marking (or early drop) curve of one colour. Packets that no policer has re-coloured are green.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Kmin: no packet is marked below this queue depth.
    pub min_bytes: u64,
    /// Kmax: every packet is marked above this queue depth. In between, the probability rises to `max_percent`.
    pub max_bytes: u64,
    /// Pmax: the marking probability at Kmax, 0 to 100 percent.
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

/// The action of the PFC watchdog on a queue that is paused for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogAction {
    /// Drop queued and arriving packets.
    Drop,
    /// Ignore the pauses and forward packets.
    Forward,
    /// Only report the storm.
    Alert,
}

/// The PFC watchdog of one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResolvedWatchdog {
    /// A queue that is paused for this long is in a storm, milliseconds.
    pub detection_ms: u32,
    /// The queue is restored after this time without pauses, milliseconds; `None`: it is never restored.
    pub restoration_ms: Option<u32>,
    /// The action during a storm.
    pub action: WatchdogAction,
    /// Priorities that it monitors, bit n for priority n (`pfcwd_sw_enable`, **not** `pfc_enable`).
    pub priorities: u8,
}

/// One front-panel port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolvedPort {
    /// Its name, e.g. `Ethernet0`.
    pub name: String,
    /// Its `alias`, empty when absent; a neighbour may use this name.
    pub alias: String,
    /// The name that other chips of the switch use (`asic_port_name`), empty when absent.
    pub chip_port: String,
    /// `admin_status` is `up`.
    pub is_up: bool,
    /// Speed in Mbit/s.
    pub speed_mbps: u32,
    /// MTU, bytes.
    pub mtu_bytes: u32,
    /// Number of lanes.
    pub lanes: u32,
    /// Forward error correction (`fec`), empty when absent.
    pub fec: String,
    /// Auto-negotiation (`autoneg`); `None` if the file does not specify it.
    pub autoneg: Option<bool>,
    /// Link training (`link_training`); `None` if the file does not specify it.
    pub link_training: Option<bool>,
    /// The port channel that it is a member of (`PORTCHANNEL_MEMBER`), empty if none.
    pub port_channel: String,
    /// Length of its cable in metres; `None` if the file does not specify it.
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
    /// Priority group of each traffic class; 0 if the file does not map it.
    pub tc_to_group: [u8; 16],
    /// Queue of each traffic class; without a map, the queue of the same number. A map that lacks the class means 0.
    pub tc_to_queue: [u8; 16],
    /// Queue that a received pause of each priority stops; without a map, the queue of the same number.
    pub pause_to_queue: [u8; 8],
    /// Priorities with PFC, bit n for priority n (`pfc_enable`).
    pub pfc_priorities: u8,
    /// Its watchdog, if any.
    pub watchdog: Option<ResolvedWatchdog>,
    /// Name of the neighbour and of its port (`DEVICE_NEIGHBOR`).
    pub neighbour: Option<(String, String)>,
}

impl ResolvedPort {
    /// Whether two ports are equal except for their names and neighbours.
    pub fn is_like(&self, other: &Self) -> bool {
        let Self {
            name: _,
            alias: _,
            chip_port: _,
            is_up,
            speed_mbps,
            mtu_bytes,
            lanes,
            fec,
            autoneg,
            link_training,
            port_channel,
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
            && *fec == other.fec
            && *autoneg == other.autoneg
            && *link_training == other.link_training
            && port_channel.is_empty() == other.port_channel.is_empty()
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

/// How a queue is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Strict priority.
    Strict,
    /// Weighted round robin (DWRR or WRR).
    Weighted {
        /// 1..=100.
        weight: u8,
    },
}
