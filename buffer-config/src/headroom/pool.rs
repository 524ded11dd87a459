//! Sizes of the shared pools, as the dynamic model computes them.
//!
//! Source: sonic-swss cfgmgr/buffer_pool_mellanox.lua and buffer_pool_barefoot.lua.

use std::collections::{BTreeMap, BTreeSet};

use super::lua_order;
use crate::asic::Asic;

/// Management packets.
const MANAGEMENT_POOL: i64 = 256 * 1024;
/// A lossless port's own part of shared headroom.
const PRIVATE_HEADROOM: i64 = 10 * 1024;
/// The least shared headroom.
const LEAST_SHARED_HEADROOM: i64 = 655_360;

/// A port in the calculation.
#[derive(Clone, Debug)]
pub struct PoolPort {
    /// Its name.
    pub name: String,
    /// Number of lanes; 0 when the file does not say.
    pub lanes: u32,
    /// It is administratively up.
    pub is_up: bool,
}

/// A pool of the configuration.
#[derive(Clone, Debug)]
pub struct PoolSpec {
    /// Its name.
    pub name: String,
    /// Ingress; egress otherwise.
    pub is_ingress: bool,
    /// Fixed size, if any.
    pub size: Option<i64>,
    /// Share of the available memory, percent.
    pub percentage: Option<i64>,
}

/// A profile in the calculation.
#[derive(Clone, Debug, Default)]
pub struct ProfileSpec {
    /// Its name.
    pub name: String,
    /// Its pool.
    pub pool: String,
    /// Reserved bytes.
    pub size: Option<i64>,
    /// Resume threshold.
    pub xon: Option<i64>,
    /// Headroom.
    pub xoff: Option<i64>,
}

/// Everything the calculation reads.
#[derive(Clone, Debug, Default)]
pub struct PoolInput {
    /// Bytes of packet memory.
    pub memory: i64,
    /// The platform's name: newer models reserve more.
    pub platform: String,
    /// Pools in the order of the file.
    pub pools: Vec<PoolSpec>,
    /// All ports.
    pub ports: Vec<PoolPort>,
    /// Profiles, generated ones included.
    pub profiles: Vec<ProfileSpec>,
    /// Priority groups: port, number of groups, profile.
    pub groups: Vec<(String, i64, String)>,
    /// Queues: port, number of queues, profile.
    pub queues: Vec<(String, i64, String)>,
    /// Profile lists of ports, both directions.
    pub lists: Vec<Vec<String>>,
    /// `over_subscribe_ratio`.
    pub over_subscribe_ratio: i64,
    /// `ingress_lossless_pool.xoff`.
    pub shared_headroom: i64,
}

/// How often a profile was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Its name, `_list` behind it where a list refers to a lossy one.
    pub name: String,
    /// Bytes of one use; `None` where the script finds none.
    pub size: Option<i64>,
    /// Uses.
    pub count: i64,
}

/// What comes out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolResult {
    /// Name, size and shared headroom of every pool that gets one, in order.
    pub pools: Vec<(String, i64, Option<i64>)>,
    /// Profiles and their uses, in the script's order.
    pub counted: Vec<Counted>,
    /// The rest of the calculation: name and value, in the script's order.
    pub terms: Vec<(String, String)>,
}

/// Shared headroom of Tofino: 70 % of two groups of 400 cells for each port.
pub fn tofino_shared_headroom(cell_bytes: u32, ports: usize) -> i64 {
    (ports as f64 * 2.0 * (400.0 * f64::from(cell_bytes)) * 0.7).ceil() as i64
}

