//! What `buffermgrd` adds to a configuration: lossless profiles and priority groups in the traditional model, and pool
//! sizes too in the dynamic one.
//!
//! Sources: sonic-swss cfgmgr/buffermgr.cpp (traditional model), buffermgrdyn.cpp (dynamic model).

use super::index::PortIndex;
use super::{BufferModel, DEFAULT_MTU, LOSSLESS_POOL, Resolver, number, range};
use crate::asic::{Asic, Vendor};
use crate::headroom::{self, pools_of_config};
use crate::lookup::Lookup;
use crate::resolved::{PoolMode, ResolvedPort, ResolvedProfile, Threshold};

impl Resolver<'_, '_, '_> {
    pub(super) fn added_by_buffermgrd(&mut self) {
        if BufferModel::of(self.db).is_dynamic() {
            self.added_by_dynamic_model();
        } else if let Some(lookup) = self.options.lookup {
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
                    .push(format!("{port}: no row for {speed} Mb/s and {cable} in the lookup table"));
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
        let index = PortIndex::new(self.db);
        let rows = self.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER");
        let default = |field: &str| rows.first().and_then(|e| self.db.field(e, field)).map(|f| f.value);
        let default_exponent = default("default_dynamic_th").and_then(|t| t.trim().parse().ok()).unwrap_or(0);
        let ratio = default("over_subscribe_ratio").and_then(number).unwrap_or(0) as u32;
        let pattern = self.db.rows("LOSSLESS_TRAFFIC_PATTERN").first();
        let traffic = |field: &str, other: u64| {
            pattern.and_then(|e| number(self.db.field(e, field)?.value)).unwrap_or(other) as u32
        };
        for entry in self.db.rows("BUFFER_PG") {
            let Some(name) = self.db.field(entry, "profile").map(|f| f.value) else { continue };
            // A profile that only sets the threshold; its headroom is computed too.
            let own = self
                .db
                .row("BUFFER_PROFILE", crate::schema::reference("BUFFER_PROFILE", name))
                .filter(|own| self.db.field(own, "headroom_type").is_some_and(|f| f.value == "dynamic"));
            let is_computed = name == "NULL" || own.is_some();
            let Some((ports, numbers)) = entry.key.split_once('|').filter(|_| is_computed) else { continue };
            let own_exponent =
                own.and_then(|own| self.db.field(own, "dynamic_th")?.value.trim().parse::<i8>().ok());
            let exponent = own_exponent.unwrap_or(default_exponent);
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
                let mut name = dynamic_name(asic, port, cable, &self.switch.hwsku);
                if let Some(exponent) = own_exponent.filter(|own| *own != default_exponent) {
                    name = name.replace("_profile", &format!("_th{exponent}_profile"));
                }
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
                    port.priority_groups
                        .iter_mut()
                        .take(high.saturating_add(1))
                        .skip(low)
                        .for_each(|g| *g = Some(profile));
                }
            }
        }
    }

    /// Sets the pool sizes that the dynamic model computes.
    pub(super) fn dynamic_pools(&mut self) {
        let is_dynamic = BufferModel::of(self.db).is_dynamic();
        let (true, Some(asic)) =
            (is_dynamic && self.switch.pools.iter().any(|p| p.size_bytes.is_none()), self.asic)
        else {
            return;
        };
        match pools_of_config(self.db, asic, None, 0.0) {
            Ok((_, result)) => {
                for (name, size, xoff) in result.pools {
                    if let Some(pool) = self.switch.pools.iter_mut().find(|p| p.name == name) {
                        // SONiC would also set a negative size; a rule reports it.
                        pool.is_computed = true;
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

/// The profile name that the dynamic model generates (buffermgrdyn.cpp, getDynamicProfileName).
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
