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

impl HostBus {
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
    fn loopback_traffic_takes_up_to_half_of_the_bus() {
        let available = |loopback| {
            HostBus { rate: Rate::from_gbps(100), loopback: Rate::from_gbps(loopback) }.available()
        };
        assert_eq!(available(0), Rate::from_gbps(100));
        assert_eq!(available(30), Rate::from_gbps(70));
        assert_eq!(available(100), Rate::from_gbps(50));
    }
}
