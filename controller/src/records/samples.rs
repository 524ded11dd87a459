//! Samples of ports: what lies between two states of a device.

use model::PortRef;

use super::{DeviceReading, PortReading};

/// The state of a port at a time, and what it did in the interval before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSample {
    /// The port.
    pub port: PortRef,
    /// Switch time of the sample.
    pub time_ns: u64,
    /// Time since the previous sample.
    pub interval_ns: u64,
    /// Bytes in its queues.
    pub queue_bytes: u64,
    /// Packets in its queues.
    pub queue_packets: u64,
    /// Whether a priority is paused at the time of the sample.
    pub is_paused: bool,
    /// For how long priorities were paused in the interval: the sum over all, at most the interval.
    pub paused_ns: u64,
    /// Bit n: priority n was paused at some time of the interval.
    pub paused_priorities: u8,
    /// Rate at which the port sent, in bits per second.
    pub tx_bps: u64,
}

/// Returns the samples of the ports that both states have. None if no time has passed, or the switch has restarted.
pub(super) fn between(switch: &str, before: &DeviceReading, now: &DeviceReading) -> Vec<PortSample> {
    let interval_ns = now.time_ns.saturating_sub(before.time_ns);
    if interval_ns == 0 {
        return Vec::new();
    }
    let sample = |port: &PortReading| {
        let known = before.ports.iter().find(|known| known.port == port.port)?;
        let sent_bytes = port.sent_bytes.checked_sub(known.sent_bytes)?;
        let paused =
            port.paused_ns.iter().zip(known.paused_ns).map(|(now, before)| now.saturating_sub(before));
        let (mut paused_ns, mut paused_priorities) = (0_u64, port.paused_priorities);
        for (priority, lasted_ns) in paused.enumerate() {
            paused_ns = paused_ns.saturating_add(lasted_ns);
            paused_priorities |= u8::from(lasted_ns > 0) << priority;
        }
        let tx_bps = u128::from(sent_bytes) * 8 * 1_000_000_000 / u128::from(interval_ns);
        Some(PortSample {
            port: PortRef::new(switch, port.port),
            time_ns: now.time_ns,
            interval_ns,
            queue_bytes: port.queue_bytes,
            queue_packets: port.queue_packets,
            is_paused: port.paused_priorities != 0,
            paused_ns: paused_ns.min(interval_ns),
            paused_priorities,
            tx_bps: u64::try_from(tx_bps).unwrap_or(u64::MAX),
        })
    };
    now.ports.iter().filter_map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(time_ns: u64, sent_bytes: u64, paused_ns: [u64; 8], paused_priorities: u8) -> DeviceReading {
        let port = PortReading {
            port: 4,
            is_up: true,
            rate_bps: 100_000_000_000,
            sent_bytes,
            queue_packets: 3,
            queue_bytes: 4_500,
            paused_ns,
            paused_priorities,
        };
        DeviceReading { time_ns, ports: vec![port], ..DeviceReading::default() }
    }

    #[test]
    fn a_sample_has_rates_and_pauses_of_its_interval() {
        let before = device(1_000, 10_000, [0, 0, 0, 50, 0, 0, 0, 0], 0);
        let now = device(2_000, 11_250, [0, 0, 0, 350, 0, 200, 0, 0], 1 << 5);
        let [sample] = &between("sw1", &before, &now)[..] else { panic!("one sample") };
        assert_eq!(sample.port, PortRef::new("sw1", 4));
        assert_eq!((sample.time_ns, sample.interval_ns, sample.tx_bps), (2_000, 1_000, 10_000_000_000));
        assert_eq!((sample.queue_packets, sample.queue_bytes), (3, 4_500));
        assert_eq!((sample.is_paused, sample.paused_ns, sample.paused_priorities), (true, 500, 0b10_1000));
        assert!(between("sw1", &before, &before).is_empty(), "no time has passed");
        assert!(between("sw1", &now, &device(3_000, 5, [0; 8], 0)).is_empty(), "the switch has restarted");
    }
}
