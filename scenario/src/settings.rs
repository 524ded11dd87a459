//! The settings of switches and hosts.

use std::collections::BTreeMap;
use std::sync::Arc;

use buffer_config::finding::Finding;
use buffer_config::resolved::ResolvedSwitch;
use model::{Rate, Time};
use p4_switch::tm::{
    Ecn, GroupProfile, Lossless, PauseEnd, PoolConfig, PortConfig, Service, Threshold, TmConfig, Watchdog,
    standard_reaction,
};

use crate::nic::{ControlConfig, DcqcnConfig, ROCE_V4_BYTES, ReceiveLimits, Reliability, TranslationCache};
use crate::sonic::{self, SonicError};

/// Buffers, flow control and marking of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSettings {
    /// Bytes of packet memory.
    pub memory_bytes: u64,
    /// Lossless priorities; bit n is priority n.
    pub lossless: u8,
    /// Reserved bytes of each priority group.
    pub reserved_bytes: u64,
    /// Limit of a group's share of the shared buffer; XOFF of a lossless group.
    pub threshold: Threshold,
    /// Limits of ports with particular rates.
    pub thresholds: Vec<(Rate, Threshold)>,
    /// Whether the shared buffer is the memory minus the headroom of all ports and one reservation for each port.
    /// Otherwise all memory may be shared, and headroom is taken from the memory that is then free.
    pub sets_headroom_aside: bool,
    /// XON is this far below XOFF.
    pub xon_offset_bytes: u64,
    /// Headroom of a lossless group.
    pub headroom: Headroom,
    /// ECN marking by link rate; ports of other rates do not mark.
    pub ecn: Vec<(Rate, Ecn)>,
    /// Quanta of pause frames.
    pub pause_quanta: u16,
    /// Priorities of code points, where they differ from the default (the upper three bits).
    pub dscp: BTreeMap<u8, u8>,
    /// Memory is allocated in cells of this size; 1 counts exact bytes.
    pub cell_bytes: u32,
    /// Bytes of headroom that all lossless groups share; absent: each has its own.
    pub shared_headroom_bytes: Option<u64>,
    /// How fast ports react to pause frames.
    pub pfc_reaction: Reaction,
    /// The PFC watchdog; absent: none.
    pub watchdog: Option<Watchdog>,
    /// Quanta in bytes of priorities that share the link by deficit round robin; the others have strict priority.
    pub weights: BTreeMap<u8, u32>,
    /// The SONiC configuration of the switch. It overrides everything above except `pfc_reaction`, `pause_quanta` and
    /// `dscp`; memory, thresholds, lossless priorities, headroom and marking above are then derived from it.
    pub sonic: Option<Arc<ResolvedSwitch>>,
    /// The findings of `harrier check` in that configuration, in the order of its file.
    pub sonic_findings: Arc<Vec<Finding>>,
}

/// How fast a port or NIC reacts to a pause frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reaction {
    /// At once, as in most simulators.
    #[default]
    None,
    /// After the longest time that IEEE 802.3 allows at the link's rate.
    Standard,
    /// After this time.
    After(Time),
}

impl Reaction {
    /// The time on a link of `rate`.
    pub fn time(self, rate: Rate) -> Time {
        match self {
            Reaction::None => Time::ZERO,
            Reaction::Standard => standard_reaction(rate),
            Reaction::After(time) => time,
        }
    }
}

/// A port of a switch with a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchPort {
    /// Its number.
    pub number: u16,
    /// Rate of its link.
    pub rate: Rate,
    /// Delay of its link.
    pub delay: Time,
    /// The node at the other end.
    pub peer: String,
}

/// Headroom of a lossless group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// This number of bytes.
    Bytes(u64),
    /// A multiple of the link's capacity in one direction (rate times delay).
    LinkCapacities(u64),
    /// The distinct headroom sizes of the ports of a SONiC configuration that are up, ascending.
    Ports(Vec<u64>),
}

