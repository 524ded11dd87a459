//! The settings of buffers and marking of a switch, in the tables of CONFIG_DB: `BUFFER_POOL`, `BUFFER_PROFILE`, `BUFFER_PG`,
//! `BUFFER_QUEUE`, `WRED_PROFILE` and `QUEUE`, with the maps of traffic classes to groups and queues.
//!
//! `scenario::sonic` reads such tables into the settings of a switch; this is the reverse. Source of names and fields: the
//! templates of sonic-buildimage (`files/build_templates/buffers_config.j2`, `qos_config.j2`) and the YANG models of
//! sonic-yang-models. The size of a lossless profile contains its headroom unless groups share a headroom pool, as on Spectrum.

use std::ops::RangeInclusive;

use p4_switch::tm::{
    CLASSES, ClassMaps, Ecn, GroupProfile, PoolConfig, PortConfig, QueueProfile, Threshold, TrafficManager,
};

use super::databases::{Database, SonicDatabases, port_name};

/// `dynamic_th` of a queue without a limit of its own, alpha = 128: the highest that SONiC accepts is 8.
const UNLIMITED_EXPONENT: i8 = 7;

/// The buffers of a switch: pools, and what each of its ports uses of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BufferSettings {
    /// The pools of priority groups.
    pub ingress_pools: Vec<PoolConfig>,
    /// The pools of queues.
    pub egress_pools: Vec<PoolConfig>,
    /// The ports, ascending.
    pub ports: Vec<PortBuffers>,
}

/// What a port uses of the pools.
#[derive(Clone, Debug, PartialEq)]
pub struct PortBuffers {
    /// Its number in the topology.
    pub number: u16,
    /// Its priority groups.
    pub groups: [GroupProfile; CLASSES],
    /// Its queues.
    pub queues: [QueueProfile; CLASSES],
    /// Which group and which queue each traffic class uses.
    pub maps: ClassMaps,
}

impl BufferSettings {
    /// Reads the settings of the ports with these numbers.
    pub(super) fn of<P>(tm: &TrafficManager<P>, numbers: impl IntoIterator<Item = u16>) -> BufferSettings {
        let port = |config: &PortConfig| PortBuffers {
            number: config.number,
            groups: config.groups,
            queues: config.queues,
            maps: config.maps,
        };
        let ports = numbers.into_iter().filter_map(|number| tm.port_config(number).map(port));
        BufferSettings {
            ingress_pools: tm.ingress_pool_configs().collect(),
            egress_pools: tm.egress_pool_configs().collect(),
            ports: ports.collect(),
        }
    }

    fn groups(&self) -> impl Iterator<Item = &GroupProfile> {
        self.ports.iter().flat_map(|port| &port.groups)
    }

    fn queues(&self) -> impl Iterator<Item = &QueueProfile> {
        self.ports.iter().flat_map(|port| &port.queues)
    }
}

/// The traffic classes, as names of fields.
const CLASS_NAMES: [&str; CLASSES] = ["0", "1", "2", "3", "4", "5", "6", "7"];

type Fields = Vec<(&'static str, String)>;

/// Writes the tables.
pub(super) fn add(databases: &mut SonicDatabases, buffers: &BufferSettings) {
    let mut tables = Tables { databases, buffers, profiles: Vec::new() };
    tables.add_pools();
    for port in &buffers.ports {
        tables.add_port(port);
    }
}

struct Tables<'t> {
    databases: &'t mut SonicDatabases,
    buffers: &'t BufferSettings,
    /// Profiles with their fields: equal ones are written once.
    profiles: Vec<(String, String, Fields)>,
}

