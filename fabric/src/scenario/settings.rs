//! How switches and hosts of a scenario are set up.

use std::collections::BTreeMap;

use model::{Rate, Time};
use p4_switch::tm::{
    CLASSES, Ecn, GroupProfile, Lossless, PauseEnd, PoolConfig, PortConfig, QueueProfile, Service, Threshold,
    TmConfig,
};

use crate::nic::dcqcn::DcqcnConfig;

/// Memory and flow control of every switch.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSettings {
    /// Bytes of packet memory.
    pub memory_bytes: u64,
    /// Priorities that pause instead of dropping; bit n is priority n.
    pub lossless: u8,
    /// Bytes of each priority group's own.
    pub reserved_bytes: u64,
    /// Limit of a group's share beyond; a lossless group pauses there.
    pub threshold: Threshold,
    /// A lossless group resumes that much below its threshold.
    pub xon_offset_bytes: u64,
    /// Headroom of a lossless group.
    pub headroom: Headroom,
    /// Marking, by link rate; a rate that is not listed is not marked.
    pub ecn: Vec<(Rate, Ecn)>,
    /// Quanta that pause frames ask for.
    pub pause_quanta: u16,
    /// Priorities of code points that are not the usual ones (the upper three bits).
    pub dscp: BTreeMap<u8, u8>,
}

/// Headroom of a lossless group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// So many bytes.
    Bytes(u64),
    /// That many times what the link holds in one direction (rate times delay).
    LinkCapacities(u64),
}

impl Default for SwitchSettings {
    /// 16 MB, priorities 3 and 4 lossless with alpha 1/8, marking as recommended for each rate.
    fn default() -> SwitchSettings {
        let kb = |kmin: u64, kmax: u64| Ecn {
            kmin_bytes: kmin * 1000,
            kmax_bytes: kmax * 1000,
            pmax_ppm: 200_000,
        };
        SwitchSettings {
            memory_bytes: 16_000_000,
            lossless: 0b0001_1000,
            reserved_bytes: 4096,
            threshold: Threshold::Dynamic { alpha_exponent: -3 },
            xon_offset_bytes: 3072,
            headroom: Headroom::Bytes(96_928),
            ecn: vec![
                (Rate::from_gbps(25), kb(100, 400)),
                (Rate::from_gbps(40), kb(160, 640)),
                (Rate::from_gbps(50), kb(200, 800)),
                (Rate::from_gbps(100), kb(400, 1600)),
                (Rate::from_gbps(200), kb(800, 3200)),
                (Rate::from_gbps(400), kb(1600, 6400)),
            ],
            pause_quanta: u16::MAX,
            dscp: BTreeMap::new(),
        }
    }
}

impl SwitchSettings {
    /// The traffic manager of a switch whose ports have these numbers, rates and delays. `control_port` leads
    /// to the controller.
    pub fn traffic_manager(
        &self,
        ports: &[(u16, Rate, Time)],
        control_port: u16,
        pause_end: PauseEnd,
        seed: u64,
    ) -> TmConfig {
        let pool = PoolConfig { size_bytes: self.memory_bytes, shared_headroom_bytes: None };
        let mut configs: Vec<PortConfig> =
            ports.iter().map(|(number, rate, delay)| self.port(*number, *rate, *delay)).collect();
        configs.push(PortConfig::lossy(control_port, Rate::from_gbps(10)));
        TmConfig {
            ports: configs,
            memory_bytes: self.memory_bytes,
            cell_bytes: 1,
            ingress_pools: vec![pool],
            egress_pools: vec![pool],
            pause_end,
            pause_quanta: self.pause_quanta,
            seed,
        }
    }

    fn port(&self, number: u16, rate: Rate, delay: Time) -> PortConfig {
        let headroom_bytes = match self.headroom {
            Headroom::Bytes(bytes) => bytes,
            Headroom::LinkCapacities(times) => {
                let bits = u128::from(rate.0) * u128::from(delay.0) / 1_000_000_000_000;
                (bits / 8) as u64 * times
            }
        };
        let group = |class: usize| GroupProfile {
            pool: 0,
            reserved_bytes: self.reserved_bytes,
            threshold: self.threshold,
            lossless: (self.lossless >> class & 1 == 1).then_some(Lossless {
                headroom_bytes,
                xon_bytes: 0,
                xon_offset_bytes: self.xon_offset_bytes,
            }),
        };
        let ecn = self.ecn.iter().find(|(of, _)| *of == rate).map(|(_, ecn)| *ecn);
        let queue =
            QueueProfile { pool: 0, reserved_bytes: 0, threshold: None, ecn, service: Service::Strict };
        PortConfig { number, rate, groups: std::array::from_fn(group), queues: [queue; CLASSES] }
    }
}

/// The NIC of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSettings {
    /// Payload bytes of a full packet.
    pub payload_bytes: u32,
    /// Header bytes of a data packet on the wire.
    pub header_bytes: u32,
    /// Bytes that a flow may have outstanding; absent: any number.
    pub window_bytes: Option<u64>,
    /// Whether the window shrinks with the rate.
    pub variable_window: bool,
    /// Congestion control; absent: flows send at line rate.
    pub dcqcn: Option<DcqcnConfig>,
    /// How marks come back to the sender.
    pub notification: Notification,
    /// Packets per acknowledgement.
    pub ack_every: u64,
    /// Priority of acknowledgements; absent: that of the data.
    pub ack_priority: Option<u8>,
    /// Priority of congestion notification packets.
    pub cnp_priority: u8,
    /// Least time between two refusals of the same packet.
    pub refuse_interval: Time,
    /// After that long without progress a sender goes back; absent: never.
    pub retransmit_timeout: Option<Time>,
}

/// How congestion marks come back to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notification {
    /// Congestion notification packets, at most one a flow in this interval.
    Packets {
        /// The interval.
        interval: Time,
    },
    /// In the BECN bit of every acknowledgement of a marked packet.
    Acknowledgements,
}

impl Default for HostSettings {
    fn default() -> HostSettings {
        HostSettings {
            payload_bytes: 1024,
            header_bytes: crate::nic::packet::ROCE_V4_BYTES,
            window_bytes: None,
            variable_window: false,
            dcqcn: Some(DcqcnConfig::default()),
            notification: Notification::Packets { interval: Time::from_us(50) },
            ack_every: 1,
            ack_priority: None,
            cnp_priority: 6,
            refuse_interval: Time::from_us(500),
            retransmit_timeout: Some(Time::from_ms(16)),
        }
    }
}