/// The calculation for Spectrum; `None` for an ASIC without constants, or a name that does not resolve.
pub fn pool_sizes(asic: &Asic, input: &PoolInput) -> Option<PoolResult> {
    let constants = asic.headroom?;
    let uses = Uses::count(input)?;
    let latency = constants.pipeline_latency_kib;
    let lossy_reserve = (latency * 1024.0) as i64;
    let lossy_reserve_8 = ((2.0 * latency - 1.0) * 1024.0) as i64;
    let later = is_later_model(&input.platform);
    let modification = if later { 32 * 1024 * 1024 } else { 0 };
    let mirror = if later { 0 } else { 10 * 1024 };

    let mut shared_on = input.over_subscribe_ratio != 0 || input.shared_headroom != 0;
    let mut shared = input.shared_headroom;
    let (mut occupied, mut xoff_sum) = (0i64, 0i64);
    let mut counted = Vec::new();
    for name in lua_order::pairs("BUFFER_PROFILE_TABLE:", uses.order.iter().map(String::as_str)) {
        let count = uses.counts.get(name).copied().unwrap_or(0);
        let profile = input.profiles.iter().find(|p| p.name == name);
        let Some(mut size) = profile.and_then(|p| p.size) else {
            counted.push(Counted { name: name.to_string(), size: None, count });
            continue;
        };
        if uses.lossless.get(name) == Some(&false) {
            size += lossy_reserve;
        }
        if size != 0 {
            if let (0, Some(xon), Some(xoff)) =
                (shared, profile.and_then(|p| p.xon), profile.and_then(|p| p.xoff))
                && xon + xoff > size
            {
                xoff_sum += (xon + xoff - size) * count;
            }
            occupied += size * count;
        }
        counted.push(Counted { name: name.to_string(), size: Some(size), count });
    }
    let extra_8 = lossy_reserve_8 - lossy_reserve;
    occupied += extra_8 * uses.lossy_groups_8;
    let forced = xoff_sum > 0 && !shared_on;
    if forced {
        shared = LEAST_SHARED_HEADROOM;
        shared_on = true;
    }
    let mut private = 0;
    if shared_on {
        private = uses.lossless_ports * PRIVATE_HEADROOM;
        occupied += private;
        xoff_sum = (xoff_sum - private).max(0);
    }
    let up = input.ports.iter().filter(|p| p.is_up).count() as i64;
    let up_8 = input.ports.iter().filter(|p| p.is_up && p.lanes == 8).count() as i64;
    let management = (up - up_8) * lossy_reserve + up_8 * lossy_reserve_8;
    occupied += management + up * mirror + MANAGEMENT_POOL + modification;
    let fixed_lossless = input
        .pools
        .iter()
        .find(|p| p.is_ingress && p.name == "ingress_lossless_pool" && shared_on && shared == 0)
        .and_then(|p| p.size);
    if shared_on && shared == 0 {
        shared = (xoff_sum as f64 / input.over_subscribe_ratio as f64).ceil() as i64;
        if shared == 0 {
            shared = LEAST_SHARED_HEADROOM;
        }
    }
    occupied += shared;

    let mut result = PoolResult { counted, ..PoolResult::default() };
    sizes(asic, input, occupied, shared, fixed_lossless, &mut result);
    let ports_8 = input.ports.iter().filter(|p| p.lanes == 8).count();
    let mut term = |name: &str, value: String| result.terms.push((name.to_string(), value));
    term("mmu_size", input.memory.to_string());
    term("accumulative size", occupied.to_string());
    term("extra_8lanes", format!("{extra_8}:{}:{ports_8}", uses.lossy_groups_8));
    term("mgmt_pool", MANAGEMENT_POOL.to_string());
    if shared_on {
        term("accumulative_private_headroom", private.to_string());
        term("accumulative xoff", xoff_sum.to_string());
        term("force enabled shp", forced.to_string());
    }
    term("accumulative_mgmt_pg", management.to_string());
    term("egress_mirror", (up * mirror).to_string());
    term("shp_enabled", shared_on.to_string());
    term("shp_size", shared.to_string());
    term("total port", format!("{} ports with 8 lanes:{ports_8}", input.ports.len()));
    term("admin up port", format!("{up} admin up ports with 8 lanes:{up_8}"));
    term("modification_descriptors_pool_size", modification.to_string());
    Some(result)
}

