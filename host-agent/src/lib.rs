//! The host agent: detects slow flows and sends polling packets for them.
//!
//! [`Agent`] watches the round trips of the host's flows. A flow is slow when a round trip exceeds its path's base by a
//! percentage *and* by an absolute amount ([`rule`]), or when data is outstanding and no acknowledgement arrives: a
//! flow that PFC stops completely has no round trip to measure. For a slow flow the agent returns a polling packet and
//! its trigger, within a rate limit per flow and one per host ([`bucket`]). A flow whose excess over the base has
//! doubled is polled again at once. When the host's limit delays polls, the flow with the largest slowdown is next
//! ([`waiting`]). Retransmitted data give no sample of the round trip (RFC 6298, section 3). Source: Hawkeye, SIGCOMM 2024 poster,
//! section 2.2; thresholds are relative to each path's base because base round trips range from microseconds to
//! milliseconds within one region.
//!
//! [`passive`] measures round trips from the frames that cross the host's interface, [`tcp_info`] those of the kernel's
//! own TCP from its sockets, and [`mesh`] those of probes between agents. [`counters`] are the counters of
//! its NICs.
//!
//! The crate is a pure core: time is an argument, actions are return values. Only `linux`, behind the feature of that
//! name, has sockets.

mod agent;
mod baseline;
mod bucket;
pub mod counters;
#[cfg(feature = "linux")]
pub mod linux;
mod measurement;
pub mod mesh;
#[cfg_attr(not(feature = "linux"), allow(dead_code, reason = "only an edge sends messages"))]
mod netlink;
mod operations;
pub mod passive;
mod rule;
mod settings;
pub mod tcp_info;
mod waiting;
mod watch;

pub use agent::{Agent, AgentStats, FlowId, Poll};
pub use baseline::{PathBase, base_rtt};
pub use bucket::TokenBucket;
pub use measurement::{Measured, Measurement};
pub use operations::{Iteration, Operation};
pub use rule::{is_silent, is_slow};
pub use settings::{Settings, SettingsError};
pub use watch::{FlowRounds, Watch};