impl Default for SwitchSettings {
    /// 16 MB, priorities 3 and 4 lossless with alpha 1/8, and the marking that is recommended for each rate.
    fn default() -> SwitchSettings {
        let kb = |kmin: u64, kmax: u64| Ecn {
            kmin_bytes: kmin * 1000,
            kmax_bytes: kmax * 1000,
            pmax_ppm: 200_000,
        };
        SwitchSettings {
            memory_bytes: 16_000_000,
            lossless: 0b0001_1000,
            reserved_bytes: 4096,
            threshold: Threshold::Dynamic { alpha_exponent: -3 },
            thresholds: Vec::new(),
            sets_headroom_aside: false,
            xon_offset_bytes: 3072,
            headroom: Headroom::Bytes(96_928),
            ecn: vec![
                (Rate::from_gbps(25), kb(100, 400)),
                (Rate::from_gbps(40), kb(160, 640)),
                (Rate::from_gbps(50), kb(200, 800)),
                (Rate::from_gbps(100), kb(400, 1600)),
                (Rate::from_gbps(200), kb(800, 3200)),
                (Rate::from_gbps(400), kb(1600, 6400)),
            ],
            pause_quanta: u16::MAX,
            dscp: BTreeMap::new(),
            cell_bytes: 1,
            shared_headroom_bytes: None,
            pfc_reaction: Reaction::None,
            watchdog: None,
            weights: BTreeMap::new(),
            sonic: None,
            sonic_findings: Arc::default(),
        }
    }
}

impl SwitchSettings {
    /// The traffic manager of a switch with these ports. `control_port` connects the controller.
    pub fn traffic_manager(
        &self,
        ports: &[SwitchPort],
        control_port: u16,
        pause_end: PauseEnd,
        seed: u64,
    ) -> Result<TmConfig, SonicError> {
        let mut tm = match &self.sonic {
            Some(resolved) => sonic::traffic_manager(resolved, ports)?,
            None => self.plain(ports),
        };
        for port in &mut tm.ports {
            port.pfc_reaction = self.pfc_reaction.time(port.rate);
        }
        tm.ports.push(PortConfig::lossy(control_port, Rate::from_gbps(10)));
        Ok(TmConfig { pause_end, pause_quanta: self.pause_quanta, seed, ..tm })
    }

    /// One pool, and equal settings of all ports.
    fn plain(&self, ports: &[SwitchPort]) -> TmConfig {
        let aside = |port: &SwitchPort| self.headroom_of(port.rate, port.delay) + self.reserved_bytes;
        let aside = ports.iter().filter(|_| self.sets_headroom_aside).map(aside).sum();
        let pool = PoolConfig {
            size_bytes: self.memory_bytes.saturating_sub(aside),
            shared_headroom_bytes: self.shared_headroom_bytes,
        };
        TmConfig {
            ports: ports.iter().map(|port| self.port(port.number, port.rate, port.delay)).collect(),
            cell_bytes: self.cell_bytes,
            ingress_pools: vec![pool],
            profiles: vec!["lossy".to_string(), "lossless".to_string()],
            ..TmConfig::lossy([], self.memory_bytes)
        }
    }

    /// Headroom in bytes of a lossless group at a link.
    pub(crate) fn headroom_of(&self, rate: Rate, delay: Time) -> u64 {
        match &self.headroom {
            Headroom::Bytes(bytes) => *bytes,
            Headroom::Ports(ports) => ports.iter().copied().min().unwrap_or(0),
            Headroom::LinkCapacities(times) => {
                let bits = u128::from(rate.0) * u128::from(delay.0) / 1_000_000_000_000;
                ((bits / 8) as u64).saturating_mul(*times)
            }
        }
    }

    fn port(&self, number: u16, rate: Rate, delay: Time) -> PortConfig {
        let headroom_bytes = self.headroom_of(rate, delay);
        let own = self.thresholds.iter().find(|(of, _)| *of == rate);
        let threshold = own.map_or(self.threshold, |(_, threshold)| *threshold);
        let mut port = PortConfig::lossy(number, rate);
        let ecn = self.ecn.iter().find(|(of, _)| *of == rate).map(|(_, ecn)| *ecn);
        for (class, group) in port.groups.iter_mut().enumerate() {
            let is_lossless = self.lossless >> class & 1 == 1;
            let lossless = Lossless { headroom_bytes, xon_bytes: 0, xon_offset_bytes: self.xon_offset_bytes };
            *group = GroupProfile {
                profile: u16::from(is_lossless),
                pool: 0,
                reserved_bytes: self.reserved_bytes,
                threshold,
                lossless: is_lossless.then_some(lossless),
            };
        }
        for (priority, queue) in port.queues.iter_mut().enumerate() {
            queue.ecn = ecn;
            if let Some(quantum) = self.weights.get(&(priority as u8)) {
                queue.service = Service::Weighted(*quantum);
            }
        }
        port.watchdog = self.watchdog;
        port
    }
}

