//! Three generations of NICs of one vendor, after Bai et al. ("Empowering Azure Storage with RDMA", NSDI 2023,
//! section 7.2).
//!
//! | | Gen1 | Gen2, Gen3 |
//! |---|---|---|
//! | a receiver sends a CNP | at most once per flow and window | for every marked packet |
//! | a sender lowers its rate | for every CNP | at most once in a window |
//! | rate limiter | bursts | packets |
//!
//! Gen1 does not interoperate with the others: a Gen2 receiver floods a Gen1 sender with CNPs, each
//! of which lowers its rate. [`Generation::interoperable`] is the configuration of the authors for mixed networks.

use model::Time;

use super::{Cut, DcqcnConfig};
use crate::settings::{HostSettings, Notification};

/// A generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Congestion control in firmware.
    Gen1,
    /// Congestion control in hardware.
    Gen2,
    /// Congestion control in hardware.
    Gen3,
}

/// Window in which CNPs are coalesced: N of the DCQCN paper.
const COALESCING: Time = Time::from_us(50);
/// Shortest window of the newer reaction points, with which almost every CNP lowers the rate.
const SHORTEST_WINDOW: Time = Time::from_us(4);
/// A burst of Gen1: a batch of sixteen full packets.
const BURST_BYTES: u64 = 16 * 1_082;

impl Generation {
    /// Applies this generation to a NIC's settings. Without congestion control only the rate limiter changes.
    pub fn apply(self, host: &mut HostSettings) {
        let firmware = self == Generation::Gen1;
        let interval = if firmware { COALESCING } else { Time::ZERO };
        host.notification = Notification::Packets { interval };
        host.burst_bytes = if firmware { BURST_BYTES } else { 0 };
        if let Some(dcqcn) = &mut host.dcqcn {
            *dcqcn = match firmware {
                true => DcqcnConfig { cut: Cut::Immediate, decrease_interval: Time::ZERO, ..*dcqcn },
                false => DcqcnConfig { cut: Cut::Polled, decrease_interval: COALESCING, ..*dcqcn },
            };
        }
    }

    /// As [`Generation::apply`], with settings under which all generations interoperate: newer receivers coalesce CNPs
    /// like Gen1, and their senders react almost immediately and send bursts.
    pub fn interoperable(self, host: &mut HostSettings) {
        self.apply(host);
        if self == Generation::Gen1 {
            return;
        }
        host.notification = Notification::Packets { interval: COALESCING };
        host.burst_bytes = BURST_BYTES;
        if let Some(dcqcn) = &mut host.dcqcn {
            dcqcn.decrease_interval = SHORTEST_WINDOW;
        }
    }
}
