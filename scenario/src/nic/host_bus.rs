//! The PCIe bus between a NIC and its host, which may be slower than the link and is shared with loopback traffic.
//!
//! Loopback traffic crosses the bus to the NIC and back, so towards the host it competes with traffic from the network.
//! Both have equal shares: each gets half if both need more (the 2:1 congestion of Bai et al., NSDI 2023, section 8.3).
//! The NIC cannot mark packets, so it pauses the switch.
//!
//! A NIC that may not use relaxed ordering waits with each write for those before it ([`WriteOrdering`]): the link has room, and
//! takes no write (Kong et al., Collie, NSDI 2022, appendix A, anomaly 9).

use model::{Rate, Time};

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

/// Writes to the host that PCIe keeps in order. Writes of P bytes that take a time L, of which N are in progress at once, are at
/// most 8 N P / L bits a second (Little's law; Neugebauer et al., "Understanding PCIe performance for end host networking",
/// SIGCOMM 2018, section 3). A short write takes as long as a full one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOrdering {
    /// Rate of the PCIe link, in bits a second.
    pub link: Rate,
    /// Payload bytes of a full write (TLP).
    pub payload_bytes: u64,
    /// Writes in progress at once.
    pub in_flight: u64,
    /// Time of a write.
    pub latency: Time,
}

impl WriteOrdering {
    /// How long the writes of a frame of `bytes` occupy the bus.
    pub fn crossing(&self, bytes: u64) -> Time {
        let writes = bytes.div_ceil(self.payload_bytes.max(1)).max(1);
        let time = u128::from(self.latency.0) * u128::from(writes) / u128::from(self.in_flight.max(1));
        Time(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// The rate of full writes, or of the link if that is lower.
    pub fn rate(&self) -> Rate {
        let bits = u128::from(self.payload_bytes) * 8 * u128::from(self.in_flight) * 1_000_000_000_000;
        let rate = bits / u128::from(self.latency.0.max(1));
        Rate(u64::try_from(rate).unwrap_or(u64::MAX)).min(self.link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_writes_take_their_time_however_short_they_are() {
        let ordering = WriteOrdering {
            link: Rate::from_gbps(252),
            payload_bytes: 256,
            in_flight: 16,
            latency: Time::from_ns(540),
        };
        // 60 Gb/s as in the source.
        assert_eq!(ordering.rate().0 / 1_000_000_000, 60);
        assert_eq!(ordering.crossing(4096), Time::from_ns(540));
        assert_eq!([64, 256, 257].map(|bytes| ordering.crossing(bytes).0), [33_750, 33_750, 67_500]);
        let fast = WriteOrdering { in_flight: 1_000, ..ordering };
        assert_eq!(fast.rate(), Rate::from_gbps(252), "the link");
    }

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
