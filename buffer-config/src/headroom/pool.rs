//! The sizes of the shared pools that the dynamic model computes.
//!
//! Source: sonic-swss cfgmgr/buffer_pool_mellanox.lua and buffer_pool_barefoot.lua.

use std::collections::{BTreeMap, BTreeSet};

use super::lua_order;
use crate::asic::Asic;

/// Bytes reserved for management packets.
const MANAGEMENT_POOL: i64 = 256 * 1024;
/// Private headroom of a lossless port, bytes.
const PRIVATE_HEADROOM: i64 = 10 * 1024;
/// Minimum size of the shared headroom, bytes.
const LEAST_SHARED_HEADROOM: i64 = 655_360;

/// A port in the calculation.
#[derive(Clone, Debug)]
pub struct PoolPort {
    /// Its name.
    pub name: String,
    /// Number of lanes; 0 if the file does not specify it.
    pub lanes: u32,
    /// Whether it is administratively up.
    pub is_up: bool,
}

/// A pool of the configuration.
#[derive(Clone, Debug)]
pub struct PoolSpec {
    /// Its name.
    pub name: String,
    /// Whether it is an ingress pool; egress otherwise.
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

/// The inputs of the calculation.
#[derive(Clone, Debug, Default)]
pub struct PoolInput {
    /// Bytes of packet memory.
    pub memory: i64,
    /// The name of the platform; newer models reserve more.
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

/// The number of uses of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Its name, with the suffix `_list` if a list refers to a lossy profile.
    pub name: String,
    /// Bytes per use; `None` if the script finds no size.
    pub size: Option<i64>,
    /// The number of uses.
    pub count: i64,
}

/// The result of the calculation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolResult {
    /// Name, size and shared headroom of every pool with a computed size, in order.
    pub pools: Vec<(String, i64, Option<i64>)>,
    /// Profiles and their uses, in the script's order.
    pub counted: Vec<Counted>,
    /// Intermediate values with their names, in the script's order.
    pub terms: Vec<(String, String)>,
}

/// The shared headroom of Tofino: 70 % of two groups of 400 cells per port.
pub fn tofino_shared_headroom(cell_bytes: u32, ports: usize) -> i64 {
    (ports as f64 * 2.0 * (400.0 * f64::from(cell_bytes)) * 0.7).ceil() as i64
}

/// What the platform and the ASIC reserve.
struct Reserves {
    /// Bytes of a lossy priority group.
    lossy_group: i64,
    /// Bytes of a lossy priority group of a port with eight lanes.
    lossy_group_8: i64,
    modification_descriptors: i64,
    /// Bytes of egress mirroring per port that is up.
    egress_mirror: i64,
}

impl Reserves {
    fn of(asic: &Asic, platform: &str) -> Option<Self> {
        let latency = asic.headroom?.pipeline_latency_kib;
        let is_later = is_later_model(platform);
        Some(Self {
            lossy_group: (latency * 1024.0) as i64,
            lossy_group_8: ((2.0 * latency - 1.0) * 1024.0) as i64,
            modification_descriptors: if is_later { 32 * 1024 * 1024 } else { 0 },
            egress_mirror: if is_later { 0 } else { 10 * 1024 },
        })
    }
}

/// Sums over the uses of all profiles.
#[derive(Default)]
struct Occupied {
    counted: Vec<Counted>,
    bytes: i64,
    /// Headroom beyond the reserved sizes, bytes; only counted without a fixed size of the shared headroom.
    xoff: i64,
}

impl Occupied {
    fn sum(input: &PoolInput, uses: &Uses, reserves: &Reserves) -> Self {
        let mut sum = Self::default();
        for name in lua_order::pairs("BUFFER_PROFILE_TABLE:", uses.order.iter().map(String::as_str)) {
            let count = uses.counts.get(name).copied().unwrap_or(0);
            let profile = input.profiles.iter().find(|p| p.name == name);
            let Some(mut size) = profile.and_then(|p| p.size) else {
                sum.counted.push(Counted { name: name.to_string(), size: None, count });
                continue;
            };
            if uses.lossless.get(name) == Some(&false) {
                size += reserves.lossy_group;
            }
            if size != 0 {
                if let (0, Some(xon), Some(xoff)) =
                    (input.shared_headroom, profile.and_then(|p| p.xon), profile.and_then(|p| p.xoff))
                    && xon + xoff > size
                {
                    sum.xoff += (xon + xoff - size) * count;
                }
                sum.bytes += size * count;
            }
            sum.counted.push(Counted { name: name.to_string(), size: Some(size), count });
        }
        sum
    }
}

