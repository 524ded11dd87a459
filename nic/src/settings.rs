//! Settings of an endpoint.

use model::{Rate, Time};
use scenario::nic::{DcqcnConfig, ReceiveLimits};

/// How many times as long as in hardware the times of DCQCN are: a process reacts about that much slower.
const STRETCH: u64 = 100;
/// The rate for which DCQCN's recommended parameters are meant.
const HARDWARE_RATE: Rate = Rate::from_gbps(40);
/// The least rate of a flow.
const LEAST_RATE: Rate = Rate(100_000);

/// Settings of an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Payload bytes of a full packet: the path MTU of InfiniBand, e.g. 1024.
    pub payload_bytes: u32,
    /// Bytes that a flow may have outstanding; absent: unlimited, as with real RNICs.
    pub window_bytes: Option<u64>,
    /// Congestion control; absent: flows send at line rate.
    pub dcqcn: Option<DcqcnConfig>,
    /// Packets for which a sender requests one ACK.
    pub ack_every: u64,
    /// Priority of CNPs.
    pub cnp_priority: u8,
    /// Least time between two CNPs of a flow.
    pub cnp_interval: Time,
    /// Least time between two NAKs of the same packet.
    pub nak_interval: Time,
    /// Without any ACK for this time, a flow retransmits.
    pub retransmit_timeout: Time,
    /// The receive buffer; used while the receiver is slow.
    pub receive: ReceiveLimits,
    /// How much time of its link the endpoint may make up for after a late call.
    pub catch_up: Time,
}

impl Settings {
    /// Settings for a process at a link of `rate`. Times are stretched by 100, and rates are in proportion to the
    /// link's.
    pub fn software(rate: Rate) -> Settings {
        let hardware = DcqcnConfig::default();
        let stretched = |time: Time| Time(time.0 * STRETCH);
        let share = |of: Rate| {
            let scaled = u128::from(of.0) * u128::from(rate.0) / u128::from(HARDWARE_RATE.0);
            Rate(u64::try_from(scaled).unwrap_or(u64::MAX))
        };
        let dcqcn = DcqcnConfig {
            alpha_interval: stretched(hardware.alpha_interval),
            decrease_interval: stretched(hardware.decrease_interval),
            increase_timer: stretched(hardware.increase_timer),
            additive_increase: share(hardware.additive_increase),
            hyper_increase: share(hardware.hyper_increase),
            min_rate: share(hardware.min_rate).max(LEAST_RATE),
            ..hardware
        };
        // Bytes of 4 ms at line rate: XOFF; the buffer holds what arrives until a process obeys the pause.
        let xoff_bytes = (rate.0 / 2_000).max(32 << 10);
        Settings {
            payload_bytes: 1024,
            window_bytes: None,
            dcqcn: Some(dcqcn),
            ack_every: 4,
            cnp_priority: 6,
            cnp_interval: Time::from_ms(5),
            nak_interval: Time::from_ms(20),
            retransmit_timeout: Time::from_ms(500),
            receive: ReceiveLimits { size_bytes: 12 * xoff_bytes, xoff_bytes, xon_bytes: xoff_bytes / 2 },
            catch_up: Time::from_ms(5),
        }
    }
}
