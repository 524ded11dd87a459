//! Switch ASICs: constants of the headroom arithmetic, cell and memory sizes, and how platforms map to them.
//!
//! Constants of Spectrum and Tofino: `ASIC_TABLE` of sonic-swss (cfgmgr, the dynamic buffer model's input). Cells of
//! the others: sonic-mgmt `qos_params`. Memory: the largest egress lossless pool that vendors ship, which by their own
//! templates equals the chip's; Tomahawk 6 from sonic-buildimage issue 28657. SKU lists:
//! gcu_field_operation_validators.json. A configuration of an ASIC that is not listed is "not provable"; it never
//! passes.

/// ASIC vendors and product lines, whose SAIs follow different conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// NVIDIA (Mellanox) Spectrum.
    Nvidia,
    /// Broadcom XGS: Trident, Tomahawk.
    BroadcomXgs,
    /// Broadcom DNX: Jericho, with virtual output queues and DRAM.
    BroadcomDnx,
    /// Intel (Barefoot) Tofino.
    Intel,
    /// Marvell Teralynx (Innovium).
    Teralynx,
    /// Marvell Prestera.
    Prestera,
    /// Cisco Silicon One.
    Cisco,
    /// The virtual switch.
    Virtual,
}

/// One ASIC family.
#[derive(Debug)]
pub struct Asic {
    /// Harrier's name.
    pub name: &'static str,
    /// Its vendor.
    pub vendor: Vendor,
    /// Bytes of a buffer cell.
    pub cell_bytes: u32,
    /// Bytes of packet memory, if known.
    pub memory_bytes: Option<u64>,
    /// Whether `memory_bytes` is the chip's published figure, not the largest pool that a vendor ships.
    pub memory_is_certain: bool,
    /// Constants of the headroom arithmetic, if SONiC has one for this ASIC.
    pub headroom: Option<Constants>,
    /// Smallest and largest `dynamic_th` that its SAI supports.
    pub alpha_window: (i8, i8),
    /// The name in gcu_field_operation_validators.json.
    pub gcu_name: &'static str,
}

/// Constants of SONiC's headroom scripts (`STATE_DB` `ASIC_TABLE`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Delay of the pipeline, KiB: the xon threshold.
    pub pipeline_latency_kib: f64,
    /// Delay of MAC and PHY, KiB.
    pub mac_phy_delay_kib: f64,
    /// Response of the peer, KiB, for speeds without defined pause quanta.
    pub peer_response_kib: f64,
    /// Shared headroom that is reserved for each port, cells.
    pub port_reserved_shp_cells: u64,
    /// Shared headroom that a port may use, cells.
    pub port_max_shp_cells: u64,
}

const fn spectrum(pipeline_latency_kib: f64, port_max_shp_cells: u64) -> Option<Constants> {
    let (mac_phy_delay_kib, peer_response_kib) = (0.8, 3.8);
    let port_reserved_shp_cells = 20;
    Some(Constants {
        pipeline_latency_kib,
        mac_phy_delay_kib,
        peer_response_kib,
        port_reserved_shp_cells,
        port_max_shp_cells,
    })
}

const fn other(pipeline_latency_kib: f64, peer_response_kib: f64) -> Option<Constants> {
    let (port_reserved_shp_cells, port_max_shp_cells) = (0, 0);
    let mac_phy_delay_kib = 0.8;
    Some(Constants {
        pipeline_latency_kib,
        mac_phy_delay_kib,
        peer_response_kib,
        port_reserved_shp_cells,
        port_max_shp_cells,
    })
}

const fn asic(
    name: &'static str,
    vendor: Vendor,
    cell_bytes: u32,
    memory_bytes: Option<u64>,
    headroom: Option<Constants>,
    gcu_name: &'static str,
) -> Asic {
    let memory_is_certain = matches!(vendor, Nvidia);
    Asic {
        name,
        vendor,
        cell_bytes,
        memory_bytes,
        memory_is_certain,
        headroom,
        alpha_window: (-8, 7),
        gcu_name,
    }
}

use Vendor::{BroadcomDnx, BroadcomXgs, Cisco, Intel, Nvidia, Virtual};

impl Asic {
    /// Bytes of the cells that each frame fills alone; `None` if frames share them. DNX manages its memory in blocks of
    /// 4 KiB, each of which holds several short frames of a virtual output queue.
    pub fn frame_cell_bytes(&self) -> Option<u32> {
        (self.vendor != BroadcomDnx).then_some(self.cell_bytes)
    }

