//! Resolves the tables of a configuration: follows references, expands ranges, and adds what `buffermgrd` adds.
//!
//! Sources: sonic-swss orchagent/qosorch.cpp and pfcwdorch.cpp; for the additions see `buffermgrd`.

mod buffermgrd;
mod index;
mod model;
mod shared;

pub(crate) use model::BufferModel;

use index::{Maps, Owner, PortIndex, PortMaps, queue_key};

use crate::asic::{self, Asic};
use crate::db::{ConfigDb, Entry};
use crate::field_cache::FieldCache;
use crate::lookup::Lookup;
use crate::resolved::*;
use crate::schema::reference;

/// Default of `POLL_INTERVAL`, milliseconds (orchagent's PFC_WD_POLL_MSECS).
pub const DEFAULT_POLL_MS: u32 = 100;
/// Default MTU of a port, bytes.
pub const DEFAULT_MTU: u32 = 9100;
/// The pool of all lossless profiles that `buffermgrd` creates.
pub const LOSSLESS_POOL: &str = "ingress_lossless_pool";

/// Facts about the switch that its configuration does not contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResolveOptions<'l> {
    /// The platform's lookup table, for the traditional model.
    pub lookup: Option<&'l Lookup>,
    /// The ASIC, if it is not to be derived from platform and SKU.
    pub asic: Option<&'static Asic>,
    /// Bytes of packet memory, if they differ from the ASIC's.
    pub memory_bytes: Option<u64>,
}

/// Resolves a configuration.
pub fn resolve(db: &ConfigDb<'_>, options: ResolveOptions<'_>) -> ResolvedSwitch {
    let here = |field| db.value("DEVICE_METADATA", "localhost", field).unwrap_or_default();
    let asic = options.asic.or_else(|| asic::of_device(here("platform"), here("hwsku")));
    let mut switch = ResolvedSwitch {
        hostname: here("hostname").to_string(),
        hwsku: here("hwsku").to_string(),
        role: here("type").to_string(),
        chip: here("asic_name").to_string(),
        chip_role: here("sub_role").to_string(),
        asic: asic.map(|a| a.name),
        cell_bytes: asic.and_then(Asic::frame_cell_bytes),
        memory_bytes: options.memory_bytes.or(asic.and_then(|a| a.memory_bytes)),
        lossless_mtu_bytes: traffic_pattern(db)
            .and_then(|row| db.field(row, "mtu"))
            .and_then(|f| number(f.value))
            .map(|mtu| mtu.min(u64::from(u32::MAX)) as u32),
        watchdog_poll_ms: db
            .value("PFC_WD", "GLOBAL", "POLL_INTERVAL")
            .and_then(number)
            .unwrap_or(u64::from(DEFAULT_POLL_MS)) as u32,
        shared: shared::values(db),
        ..ResolvedSwitch::default()
    };
    let here = |field| db.value("DEVICE_METADATA", "localhost", field);
    let here = (here("hostname"), here("asic_name"));
    let mut resolver = Resolver { db, switch: &mut switch, asic, options, here };
    resolver.pools();
    resolver.profiles();
    resolver.wred();
    resolver.ports();
    let index = PortIndex::new(db);
    resolver.port_channels(&index);
    resolver.maps(&index);
    resolver.groups(&index);
    resolver.queues(&index);
    resolver.watchdogs(&index);
    resolver.neighbours(&index);
    resolver.added_by_buffermgrd();
    resolver.dynamic_pools();
    switch
}

/// The traffic that headroom is computed for. Only the dynamic model reads it.
pub(crate) fn traffic_pattern<'d, 'a>(db: &'d ConfigDb<'a>) -> Option<&'d Entry<'a>> {
    db.rows("LOSSLESS_TRAFFIC_PATTERN").first().filter(|_| BufferModel::of(db).is_dynamic())
}

/// Parses a number like SONiC: leading and trailing blanks are ignored.
pub(crate) fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// First and last of a range such as `3-4`; a single number is both.
pub(crate) fn range(text: &str) -> Option<(usize, usize)> {
    // Most are one digit or two.
    let digit = |b: u8| b.is_ascii_digit().then(|| usize::from(b - b'0'));
    match text.as_bytes() {
        [n] => digit(*n).map(|n| (n, n)),
        [low, b'-', high] => Some((digit(*low)?, digit(*high)?)),
        _ => match text.split_once('-') {
            Some((low, high)) => Some((low.parse().ok()?, high.parse().ok()?)),
            None => text.parse().ok().map(|n| (n, n)),
        },
    }
}

/// Parses a comma-separated list of priorities as a bit mask; invalid items are ignored.
pub(crate) fn bits(list: &str) -> u8 {
    list.split(',').filter_map(|p| p.trim().parse::<u32>().ok()).filter(|p| *p < 8).fold(0, |b, p| b | 1 << p)
}

