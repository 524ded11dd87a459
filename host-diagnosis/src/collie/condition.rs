//! A condition that a workload must meet to trigger an anomaly.

use model::host::descriptor::{CpuVendor, Factor, MemoryPlace, Opcode, Transport, Workload};

/// The share of an approximate lower limit that meets it. The table states some limits with "about", and the published
/// example for 500 queue pairs has 480.
pub const APPROXIMATE_SHARE: f64 = 0.95;

/// One condition of an anomaly. A workload in which it does not hold does not trigger the anomaly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Data flows in both directions.
    Bidirectional,
    /// The queue pairs have this transport service.
    Service(Transport),
    /// The work requests are this operation.
    Operation(Opcode),
    /// The RDMA path MTU, in bytes.
    Mtu(u32),
    /// A factor is at least this large.
    AtLeast(Factor, u64),
    /// A factor is at least about this large.
    AtLeastAbout(Factor, u64),
    /// A factor is at most this large.
    AtMost(Factor, u64),
    /// Messages of at most the first size and messages of at least the second size, in bytes.
    Mix(u64, u64),
    /// The buffers are there.
    Memory(MemoryPlace),
    /// Loopback traffic next to received traffic.
    Loopback,
    /// The server has processors of this vendor.
    Cpu(CpuVendor),
    /// PCIe relaxed ordering is not forced.
    OrderingNotForced,
    /// Access control services send peer-to-peer traffic through the root complex.
    AcsRedirects,
    /// The vendor's correction is not installed.
    NoVendorFix,
}

impl Condition {
    /// The factor that the condition limits.
    pub fn factor(&self) -> Factor {
        match *self {
            Condition::Bidirectional => Factor::Direction,
            Condition::Service(_) | Condition::Operation(_) => Factor::Transport,
            Condition::Mtu(_) => Factor::Mtu,
            Condition::AtLeast(factor, _)
            | Condition::AtLeastAbout(factor, _)
            | Condition::AtMost(factor, _) => factor,
            Condition::Mix(..) => Factor::SmallestMessage,
            Condition::Memory(_) => Factor::Memory,
            Condition::Loopback => Factor::Loopback,
            Condition::Cpu(_)
            | Condition::OrderingNotForced
            | Condition::AcsRedirects
            | Condition::NoVendorFix => Factor::Server,
        }
    }

    /// Whether the condition holds; `None` if the descriptor lacks the property.
    pub fn holds(&self, workload: &Workload) -> Option<bool> {
        let server = &workload.server;
        match *self {
            Condition::Bidirectional => Some(workload.bidirectional),
            Condition::Service(transport) => Some(workload.transport == transport),
            Condition::Operation(opcode) => Some(workload.opcode == opcode),
            Condition::Mtu(bytes) => Some(workload.mtu_bytes == bytes),
            Condition::AtLeast(factor, least) => Some(amount(workload, factor)? >= least),
            Condition::AtLeastAbout(factor, least) => {
                Some(amount(workload, factor)? as f64 >= APPROXIMATE_SHARE * least as f64)
            }
            Condition::AtMost(factor, most) => Some(amount(workload, factor)? <= most),
            Condition::Mix(small, large) => {
                let smallest = amount(workload, Factor::SmallestMessage)?;
                Some(smallest <= small && amount(workload, Factor::LargestMessage)? >= large)
            }
            Condition::Memory(place) => Some(workload.memory == place),
            Condition::Loopback => Some(workload.loopback_with_receive),
            Condition::Cpu(vendor) => server.cpu.map(|cpu| cpu == vendor),
            Condition::OrderingNotForced => server.relaxed_ordering_forced.map(|forced| !forced),
            Condition::AcsRedirects => server.acs_redirects,
            Condition::NoVendorFix => server.vendor_fixes.map(|installed| !installed),
        }
    }

    /// Returns the condition as a phrase.
    pub fn text(&self) -> String {
        match *self {
            Condition::Bidirectional => "traffic in both directions".to_string(),
            Condition::Service(transport) => format!("{} queue pairs", name(transport)),
            Condition::Operation(opcode) => operation(opcode).to_string(),
            Condition::Mtu(bytes) => format!("an MTU of {}", size(u64::from(bytes))),
            Condition::AtLeast(factor, least) => limit(factor, "at least", least),
            Condition::AtLeastAbout(factor, least) => limit(factor, "at least about", least),
            Condition::AtMost(Factor::WqeBatch, 1) => "no WQE batching".to_string(),
            Condition::AtMost(factor, most) => limit(factor, "at most", most),
            Condition::Mix(small, large) => {
                format!("a mix of messages of at most {} and of at least {}", size(small), size(large))
            }
            Condition::Memory(MemoryPlace::CrossSocket) => "memory of another socket".to_string(),
            Condition::Memory(MemoryPlace::Gpu) => "GPU memory".to_string(),
            Condition::Memory(MemoryPlace::Local) => "memory of the NIC's socket".to_string(),
            Condition::Loopback => "loopback traffic next to received traffic".to_string(),
            Condition::Cpu(CpuVendor::Amd) => "particular servers with AMD processors".to_string(),
            Condition::Cpu(CpuVendor::Intel) => "servers with Intel processors".to_string(),
            Condition::Cpu(CpuVendor::Other) => "servers with other processors".to_string(),
            Condition::OrderingNotForced => "PCIe relaxed ordering that is not forced".to_string(),
            Condition::AcsRedirects => "PCIe ACS that redirects traffic to the root complex".to_string(),
            Condition::NoVendorFix => "a NIC without the vendor's correction".to_string(),
        }
    }