fn sizes(
    asic: &Asic,
    input: &PoolInput,
    occupied: i64,
    shared: i64,
    fixed: Option<i64>,
    result: &mut PoolResult,
) {
    let available = (input.memory - occupied) as f64;
    let open = |p: &&PoolSpec| p.size.is_none();
    let open_ingress = input.pools.iter().filter(|p| p.is_ingress).filter(open).count();
    let cell = i64::from(asic.cell_bytes.max(1));
    let ceiling = (input.memory.div_euclid(cell) * cell) as f64;
    let each = (if open_ingress == 1 { available } else { available / 2.0 }).min(ceiling);
    let mut deployed = false;
    let of = |ingress: bool| input.pools.iter().filter(move |p| p.is_ingress == ingress).filter(open);
    for pool in of(true).chain(of(false)) {
        let size = match pool.percentage {
            Some(percent) if percent >= 0 => available * percent as f64 / 100.0,
            _ => each,
        };
        let carries = shared != 0 && pool.name == "ingress_lossless_pool";
        deployed |= carries;
        result.pools.push((pool.name.clone(), size.ceil() as i64, carries.then_some(shared)));
    }
    if let (false, Some(size)) = (deployed || shared == 0, fixed) {
        result.pools.push(("ingress_lossless_pool".into(), size, Some(shared)));
    }
}

/// Models from 6000 on (`sn<number>` in the platform's name).
fn is_later_model(platform: &str) -> bool {
    let Some(at) = platform.find("sn") else { return false };
    let mut rest = &platform[at + 2..];
    loop {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        if !digits.is_empty() {
            return digits.parse::<u64>().is_ok_and(|n| n >= 6000);
        }
        match rest.find("sn") {
            Some(next) => rest = &rest[next + 2..],
            None => return false,
        }
    }
}

/// Uses of each profile.
struct Uses<'i> {
    counts: BTreeMap<String, i64>,
    /// The names as the script comes upon them: the profiles by name, then what lists add.
    order: Vec<String>,
    /// Of the profiles in ingress pools: whether it has headroom.
    lossless: BTreeMap<&'i str, bool>,
    lossy_groups_8: i64,
    lossless_ports: i64,
}

impl<'i> Uses<'i> {
    fn count(input: &'i PoolInput) -> Option<Self> {
        let ingress: BTreeSet<&str> =
            input.pools.iter().filter(|p| p.is_ingress).map(|p| p.name.as_str()).collect();
        let mut lossless = BTreeMap::new();
        let mut counts = BTreeMap::new();
        for profile in &input.profiles {
            if ingress.contains(profile.pool.as_str()) {
                lossless.insert(profile.name.as_str(), profile.xoff.is_some());
            }
            counts.insert(profile.name.clone(), 0);
        }
        let order = counts.keys().cloned().collect();
        let mut uses = Self { counts, order, lossless, lossy_groups_8: 0, lossless_ports: 0 };
        let eight: BTreeSet<&str> =
            input.ports.iter().filter(|p| p.lanes == 8).map(|p| p.name.as_str()).collect();
        let mut lossless_ports = BTreeSet::new();
        for (kind, rows) in [(true, &input.groups), (false, &input.queues)] {
            for (port, number, profile) in rows {
                *uses.counts.get_mut(profile.as_str())? += number;
                let is_lossless = uses.lossless.get(profile.as_str()).copied();
                if is_lossless == Some(false) && eight.contains(port.as_str()) {
                    uses.lossy_groups_8 += number;
                }
                if kind && is_lossless == Some(true) {
                    lossless_ports.insert(port.as_str());
                }
            }
        }
        uses.lossless_ports = lossless_ports.len() as i64;
        for profile in input.lists.iter().flatten() {
            let name = match uses.lossless.get(profile.as_str()) {
                Some(false) => format!("{profile}_list"),
                _ => profile.clone(),
            };
            match uses.counts.get_mut(&name) {
                Some(count) => *count += 1,
                None if name.ends_with("_list") => {
                    uses.order.push(name.clone());
                    uses.counts.insert(name, 1);
                }
                None => return None,
            }
        }
        Some(uses)
    }
}