/// A setting of a port that portsorch accepts; it ignores others.
fn on_or_off(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

struct Resolver<'r, 'd, 'a> {
    db: &'d ConfigDb<'a>,
    switch: &'r mut ResolvedSwitch,
    asic: Option<&'static Asic>,
    options: ResolveOptions<'r>,
    /// `hostname` and `asic_name` of this switch.
    here: (Option<&'d str>, Option<&'d str>),
}

impl<'d, 'a> Resolver<'_, 'd, 'a> {
    fn pools(&mut self) {
        for entry in self.db.rows("BUFFER_POOL") {
            let get = |field| self.db.field(entry, field).map(|f| f.value);
            let direction = match get("type") {
                Some("ingress") => Direction::Ingress,
                Some("egress") => Direction::Egress,
                Some("both") => Direction::Both,
                _ => {
                    self.switch.unresolved.push(format!("pool {} has no valid type", entry.key));
                    continue;
                }
            };
            let mode = if get("mode") == Some("static") { PoolMode::Static } else { PoolMode::Dynamic };
            self.switch.pools.push(ResolvedPool {
                name: entry.key.to_string(),
                direction,
                mode,
                size_bytes: get("size").and_then(number),
                is_computed: false,
                shared_headroom_bytes: get("xoff").and_then(number).unwrap_or(0),
            });
        }
    }

    fn pool_index(&self, name: &str) -> Option<usize> {
        self.switch.pools.iter().position(|p| p.name == name)
    }

    fn profile_index(&self, name: &str) -> Option<usize> {
        self.switch.profiles.iter().position(|p| p.name.len() == name.len() && p.name == name)
    }

    fn profiles(&mut self) {
        for entry in self.db.rows("BUFFER_PROFILE") {
            let get = |field| self.db.field(entry, field).map(|f| f.value);
            let pool = get("pool").map(|name| reference("BUFFER_POOL", name));
            let Some(pool) = pool.and_then(|name| self.pool_index(name)) else {
                self.switch.unresolved.push(format!("the pool of profile {} does not exist", entry.key));
                continue;
            };
            let bytes = |field| get(field).and_then(number);
            let dynamic = get("dynamic_th").and_then(|t| t.trim().parse().ok());
            let threshold = match (dynamic, bytes("static_th")) {
                (Some(exponent), _) => Some(Threshold::Dynamic { exponent }),
                (None, Some(bytes)) => Some(Threshold::Static { bytes }),
                (None, None) => None,
            };
            self.switch.profiles.push(ResolvedProfile {
                name: entry.key.to_string(),
                pool,
                reserved_bytes: bytes("size").unwrap_or(0),
                threshold,
                xon_bytes: bytes("xon").unwrap_or(0),
                xon_offset_bytes: bytes("xon_offset"),
                headroom_bytes: bytes("xoff"),
                trims: get("packet_discard_action") == Some("trim"),
                is_generated: false,
            });
        }
    }

    fn wred(&mut self) {
        for entry in self.db.rows("WRED_PROFILE") {
            let get = |field: &str| self.db.field(entry, field).map(|f| f.value);
            let ecn = get("ecn").unwrap_or("ecn_none");
            let curve = |colour: &str| {
                let enabled = get(&format!("wred_{colour}_enable")) == Some("true");
                let bytes =
                    |what: &str| get(&format!("{colour}_{what}_threshold")).and_then(number).unwrap_or(0);
                let percent = get(&format!("{colour}_drop_probability")).and_then(number).unwrap_or(100);
                let max_percent = percent.min(100) as u8;
                enabled.then(|| Curve { min_bytes: bytes("min"), max_bytes: bytes("max"), max_percent })
            };
            let marks = |colour: &str| ecn == "ecn_all" || ecn.split('_').any(|word| word == colour);
            self.switch.wred.push(ResolvedWred {
                name: entry.key.to_string(),
                green: curve("green"),
                yellow: curve("yellow"),
                red: curve("red"),
                marks_green: marks("green"),
                marks_yellow: marks("yellow"),
                marks_red: marks("red"),
            });
        }
    }

    fn ports(&mut self) {
        let mut tc_to_queue = [0u8; 16];
        for (tc, queue) in tc_to_queue.iter_mut().enumerate() {
            *queue = tc as u8;
        }
        let rows = self.db.rows("PORT");
        self.switch.ports.reserve_exact(rows.len());
        for entry in rows {
            let mut port = ResolvedPort {
                name: entry.key.to_string(),
                alias: String::new(),
                chip_port: String::new(),
                is_up: false,
                speed_mbps: 0,
                mtu_bytes: DEFAULT_MTU,
                lanes: 0,
                fec: String::new(),
                autoneg: None,
                link_training: None,
                port_channel: String::new(),
                cable_m: None,
                priority_groups: [None; 8],
                queues: [None; 16],
                queue_wred: [None; 16],
                queue_schedule: [None; 16],
                dscp_to_tc: DscpMap([0; 64]),
                tc_to_group: [0; 16],
                tc_to_queue,
                pause_to_queue: [0, 1, 2, 3, 4, 5, 6, 7],
                pfc_priorities: 0,
                watchdog: None,
                neighbour: None,
            };
            for field in self.db.fields_of(entry) {
                let value = field.value;
                match field.name {
                    "admin_status" => port.is_up = value == "up",
                    "speed" => port.speed_mbps = number(value).unwrap_or(0) as u32,
                    "mtu" => port.mtu_bytes = number(value).map_or(DEFAULT_MTU, |n| n as u32),
                    "fec" => port.fec = value.to_string(),
                    "autoneg" => port.autoneg = on_or_off(value),
                    "link_training" => port.link_training = on_or_off(value),
                    "alias" => port.alias = value.to_string(),
                    "asic_port_name" => port.chip_port = value.to_string(),
                    "lanes" => port.lanes = value.split(',').count() as u32,
                    _ => {}
                }
            }
            self.switch.ports.push(port);
        }
    }

    fn port_channels(&mut self, index: &PortIndex<'_, '_>) {
        for entry in self.db.rows("PORTCHANNEL_MEMBER") {
            let Some((channel, name)) = entry.key.split_once('|') else { continue };
            if let Some(port) = index.find(name).and_then(|i| self.switch.ports.get_mut(i)) {
                port.port_channel = channel.to_string();
            }
        }
    }

    /// QoS maps of each port, and its cable.
    fn maps(&mut self, index: &PortIndex<'_, '_>) {
        for table in self.db.rows("CABLE_LENGTH") {
            for field in self.db.fields_of(table) {
                let metres = field.value.strip_suffix('m').and_then(|m| m.parse().ok());
                if let Some(port) = index.find(field.name).and_then(|i| self.switch.ports.get_mut(i)) {
                    port.cable_m = metres;
                }
            }
        }
        let dscp = Maps::<64>::read(self.db, "DSCP_TO_TC_MAP");
        let group = Maps::<16>::read(self.db, "TC_TO_PRIORITY_GROUP_MAP");
        let queue = Maps::<16>::read(self.db, "TC_TO_QUEUE_MAP");
        let pause = Maps::<8>::read(self.db, "MAP_PFC_PRIORITY_TO_QUEUE");
        let global =
            self.db.value("PORT_QOS_MAP", "global", "dscp_to_tc_map").and_then(|name| dscp.get(name));
        if let Some(map) = global {
            self.switch.ports.iter_mut().for_each(|p| p.dscp_to_tc = DscpMap(map));
        }
        let mut of_entries = FieldCache::new(self.db);
        for entry in self.db.rows("PORT_QOS_MAP") {
            let of_entry = || {
                let mut maps = PortMaps::default();
                for field in self.db.fields_of(entry) {
                    let value = field.value;
                    match field.name {
                        "dscp_to_tc_map" => maps.dscp = dscp.get(value).or(maps.dscp),
                        "tc_to_pg_map" => maps.group = group.get(value).or(maps.group),
                        "tc_to_queue_map" => maps.queue = queue.get(value).or(maps.queue),
                        "pfc_to_queue_map" => maps.pause = pause.get(value).or(maps.pause),
                        "pfc_enable" => maps.pfc_priorities = Some(bits(value)),
                        _ => {}
                    }
                }
                maps
            };
            let Some(maps) = of_entries.get(entry, of_entry) else { continue };
            for name in entry.key.split(',') {
                if let Some(port) = index.find(name).and_then(|i| self.switch.ports.get_mut(i)) {
                    maps.apply(port);
                }
            }
        }
    }

    /// The profile of an entry.
    fn profile_of(&self, entry: &Entry<'a>) -> Option<usize> {
        let name = self.db.field(entry, "profile").map_or("", |f| f.value);
        self.profile_index(reference("BUFFER_PROFILE", name))
    }

    fn groups(&mut self, index: &PortIndex<'_, '_>) {
        let mut profiles = FieldCache::new(self.db);
        let mut owner = Owner::default();
        for entry in self.db.rows("BUFFER_PG") {
            let Some((ports, numbers)) = entry.owner_and_numbers() else { continue };
            // orchagent drops a range whose ends are equal or reversed.
            let Some((low, high)) = range(numbers).filter(|(l, h)| l < h || !numbers.contains('-')) else {
                continue;
            };
            let profile = profiles.get(entry, || self.profile_of(entry)).copied().flatten();
            for at in owner.ports(ports, self.here, index) {
                let Some(port) = self.switch.ports.get_mut(*at) else { continue };
                for group in port.priority_groups.iter_mut().take(high.saturating_add(1)).skip(low) {
                    *group = profile;
                }
            }
        }
    }

    fn queues(&mut self, index: &PortIndex<'_, '_>) {
        let mut profiles = FieldCache::new(self.db);
        let mut owner = Owner::default();
        for entry in self.db.rows("BUFFER_QUEUE") {
            let Some((ports, (low, high))) = queue_key(entry) else { continue };
            let profile = profiles.get(entry, || self.profile_of(entry)).copied().flatten();
            for at in owner.ports(ports, self.here, index) {
                let Some(port) = self.switch.ports.get_mut(*at) else { continue };
                port.queues.iter_mut().take(high.saturating_add(1)).skip(low).for_each(|q| *q = profile);
            }
        }
        let schedulers: Vec<(&str, Schedule)> =
            self.db.rows("SCHEDULER").iter().map(|e| self.schedule(e)).collect();
        let mut of_entries = FieldCache::new(self.db);
        for entry in self.db.rows("QUEUE") {
            let Some((ports, (low, high))) = queue_key(entry) else { continue };
            let ports = owner.ports(ports, self.here, index);
            if ports.is_empty() {
                continue;
            }
            let of_entry = || {
                let of = |table, field| self.db.field(entry, field).map(|f| reference(table, f.value));
                let wred = of("WRED_PROFILE", "wred_profile");
                let schedule = of("SCHEDULER", "scheduler");
                (
                    wred.and_then(|name| self.switch.wred.iter().position(|w| w.name == name)),
                    schedule.and_then(|name| schedulers.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)),
                )
            };
            let Some(&(wred, schedule)) = of_entries.get(entry, of_entry) else { continue };
            for at in ports {
                let Some(port) = self.switch.ports.get_mut(*at) else { continue };
                for queue in low..=high.min(15) {
                    port.queue_wred[queue] = wred.or(port.queue_wred[queue]);
                    port.queue_schedule[queue] = schedule.or(port.queue_schedule[queue]);
                }
            }
        }
    }

    fn schedule<'e>(&self, entry: &'e Entry<'a>) -> (&'e str, Schedule) {
        let get = |field| self.db.field(entry, field).map(|f| f.value);
        let schedule = match get("type") {
            Some("STRICT") => Schedule::Strict,
            _ => Schedule::Weighted { weight: get("weight").and_then(number).unwrap_or(1).min(255) as u8 },
        };
        (entry.key.as_ref(), schedule)
    }

    fn watchdogs(&mut self, index: &PortIndex<'_, '_>) {
        let mut of_entries = FieldCache::new(self.db);
        for entry in self.db.rows("PFC_WD") {
            let of_entry = || {
                let get = |field| self.db.field(entry, field).map(|f| f.value);
                let detection_ms = get("detection_time").and_then(number)? as u32;
                let action = match get("action") {
                    Some("forward") => WatchdogAction::Forward,
                    Some("alert") => WatchdogAction::Alert,
                    _ => WatchdogAction::Drop,
                };
                let restoration_ms = get("restoration_time").and_then(number).map(|ms| ms as u32);
                Some(ResolvedWatchdog { detection_ms, restoration_ms, action, priorities: 0 })
            };
            let watchdog = of_entries.get(entry, of_entry).copied().flatten();
            if let Some(port) = index.find(&entry.key).and_then(|i| self.switch.ports.get_mut(i)) {
                port.watchdog = watchdog.or(port.watchdog);
            }
        }
        let mut masks = FieldCache::new(self.db);
        for entry in self.db.rows("PORT_QOS_MAP") {
            let mask = || self.db.field(entry, "pfcwd_sw_enable").map(|f| bits(f.value));
            let Some(mask) = masks.get(entry, mask).copied().flatten() else { continue };
            for name in entry.key.split(',') {
                let port = index.find(name).and_then(|i| self.switch.ports.get_mut(i));
                if let Some(watchdog) = port.and_then(|p| p.watchdog.as_mut()) {
                    watchdog.priorities = mask;
                }
            }
        }
    }

    fn neighbours(&mut self, index: &PortIndex<'_, '_>) {
        for entry in self.db.rows("DEVICE_NEIGHBOR_METADATA") {
            if let Some(role) = self.db.field(entry, "type").filter(|role| !role.value.is_empty()) {
                self.switch.neighbour_roles.push((entry.key.to_string(), role.value.to_string()));
            }
        }
        for entry in self.db.rows("DEVICE_NEIGHBOR") {
            let get = |field| self.db.field(entry, field).map_or("", |f| f.value);
            let (name, remote) = (get("name").to_string(), get("port").to_string());
            if let Some(port) = index.find(&entry.key).and_then(|i| self.switch.ports.get_mut(i)) {
                port.neighbour = Some((name, remote));
            }
        }
    }
}
