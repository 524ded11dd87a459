//! What LLDP has discovered, as a message to the server.

use controller::discovery::CableFinding;
use controller::live::Discovered;
use proto::v1::{CableDifference, Cables, Neighbour};

/// Returns the message.
pub(super) fn message(found: &Discovered) -> Cables {
    let neighbours = found.neighbours.iter().map(|(port, (announced, description))| Neighbour {
        port: port.to_string(),
        announced: announced.clone(),
        description: description.clone().unwrap_or_default(),
        rate_bps: found.rates.get(port).copied().unwrap_or_default(),
    });
    let difference = |finding: &CableFinding| CableDifference {
        port: finding.port().to_string(),
        planned: finding.planned().map(ToString::to_string).unwrap_or_default(),
        found: finding.found().unwrap_or_default().to_string(),
    };
    Cables {
        neighbours: neighbours.collect(),
        differences: found.findings.iter().map(difference).collect(),
        failed: found.failed.iter().map(ToString::to_string).collect(),
    }
}