    /// Returns the change that makes the condition false, in the imperative. `None` if the owner of the workload cannot
    /// make it: the vendor of the processors, or an MTU that the table names only as a trigger.
    pub fn change(&self) -> Option<String> {
        let text = match *self {
            Condition::Bidirectional => "send in one direction at a time".to_string(),
            Condition::Service(transport) => {
                format!("use another transport service than {}", name(transport))
            }
            Condition::Operation(Opcode::Write) => "use SEND instead of RDMA WRITE".to_string(),
            Condition::Operation(_) => "use RDMA WRITE instead".to_string(),
            Condition::Mtu(bytes) if bytes < 4096 => "raise the RDMA MTU to 4 KiB".to_string(),
            Condition::Mtu(_) => "lower the RDMA MTU to 1 KiB".to_string(),
            Condition::AtLeast(factor, least) => format!("use {}", limit(factor, "fewer than", least)),
            Condition::AtLeastAbout(factor, least) => {
                let below = (APPROXIMATE_SHARE * least as f64).ceil() as u64;
                format!("use {}", limit(factor, "fewer than", below))
            }
            Condition::AtMost(Factor::WqeBatch, most) => {
                format!("post more than {most} work requests with one call")
            }
            Condition::AtMost(factor, most) => format!("use {}", limit(factor, "more than", most)),
            Condition::Mix(small, large) => format!(
                "send messages of at most {} separately from those of at least {}",
                size(small),
                size(large)
            ),
            Condition::Memory(MemoryPlace::Gpu) => "use host memory".to_string(),
            Condition::Memory(_) => "place the buffers in memory of the NIC's socket".to_string(),
            Condition::Loopback => "replace loopback traffic by shared memory".to_string(),
            Condition::OrderingNotForced => "force PCIe relaxed ordering for the NIC".to_string(),
            Condition::AcsRedirects => "turn ACS redirection off on the PCIe bridges".to_string(),
            Condition::NoVendorFix => "install the vendor's correction".to_string(),
            Condition::Cpu(_) => return None,
        };
        Some(text)
    }
}

/// The amount of a factor in a workload. Queue pairs are summed over both directions: the published example of 160 queue
/// pairs has 80 in each. `None` for factors without an amount, and for message sizes of an empty pattern.
fn amount(workload: &Workload, factor: Factor) -> Option<u64> {
    let directions = if workload.bidirectional { 2 } else { 1 };
    match factor {
        Factor::WqDepth => Some(workload.wq_depth.into()),
        Factor::WqeBatch => Some(workload.wqe_batch.into()),
        Factor::SgePerWqe => Some(workload.sge_per_wqe.into()),
        Factor::Mtu => Some(workload.mtu_bytes.into()),
        Factor::SmallestMessage => workload.message_bytes.iter().min().copied(),
        Factor::LargestMessage => workload.message_bytes.iter().max().copied(),
        Factor::QueuePairs => Some(u64::from(workload.queue_pairs) * directions),
        Factor::MemoryRegions => Some(workload.memory_regions.into()),
        Factor::Transport | Factor::Direction | Factor::Memory | Factor::Loopback | Factor::Server => None,
    }
}

/// A limit of a factor as a phrase, e.g. `a work queue of at least 256 entries`.
fn limit(factor: Factor, relation: &str, amount: u64) -> String {
    match factor {
        Factor::WqDepth => format!("a work queue of {relation} {amount} entries"),
        Factor::WqeBatch => format!("a WQE batch of {relation} {amount}"),
        Factor::SgePerWqe => format!("a scatter-gather list of {relation} {amount} elements"),
        Factor::QueuePairs => format!("{relation} {amount} queue pairs"),
        Factor::MemoryRegions => format!("{relation} {amount} memory regions"),
        Factor::SmallestMessage | Factor::LargestMessage => {
            format!("messages of {} {}", relation.replace("fewer", "less"), size(amount))
        }
        Factor::Mtu => format!("an MTU of {relation} {}", size(amount)),
        Factor::Transport | Factor::Direction | Factor::Memory | Factor::Loopback | Factor::Server => {
            format!("{relation} {amount}")
        }
    }
}

/// A size for people, e.g. `64 KiB`.
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = KIB * KIB;
    match bytes {
        0 => "0 B".to_string(),
        b if b % MIB == 0 => format!("{} MiB", b / MIB),
        b if b % KIB == 0 => format!("{} KiB", b / KIB),
        b => format!("{b} B"),
    }
}

fn name(transport: Transport) -> &'static str {
    match transport {
        Transport::Rc => "RC",
        Transport::Uc => "UC",
        Transport::Ud => "UD",
    }
}

fn operation(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::Send => "SEND",
        Opcode::Write => "RDMA WRITE",
        Opcode::Read => "RDMA READ",
    }
}