    /// The parts of the packet memory, each with pools of its own. The pool sizes of SONiC's templates for chips with two
    /// count both; limits in bytes, and some egress pools, apply to one.
    pub fn memory_parts(&self) -> u64 {
        if matches!(self.name, "tomahawk-4" | "tomahawk-5" | "tomahawk-6") { 2 } else { 1 }
    }

    /// Bytes of packet memory that the vendor's SAI may reserve; 0 if unknown. Broadcom's SAI 13.2 reserves 608 cells
    /// in each half of the memory (sonic-buildimage issue 24749).
    pub fn sai_reserve_bytes(&self) -> u64 {
        if self.vendor != BroadcomXgs {
            return 0;
        }
        608 * self.memory_parts() * u64::from(self.cell_bytes)
    }
}

/// All known families.
pub static ASICS: &[Asic] = &[
    asic("spectrum", Nvidia, 96, Some(13_945_824), spectrum(19.0, 8192), "spc1"),
    asic("spectrum-2", Nvidia, 144, Some(34_287_552), spectrum(19.0, 8192), "spc2"),
    asic("spectrum-3", Nvidia, 144, Some(60_817_392), spectrum(19.0, 8192), "spc3"),
    asic("spectrum-4", Nvidia, 192, Some(158_229_504), spectrum(19.0, 8192), "spc4"),
    asic("spectrum-5", Nvidia, 192, Some(136_209_408), spectrum(19.0, 6144), "spc5"),
    asic("spectrum-6", Nvidia, 256, Some(226_492_416), spectrum(42.0, 6144), "spc6"),
    asic("tofino-2", Intel, 176, None, other(68.0, 9.0), ""),
    asic("tofino", Intel, 80, None, None, ""),
    asic("vs", Virtual, 128, None, other(18.0, 3.8), ""),
    asic("trident-2", BroadcomXgs, 208, Some(12_766_208), None, "td2"),
    asic("tomahawk", BroadcomXgs, 208, Some(15_982_720), None, "th"),
    asic("tomahawk-2", BroadcomXgs, 208, Some(43_481_152), None, "th2"),
    asic("trident-3", BroadcomXgs, 256, Some(32_822_528), None, "td3"),
    asic("tomahawk-3", BroadcomXgs, 254, None, None, "th3"),
    asic("tomahawk-4", BroadcomXgs, 254, Some(113_620_296), None, "th4"),
    Asic { alpha_window: (-7, 3), ..asic("tomahawk-5", BroadcomXgs, 254, Some(166_115_492), None, "th5") },
    Asic { memory_is_certain: true, ..asic("tomahawk-6", BroadcomXgs, 420, Some(267_196_860), None, "th6") },
    asic("trident-4", BroadcomXgs, 254, None, None, "td4"),
    asic("jericho-2", BroadcomDnx, 4096, None, None, "jr2"),
    asic("jericho-2c+", BroadcomDnx, 4096, None, None, "j2c+"),
    asic("qumran-2c+", BroadcomDnx, 4096, None, None, "q2c+"),
    asic("qumran-3d", BroadcomDnx, 4096, None, None, "q3d"),
    asic("silicon-one", Cisco, 384, None, None, "cisco-8000"),
    asic("teralynx", Vendor::Teralynx, 128, None, None, "marvell-teralynx"),
    asic("prestera", Vendor::Prestera, 256, None, None, ""),
];

