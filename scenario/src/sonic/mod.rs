//! The traffic manager of a switch from its SONiC configuration: the simulation uses what `harrier check` checks.
//!
//! | CONFIG_DB | traffic manager |
//! |---|---|
//! | `BUFFER_POOL` of type ingress or egress | a pool of that side; `xoff` is the shared headroom |
//! | `BUFFER_PROFILE` through `BUFFER_PG` | the priority group; its `xoff` makes it lossless |
//! | `BUFFER_PROFILE` through `BUFFER_QUEUE` | the queue's limit |
//! | `WRED_PROFILE` through `QUEUE` | marking (ECN) or early drop |
//! | `SCHEDULER` | strict priority or weighted round robin |
//! | `TC_TO_PRIORITY_GROUP_MAP`, `TC_TO_QUEUE_MAP`, `MAP_PFC_PRIORITY_TO_QUEUE` | [`ClassMaps`] |
//! | `PORT_QOS_MAP` `pfc_enable` | the priorities for which PFC is on |
//! | `PFC_WD` | the watchdog |
//!
//! Groups and queues without a profile are limited by their pool only. `DSCP_TO_TC_MAP` belongs to the pipeline:
//! [`dscp_classes`]. The first eight of the sixteen queues and traffic classes of a port are modelled.

mod findings;
pub(crate) mod view;

use std::collections::BTreeMap;

use buffer_config::asic::{self, Vendor};
use buffer_config::resolved::{
    Curve, Direction, ResolvedPort, ResolvedProfile, ResolvedSwitch, ResolvedWatchdog, Schedule, Threshold,
    WatchdogAction,
};
use model::{Rate, Time};
use p4_switch::tm::{
    self, CLASSES, ClassMaps, Ecn, GroupProfile, Lossless, PoolConfig, PortConfig, QueueProfile, Service,
    TmConfig, Watchdog,
};

use crate::settings::SwitchPort;

pub(crate) use findings::linked_ports;
pub use findings::{Configured, KnownPorts, config_findings, config_findings_at};

/// Bytes per round and unit of weight: a full frame, so that every queue sends in every round.
const ROUND_BYTES: u32 = 1_518;

/// Why a configuration does not fit a switch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SonicError {
    /// More links than ports.
    #[error("the configuration has {configured} ports, the switch of the topology uses {needed}")]
    TooFewPorts {
        /// Ports of the configuration.
        configured: usize,
        /// Ports of the topology.
        needed: usize,
    },
    /// A pool whose size is neither given nor known for the ASIC.
    #[error("pool `{0}` has no size, and none can be computed for this ASIC")]
    PoolSize(String),
    /// No pool for one direction.
    #[error("there is no {0} pool")]
    NoPool(&'static str),
    /// A profile whose pool counts the other direction.
    #[error("{port}: profile `{profile}` is used for {used}, its pool `{pool}` is not")]
    Direction {
        /// The port.
        port: String,
        /// The profile.
        profile: String,
        /// Its pool.
        pool: String,
        /// Ingress or egress.
        used: &'static str,
    },
}

/// The pools of one direction.
struct Side {
    name: &'static str,
    pools: Vec<PoolConfig>,
    /// By pool of the switch, its position in `pools`; absent for a pool of the other direction.
    place: Vec<Option<usize>>,
    /// An unlimited pool, for packets that are counted in the other direction.
    elsewhere: Option<usize>,
}

/// Templates of Teralynx count each kind of traffic in one direction: lossless traffic in the ingress pool, lossy
/// traffic in the egress pool. Their profiles for the other direction use the same pool with a fixed limit, which is
/// the same for both and does not depend on the size of the pool: it removes the limit there, as in the Azure paper's
/// listing (appendix A).
fn counts_by_class(switch: &ResolvedSwitch) -> bool {
    switch.asic.and_then(asic::by_name).is_some_and(|asic| asic.vendor == Vendor::Teralynx)
}

