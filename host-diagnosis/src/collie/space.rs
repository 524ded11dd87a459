//! The search space: factors with their levels, in the four dimensions of Collie, section 4.
//!
//! Amounts are discretised into the regions between which published anomalies begin and end, with one or two levels more
//! on both sides. A request vector is represented by its smallest and its largest message.

use model::host::descriptor::{Factor, MemoryPlace, NicFamily, Opcode, ServerTraits, Transport, Workload};

use super::condition::size;

/// A generator of random numbers below a limit.
pub trait Draw {
    /// A number below `limit`; 0 if the limit is 0.
    fn below(&mut self, limit: usize) -> usize;
}

/// The factors of each dimension: topology, memory, transport, message pattern.
pub const DIMENSIONS: [&[Factor]; 4] = [
    &[Factor::Direction, Factor::Memory, Factor::Loopback],
    &[Factor::MemoryRegions],
    &[
        Factor::Transport,
        Factor::QueuePairs,
        Factor::WqeBatch,
        Factor::SgePerWqe,
        Factor::WqDepth,
        Factor::Mtu,
    ],
    &[Factor::LargestMessage, Factor::SmallestMessage],
];

/// All factors of a point, in the order of its levels.
pub const FACTORS: [Factor; 12] = [
    Factor::Direction,
    Factor::Memory,
    Factor::Loopback,
    Factor::MemoryRegions,
    Factor::Transport,
    Factor::QueuePairs,
    Factor::WqeBatch,
    Factor::SgePerWqe,
    Factor::WqDepth,
    Factor::Mtu,
    Factor::LargestMessage,
    Factor::SmallestMessage,
];

const PLACES: &[MemoryPlace] = &[MemoryPlace::Local, MemoryPlace::CrossSocket, MemoryPlace::Gpu];
const MEMORY_REGIONS: &[u32] = &[1, 100, 1_000, 4_000, 12_000, 50_000, 200_000];
/// The operations that each transport service supports.
const TRANSPORTS: &[(Transport, Opcode)] = &[
    (Transport::Rc, Opcode::Write),
    (Transport::Rc, Opcode::Read),
    (Transport::Rc, Opcode::Send),
    (Transport::Uc, Opcode::Write),
    (Transport::Uc, Opcode::Send),
    (Transport::Ud, Opcode::Send),
];
const QUEUE_PAIRS: &[u32] = &[1, 8, 16, 32, 80, 160, 320, 500, 1_300, 5_000, 20_000];
const WQE_BATCHES: &[u32] = &[1, 4, 8, 16, 32, 64, 128];
const SG_ELEMENTS: &[u32] = &[1, 2, 3, 4, 8];
const WQ_DEPTHS: &[u32] = &[16, 64, 128, 256, 1_024, 4_096];
const MTUS: &[u32] = &[1_024, 2_048, 4_096];
const MESSAGES: &[u64] =
    &[128, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 4 << 20];

/// A workload as one level for each factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    levels: [usize; FACTORS.len()],
}

/// Number of levels of a factor of the space; 1 for factors that the space does not vary.
pub fn levels(factor: Factor) -> usize {
    match factor {
        Factor::Direction | Factor::Loopback => 2,
        Factor::Memory => PLACES.len(),
        Factor::MemoryRegions => MEMORY_REGIONS.len(),
        Factor::Transport => TRANSPORTS.len(),
        Factor::QueuePairs => QUEUE_PAIRS.len(),
        Factor::WqeBatch => WQE_BATCHES.len(),
        Factor::SgePerWqe => SG_ELEMENTS.len(),
        Factor::WqDepth => WQ_DEPTHS.len(),
        Factor::Mtu => MTUS.len(),
        Factor::LargestMessage | Factor::SmallestMessage => MESSAGES.len(),
        Factor::Server => 1,
    }
}

/// Whether the levels of a factor are amounts. The levels of the others have no order.
pub fn is_ordered(factor: Factor) -> bool {
    !matches!(
        factor,
        Factor::Direction | Factor::Memory | Factor::Loopback | Factor::Transport | Factor::Server
    )
}

/// A level as text, e.g. `RC WRITE`.
pub fn level_text(factor: Factor, level: usize) -> String {
    match factor {
        Factor::Direction => ["one direction", "both directions"][level].to_string(),
        Factor::Loopback => ["none", "next to received traffic"][level].to_string(),
        Factor::Memory => ["socket of the NIC", "another socket", "GPU"][level].to_string(),
        Factor::MemoryRegions => MEMORY_REGIONS[level].to_string(),
        Factor::Transport => {
            let (transport, opcode) = TRANSPORTS[level];
            format!("{transport:?} {opcode:?}").to_uppercase()
        }
        Factor::QueuePairs => QUEUE_PAIRS[level].to_string(),
        Factor::WqeBatch => WQE_BATCHES[level].to_string(),
        Factor::SgePerWqe => SG_ELEMENTS[level].to_string(),
        Factor::WqDepth => WQ_DEPTHS[level].to_string(),
        Factor::Mtu => size(MTUS[level].into()),
        Factor::LargestMessage | Factor::SmallestMessage => size(MESSAGES[level]),
        Factor::Server => String::new(),
    }
}

