//! Three generations of NICs of one vendor, as Bai et al. tell them apart ("Empowering Azure Storage with RDMA",
//! NSDI 2023, section 7.2).
//!
//! | | Gen1 | Gen2, Gen3 |
//! |---|---|---|
//! | a receiver notifies | at most once in a window, flow by flow | for every marked packet |
//! | a sender lowers its rate | for every notification | at most once in a window |
//! | pace | bursts | packets |
//!
//! The granularity is the same, and mixing them is not: a Gen2 receiver floods a Gen1 sender with notifications, each
//! of which it obeys. [`Generation::interoperable`] is what the authors configure instead.

use model::Time;

use super::{Cut, DcqcnConfig};
use crate::settings::{HostSettings, Notification};

/// A generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Firmware does congestion control.
    Gen1,
    /// Hardware does.
    Gen2,
    /// Hardware does.
    Gen3,
}

/// Window in which notifications are coalesced: N of the DCQCN paper.
const COALESCING: Time = Time::from_us(50);
/// Shortest window of the newer reaction points, which makes them obey almost every notification.
const SHORTEST_WINDOW: Time = Time::from_us(4);
/// A burst of Gen1: a batch of sixteen full packets.
const BURST_BYTES: u64 = 16 * 1_082;

impl Generation {
    /// Changes a NIC's settings to this generation's way; without congestion control only the pace changes.
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

    /// As [`Generation::apply`], with the settings under which all generations work together: the newer receivers
    /// coalesce like Gen1, their senders react almost at once and send bursts.
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