impl Side {
    fn new(
        switch: &ResolvedSwitch,
        name: &'static str,
        own: Direction,
        misfits: &mut Vec<SonicError>,
    ) -> Side {
        let mut side = Side { name, pools: Vec::new(), place: Vec::new(), elsewhere: None };
        for pool in &switch.pools {
            if pool.direction != own && pool.direction != Direction::Both {
                side.place.push(None);
                continue;
            }
            if pool.size_bytes.is_none() {
                misfits.push(SonicError::PoolSize(pool.name.clone()));
            }
            let size_bytes = pool.size_bytes.unwrap_or(0);
            let shared = Some(pool.shared_headroom_bytes).filter(|bytes| *bytes > 0);
            side.place.push(Some(side.pools.len()));
            side.pools.push(PoolConfig { size_bytes, shared_headroom_bytes: shared });
        }
        if side.pools.is_empty() {
            misfits.push(SonicError::NoPool(name));
        }
        if counts_by_class(switch) {
            let size_bytes = switch.memory_bytes.unwrap_or_else(|| side.usable_bytes());
            side.elsewhere = Some(side.pools.len());
            side.pools.push(PoolConfig { size_bytes, shared_headroom_bytes: None });
        }
        side
    }

    /// The unlimited pool, for a profile that is counted in the other direction.
    fn counted_elsewhere(&self, profile: &ResolvedProfile) -> Option<usize> {
        let is_here = self.place.get(profile.pool).is_some_and(|place| place.is_some());
        self.elsewhere.filter(|_| !is_here)
    }

    /// The total size of the configured pools.
    fn usable_bytes(&self) -> u64 {
        let own = self.pools.iter().take(self.elsewhere.unwrap_or(self.pools.len()));
        own.map(|pool| pool.size_bytes.saturating_add(pool.shared_headroom_bytes.unwrap_or(0))).sum()
    }

    fn pool(
        &self,
        switch: &ResolvedSwitch,
        port: &ResolvedPort,
        profile: &ResolvedProfile,
        misfits: &mut Vec<SonicError>,
    ) -> usize {
        self.place.get(profile.pool).copied().flatten().unwrap_or_else(|| {
            misfits.push(SonicError::Direction {
                port: port.name.clone(),
                profile: profile.name.clone(),
                pool: switch.pools.get(profile.pool).map_or(String::new(), |pool| pool.name.clone()),
                used: self.name,
            });
            0
        })
    }
}

/// The traffic manager of a configuration, with the rates of the topology's links. A link uses the port whose
/// `DEVICE_NEIGHBOR` is its peer; other links use the remaining ports, in the order of the file.
pub(crate) fn traffic_manager(switch: &ResolvedSwitch, ports: &[SwitchPort]) -> Result<TmConfig, SonicError> {
    let mut misfits = Vec::new();
    let chosen = choose(switch, ports, &mut misfits);
    assemble(switch, chosen, misfits).map_err(|(first, _)| first)
}

/// All reasons why a configuration does not fit a switch with these links.
pub(crate) fn misfits(switch: &ResolvedSwitch, ports: &[SwitchPort]) -> Vec<SonicError> {
    let mut misfits = Vec::new();
    let chosen = choose(switch, ports, &mut misfits);
    match assemble(switch, chosen, misfits) {
        Ok(_) => Vec::new(),
        Err((first, others)) => std::iter::once(first).chain(others).collect(),
    }
}

/// The port number in the topology of each port of the configuration, by its name in the configuration.
pub(crate) fn port_numbers<'s>(switch: &'s ResolvedSwitch, ports: &[SwitchPort]) -> BTreeMap<&'s str, u16> {
    let chosen = choose(switch, ports, &mut Vec::new());
    chosen.into_iter().map(|(link, port)| (port.name.as_str(), link.number)).collect()
}

/// The traffic manager of a switch with two ports, both configured like `port`.
pub fn pair(
    switch: &ResolvedSwitch,
    port: &ResolvedPort,
    numbers: [u16; 2],
    rate: Rate,
) -> Result<TmConfig, SonicError> {
    let links = numbers.map(|number| SwitchPort { number, rate, delay: Time::ZERO, peer: String::new() });
    let chosen = links.iter().map(|link| (link, port)).collect();
    assemble(switch, chosen, Vec::new()).map_err(|(first, _)| first)
}

