//! The 18 anomalies of Collie (NSDI 2022), table 2 and appendix A: 13 of a 200 Gb/s ConnectX-6 (subsystem F) and 5 of a
//! 100 Gb/s P2100G (subsystem H).
//!
//! The sources contradict each other in three places. Numbers 7 and 8 follow table 2 (7: memory regions, 8: queue pairs);
//! the appendix has them the other way around. Number 18 follows table 2 (a WQE batch of at least 32), although the
//! appendix's example posts 16. Number 10 says that the correction of "#8" is installed and means that of 9.

use model::host::descriptor::{CpuVendor, Factor, MemoryPlace, NicFamily, Opcode, Transport};
use serde::Serialize;

use super::condition::Condition::{self, *};
use super::monitor::Symptom;

/// The component that the vendors named as the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bottleneck {
    /// The NIC fetches receive WQEs from host memory.
    ReceiveWqeCache,
    /// The NIC fetches connection contexts and address translations from host memory.
    IcmCache,
    /// PCIe ordering blocks DMA requests.
    PcieOrdering,
    /// The NIC's packet processing.
    PacketProcessing,
    /// Long paths inside the host.
    HostTopology,
    /// Traffic of two sources meets inside the NIC.
    InNicIncast,
    /// The vendor has not named it.
    Unnamed,
}

/// One published anomaly.
#[derive(Debug)]
pub struct KnownAnomaly {
    /// Its number in table 2.
    pub number: u8,
    /// The NIC on which it was found.
    pub nic: NicFamily,
    /// What it looks like.
    pub symptom: Symptom,
    /// The largest published pause ratio.
    pub worst_pause_ratio: Option<f64>,
    /// The component.
    pub bottleneck: Bottleneck,
    /// All of them must hold: the minimal feature set.
    pub conditions: &'static [Condition],
    /// The published fix, in the imperative; `None` if there is none.
    pub fix: Option<&'static str>,
}

const KIB: u64 = 1024;
const CX6: NicFamily = NicFamily::Cx6;
const P2100: NicFamily = NicFamily::P2100;
const PAUSES: Symptom = Symptom::PauseFrames;
const LOW: Symptom = Symptom::LowThroughput;
const RC: Condition = Service(Transport::Rc);
const UD: Condition = Service(Transport::Ud);
const SEND: Condition = Operation(Opcode::Send);
const WRITE: Condition = Operation(Opcode::Write);
const READ: Condition = Operation(Opcode::Read);
const NO_BATCH: Condition = AtMost(Factor::WqeBatch, 1);
const UP_TO_1_KIB: Condition = AtMost(Factor::LargestMessage, KIB);
const SHORT_AND_LONG: Condition = Mix(KIB, 64 * KIB);

const fn batch(least: u64) -> Condition {
    AtLeast(Factor::WqeBatch, least)
}

const fn batch_up_to(most: u64) -> Condition {
    AtMost(Factor::WqeBatch, most)
}

const fn elements(least: u64) -> Condition {
    AtLeast(Factor::SgePerWqe, least)
}

const fn depth(least: u64) -> Condition {
    AtLeast(Factor::WqDepth, least)
}

const fn queue_pairs(about: u64) -> Condition {
    AtLeastAbout(Factor::QueuePairs, about)
}

const fn row(
    number: u8,
    nic: NicFamily,
    symptom: Symptom,
    bottleneck: Bottleneck,
    conditions: &'static [Condition],
) -> KnownAnomaly {
    KnownAnomaly { number, nic, symptom, worst_pause_ratio: None, bottleneck, conditions, fix: None }
}

impl KnownAnomaly {
    const fn pauses_up_to(mut self, ratio: f64) -> KnownAnomaly {
        self.worst_pause_ratio = Some(ratio);
        self
    }

    const fn fixed_by(mut self, fix: &'static str) -> KnownAnomaly {
        self.fix = Some(fix);
        self
    }
}