/// The NIC of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSettings {
    /// Payload bytes of a full packet.
    pub payload_bytes: u32,
    /// Header bytes of a data packet on the wire.
    pub header_bytes: u32,
    /// Bytes that a flow may have outstanding; absent: unlimited.
    pub window_bytes: Option<u64>,
    /// Whether the window shrinks with the rate.
    pub variable_window: bool,
    /// Congestion control; absent: flows send at line rate.
    pub dcqcn: Option<DcqcnConfig>,
    /// Another congestion control instead of DCQCN.
    pub instead_of_dcqcn: Option<ControlConfig>,
    /// How congestion marks are returned to the sender.
    pub notification: Notification,
    /// Packets per ACK.
    pub ack_every: u64,
    /// Priority of ACKs; absent: that of the data.
    pub ack_priority: Option<u8>,
    /// Priority of CNPs.
    pub cnp_priority: u8,
    /// Least time between two NAKs of the same packet.
    pub nak_interval: Time,
    /// Retransmission timeout; absent: none.
    pub retransmit_timeout: Option<Time>,
    /// A NAK requests retransmission from the first packet of a chunk of this size; absent: from the missing packet.
    pub nak_chunk_bytes: Option<u64>,
    /// Whether packets are paced at the flow's rate. Otherwise only the window limits a flow.
    pub is_paced: bool,
    /// How lost packets are recovered; that of a flow's sender applies.
    pub reliability: Reliability,
    /// Bytes that a flow sends at line rate before the rate limiter delays it; if they fit into one packet, every
    /// packet is paced.
    pub burst_bytes: u64,
    /// The receive buffer.
    pub receive: ReceiveLimits,
    /// How fast it reacts to pause frames.
    pub pfc_reaction: Reaction,
    /// Whether the NIC starts to register memory only when all earlier requests of the queue pair are complete, which makes a
    /// fence of each registration (Bai et al., NSDI 2023, section 8.3). Otherwise it starts when they have been transmitted.
    pub fences_registrations: bool,
    /// Whether the NIC serves its flows strictly in turn: one that its rate limiter delays holds up all others, so that congestion
    /// of one flow leaks to them (Bai et al., NSDI 2023, section 8.3). Otherwise it serves the next one meanwhile.
    pub leaks_congestion: bool,
    /// The cache of memory translations that tenants share.
    pub translations: TranslationCache,
    /// Timeout of the NIC watchdog: how long the receive pipeline may be stopped while the NIC pauses its switch,
    /// before the NIC stops sending pauses permanently. Absent: no watchdog.
    pub watchdog: Option<Time>,
}

/// How congestion marks are returned to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notification {
    /// As CNPs, at most one per flow and interval.
    Packets {
        /// The interval.
        interval: Time,
    },
    /// In the BECN bit of every ACK of a marked packet.
    Acknowledgements,
}

impl Default for HostSettings {
    fn default() -> HostSettings {
        HostSettings {
            payload_bytes: 1024,
            header_bytes: ROCE_V4_BYTES,
            window_bytes: None,
            variable_window: false,
            dcqcn: Some(DcqcnConfig::default()),
            instead_of_dcqcn: None,
            notification: Notification::Packets { interval: Time::from_us(50) },
            ack_every: 1,
            ack_priority: None,
            cnp_priority: 6,
            nak_interval: Time::from_us(500),
            retransmit_timeout: Some(Time::from_ms(16)),
            nak_chunk_bytes: None,
            is_paced: true,
            reliability: Reliability::GoBackN,
            burst_bytes: 0,
            receive: ReceiveLimits::default(),
            pfc_reaction: Reaction::None,
            fences_registrations: false,
            leaks_congestion: false,
            translations: TranslationCache::default(),
            watchdog: None,
        }
    }
}
