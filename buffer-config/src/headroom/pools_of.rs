//! Reads the inputs of the pool calculation from a configuration of the dynamic model, including what `buffermgrd`
//! adds.

use std::collections::BTreeMap;
use std::fmt;

use super::pool::{PoolInput, PoolPort, PoolSpec, ProfileSpec};
use super::{Headroom, Inputs, PoolResult, headroom, pool_sizes, tofino_shared_headroom};
use crate::asic::{Asic, Vendor};
use crate::db::{ConfigDb, Entry};
use crate::schema::reference;

/// A lossless profile that the dynamic model computes.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedProfile {
    /// Its name.
    pub name: String,
    /// Its numbers.
    pub headroom: Headroom,
    /// `dynamic_th`.
    pub dynamic_th: String,
}

/// Why the sizes cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolFailure(pub String);

impl fmt::Display for PoolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Computes the pools of a configuration, and the lossless profiles of its ports.
///
/// `over_subscribe_ratio`, if given, overrides the file's. `gearbox_delay` is in nanoseconds.
///
/// # Errors
/// If a reference cannot be resolved or a required size is missing.
pub fn pools_of_config(
    db: &ConfigDb<'_>,
    asic: &Asic,
    over_subscribe_ratio: Option<i64>,
    gearbox_delay: f64,
) -> Result<(Vec<GeneratedProfile>, PoolResult), PoolFailure> {
    let mut reader = Reader::new(db, asic, over_subscribe_ratio, gearbox_delay);
    if asic.vendor == Vendor::Intel {
        return reader.tofino();
    }
    reader.pools()?;
    reader.ports();
    reader.profiles();
    reader.groups()?;
    reader.queues_and_lists();
    let memory = db.value("BUFFER_POOL", "egress_lossless_pool", "size").and_then(parse);
    reader.input.memory = memory.or(asic.memory_bytes.map(|b| b as i64)).ok_or_else(|| {
        PoolFailure("the packet memory of this ASIC is unknown, and egress_lossless_pool has no size".into())
    })?;
    let result = pool_sizes(asic, &reader.input).ok_or_else(|| {
        PoolFailure("a priority group, queue or list refers to a profile that does not exist".into())
    })?;
    Ok((reader.generated.into_values().collect(), result))
}

fn parse(text: &str) -> Option<i64> {
    // Larger numbers are no buffer sizes, and their sums would overflow.
    text.trim().parse().ok().filter(|n: &i64| n.unsigned_abs() < 1 << 40)
}

struct Reader<'d, 'a> {
    db: &'d ConfigDb<'a>,
    asic: &'d Asic,
    gearbox_delay: f64,
    input: PoolInput,
    generated: BTreeMap<String, GeneratedProfile>,
}

impl<'d, 'a> Reader<'d, 'a> {
    fn new(db: &'d ConfigDb<'a>, asic: &'d Asic, ratio: Option<i64>, gearbox_delay: f64) -> Self {
        let rows = db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER");
        let of_file = || rows.first().and_then(|e| parse(db.field(e, "over_subscribe_ratio")?.value));
        let input = PoolInput {
            platform: db.value("DEVICE_METADATA", "localhost", "platform").unwrap_or_default().to_string(),
            over_subscribe_ratio: ratio.or_else(of_file).unwrap_or(0),
            shared_headroom: db
                .value("BUFFER_POOL", "ingress_lossless_pool", "xoff")
                .and_then(parse)
                .unwrap_or(0),
            ..PoolInput::default()
        };
        Self { db, asic, gearbox_delay, input, generated: BTreeMap::new() }
    }

    fn number(&self, entry: &Entry<'a>, field: &str) -> Option<i64> {
        self.db.field(entry, field).and_then(|f| parse(f.value))
    }