/// The anomalies by number.
pub const ANOMALIES: &[KnownAnomaly] = &[
    row(1, CX6, PAUSES, Bottleneck::ReceiveWqeCache, &[UD, SEND, batch(64), depth(256)]).pauses_up_to(0.20),
    row(
        2,
        CX6,
        LOW,
        Bottleneck::ReceiveWqeCache,
        &[UD, SEND, batch_up_to(8), depth(1024), UP_TO_1_KIB, queue_pairs(16)],
    ),
    row(
        3,
        CX6,
        PAUSES,
        Bottleneck::ReceiveWqeCache,
        &[RC, READ, Mtu(1024), AtLeast(Factor::SmallestMessage, 16 * KIB)],
    )
    .pauses_up_to(0.10)
    .fixed_by("raise the Ethernet MTU to 4200, for an RDMA MTU of 4096"),
    row(
        4,
        CX6,
        PAUSES,
        Bottleneck::ReceiveWqeCache,
        &[Bidirectional, RC, READ, batch(32), elements(4), queue_pairs(160)],
    )
    .pauses_up_to(0.30),
    row(
        5,
        CX6,
        PAUSES,
        Bottleneck::ReceiveWqeCache,
        &[
            RC,
            SEND,
            Mtu(1024),
            batch(64),
            depth(1024),
            AtLeast(Factor::SmallestMessage, 2 * KIB),
            AtMost(Factor::LargestMessage, 8 * KIB),
        ],
    ),
    row(
        6,
        CX6,
        LOW,
        Bottleneck::ReceiveWqeCache,
        &[RC, SEND, Mtu(1024), batch_up_to(16), elements(2), depth(1024), UP_TO_1_KIB, queue_pairs(32)],
    ),
    row(
        7,
        CX6,
        LOW,
        Bottleneck::IcmCache,
        &[RC, WRITE, NO_BATCH, UP_TO_1_KIB, AtLeastAbout(Factor::MemoryRegions, 12_000)],
    ),
    row(
        8,
        CX6,
        LOW,
        Bottleneck::IcmCache,
        &[RC, WRITE, NO_BATCH, AtMost(Factor::WqDepth, 16), UP_TO_1_KIB, queue_pairs(500)],
    ),
    row(
        9,
        CX6,
        PAUSES,
        Bottleneck::PcieOrdering,
        &[Bidirectional, elements(3), SHORT_AND_LONG, OrderingNotForced],
    )
    .pauses_up_to(0.25)
    .fixed_by("configure the NIC as a device with forced PCIe relaxed ordering"),
    row(
        10,
        CX6,
        PAUSES,
        Bottleneck::PacketProcessing,
        &[Bidirectional, RC, WRITE, batch(64), SHORT_AND_LONG, queue_pairs(320), NoVendorFix],
    )
    .fixed_by("install the vendor's firmware that contains the correction"),
    row(
        11,
        CX6,
        PAUSES,
        Bottleneck::HostTopology,
        &[Bidirectional, Memory(MemoryPlace::CrossSocket), Cpu(CpuVendor::Amd)],
    )
    .pauses_up_to(0.157)
    .fixed_by("use one 100 Gb/s NIC for each socket"),
    row(12, CX6, PAUSES, Bottleneck::HostTopology, &[Memory(MemoryPlace::Gpu), AcsRedirects])
        .pauses_up_to(0.15)
        .fixed_by("turn ACS redirection off on the PCIe bridges above NIC and GPU"),
    row(13, CX6, PAUSES, Bottleneck::InNicIncast, &[Loopback])
        .fixed_by("replace loopback traffic by shared memory or another kind of local communication"),
    row(14, P2100, LOW, Bottleneck::Unnamed, &[Bidirectional, RC, Mtu(4096), elements(4), queue_pairs(1300)])
        .fixed_by("lower the RDMA MTU to 1024"),
    row(15, P2100, PAUSES, Bottleneck::Unnamed, &[UD, SEND, depth(64), queue_pairs(32)]),
    row(16, P2100, PAUSES, Bottleneck::Unnamed, &[RC, READ, Mtu(1024), batch(8), queue_pairs(500)]),
    row(
        17,
        P2100,
        PAUSES,
        Bottleneck::ReceiveWqeCache,
        &[RC, SEND, batch_up_to(16), depth(128), UP_TO_1_KIB, queue_pairs(64), NoVendorFix],
    )
    .fixed_by("set the NIC's registers as the vendor recommends"),
    row(
        18,
        P2100,
        PAUSES,
        Bottleneck::Unnamed,
        &[
            Bidirectional,
            RC,
            Mtu(1024),
            batch(32),
            AtMost(Factor::LargestMessage, 64 * KIB),
            queue_pairs(30),
            NoVendorFix,
        ],
    )
    .fixed_by("set the NIC's registers as the vendor recommends"),
];