/// The traffic manager, or all reasons why it is not possible, those in `misfits` included.
fn assemble(
    switch: &ResolvedSwitch,
    ports: Vec<(&SwitchPort, &ResolvedPort)>,
    mut misfits: Vec<SonicError>,
) -> Result<TmConfig, (SonicError, Vec<SonicError>)> {
    let ingress = Side::new(switch, "ingress", Direction::Ingress, &mut misfits);
    let egress = Side::new(switch, "egress", Direction::Egress, &mut misfits);
    let configs = ports
        .into_iter()
        .map(|(link, port)| port_config(switch, port, link, (&ingress, &egress), &mut misfits))
        .collect();
    if !misfits.is_empty() {
        let first = misfits.remove(0);
        misfits.retain(|misfit| *misfit != first);
        return Err((first, misfits));
    }
    // Without a known ASIC, the memory is the total size of the ingress pools.
    let memory_bytes = switch.memory_bytes.unwrap_or_else(|| ingress.usable_bytes());
    Ok(TmConfig {
        ports: configs,
        cell_bytes: switch.cell_bytes.unwrap_or(1),
        ingress_pools: ingress.pools,
        egress_pools: egress.pools,
        profiles: switch.profiles.iter().map(|profile| profile.name.clone()).collect(),
        ..TmConfig::lossy([], memory_bytes)
    })
}

