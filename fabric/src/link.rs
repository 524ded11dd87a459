//! One direction of a link: serialisation, propagation, the frames in flight.

use std::collections::VecDeque;

use model::wire::Frame;
use model::{Rate, Time};

use crate::event::Slot;
use crate::link_loss::LinkLoss;

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Port of a switch, by its index.
    Switch { switch: u32, port: u16 },
    /// A host's NIC, by its index.
    Host { host: u32 },
}

/// A frame in flight.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(crate) slot: Slot,
    pub(crate) frame: Frame,
}

/// One direction of a link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) rate: Rate,
    pub(crate) delay: Time,
    /// Serialisation times are rounded down to multiples of this; 1 ps is exact.
    pub(crate) grain: Time,
    /// Random loss, if there is any.
    pub(crate) loss: Option<LinkLoss>,
    /// Number of present outages; the link is up if there are none.
    pub(crate) outages: u32,
    /// When the last outage ended.
    pub(crate) restored: Option<Time>,
    /// Until when the transmitter is busy.
    pub(crate) busy_until: Time,
    /// Frames between transmitter and receiver, in order of arrival.
    pub(crate) in_flight: VecDeque<InFlight>,
    /// Frames sent, PFC included.
    pub(crate) sent_frames: u64,
    /// Their bytes.
    pub(crate) sent_bytes: u64,
    /// Frames that reached the far end, PFC included.
    pub(crate) arrived_frames: u64,
    /// Their bytes.
    pub(crate) arrived_bytes: u64,
    /// MAC control frames among them.
    pub(crate) arrived_control_frames: u64,
    /// Frames lost.
    pub(crate) lost_frames: u64,
}

impl Link {
    pub(crate) fn new(
        from: End,
        to: End,
        rate: Rate,
        delay: Time,
        grain: Time,
        loss: Option<LinkLoss>,
    ) -> Link {
        Link {
            from,
            to,
            rate,
            delay,
            grain,
            loss,
            outages: 0,
            restored: None,
            busy_until: Time::ZERO,
            in_flight: VecDeque::new(),
            sent_frames: 0,
            sent_bytes: 0,
            arrived_frames: 0,
            arrived_bytes: 0,
            arrived_control_frames: 0,
            lost_frames: 0,
        }
    }

    /// Whether a frame that would arrive at `at` was in flight during an outage.
    pub(crate) fn loses(&self, at: Time) -> bool {
        self.outages > 0 || self.restored.is_some_and(|restored| at.saturating_sub(self.delay) <= restored)
    }

    /// An outage begins or ends.
    pub(crate) fn switch_over(&mut self, now: Time, up: bool) {
        if !up {
            self.outages += 1;
        } else if self.outages > 0 {
            self.outages -= 1;
            self.restored = Some(now);
        }
    }

    /// How long a frame of `bytes` keeps the transmitter busy.
    pub(crate) fn serialisation(&self, bytes: u64) -> Time {
        cut(self.rate.serialisation(bytes), self.grain)
    }
}

/// `time` rounded down to a multiple of `grain`.
pub(crate) fn cut(time: Time, grain: Time) -> Time {
    Time(time.0 - time.0 % grain.0.max(1))
}
