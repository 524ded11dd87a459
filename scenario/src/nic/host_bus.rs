//! The PCIe bus between a NIC and its host, which may be slower than the link and is shared with loopback traffic.
//!
//! Loopback traffic crosses the bus to the NIC and back, so towards the host it competes with traffic from the network.
//! Both have equal shares: each gets half if both need more (the 2:1 congestion of Bai et al., NSDI 2023, section 8.3).
//! The NIC cannot mark packets, so it pauses the switch.

use model::Rate;

/// The bus of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBus {
    /// Bits a second towards the host.
    pub rate: Rate,
    /// Bits a second of loopback traffic.
    pub loopback: Rate,
}

/// Bits a second that a PCIe 3.0 link of 16 lanes carries: 8 GT/s a lane with 128b/130b encoding. Each later generation
/// doubles it (PCI Express Base Specification).
const PCIE3_X16: u64 = 8_000_000_000 * 16 * 128 / 130;

impl HostBus {
    /// The bus of a host that keeps up with its link: the PCIe link of 16 lanes of the first generation that is as fast,
    /// without loopback traffic.
    pub fn for_link(rate: Rate) -> HostBus {
        let generations = std::iter::successors(Some(PCIE3_X16), |bits| bits.checked_mul(2));
        let bits = generations.into_iter().find(|bits| *bits >= rate.0);
        HostBus { rate: Rate(bits.unwrap_or(rate.0)), loopback: Rate(0) }
    }

    /// The rate that is left for traffic from the network.
    pub fn available(&self) -> Rate {
        let left = self.rate.0.saturating_sub(self.loopback.0);
        Rate(left.max(self.rate.0 / 2).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_healthy_bus_is_at_least_as_fast_as_the_link() {
        let bus = |gbps| HostBus::for_link(Rate::from_gbps(gbps)).rate.0 / 1_000_000_000;
        assert_eq!([25, 100, 200, 400].map(bus), [126, 126, 252, 504]);
    }

    #[test]
    fn loopback_traffic_takes_up_to_half_of_the_bus() {
        let available = |loopback| {
            HostBus { rate: Rate::from_gbps(100), loopback: Rate::from_gbps(loopback) }.available()
        };
        assert_eq!(available(0), Rate::from_gbps(100));
        assert_eq!(available(30), Rate::from_gbps(70));
        assert_eq!(available(100), Rate::from_gbps(50));
    }
}