fn position(factor: Factor) -> usize {
    FACTORS.iter().position(|known| *known == factor).unwrap_or(0)
}

fn nearest(levels: &[u32], value: u32) -> usize {
    levels.iter().position(|level| *level >= value).unwrap_or(levels.len() - 1)
}

impl Point {
    /// The reference workload, which meets few conditions: RDMA WRITE of 64 KiB over 8 queue pairs, MTU 4 KiB, one
    /// element, local memory, one direction.
    pub fn reference() -> Point {
        let mut point = Point { levels: [0; FACTORS.len()] };
        let large = MESSAGES.iter().position(|bytes| *bytes == 64 << 10).unwrap_or(0);
        for (factor, level) in [
            (Factor::QueuePairs, nearest(QUEUE_PAIRS, 8)),
            (Factor::WqeBatch, nearest(WQE_BATCHES, 16)),
            (Factor::WqDepth, nearest(WQ_DEPTHS, 128)),
            (Factor::Mtu, nearest(MTUS, 4_096)),
            (Factor::LargestMessage, large),
            (Factor::SmallestMessage, large),
        ] {
            point.levels[position(factor)] = level;
        }
        point
    }

    /// A random valid point, without variation of the fixed factors.
    pub fn random(draw: &mut impl Draw, fixed: &[Factor]) -> Point {
        loop {
            let levels = FACTORS.map(|factor| draw.below(levels(factor)));
            let point = Point { levels };
            let point = point.without(fixed);
            if point.is_valid() {
                return point;
            }
        }
    }

    /// A valid point that differs in one factor of one dimension, both drawn. Fixed factors stay without variation.
    pub fn mutated(self, draw: &mut impl Draw, fixed: &[Factor]) -> Point {
        loop {
            let dimension = DIMENSIONS[draw.below(DIMENSIONS.len())];
            let factor = dimension[draw.below(dimension.len())];
            let point = self.with(factor, draw.below(levels(factor))).without(fixed);
            if point != self && point.is_valid() {
                return point;
            }
        }
    }

    /// The point without variation of these factors: they have the level of the reference workload, and the smallest message
    /// has the size of the largest one.
    #[must_use]
    pub fn without(self, fixed: &[Factor]) -> Point {
        fixed.iter().fold(self, |point, factor| {
            let source = match factor {
                Factor::SmallestMessage => point.level(Factor::LargestMessage),
                _ => Point::reference().level(*factor),
            };
            point.with(*factor, source)
        })
    }

    /// The level of a factor.
    pub fn level(self, factor: Factor) -> usize {
        self.levels[position(factor)]
    }

    /// The point with another level of one factor.
    #[must_use]
    pub fn with(mut self, factor: Factor, level: usize) -> Point {
        self.levels[position(factor)] = level;
        self
    }

    /// Whether verbs accept the workload: a batch fits into its queue, a datagram into one packet, and no message is
    /// larger than the largest.
    pub fn is_valid(self) -> bool {
        let at = |factor| self.level(factor);
        let largest = MESSAGES[at(Factor::LargestMessage)];
        let is_datagram = TRANSPORTS[at(Factor::Transport)].0 == Transport::Ud;
        MESSAGES[at(Factor::SmallestMessage)] <= largest
            && WQE_BATCHES[at(Factor::WqeBatch)] <= WQ_DEPTHS[at(Factor::WqDepth)]
            && (!is_datagram || largest <= u64::from(MTUS[at(Factor::Mtu)]))
    }

    /// The workload on a NIC in a server.
    pub fn workload(self, nic: NicFamily, server: &ServerTraits) -> Workload {
        let at = |factor| self.level(factor);
        let (transport, opcode) = TRANSPORTS[at(Factor::Transport)];
        let (large, small) = (MESSAGES[at(Factor::LargestMessage)], MESSAGES[at(Factor::SmallestMessage)]);
        Workload {
            device: None,
            nic,
            bidirectional: at(Factor::Direction) == 1,
            transport,
            opcode,
            mtu_bytes: MTUS[at(Factor::Mtu)],
            wqe_batch: WQE_BATCHES[at(Factor::WqeBatch)],
            sge_per_wqe: SG_ELEMENTS[at(Factor::SgePerWqe)],
            wq_depth: WQ_DEPTHS[at(Factor::WqDepth)],
            message_bytes: if large == small { vec![large] } else { vec![large, small] },
            memory_regions: MEMORY_REGIONS[at(Factor::MemoryRegions)],
            queue_pairs: QUEUE_PAIRS[at(Factor::QueuePairs)],
            memory: PLACES[at(Factor::Memory)],
            loopback_with_receive: at(Factor::Loopback) == 1,
            server: server.clone(),
            fixed: Vec::new(),
            performance: None,
        }
    }
}