/// The shared headroom of a switch.
struct SharedHeadroom {
    is_enabled: bool,
    /// It is enabled only because profiles reserve less than their headroom.
    is_forced: bool,
    bytes: i64,
    /// Private headroom of all lossless ports, bytes.
    private: i64,
    /// Headroom of all priority groups that the private headroom does not cover, bytes.
    xoff: i64,
    /// The configured size of the lossless pool, if the size of the shared headroom has to be computed.
    fixed_lossless: Option<i64>,
}

impl SharedHeadroom {
    fn of(input: &PoolInput, uses: &Uses, xoff: i64) -> Self {
        let is_configured = input.over_subscribe_ratio != 0 || input.shared_headroom != 0;
        let is_forced = xoff > 0 && !is_configured;
        let is_enabled = is_configured || is_forced;
        let private = if is_enabled { uses.lossless_ports * PRIVATE_HEADROOM } else { 0 };
        let xoff = if is_enabled { (xoff - private).max(0) } else { xoff };
        let configured = if is_forced { LEAST_SHARED_HEADROOM } else { input.shared_headroom };
        let is_computed = is_enabled && configured == 0;
        let bytes = match is_computed {
            false => configured,
            true => match (xoff as f64 / input.over_subscribe_ratio as f64).ceil() as i64 {
                0 => LEAST_SHARED_HEADROOM,
                bytes => bytes,
            },
        };
        let lossless = input.pools.iter().find(|p| p.is_ingress && p.name == "ingress_lossless_pool");
        let fixed_lossless = lossless.filter(|_| is_computed).and_then(|p| p.size);
        Self { is_enabled, is_forced, bytes, private, xoff, fixed_lossless }
    }
}

/// The calculation for Spectrum; `None` if the ASIC has no constants or a reference does not resolve.
pub fn pool_sizes(asic: &Asic, input: &PoolInput) -> Option<PoolResult> {
    let reserves = Reserves::of(asic, &input.platform)?;
    let uses = Uses::count(input)?;
    let profiles = Occupied::sum(input, &uses, &reserves);
    let shared = SharedHeadroom::of(input, &uses, profiles.xoff);
    let extra_8 = reserves.lossy_group_8 - reserves.lossy_group;
    let up = input.ports.iter().filter(|p| p.is_up).count() as i64;
    let up_8 = input.ports.iter().filter(|p| p.is_up && p.lanes == 8).count() as i64;
    let management = (up - up_8) * reserves.lossy_group + up_8 * reserves.lossy_group_8;
    let mirror = up * reserves.egress_mirror;
    let occupied = profiles.bytes
        + extra_8 * uses.lossy_groups_8
        + shared.private
        + management
        + mirror
        + MANAGEMENT_POOL
        + reserves.modification_descriptors
        + shared.bytes;

    let mut result = PoolResult { counted: profiles.counted, ..PoolResult::default() };
    sizes(asic, input, occupied, shared.bytes, shared.fixed_lossless, &mut result);
    let ports_8 = input.ports.iter().filter(|p| p.lanes == 8).count();
    let mut term = |name: &str, value: String| result.terms.push((name.to_string(), value));
    term("mmu_size", input.memory.to_string());
    term("accumulative size", occupied.to_string());
    term("extra_8lanes", format!("{extra_8}:{}:{ports_8}", uses.lossy_groups_8));
    term("mgmt_pool", MANAGEMENT_POOL.to_string());
    if shared.is_enabled {
        term("accumulative_private_headroom", shared.private.to_string());
        term("accumulative xoff", shared.xoff.to_string());
        term("force enabled shp", shared.is_forced.to_string());
    }
    term("accumulative_mgmt_pg", management.to_string());
    term("egress_mirror", mirror.to_string());
    term("shp_enabled", shared.is_enabled.to_string());
    term("shp_size", shared.bytes.to_string());
    term("total port", format!("{} ports with 8 lanes:{ports_8}", input.ports.len()));
    term("admin up port", format!("{up} admin up ports with 8 lanes:{up_8}"));
    term("modification_descriptors_pool_size", reserves.modification_descriptors.to_string());
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

/// Whether the platform is an SN6000 model or later (`sn<number>` in its name).
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

/// The uses of each profile.
struct Uses<'i> {
    counts: BTreeMap<String, i64>,
    /// The names in the script's order: the profiles by name, then the additions of lists.
    order: Vec<String>,
    /// For each profile of an ingress pool, whether it has headroom.
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