impl Tables<'_> {
    fn set(&mut self, key: String, fields: Fields) {
        self.databases.add(Database::Config, key, fields);
    }

    fn add_pools(&mut self) {
        let buffers = self.buffers;
        for (number, pool) in buffers.ingress_pools.iter().enumerate() {
            let mut fields = pool_fields("ingress", pool, is_static(self.group_thresholds(number)));
            fields.extend(pool.shared_headroom_bytes.map(|bytes| ("xoff", bytes.to_string())));
            self.set(format!("BUFFER_POOL|{}", pool_name("ingress", number)), fields);
        }
        for (number, pool) in buffers.egress_pools.iter().enumerate() {
            let fields = pool_fields("egress", pool, is_static(self.queue_thresholds(number)));
            self.set(format!("BUFFER_POOL|{}", pool_name("egress", number)), fields);
        }
    }

    fn group_thresholds(&self, pool: usize) -> impl Iterator<Item = Threshold> {
        self.buffers.groups().filter(move |group| group.pool == pool).map(|group| group.threshold)
    }

    /// The thresholds of queues; those without one do not count.
    fn queue_thresholds(&self, pool: usize) -> impl Iterator<Item = Threshold> {
        self.buffers.queues().filter(move |queue| queue.pool == pool).filter_map(|queue| queue.threshold)
    }

    fn add_port(&mut self, port: &PortBuffers) {
        let name = port_name(port.number);
        self.add_maps(&name, &port.maps);
        for classes in runs(&port.groups) {
            let profile = self.group_profile(&port.groups[usize::from(*classes.start())]);
            self.set(format!("BUFFER_PG|{name}|{}", shown(&classes)), vec![("profile", profile)]);
        }
        let buffered = port.queues.map(|queue| (queue.pool, queue.reserved_bytes, queue.threshold));
        for classes in runs(&buffered) {
            let profile = self.queue_profile(&port.queues[usize::from(*classes.start())]);
            self.set(format!("BUFFER_QUEUE|{name}|{}", shown(&classes)), vec![("profile", profile)]);
        }
        for classes in runs(&port.queues.map(|queue| queue.ecn)) {
            if let Some(ecn) = port.queues[usize::from(*classes.start())].ecn {
                let profile = self.wred_profile(&ecn);
                self.set(format!("QUEUE|{name}|{}", shown(&classes)), vec![("wred_profile", profile)]);
            }
        }
    }

    /// The maps of traffic classes. Without them, SONiC puts all packets into group and queue 0.
    fn add_maps(&mut self, name: &str, maps: &ClassMaps) {
        let mut fields = Fields::new();
        for (field, table, map) in [
            ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", &maps.group),
            ("tc_to_queue_map", "TC_TO_QUEUE_MAP", &maps.queue),
        ] {
            let entry = |(class, target): (&'static str, &u8)| (class, (target & 7).to_string());
            let entries = CLASS_NAMES.into_iter().zip(map).map(entry).collect();
            fields.push((field, self.profile(table, "classes", entries)));
        }
        self.set(format!("PORT_QOS_MAP|{name}"), fields);
    }

    fn group_profile(&mut self, group: &GroupProfile) -> String {
        let pool = self.buffers.ingress_pools.get(group.pool);
        let shares = pool.is_some_and(|pool| pool.shared_headroom_bytes.is_some());
        let within = group.lossless.map_or(0, |lossless| if shares { 0 } else { lossless.headroom_bytes });
        let mut fields = vec![
            ("pool", pool_name("ingress", group.pool)),
            ("size", (group.reserved_bytes + within).to_string()),
            threshold_field(group.threshold),
        ];
        if let Some(lossless) = group.lossless {
            fields.push(("xoff", lossless.headroom_bytes.to_string()));
            fields.push(("xon", lossless.xon_bytes.to_string()));
            // Without an offset only `xon` applies.
            let offset = Some(lossless.xon_offset_bytes).filter(|bytes| *bytes != u64::MAX);
            fields.extend(offset.map(|bytes| ("xon_offset", bytes.to_string())));
        }
        self.profile(
            "BUFFER_PROFILE",
            if group.lossless.is_some() { "pg_lossless_profile" } else { "ingress_lossy_profile" },
            fields,
        )
    }

    fn queue_profile(&mut self, queue: &QueueProfile) -> String {
        let pool = self.buffers.egress_pools.get(queue.pool);
        let is_static = is_static(self.queue_thresholds(queue.pool));
        let threshold = queue.threshold.unwrap_or(match is_static {
            true => Threshold::Static(pool.map_or(0, |pool| pool.size_bytes)),
            false => Threshold::Dynamic { alpha_exponent: UNLIMITED_EXPONENT },
        });
        let fields = vec![
            ("pool", pool_name("egress", queue.pool)),
            ("size", queue.reserved_bytes.to_string()),
            threshold_field(threshold),
        ];
        self.profile("BUFFER_PROFILE", "egress_profile", fields)
    }

    fn wred_profile(&mut self, ecn: &Ecn) -> String {
        let percent = ecn.pmax_ppm.div_ceil(10_000).clamp(1, 100);
        let fields = vec![
            ("ecn", "ecn_all".to_string()),
            ("wred_green_enable", "true".to_string()),
            ("green_min_threshold", ecn.kmin_bytes.to_string()),
            ("green_max_threshold", ecn.kmax_bytes.to_string()),
            ("green_drop_probability", percent.to_string()),
        ];
        self.profile("WRED_PROFILE", "ecn_profile", fields)
    }

    /// The name of a profile with these fields, which is written if it is new.
    fn profile(&mut self, table: &str, kind: &str, fields: Fields) -> String {
        let known = self.profiles.iter().find(|(of, _, known)| of == table && *known == fields);
        if let Some((_, name, _)) = known {
            return name.clone();
        }
        let number =
            self.profiles.iter().filter(|(of, name, _)| of == table && name.starts_with(kind)).count() + 1;
        let name = format!("{kind}_{number}");
        self.set(format!("{table}|{name}"), fields.clone());
        self.profiles.push((table.to_string(), name.clone(), fields));
        name
    }
}

fn pool_name(direction: &str, number: usize) -> String {
    match number {
        0 => format!("{direction}_lossless_pool"),
        number => format!("{direction}_pool_{number}"),
    }
}

fn pool_fields(direction: &str, pool: &PoolConfig, is_static: bool) -> Fields {
    let mode = if is_static { "static" } else { "dynamic" };
    vec![("type", direction.to_string()), ("mode", mode.to_string()), ("size", pool.size_bytes.to_string())]
}

/// Whether a pool with these thresholds is static. SONiC has one kind of threshold in a pool: with both kinds it is dynamic.
fn is_static(mut thresholds: impl Iterator<Item = Threshold>) -> bool {
    thresholds.all(|threshold| matches!(threshold, Threshold::Static(_)))
}

fn threshold_field(threshold: Threshold) -> (&'static str, String) {
    match threshold {
        Threshold::Static(bytes) => ("static_th", bytes.to_string()),
        Threshold::Dynamic { alpha_exponent } => ("dynamic_th", alpha_exponent.to_string()),
    }
}

/// The ranges of neighbouring classes with the same settings.
fn runs<T: PartialEq>(of: &[T; CLASSES]) -> Vec<RangeInclusive<u8>> {
    let mut runs: Vec<RangeInclusive<u8>> = Vec::new();
    for (class, number) in of.iter().zip(0_u8..) {
        match runs.last_mut() {
            Some(run) if of[usize::from(*run.end())] == *class => *run = *run.start()..=number,
            _ => runs.push(number..=number),
        }
    }
    runs
}

/// `3` or `4-7`.
fn shown(classes: &RangeInclusive<u8>) -> String {
    match (classes.start(), classes.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}
