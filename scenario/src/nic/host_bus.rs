//! The way from a NIC into its host: PCIe lanes that may be narrow, and that loopback traffic shares.
//!
//! Loopback traffic crosses the lanes from the host to the NIC and back, so towards the host it competes with what
//! comes from the network. Both are served alike: each gets half when both want more (the 2:1 congestion of Bai et
//! al., NSDI 2023, section 8.3). The NIC cannot mark packets, so it pauses the switch.

use model::Rate;

/// What the lanes towards the host carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBus {
    /// Bits a second towards the host.
    pub rate: Rate,
    /// Bits a second of loopback traffic.
    pub loopback: Rate,
}

impl HostBus {
    /// What is left for traffic from the network.
    pub fn available(&self) -> Rate {
        let left = self.rate.0.saturating_sub(self.loopback.0);
        Rate(left.max(self.rate.0 / 2).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_takes_what_it_wants_up_to_half() {
        let available = |loopback| {
            HostBus { rate: Rate::from_gbps(100), loopback: Rate::from_gbps(loopback) }.available()
        };
        assert_eq!(available(0), Rate::from_gbps(100));
        assert_eq!(available(30), Rate::from_gbps(70));
        assert_eq!(available(100), Rate::from_gbps(50));
    }
}
