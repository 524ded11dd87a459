//! From tables to the resolved view: references followed, ranges opened, what `buffermgrd` adds added.
//!
//! Sources: sonic-swss cfgmgr/buffermgr.cpp (traditional model), buffermgrdyn.cpp (dynamic model), orchagent/qosorch.cpp
//! and pfcwdorch.cpp.

use std::cell::Cell;

use crate::asic::{self, Asic, Vendor};
use crate::db::{ConfigDb, Entry};
use crate::headroom::{self, pools_of_config};
use crate::lookup::Lookup;
use crate::resolved::*;
use crate::schema::reference;

/// `POLL_INTERVAL` when the file names none (orchagent's PFC_WD_POLL_MSECS).
pub const DEFAULT_POLL_MS: u32 = 100;
/// The MTU of a port that names none.
pub const DEFAULT_MTU: u32 = 9100;
/// The pool that `buffermgrd` gives every lossless profile that it adds.
pub const LOSSLESS_POOL: &str = "ingress_lossless_pool";

/// What is known beside the configuration itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'l> {
    /// The platform's look-up table, for the traditional model.
    pub lookup: Option<&'l Lookup>,
    /// The ASIC, when it is known from elsewhere.
    pub asic: Option<&'static Asic>,
    /// Bytes of packet memory, when known from elsewhere.
    pub memory_bytes: Option<u64>,
}

/// The resolved view of a configuration.
pub fn resolve(db: &ConfigDb<'_>, beside: Beside<'_>) -> ResolvedSwitch {
    let here = |field| db.value("DEVICE_METADATA", "localhost", field).unwrap_or_default();
    let asic = beside.asic.or_else(|| asic::of_device(here("platform"), here("hwsku")));
    let mut switch = ResolvedSwitch {
        hostname: here("hostname").to_string(),
        hwsku: here("hwsku").to_string(),
        role: here("type").to_string(),
        asic: asic.map(|a| a.name),
        cell_bytes: asic.map(|a| a.cell_bytes),
        memory_bytes: beside.memory_bytes.or(asic.and_then(|a| a.memory_bytes)),
        watchdog_poll_ms: db
            .value("PFC_WD", "GLOBAL", "POLL_INTERVAL")
            .and_then(number)
            .unwrap_or(u64::from(DEFAULT_POLL_MS)) as u32,
        ..ResolvedSwitch::default()
    };
    let mut resolver = Resolver { db, switch: &mut switch, asic, beside };
    resolver.pools();
    resolver.profiles();
    resolver.wred();
    resolver.ports();
    let names: Vec<String> = resolver.switch.ports.iter().map(|p| p.name.clone()).collect();
    let index = PortIndex::new(&names);
    resolver.maps(&index);
    resolver.groups(&index);
    resolver.queues(&index);
    resolver.watchdogs(&index);
    resolver.neighbours(&index);
    resolver.added_by_buffermgrd();
    resolver.dynamic_pools();
    switch
}

/// A number as SONiC reads it: blanks around it are passed over.
pub(crate) fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// First and last of a range such as `3-4`; a single number is both.
pub(crate) fn range(text: &str) -> Option<(usize, usize)> {
    match text.split_once('-') {
        Some((low, high)) => Some((low.parse().ok()?, high.parse().ok()?)),
        None => text.parse().ok().map(|n| (n, n)),
    }
}

/// Priorities of a comma list as bits. What is no priority is left out.
pub(crate) fn bits(list: &str) -> u8 {
    list.split(',').filter_map(|p| p.trim().parse::<u32>().ok()).filter(|p| *p < 8).fold(0, |b, p| b | 1 << p)
}

/// Ports by name. Tables name them one after the other, so the neighbour of the last one is tried first.
struct PortIndex<'n> {
    names: &'n [String],
    sorted: Vec<u32>,
    hint: Cell<usize>,
}

