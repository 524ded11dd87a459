//! The twelve bottlenecks inside a host that the paper found (section 6), with what to do about each.

use super::LinkKind;

/// A bottleneck inside a host. The numbers are those of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bottleneck {
    /// #1: the PCIe link of an RNIC has failed or is narrower than its devices.
    NicPcieFailure,
    /// #2: the same for a GPU.
    GpuPcieFailure,
    /// #3: a memory channel has failed.
    MemoryChannelFailure,
    /// #4: a link between sockets has failed.
    InterSocketFailure,
    /// #5: a root port of a CPU has failed.
    RootPortFailure,
    /// #6: a memory channel is flapping.
    MemoryFlapping,
    /// #7: Access Control Services send peer-to-peer traffic through the CPU.
    AcsOn,
    /// #8: without Address Translation Services, the CPU translates every address.
    AtsOff,
    /// #9: the RNIC starts every flow slowly.
    SlowStart,
    /// #10: the transmit window of the RNIC is too small.
    SmallTxWindow,
    /// #11: a link between sockets is overloaded.
    InterSocketOverload,
    /// #12: a memory channel is overloaded.
    MemoryOverload,
}

impl Bottleneck {
    /// All bottlenecks, in the order of the paper.
    pub const ALL: [Bottleneck; 12] = [
        Bottleneck::NicPcieFailure,
        Bottleneck::GpuPcieFailure,
        Bottleneck::MemoryChannelFailure,
        Bottleneck::InterSocketFailure,
        Bottleneck::RootPortFailure,
        Bottleneck::MemoryFlapping,
        Bottleneck::AcsOn,
        Bottleneck::AtsOff,
        Bottleneck::SlowStart,
        Bottleneck::SmallTxWindow,
        Bottleneck::InterSocketOverload,
        Bottleneck::MemoryOverload,
    ];

    /// The number in the paper, 1 to 12.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// What it is, for people.
    pub fn text(self) -> &'static str {
        match self {
            Bottleneck::NicPcieFailure => "the PCIe link of the RNIC is degraded",
            Bottleneck::GpuPcieFailure => "the PCIe link of the GPU is degraded",
            Bottleneck::MemoryChannelFailure => "the memory channel has failed",
            Bottleneck::InterSocketFailure => "the link between the sockets has failed",
            Bottleneck::RootPortFailure => "the root port of the CPU has failed",
            Bottleneck::MemoryFlapping => "the memory channel is flapping",
            Bottleneck::AcsOn => "ACS is on, so that peer-to-peer traffic passes the CPU",
            Bottleneck::AtsOff => {
                "ATS is off, so that the CPU translates the addresses of peer-to-peer traffic"
            }
            Bottleneck::SlowStart => "the RNIC's slow start is on",
            Bottleneck::SmallTxWindow => "the RNIC's transmit window is too small",
            Bottleneck::InterSocketOverload => "the link between the sockets is overloaded",
            Bottleneck::MemoryOverload => "the memory channel is overloaded",
        }
    }

    /// What the operator can do.
    pub fn advice(self) -> &'static str {
        match self {
            Bottleneck::NicPcieFailure => {
                "reseat or replace the RNIC, and compare its PCIe speed and width with its maximum"
            }
            Bottleneck::GpuPcieFailure => {
                "reseat or replace the GPU, and compare its PCIe speed and width with its maximum"
            }
            Bottleneck::MemoryChannelFailure => "test and replace the memory modules of this channel",
            Bottleneck::InterSocketFailure => "test the link between the sockets with the vendor's tool",
            Bottleneck::RootPortFailure => {
                "move the devices to another root port, and replace the mainboard or CPU"
            }
            Bottleneck::MemoryFlapping => {
                "repeat the loopback tests, and replace the memory modules of this channel"
            }
            Bottleneck::AcsOn => "switch ACS off on the PCIe bridges, and again after every reboot",
            Bottleneck::AtsOff => "switch ATS on for the RNIC",
            Bottleneck::SlowStart => "switch slow start off on the RNIC",
            Bottleneck::SmallTxWindow => "enlarge the transmit window of the RNIC",
            Bottleneck::InterSocketOverload => "bind the application to the socket of its RNIC",
            Bottleneck::MemoryOverload => {
                "move the traffic that loads this memory, for example TCP, to the other NUMA node"
            }
        }
    }

    /// The failure of a link of this kind.
    pub fn failure_of(kind: LinkKind) -> Bottleneck {
        match kind {
            LinkKind::NicPcie => Bottleneck::NicPcieFailure,
            LinkKind::GpuPcie => Bottleneck::GpuPcieFailure,
            LinkKind::MemoryChannel => Bottleneck::MemoryChannelFailure,
            LinkKind::InterSocket => Bottleneck::InterSocketFailure,
            LinkKind::RootPort => Bottleneck::RootPortFailure,
        }
    }

    /// The overload of a link of this kind, if the paper lists one.
    pub fn overload_of(kind: LinkKind) -> Option<Bottleneck> {
        match kind {
            LinkKind::InterSocket => Some(Bottleneck::InterSocketOverload),
            LinkKind::MemoryChannel => Some(Bottleneck::MemoryOverload),
            LinkKind::NicPcie | LinkKind::GpuPcie | LinkKind::RootPort => None,
        }
    }
}