/// Substrings of platform or SKU that identify the family; the first match decides. All platforms of a model have the
/// same chip. Sources: vendors' data sheets as named in sonic-buildimage `device/`.
const MARKS: &[(&str, &str)] = &[
    ("sn6600", "spectrum-6"),
    ("sn6810", "spectrum-6"),
    ("sn5640", "spectrum-5"),
    ("sn5600", "spectrum-4"),
    ("sn5610", "spectrum-4"),
    ("sn5400", "spectrum-4"),
    ("msn4", "spectrum-3"),
    ("sn4280", "spectrum-3"),
    ("sn4800", "spectrum-3"),
    ("sn3420", "spectrum-2"),
    ("sn3700", "spectrum-2"),
    ("sn3750", "spectrum-2"),
    ("sn3800", "spectrum-2"),
    ("sn4410", "spectrum-3"),
    ("sn4600", "spectrum-3"),
    ("sn4700", "spectrum-3"),
    ("sn2010", "spectrum"),
    ("sn2100", "spectrum"),
    ("sn2410", "spectrum"),
    ("sn2740", "spectrum"),
    ("nh_4010", "tomahawk-5"),
    ("nh_4210", "tomahawk-6"),
    ("nh_5010", "qumran-3d"),
    ("msn34", "spectrum-2"),
    ("msn37", "spectrum-2"),
    ("msn38", "spectrum-2"),
    ("msn2", "spectrum"),
    ("sn2700", "spectrum"),
    ("sn2201", "spectrum"),
    ("arista_7060x6", "tomahawk-5"),
    ("z9864", "tomahawk-5"),
    ("h5_", "tomahawk-5"),
    ("ixr7220_h5", "tomahawk-5"),
    ("nexthop_4010", "tomahawk-5"),
    ("nexthop_4210", "tomahawk-6"),
    ("ixr7220_h6", "tomahawk-6"),
    ("ixr7220_h4", "tomahawk-4"),
    ("ixr7220_h3", "tomahawk-3"),
    ("ixr7220_d4", "trident-4"),
    ("z9664", "tomahawk-4"),
    ("as9817", "tomahawk-5"),
    ("arista_7260cx3", "tomahawk-2"),
    ("z9264", "tomahawk-2"),
    ("arista_7060_cx32s", "tomahawk"),
    ("arista_7060cx", "tomahawk"),
    ("s6100", "tomahawk"),
    ("z9100", "tomahawk"),
    ("cel_seastone", "tomahawk"),
    ("as7712", "tomahawk"),
    ("as7716", "tomahawk"),
    ("arista_7050cx3", "trident-3"),
    ("arista_7050sx3", "trident-3"),
    ("s5232", "trident-3"),
    ("s5248", "trident-3"),
    ("s5212f", "trident-3"),
    // The configuration files of their SAI are named `td3-*`.
    ("cel_ds2000", "trident-3"),
    ("cel_ds3000", "trident-3"),
    ("inventec_d6356", "trident-3"),
    ("as7326", "trident-3"),
    ("as7726", "trident-3"),
    ("ix7_", "trident-3"),
    ("arista_7050_qx", "trident-2"),
    ("s6000", "trident-2"),
    ("as7312", "trident-2"),
    ("as5712", "trident-2"),
    ("as6712", "trident-2"),
    ("arista_7800r3", "jericho-2"),
    ("arista_7280r4", "qumran-3d"),
    ("arista_7280dr3a", "jericho-2c+"),
    ("arista_7800r3a", "jericho-2c+"),
    ("ixr7250e", "jericho-2c+"),
    ("ixr7250_x1b", "qumran-2c+"),
    ("ixr7250_x3b", "jericho-2c+"),
    ("nexthop_5010", "qumran-3d"),
    ("wedge100bf", "tofino"),
    ("arista_7170", "tofino"),
    ("montara", "tofino"),
    ("mavericks", "tofino"),
    ("aurora_710", "tofino"),
    ("aurora_610", "tofino"),
    ("as9516", "tofino-2"),
    ("z9332", "tomahawk-3"),
    ("ix9_", "tomahawk-3"),
    ("qfx5200", "tomahawk"),
    ("cisco-8", "silicon-one"),
    ("wistron_sw_to3200k", "teralynx"),
    ("wistron_6512", "teralynx"),
    ("midstone", "teralynx"),
    ("dbmvtx9180", "teralynx"),
    ("d64p512t", "teralynx"),
    ("tl7", "teralynx"),
    ("tl10", "teralynx"),
    ("aurora_715", "teralynx"),
    ("aurora_750", "teralynx"),
    ("marvell_rd98", "prestera"),
    ("marvell_db98", "prestera"),
    ("kvm", "vs"),
];

/// The family with this name.
pub fn by_name(name: &str) -> Option<&'static Asic> {
    ASICS.iter().find(|asic| asic.name == name)
}

/// The family of a platform and SKU (`DEVICE_METADATA|localhost`).
pub fn of_device(platform: &str, hwsku: &str) -> Option<&'static Asic> {
    // The platform takes precedence: a virtual switch may have the SKU of the switch that it emulates.
    let texts = [platform.to_ascii_lowercase(), hwsku.to_ascii_lowercase().replace('-', "_")];
    let marked = |text: &String| MARKS.iter().find(|(mark, _)| text.contains(mark));
    texts.iter().find_map(marked).and_then(|(_, name)| by_name(name))
}

/// The family with SONiC's `ASIC_TABLE` key, e.g. `MELLANOX-SPECTRUM-3`.
pub fn of_asic_table(key: &str) -> Option<&'static Asic> {
    let name = key.to_ascii_lowercase();
    match name.as_str() {
        "vs-asic" => by_name("vs"),
        _ => {
            let short =
                name.strip_prefix("mellanox-").or_else(|| name.strip_prefix("barefoot-")).unwrap_or(&name);
            by_name(short)
        }
    }
}
