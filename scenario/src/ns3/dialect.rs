//! The three public simulators of the family, and where they differ.

use model::Rate;
use p4_switch::tm::Threshold;

use super::config::CongestionControl;

/// Which simulator a settings file is written for. They read the same files with small differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simulator {
    /// `alibaba-edu/High-Precision-Congestion-Control`.
    #[default]
    Hpcc,
    /// `lixiao19/Hawkeye-NS3`, the poster's: adds the keys `AGENT_NODE` and `NO_CC_NODE`.
    Poster,
    /// `wangshicheng1225/Hawkeye`, the paper's: also adds `DIR`, `AGENT_THRESHOLD` and `EPOCH_TIME`.
    Paper,
}

impl Simulator {
    /// The simulator that has all of these keys.
    pub(super) fn of<'k>(keys: impl Iterator<Item = &'k str>) -> Simulator {
        keys.fold(Simulator::Hpcc, |so_far, key| match (key, so_far) {
            ("DIR" | "AGENT_THRESHOLD" | "EPOCH_TIME", _) | (_, Simulator::Paper) => Simulator::Paper,
            ("AGENT_NODE" | "NO_CC_NODE", _) => Simulator::Poster,
            (_, so_far) => so_far,
        })
    }

    /// Header bytes of a data packet on the wire: Ethernet 14, IPv4 20, UDP 8, sequence and priority 6, and a timestamp
    /// of 8 for TIMELY; the poster's simulator adds that to every packet.
    pub(super) fn header_bytes(self, control: CongestionControl) -> u32 {
        match (self, control) {
            (Simulator::Poster, _) | (_, CongestionControl::Timely) => 56,
            _ => 48,
        }
    }

    /// Bytes in a unit of `BUFFER_SIZE`: MiB, or KiB in the paper's simulator.
    pub(super) fn buffer_unit_bytes(self) -> u64 {
        match self {
            Simulator::Hpcc | Simulator::Poster => 1 << 20,
            Simulator::Paper => 1 << 10,
        }
    }

    /// XOFF of every ingress queue if it is the same for all ports; absent: a share of the free memory, see [`share`].
    pub(super) fn fixed_threshold(self) -> Option<Threshold> {
        (self == Simulator::Poster).then_some(Threshold::Static(16 * 1024))
    }
}

/// The share of the free memory at which an ingress queue of a port pauses: 1/8, twice that for each doubling of the
/// port's rate over that of the hosts.
pub(super) fn share(rate: Rate, host_rate: Rate) -> Threshold {
    let (mut exponent, mut left) = (-3, rate.0);
    while left > host_rate.0 && exponent < 0 {
        (exponent, left) = (exponent + 1, left / 2);
    }
    Threshold::Dynamic { alpha_exponent: exponent }
}
