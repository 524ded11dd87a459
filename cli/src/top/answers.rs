//! What is read of the server's answers. Fields that are not known are ignored, so that a newer server can be watched.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;

/// A page of incidents.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Page {
    pub(crate) incidents: Vec<Incident>,
    pub(crate) open_total: u64,
}

/// An incident.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Incident {
    pub(crate) id: String,
    pub(crate) severity: String,
    pub(crate) headline: Headline,
    pub(crate) summary: String,
    pub(crate) confidence: f64,
    pub(crate) root_cause: Root,
    pub(crate) pause_path: Vec<String>,
    #[serde(rename = "loop")]
    pub(crate) pause_loop: Vec<String>,
    pub(crate) start_ns: u64,
    pub(crate) update_ns: u64,
    pub(crate) end_ns: Option<u64>,
    /// RFC 3339.
    pub(crate) end_time: Option<String>,
    pub(crate) recurrences: u64,
    pub(crate) occurrences: Vec<Occurrence>,
    pub(crate) handling: String,
    /// Id of the representative diagnosis.
    pub(crate) diagnosis: String,
    pub(crate) victims: Vec<String>,
    pub(crate) victim_count: u64,
}

/// The verdict in a few words.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Headline {
    pub(crate) text: String,
    pub(crate) place: Option<String>,
}

impl Incident {
    /// Returns the headline and its place; the verdict of a server that sends no headline.
    pub(crate) fn line(&self) -> String {
        let Headline { text, place } = &self.headline;
        match place.as_ref().filter(|place| !text.contains(place.as_str())) {
            _ if text.is_empty() => self.summary.clone(),
            Some(place) => format!("{text}, {place}"),
            None => text.clone(),
        }
    }
}

/// What causes an incident.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Root {
    pub(crate) port: Option<String>,
    pub(crate) flows: Vec<String>,
    pub(crate) host: Option<String>,
    pub(crate) config: Vec<String>,
}

/// A time during which an incident lasted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Occurrence {
    /// RFC 3339.
    pub(crate) start_time: Option<String>,
}

/// An event about an incident.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) incident: Incident,
}

/// The part of a diagnosis that its incident lacks.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Verdict {
    pub(crate) advice: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// The daemons of a server.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Daemons {
    pub(crate) daemons: Vec<Daemon>,
    pub(crate) problems: Vec<DaemonProblem>,
}

/// An agent or controller.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Daemon {
    pub(crate) kind: String,
    pub(crate) name: String,
    /// `connected`, `silent` or `disconnected`.
    pub(crate) state: String,
}

/// What keeps the server or a daemon from its work.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct DaemonProblem {
    pub(crate) subject: String,
    pub(crate) reason: String,
}

/// The network.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Network {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Node {
    name: String,
    #[serde(default)]
    addresses: Vec<IpAddr>,
}

impl Network {
    /// Returns the name of the host that has an address.
    pub(crate) fn hosts(self) -> BTreeMap<IpAddr, String> {
        let named = |node: Node| node.addresses.into_iter().map(move |address| (address, node.name.clone()));
        self.nodes.into_iter().flat_map(named).collect()
    }
}