/// The port of the configuration that each link uses.
pub(crate) fn choose<'s, 'l>(
    switch: &'s ResolvedSwitch,
    links: &'l [SwitchPort],
    misfits: &mut Vec<SonicError>,
) -> Vec<(&'l SwitchPort, &'s ResolvedPort)> {
    let mut taken = vec![false; switch.ports.len()];
    let mut chosen: Vec<Option<usize>> = vec![None; links.len()];
    let mut take = |link: usize, wanted: &dyn Fn(&ResolvedPort) -> bool, chosen: &mut Vec<Option<usize>>| {
        let free = |(at, port): &(usize, &ResolvedPort)| !taken[*at] && wanted(port);
        if let Some((at, _)) = switch.ports.iter().enumerate().find(free) {
            taken[at] = true;
            chosen[link] = Some(at);
        }
    };
    for (at, link) in links.iter().enumerate() {
        let is_neighbour =
            |port: &ResolvedPort| port.neighbour.as_ref().is_some_and(|(n, _)| *n == link.peer);
        take(at, &is_neighbour, &mut chosen);
    }
    for at in 0..links.len() {
        if chosen[at].is_none() {
            take(at, &|_| true, &mut chosen);
        }
    }
    let found = |(link, at): (&'l SwitchPort, &Option<usize>)| Some((link, switch.ports.get((*at)?)?));
    let found: Vec<_> = links.iter().zip(&chosen).filter_map(found).collect();
    if found.len() < links.len() {
        misfits.push(SonicError::TooFewPorts { configured: switch.ports.len(), needed: links.len() });
    }
    found
}

fn port_config(
    switch: &ResolvedSwitch,
    port: &ResolvedPort,
    link: &SwitchPort,
    (ingress, egress): (&Side, &Side),
    misfits: &mut Vec<SonicError>,
) -> PortConfig {
    let mut config = PortConfig::lossy(link.number, link.rate);
    for (group, index) in config.groups.iter_mut().zip(port.priority_groups) {
        *group = match index.and_then(|at| Some((at, switch.profiles.get(at)?))) {
            Some((at, profile)) => {
                match ingress.counted_elsewhere(profile).filter(|_| !profile.is_lossless()) {
                    Some(pool) => GroupProfile { pool, threshold: tm::Threshold::Static(u64::MAX), ..*group },
                    None => group_profile(switch, at, profile, ingress.pool(switch, port, profile, misfits)),
                }
            }
            None => GroupProfile { threshold: tm::Threshold::Static(u64::MAX), ..*group },
        };
    }
    for (number, queue) in config.queues.iter_mut().enumerate() {
        if let Some(profile) = port.queues[number].and_then(|at| switch.profiles.get(at)) {
            match egress.counted_elsewhere(profile) {
                Some(pool) => queue.pool = pool,
                None => {
                    queue.pool = egress.pool(switch, port, profile, misfits);
                    queue.reserved_bytes = profile.reserved_bytes;
                    queue.threshold = profile.threshold.map(threshold);
                }
            }
        }
        mark(switch, port.queue_wred[number], queue);
        queue.service = match port.queue_schedule[number] {
            Some(Schedule::Strict) => Service::Strict,
            Some(Schedule::Weighted { weight }) => Service::Weighted(u32::from(weight.max(1)) * ROUND_BYTES),
            None => Service::Weighted(ROUND_BYTES),
        };
    }
    config.maps = ClassMaps {
        group: std::array::from_fn(|class| port.tc_to_group[class] & 7),
        queue: std::array::from_fn(|class| port.tc_to_queue[class] & 7),
        paused_queue: port.pause_to_queue.map(|queue| queue & 7),
    };
    config.pfc_enabled = port.pfc_priorities;
    config.watchdog = port.watchdog.map(watchdog);
    config
}

fn group_profile(switch: &ResolvedSwitch, at: usize, profile: &ResolvedProfile, pool: usize) -> GroupProfile {
    let headroom_bytes = profile.headroom_bytes.unwrap_or(0);
    let shares = switch.pools.get(profile.pool).is_some_and(|pool| pool.shared_headroom_bytes > 0);
    // The headroom of a group is part of its size (Spectrum without a shared headroom pool).
    let within = if shares { 0 } else { headroom_bytes };
    let lossless = Lossless {
        headroom_bytes,
        xon_bytes: profile.xon_bytes,
        // Without an offset only `xon` applies.
        xon_offset_bytes: profile.xon_offset_bytes.unwrap_or(u64::MAX),
    };
    GroupProfile {
        profile: at as u16,
        pool,
        reserved_bytes: profile.reserved_bytes.checked_sub(within).unwrap_or(profile.reserved_bytes),
        threshold: profile.threshold.map_or(tm::Threshold::Static(0), threshold),
        lossless: profile.is_lossless().then_some(lossless),
    }
}

fn threshold(threshold: Threshold) -> tm::Threshold {
    match threshold {
        Threshold::Dynamic { exponent } => tm::Threshold::Dynamic { alpha_exponent: exponent },
        Threshold::Static { bytes } => tm::Threshold::Static(bytes),
    }
}

/// All packets are green here, since no meters are modelled.
fn mark(switch: &ResolvedSwitch, wred: Option<usize>, queue: &mut QueueProfile) {
    let Some(profile) = wred.and_then(|at| switch.wred.get(at)) else {
        return;
    };
    queue.ecn = profile.green.filter(|_| profile.marks_green).map(curve);
    queue.early_drop = profile.green.map(curve);
}

pub(crate) fn curve(curve: Curve) -> Ecn {
    Ecn {
        kmin_bytes: curve.min_bytes,
        kmax_bytes: curve.max_bytes.max(curve.min_bytes),
        pmax_ppm: u32::from(curve.max_percent.min(100)) * 10_000,
    }
}

fn watchdog(found: ResolvedWatchdog) -> Watchdog {
    Watchdog {
        detection: Time::from_ms(u64::from(found.detection_ms)),
        restoration: found.restoration_ms.map(|ms| Time::from_ms(u64::from(ms))),
        action: match found.action {
            WatchdogAction::Drop => tm::WatchdogAction::Drop,
            WatchdogAction::Forward => tm::WatchdogAction::Forward,
            WatchdogAction::Alert => tm::WatchdogAction::Alert,
        },
        priorities: found.priorities,
    }
}

/// The traffic class of each DSCP, for [`controller::plan::PlanSettings`]: the map of the first port, since the
/// pipeline has one table per switch. Absent when the configuration has no ports.
pub fn dscp_classes(switch: &ResolvedSwitch) -> Option<Vec<u8>> {
    Some(switch.ports.first()?.dscp_to_tc.0.iter().map(|class| class & (CLASSES as u8 - 1)).collect())
}
