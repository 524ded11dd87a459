//! Events of the network: links that go down and come up, and changes of routes, as switches log them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::port::PortRef;
use crate::units::readable_ns;

/// An entry of a switch's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NetworkEvent {
    /// When, in nanoseconds of switch time.
    pub time_ns: u64,
    /// The switch; for a link, it can be a host.
    pub switch: String,
    /// What changed.
    #[serde(flatten)]
    pub change: NetworkChange,
}

/// What changed at a switch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum NetworkChange {
    /// The operational status of a port became down.
    LinkDown {
        /// The port.
        port: u16,
    },
    /// The operational status of a port became up.
    LinkUp {
        /// The port.
        port: u16,
    },
    /// A route was added, changed or withdrawn.
    Route {
        /// The destination in CIDR notation, e.g. `10.0.3.1/32`.
        prefix: String,
        /// The egress ports until then, ascending; empty: there was no route.
        before: Vec<u16>,
        /// The egress ports from then on, ascending; empty: the route was withdrawn.
        after: Vec<u16>,
    },
}

impl NetworkEvent {
    /// Returns the port whose link went down or came up.
    pub fn link_port(&self) -> Option<PortRef> {
        match self.change {
            NetworkChange::LinkDown { port } | NetworkChange::LinkUp { port } => {
                Some(PortRef::new(&self.switch, port))
            }
            NetworkChange::Route { .. } => None,
        }
    }
}

impl fmt::Display for NetworkEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (switch, at) = (&self.switch, readable_ns(self.time_ns));
        let ports = |ports: &[u16]| {
            let names: Vec<String> = ports.iter().map(|port| format!("{switch}:{port}")).collect();
            names.join(", ")
        };
        match &self.change {
            NetworkChange::LinkDown { port } => write!(f, "the link of {switch}:{port} went down at {at}"),
            NetworkChange::LinkUp { port } => write!(f, "the link of {switch}:{port} came up at {at}"),
            NetworkChange::Route { prefix, before, after } if after.is_empty() => {
                write!(f, "{switch} lost its route to {prefix} over {} at {at}", ports(before))
            }
            NetworkChange::Route { prefix, before, after } if before.is_empty() => {
                write!(f, "{switch} got a route to {prefix} over {} at {at}", ports(after))
            }
            NetworkChange::Route { prefix, before, after } => {
                let (before, after) = (ports(before), ports(after));
                write!(f, "{switch} moved its route to {prefix} from {before} to {after} at {at}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_flat_objects_in_json() {
        let check = |event: NetworkEvent, value: serde_json::Value, text: &str| {
            assert_eq!(serde_json::to_value(&event).unwrap(), value);
            assert_eq!(serde_json::from_value::<NetworkEvent>(value).unwrap(), event);
            assert_eq!(event.to_string(), text);
        };
        let event = |change| NetworkEvent { time_ns: 5, switch: "sw1".into(), change };
        check(
            event(NetworkChange::LinkDown { port: 2 }),
            json!({"time_ns": 5, "switch": "sw1", "change": "link_down", "port": 2}),
            "the link of sw1:2 went down at 5 ns",
        );
        check(
            event(NetworkChange::Route { prefix: "10.0.0.1/32".into(), before: vec![1], after: vec![] }),
            json!({"time_ns": 5, "switch": "sw1", "change": "route", "prefix": "10.0.0.1/32", "before": [1], "after": []}),
            "sw1 lost its route to 10.0.0.1/32 over sw1:1 at 5 ns",
        );
    }
}