    fn text(&self, entry: &Entry<'a>, field: &str) -> &'d str {
        self.db.field(entry, field).map_or("", |f| f.value)
    }

    fn pools(&mut self) -> Result<(), PoolFailure> {
        for pool in self.db.rows("BUFFER_POOL") {
            let is_ingress = match self.text(pool, "type") {
                "ingress" => true,
                "egress" => false,
                _ => continue,
            };
            let (size, percentage) = (self.number(pool, "size"), self.number(pool, "percentage"));
            self.input.pools.push(PoolSpec { name: pool.key.to_string(), is_ingress, size, percentage });
        }
        if self.input.pools.is_empty() {
            return Err(PoolFailure("the configuration has no buffer pools".into()));
        }
        Ok(())
    }

    fn ports(&mut self) {
        for port in self.db.rows("PORT") {
            let lanes = self.db.field(port, "lanes").map_or(0, |f| f.value.split(',').count() as u32);
            let is_up = self.text(port, "admin_status") == "up";
            self.input.ports.push(PoolPort { name: port.key.to_string(), lanes, is_up });
        }
    }

    fn profiles(&mut self) {
        for profile in self.db.rows("BUFFER_PROFILE") {
            let pool = reference("BUFFER_POOL", self.text(profile, "pool")).to_string();
            let (name, size) = (profile.key.to_string(), self.number(profile, "size"));
            let (xon, xoff) = (self.number(profile, "xon"), self.number(profile, "xoff"));
            self.input.profiles.push(ProfileSpec { name, pool, size, xon, xoff });
        }
    }

    fn groups(&mut self) -> Result<(), PoolFailure> {
        for group in self.db.rows("BUFFER_PG") {
            let Some((port, range)) = group.key.split_once('|') else { continue };
            let profile = reference("BUFFER_PROFILE", self.text(group, "profile"));
            let name = if profile == "NULL" {
                match self.generate(port)? {
                    Some(name) => name,
                    None => continue,
                }
            } else {
                profile.to_string()
            };
            self.input.groups.push((port.to_string(), width(range), name));
        }
        Ok(())
    }

    /// Computes the profile of a port; `None` if the port is down or has no cable.
    fn generate(&mut self, port: &str) -> Result<Option<String>, PoolFailure> {
        let db = self.db;
        let Some(row) = db.row("PORT", port) else { return Ok(None) };
        let cable = db.rows("CABLE_LENGTH").iter().find_map(|t| db.field(t, port)).map(|f| f.value);
        let (Some(cable), "up") = (cable, self.text(row, "admin_status")) else { return Ok(None) };
        if cable == "0m" {
            return Ok(None);
        }
        let fail = |what: &str| PoolFailure(format!("port {port} has no {what}"));
        let speed = self.number(row, "speed").ok_or_else(|| fail("speed"))?;
        let length = cable
            .strip_suffix('m')
            .and_then(|m| m.parse().ok())
            .ok_or_else(|| fail("cable length in metres"))?;
        let mtu = self.number(row, "mtu").unwrap_or(9100);
        let lanes = self.text(row, "lanes").split(',').count() as u32;
        let mtu_part = if mtu == 9100 { String::new() } else { format!("_mtu{mtu}") };
        let lane_part = if lanes == 8 { "_8lane" } else { "" };
        let name = format!("pg_lossless_{speed}_{cable}{mtu_part}{lane_part}_profile");
        if self.generated.contains_key(&name) {
            return Ok(Some(name));
        }
        let pattern = db.rows("LOSSLESS_TRAFFIC_PATTERN").first();
        let pattern =
            |field: &str, default: i64| pattern.and_then(|e| self.number(e, field)).unwrap_or(default) as u32;
        let inputs = Inputs {
            speed_mbps: speed as u32,
            cable_m: length,
            port_mtu: mtu as u32,
            lanes,
            small_packet_percentage: pattern("small_packet_percentage", 100),
            lossless_mtu: pattern("mtu", 1024),
            gearbox_delay: self.gearbox_delay,
            over_subscribe_ratio: self.input.over_subscribe_ratio as u32,
            pool_xoff: self.input.shared_headroom as u64,
        };
        let headroom = headroom(self.asic, &inputs)
            .ok_or_else(|| PoolFailure(format!("no headroom arithmetic is known for {}", self.asic.name)))?;
        let default = db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").first();
        let dynamic_th = default.map_or("0", |e| self.text(e, "default_dynamic_th")).to_string();
        self.input.profiles.push(ProfileSpec {
            name: name.clone(),
            pool: "ingress_lossless_pool".into(),
            size: Some(headroom.size as i64),
            xon: Some(headroom.xon as i64),
            xoff: Some(headroom.xoff as i64),
        });
        self.generated.insert(name.clone(), GeneratedProfile { name: name.clone(), headroom, dynamic_th });
        Ok(Some(name))
    }

    fn queues_and_lists(&mut self) {
        for queue in self.db.rows("BUFFER_QUEUE") {
            let Some((port, range)) = queue.key.rsplit_once('|') else { continue };
            let profile = reference("BUFFER_PROFILE", self.text(queue, "profile")).to_string();
            self.input.queues.push((port.to_string(), width(range), profile));
        }
        for table in ["BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"] {
            for list in self.db.rows(table) {
                let names = self.text(list, "profile_list").split(',').filter(|n| !n.is_empty());
                self.input.lists.push(names.map(|n| reference("BUFFER_PROFILE", n).to_string()).collect());
            }
        }
    }

    fn tofino(&mut self) -> Result<(Vec<GeneratedProfile>, PoolResult), PoolFailure> {
        self.ports();
        let shared = tofino_shared_headroom(self.asic.cell_bytes, self.input.ports.len());
        let mut pools = Vec::new();
        for (name, xoff) in [
            ("ingress_lossless_pool", Some(shared)),
            ("ingress_lossy_pool", None),
            ("egress_lossy_pool", None),
        ] {
            let size = self.db.value("BUFFER_POOL", name, "size").and_then(parse);
            let size = size.ok_or_else(|| PoolFailure(format!("{name} requires a size on this ASIC")))?;
            pools.push((name.to_string(), size, xoff));
        }
        Ok((Vec::new(), PoolResult { pools, ..PoolResult::default() }))
    }
}

/// The length of a range such as `3-4`.
fn width(range: &str) -> i64 {
    match range.split_once('-').map(|(a, b)| (parse(a), parse(b))) {
        Some((Some(low), Some(high))) => (high - low + 1).clamp(0, 64),
        _ => 1,
    }
}
