//! Faults of an endpoint.

use model::Rate;
use serde::{Deserialize, Serialize};

/// What is wrong with an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Fault {
    /// It pauses its switch without need, as a broken NIC does.
    Storm {
        /// The priority.
        priority: u8,
    },
    /// It processes data at this rate only, and pauses its switch when its buffer fills.
    SlowReceiver {
        /// The rate.
        rate: Rate,
    },
    /// It processes no data.
    StoppedReceiver,
}
