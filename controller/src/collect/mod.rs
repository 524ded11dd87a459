//! Collection: from polling packets to a snapshot.
//!
//! [`Collector`] is a state machine without I/O. A driver passes inputs with their time ([`Input`]) and carries out the
//! returned commands ([`Command`]). Times are nanoseconds of the controller's clock; times inside records are switch
//! time.
//!
//! The collection of one event:
//!
//! 1. The first switch that a polling packet reaches freezes its bank and sends a digest. The collector reads the bank,
//!    marks it as collected and releases it. Meanwhile the polling packet is forwarded and further switches
//!    report.
//! 2. When no report has arrived for [`CollectSettings::poll_retry_ns`] and no read is pending, the collector retries
//!    lost polling packets: it sends them by packet-out to the switches that should have been polled
//!    ([`Command::Poll`]). From there they are forwarded as usual. Retries are limited by
//!    [`CollectSettings::poll_retries`] and [`CollectSettings::max_poll_retries`], and cover the agent's own packet as
//!    well.
//! 3. When no report has arrived for [`CollectSettings::quiet_ns`], the collector reads the freeze state of the
//!    switches that should have reported and did not. If such a switch is frozen for the event, its digest was lost and
//!    its bank is read.
//! 4. The snapshot is emitted. It lists all missing data.
//!
//! A switch that is frozen for another event is polled again after its release ([`frozen_before`]).
//!
//! No failure leaves a switch frozen. A read ends with a release, also when it fails or times out. After a failed
//! release the freeze state is read and the release repeated. The freeze state is also read when a switch connects, and
//! at intervals while it is idle.

mod collector;
mod emit;
mod expect;
mod frozen_before;
mod merge;
mod open_event;
mod poll_retry;
mod retry;
mod settings;
mod stats;
mod survey;
mod switch;

pub use collector::Collector;
pub use poll_retry::PollRetry;
pub use settings::CollectSettings;
pub use stats::CollectStats;

use model::{Snapshot, Trigger};

use crate::layout::RegisterRows;
use crate::plan::RegisterWrite;

/// Unique number of a request to a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// An input of the collector.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A session with a switch has been established.
    Connected {
        /// The switch.
        switch: String,
    },
    /// A switch sent a digest.
    Digest {
        /// The switch.
        switch: String,
        /// Name of the digest.
        name: String,
        /// Its fields as big-endian bytes.
        fields: Vec<Vec<u8>>,
    },
    /// A host agent sent a polling packet.
    Trigger {
        /// The event id that its polling packet carries.
        event: u32,
        /// Priority of the flow's data, as in the polling packet.
        priority: u8,
        /// The agent's measurement.
        trigger: Trigger,
    },
    /// A [`Command::Read`] is complete.
    ReadDone {
        /// The request.
        request: RequestId,
        /// The elements. Elements that are zero may be omitted, registers may not.
        rows: Vec<RegisterRows>,
    },
    /// A [`Command::Unlock`] is complete.
    UnlockDone {
        /// The request.
        request: RequestId,
    },
    /// A [`Command::Poll`] has been sent; the switch reports it by digest.
    Polled {
        /// The request.
        request: RequestId,
    },
    /// A request failed.
    Failed {
        /// The request.
        request: RequestId,
        /// The reason, for people.
        reason: String,
    },
}

/// A command for the driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Read all elements of these registers, in this order.
    Read {
        /// The switch.
        switch: String,
        /// Identifies the request in the resulting [`Input`].
        request: RequestId,
        /// Full names.
        registers: Vec<String>,
    },
    /// Write these register elements, in this order.
    Unlock {
        /// The switch.
        switch: String,
        /// Identifies the request in the resulting [`Input`].
        request: RequestId,
        /// The writes.
        writes: Vec<RegisterWrite>,
    },
    /// Send this packet into the switch, as P4Runtime's packet-out does.
    Poll {
        /// The switch.
        switch: String,
        /// Identifies the request in the resulting [`Input`].
        request: RequestId,
        /// The polling packet and its ingress port.
        packet: PollRetry,
    },
    /// A snapshot is complete.
    Emit(Box<Snapshot>),
}