impl<'n> PortIndex<'n> {
    fn new(names: &'n [String]) -> Self {
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]));
        Self { names, sorted, hint: Cell::new(0) }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let hint = self.hint.get();
        for at in [hint, hint + 1] {
            if self.names.get(at).is_some_and(|n| n == name) {
                self.hint.set(at);
                return Some(at);
            }
        }
        let at = self.sorted.binary_search_by(|i| self.names[*i as usize].as_str().cmp(name)).ok()?;
        let found = self.sorted[at] as usize;
        self.hint.set(found);
        Some(found)
    }
}

struct Resolver<'r, 'd, 'a> {
    db: &'d ConfigDb<'a>,
    switch: &'r mut ResolvedSwitch,
    asic: Option<&'static Asic>,
    beside: Beside<'r>,
}

impl<'d, 'a> Resolver<'_, 'd, 'a> {
    fn pools(&mut self) {
        for entry in self.db.rows("BUFFER_POOL") {
            let get = |field| self.db.field(entry, field).map(|f| f.value.as_ref());
            let direction = match get("type") {
                Some("ingress") => Direction::Ingress,
                Some("egress") => Direction::Egress,
                Some("both") => Direction::Both,
                _ => {
                    self.switch.unresolved.push(format!("pool {} has no usable type", entry.key));
                    continue;
                }
            };
            let mode = if get("mode") == Some("static") { PoolMode::Static } else { PoolMode::Dynamic };
            self.switch.pools.push(ResolvedPool {
                name: entry.key.to_string(),
                direction,
                mode,
                size_bytes: get("size").and_then(number),
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
            let get = |field| self.db.field(entry, field).map(|f| f.value.as_ref());
            let pool = get("pool").map(|name| reference("BUFFER_POOL", name));
            let Some(pool) = pool.and_then(|name| self.pool_index(name)) else {
                self.switch.unresolved.push(format!("profile {} names no pool that exists", entry.key));
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
            let get = |field: &str| self.db.field(entry, field).map(|f| f.value.as_ref());
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
        for entry in self.db.rows("PORT") {
            let mut port = ResolvedPort {
                name: entry.key.to_string(),
                is_up: false,
                speed_mbps: 0,
                mtu_bytes: DEFAULT_MTU,
                lanes: 0,
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
                let value = field.value.as_ref();
                match field.name.as_ref() {
                    "admin_status" => port.is_up = value == "up",
                    "speed" => port.speed_mbps = number(value).unwrap_or(0) as u32,
                    "mtu" => port.mtu_bytes = number(value).map_or(DEFAULT_MTU, |n| n as u32),
                    "lanes" => port.lanes = value.split(',').count() as u32,
                    _ => {}
                }
            }
            self.switch.ports.push(port);
        }
    }

    /// QoS maps of each port, and its cable.
    fn maps(&mut self, index: &PortIndex<'_>) {
        for table in self.db.rows("CABLE_LENGTH") {
            for field in self.db.fields_of(table) {
                let metres = field.value.strip_suffix('m').and_then(|m| m.parse().ok());
                if let Some(port) = index.find(&field.name).and_then(|i| self.switch.ports.get_mut(i)) {
                    port.cable_m = metres;
                }
            }
        }
        let dscp = Maps::<64>::read(self.db, "DSCP_TO_TC_MAP", 0);
        let group = Maps::<16>::read(self.db, "TC_TO_PRIORITY_GROUP_MAP", 0);
        let queue = Maps::<16>::read(self.db, "TC_TO_QUEUE_MAP", Maps::<16>::SAME);
        let pause = Maps::<8>::read(self.db, "MAP_PFC_PRIORITY_TO_QUEUE", Maps::<8>::SAME);
        let global =
            self.db.value("PORT_QOS_MAP", "global", "dscp_to_tc_map").and_then(|name| dscp.get(name));
        if let Some(map) = global {
            self.switch.ports.iter_mut().for_each(|p| p.dscp_to_tc = DscpMap(map));
        }
        for entry in self.db.rows("PORT_QOS_MAP") {
            for name in entry.key.split(',') {
                let Some(port) = index.find(name).and_then(|i| self.switch.ports.get_mut(i)) else {
                    continue;
                };
                for field in self.db.fields_of(entry) {
                    let value = field.value.as_ref();
                    match field.name.as_ref() {
                        "dscp_to_tc_map" => port.dscp_to_tc.0 = dscp.get(value).unwrap_or(port.dscp_to_tc.0),
                        "tc_to_pg_map" => port.tc_to_group = group.get(value).unwrap_or(port.tc_to_group),
                        "tc_to_queue_map" => port.tc_to_queue = queue.get(value).unwrap_or(port.tc_to_queue),
                        "pfc_to_queue_map" => {
                            port.pause_to_queue = pause.get(value).unwrap_or(port.pause_to_queue)
                        }
                        "pfc_enable" => port.pfc_priorities = bits(value),
                        _ => {}
                    }
                }
            }
        }
    }

    fn groups(&mut self, index: &PortIndex<'_>) {
        let mut last: Option<(&str, Option<usize>)> = None;
        for entry in self.db.rows("BUFFER_PG") {
            let Some((ports, numbers)) = entry.key.split_once('|') else { continue };
            // orchagent drops a range whose ends are equal or reversed.
            let Some((low, high)) = range(numbers).filter(|(l, h)| l < h || !numbers.contains('-')) else {
                continue;
            };
            let value = self.db.field(entry, "profile").map_or("", |f| f.value.as_ref());
            let profile = match last {
                Some((name, profile)) if name == value => profile,
                _ => self.profile_index(reference("BUFFER_PROFILE", value)),
            };
            last = Some((value, profile));
            for name in ports.split(',') {
                let Some(port) = index.find(name).and_then(|i| self.switch.ports.get_mut(i)) else {
                    continue;
                };
                for group in port.priority_groups.iter_mut().take(high + 1).skip(low) {
                    *group = profile;
                }
            }
        }
    }

    fn queues(&mut self, index: &PortIndex<'_>) {
        let mut last: Option<(&str, Option<usize>)> = None;
        for entry in self.db.rows("BUFFER_QUEUE") {
            let Some((ports, (low, high))) = self.queue_key(entry) else { continue };
            let value = self.db.field(entry, "profile").map_or("", |f| f.value.as_ref());
            let profile = match last {
                Some((name, profile)) if name == value => profile,
                _ => self.profile_index(reference("BUFFER_PROFILE", value)),
            };
            last = Some((value, profile));
            for name in ports.split(',') {
                let Some(port) = index.find(name).and_then(|i| self.switch.ports.get_mut(i)) else {
                    continue;
                };
                port.queues.iter_mut().take(high + 1).skip(low).for_each(|q| *q = profile);
            }
        }
        let schedulers: Vec<(&str, Schedule)> =
            self.db.rows("SCHEDULER").iter().map(|e| self.schedule(e)).collect();
        for entry in self.db.rows("QUEUE") {
            let Some((ports, (low, high))) = self.queue_key(entry) else { continue };
            let (mut wred, mut schedule) = (None, None);
            for field in self.db.fields_of(entry) {
                let value = field.value.as_ref();
                match field.name.as_ref() {
                    "wred_profile" => {
                        let name = reference("WRED_PROFILE", value);
                        wred = self
                            .switch
                            .wred
                            .iter()
                            .position(|w| w.name.len() == name.len() && w.name == name);
                    }
                    "scheduler" => {
                        let name = reference("SCHEDULER", value);
                        schedule = schedulers.iter().find(|(n, _)| *n == name).map(|(_, s)| *s);
                    }
                    _ => {}
                }
            }
            for name in ports.split(',') {
                let Some(port) = index.find(name).and_then(|i| self.switch.ports.get_mut(i)) else {
                    continue;
                };
                for queue in low..=high.min(15) {
                    port.queue_wred[queue] = wred.or(port.queue_wred[queue]);
                    port.queue_schedule[queue] = schedule.or(port.queue_schedule[queue]);
                }
            }
        }
    }

    fn schedule<'e>(&self, entry: &'e Entry<'a>) -> (&'e str, Schedule) {
        let get = |field| self.db.field(entry, field).map(|f| f.value.as_ref());
        let schedule = match get("type") {
            Some("STRICT") => Schedule::Strict,
            _ => Schedule::Weighted { weight: get("weight").and_then(number).unwrap_or(1).min(255) as u8 },
        };
        (entry.key.as_ref(), schedule)
    }

    /// Ports and queue numbers of a key; an entry of another host or ASIC has none.
    fn queue_key<'e>(&self, entry: &'e Entry<'a>) -> Option<(&'e str, (usize, usize))> {
        let (head, numbers) = entry.key.rsplit_once('|')?;
        let port = match head.rsplit_once('|') {
            Some((owner, port)) => {
                let here = |field| self.db.value("DEVICE_METADATA", "localhost", field);
                let (host, asic) = owner.split_once('|')?;
                (here("hostname") == Some(host) && here("asic_name").is_none_or(|a| a == asic))
                    .then_some(port)?
            }
            None => head,
        };
        Some((port, range(numbers).filter(|(low, high)| low <= high)?))
    }

    fn watchdogs(&mut self, index: &PortIndex<'_>) {
        for entry in self.db.rows("PFC_WD") {
            let get = |field| self.db.field(entry, field).map(|f| f.value.as_ref());
            let Some(detection) = get("detection_time").and_then(number) else { continue };
            let action = match get("action") {
                Some("forward") => WatchdogAction::Forward,
                Some("alert") => WatchdogAction::Alert,
                _ => WatchdogAction::Drop,
            };
            let restoration_ms = get("restoration_time").and_then(number).map(|ms| ms as u32);
            if let Some(port) = index.find(&entry.key).and_then(|i| self.switch.ports.get_mut(i)) {
                let detection_ms = detection as u32;
                port.watchdog =
                    Some(ResolvedWatchdog { detection_ms, restoration_ms, action, priorities: 0 });
            }
        }
        for entry in self.db.rows("PORT_QOS_MAP") {
            let Some(mask) = self.db.field(entry, "pfcwd_sw_enable") else { continue };
            for name in entry.key.split(',') {
                let port = index.find(name).and_then(|i| self.switch.ports.get_mut(i));
                if let Some(watchdog) = port.and_then(|p| p.watchdog.as_mut()) {
                    watchdog.priorities = bits(&mask.value);
                }
            }
        }
    }

    fn neighbours(&mut self, index: &PortIndex<'_>) {
        for entry in self.db.rows("DEVICE_NEIGHBOR") {
            let get = |field| self.db.field(entry, field).map_or("", |f| f.value.as_ref());
            let (name, remote) = (get("name").to_string(), get("port").to_string());
            if let Some(port) = index.find(&entry.key).and_then(|i| self.switch.ports.get_mut(i)) {
                port.neighbour = Some((name, remote));
            }
        }
    }

    fn added_by_buffermgrd(&mut self) {
        if self.db.value("DEVICE_METADATA", "localhost", "buffer_model") == Some("dynamic") {
            self.added_by_dynamic_model();
        } else if let Some(lookup) = self.beside.lookup {
            self.added_by_traditional_model(lookup);
        }
    }

    fn added_by_traditional_model(&mut self, lookup: &Lookup) {
        let reclaims = matches!(self.asic.map(|a| a.vendor), Some(Vendor::Nvidia | Vendor::Intel));
        let Some(pool) = self.pool_index(LOSSLESS_POOL) else { return };
        let mode = self.switch.pools.get(pool).map(|p| p.mode);
        for at in 0..self.switch.ports.len() {
            let Some(port) = self.switch.ports.get(at) else { return };
            let (Some(cable), true) = (port.cable_m.filter(|m| *m > 0), port.pfc_priorities != 0) else {
                continue;
            };
            if reclaims && !port.is_up {
                continue;
            }
            let (speed, cable) = (port.speed_mbps, format!("{cable}m"));
            let name = format!("pg_lossless_{speed}_{cable}_profile");
            let Some(row) = lookup.find(speed, &cable) else {
                let port = &port.name;
                self.switch
                    .unresolved
                    .push(format!("{port}: no row for {speed} Mb/s and {cable} in the look-up table"));
                continue;
            };
            let profile = self.profile_index(&name).unwrap_or_else(|| {
                let threshold = match mode {
                    Some(PoolMode::Static) => Threshold::Static { bytes: row.threshold.max(0) as u64 },
                    _ => Threshold::Dynamic { exponent: row.threshold.clamp(-128, 127) as i8 },
                };
                self.switch.profiles.push(ResolvedProfile {
                    name,
                    pool,
                    reserved_bytes: row.size_bytes,
                    threshold: Some(threshold),
                    xon_bytes: row.xon_bytes,
                    xon_offset_bytes: row.xon_offset_bytes,
                    headroom_bytes: Some(row.xoff_bytes),
                    trims: false,
                    is_generated: true,
                });
                self.switch.profiles.len() - 1
            });
            self.give_to_lossless_groups(at, profile);
        }
    }

    fn give_to_lossless_groups(&mut self, port: usize, profile: usize) {
        let Some(port) = self.switch.ports.get_mut(port) else { return };
        for priority in (0..8usize).filter(|p| port.pfc_priorities >> p & 1 == 1) {
            port.priority_groups[priority] = Some(profile);
        }
    }

    fn added_by_dynamic_model(&mut self) {
        let (Some(asic), Some(pool)) = (self.asic, self.pool_index(LOSSLESS_POOL)) else { return };
        let names: Vec<String> = self.switch.ports.iter().map(|p| p.name.clone()).collect();
        let index = PortIndex::new(&names);
        let rows = self.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER");
        let default =
            |field: &str| rows.first().and_then(|e| self.db.field(e, field)).map(|f| f.value.as_ref());
        let exponent = default("default_dynamic_th").and_then(|t| t.trim().parse().ok()).unwrap_or(0);
        let ratio = default("over_subscribe_ratio").and_then(number).unwrap_or(0) as u32;
        let pattern = self.db.rows("LOSSLESS_TRAFFIC_PATTERN").first();
        let traffic = |field: &str, other: u64| {
            pattern.and_then(|e| number(&self.db.field(e, field)?.value)).unwrap_or(other) as u32
        };
        for entry in self.db.rows("BUFFER_PG") {
            let is_null = self.db.field(entry, "profile").is_some_and(|f| f.value == "NULL");
            let Some((ports, numbers)) = entry.key.split_once('|').filter(|_| is_null) else { continue };
            let Some((low, high)) = range(numbers) else { continue };
            for at in ports.split(',').filter_map(|name| index.find(name)) {
                let Some(port) = self.switch.ports.get(at).filter(|p| p.is_up) else { continue };
                let Some(cable) = port.cable_m.filter(|m| *m > 0) else { continue };
                let inputs = headroom::Inputs {
                    speed_mbps: port.speed_mbps,
                    cable_m: f64::from(cable),
                    port_mtu: port.mtu_bytes,
                    lanes: port.lanes,
                    small_packet_percentage: traffic("small_packet_percentage", 100),
                    lossless_mtu: traffic("mtu", 1024),
                    gearbox_delay: 0.0,
                    over_subscribe_ratio: ratio,
                    pool_xoff: self.switch.pools.get(pool).map_or(0, |p| p.shared_headroom_bytes),
                };
                let name = dynamic_name(asic, port, cable, &self.switch.hwsku);
                let profile = match self.profile_index(&name) {
                    Some(profile) => profile,
                    None => {
                        let Some(computed) = headroom::headroom(asic, &inputs) else { continue };
                        self.switch.profiles.push(ResolvedProfile {
                            name,
                            pool,
                            reserved_bytes: computed.size,
                            threshold: Some(Threshold::Dynamic { exponent }),
                            xon_bytes: computed.xon,
                            xon_offset_bytes: None,
                            headroom_bytes: Some(computed.xoff),
                            trims: false,
                            is_generated: true,
                        });
                        self.switch.profiles.len() - 1
                    }
                };
                if let Some(port) = self.switch.ports.get_mut(at) {
                    port.priority_groups.iter_mut().take(high + 1).skip(low).for_each(|g| *g = Some(profile));
                }
            }
        }
    }

    /// Sizes that the dynamic model computes.
    fn dynamic_pools(&mut self) {
        let is_dynamic = self.db.value("DEVICE_METADATA", "localhost", "buffer_model") == Some("dynamic");
        let (true, Some(asic)) =
            (is_dynamic && self.switch.pools.iter().any(|p| p.size_bytes.is_none()), self.asic)
        else {
            return;
        };
        match pools_of_config(self.db, asic, None, 0.0) {
            Ok((_, result)) => {
                for (name, size, xoff) in result.pools {
                    if let Some(pool) = self.switch.pools.iter_mut().find(|p| p.name == name) {
                        // A negative result is what SONiC would set too; the rules say so.
                        pool.size_bytes = Some(size.max(0) as u64);
                        pool.shared_headroom_bytes =
                            xoff.map_or(pool.shared_headroom_bytes, |x| x.max(0) as u64);
                    }
                }
            }
            Err(error) => self.switch.unresolved.push(format!("pool sizes: {error}")),
        }
    }
}

/// The name that the dynamic model gives (buffermgrdyn.cpp, getDynamicProfileName).
fn dynamic_name(asic: &Asic, port: &ResolvedPort, cable_m: u32, hwsku: &str) -> String {
    let speed = port.speed_mbps;
    let mtu = if port.mtu_bytes == DEFAULT_MTU { String::new() } else { format!("_mtu{}", port.mtu_bytes) };
    let digits: String =
        hwsku.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let generation = digits.parse::<u32>().unwrap_or(0) / 1000;
    let needs_lanes = (generation == 4 && speed != 400_000) || (generation == 5 && speed != 800_000);
    let lanes = if asic.vendor == Vendor::Nvidia && port.lanes == 8 && needs_lanes { "_8lane" } else { "" };
    format!("pg_lossless_{speed}_{cable_m}m{mtu}{lanes}_profile")
}

/// All maps of one table as arrays.
struct Maps<'d, const N: usize>(Vec<(&'d str, [u8; N])>);

impl<'d, const N: usize> Maps<'d, N> {
    /// Default of a map in which every number stands for itself.
    const SAME: u8 = u8::MAX;

    fn read<'a>(db: &'d ConfigDb<'a>, table: &str, default: u8) -> Self {
        let one = |entry: &'d Entry<'a>| {
            let mut map = [default; N];
            if default == Self::SAME {
                map.iter_mut().enumerate().for_each(|(i, v)| *v = i as u8);
            }
            for field in db.fields_of(entry) {
                let slot = field.name.parse::<usize>().ok().and_then(|i| map.get_mut(i));
                if let (Some(slot), Ok(value)) = (slot, field.value.trim().parse::<u8>()) {
                    // Traffic classes end at 15: larger ones are reported and would break look-ups.
                    *slot = value.min(15);
                }
            }
            (entry.key.as_ref(), map)
        };
        Self(db.rows(table).iter().map(one).collect())
    }

    fn get(&self, name: &str) -> Option<[u8; N]> {
        let name = match name.strip_prefix('[') {
            Some(inner) => inner.trim_end_matches(']').split_once('|').map_or(name, |(_, n)| n),
            None => name,
        };
        self.0.iter().find(|(n, _)| *n == name).map(|(_, map)| *map)
    }
}
