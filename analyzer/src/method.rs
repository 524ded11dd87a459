//! The rules that weigh evidence, so that methods can be compared on the same snapshots.

use serde::{Deserialize, Serialize};

/// A method of diagnosis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    /// Which ports a paused port waits for.
    pub edges: EdgeRule,
    /// Which flows contribute to a queue.
    pub replay: ReplayRule,
}

impl Method {
    /// Hawkeye as published (SIGCOMM 2025, algorithms 1 and 2): a paused port waits for every metered port with a
    /// depth, and the whole epoch is replayed.
    pub const HAWKEYE: Method = Method { edges: EdgeRule::Published, replay: ReplayRule::WholeEpoch };
}

/// Which downstream ports a paused port waits for. The weight is the published one in both cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeRule {
    /// Ports that held the paused traffic at that time: paused themselves, or with a queue of their own.
    #[default]
    Holding,
    /// Every port with metered traffic and a recorded depth.
    Published,
}

/// How the queue of a port is replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayRule {
    /// Only queued packets, in the queue episode, above the flow's previous rate.
    #[default]
    Waiting,
    /// All packets of the epochs, spread evenly over them.
    WholeEpoch,
}
