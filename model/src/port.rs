//! A port of a switch, written `switch:port`, e.g. `sw4:1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A port of a named switch (or the NIC port of a named host). Port numbers start at 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRef {
    /// The node's name in the topology.
    pub switch: String,
    /// The port's number on that node.
    pub port: u16,
}

impl PortRef {
    /// Creates a reference to `port` of `switch`.
    pub fn new(switch: impl Into<String>, port: u16) -> PortRef {
        PortRef { switch: switch.into(), port }
    }
}

/// Why a text is not a port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a port; expected `switch:port`, e.g. `sw4:1`")]
pub struct ParsePortError(pub String);

impl FromStr for PortRef {
    type Err = ParsePortError;

    fn from_str(text: &str) -> Result<PortRef, ParsePortError> {
        let fail = || ParsePortError(text.to_string());
        let (switch, port) = text.rsplit_once(':').ok_or_else(fail)?;
        if switch.is_empty() {
            return Err(fail());
        }
        Ok(PortRef { switch: switch.to_string(), port: port.parse().map_err(|_| fail())? })
    }
}

impl fmt::Display for PortRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.switch, self.port)
    }
}

impl Serialize for PortRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PortRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PortRef, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
