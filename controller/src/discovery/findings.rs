//! Cables that differ from the plan.

use std::fmt;

use model::topology::NodeKind;
use model::wire::lldp::{Lldp, PortId};
use model::{PortRef, Topology};
use serde::{Deserialize, Serialize};

use super::neighbours::Neighbours;

/// A cable that differs from the plan, as seen at one of its ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "cable", rename_all = "snake_case")]
pub enum CableFinding {
    /// Another port than the planned one is at the other end.
    Elsewhere {
        /// The port.
        port: PortRef,
        /// What the plan says.
        planned: PortRef,
        /// What announces itself: system and port.
        found: String,
    },
    /// The plan has no cable at a port where something announces itself.
    Unplanned {
        /// The port.
        port: PortRef,
        /// What announces itself: system and port.
        found: String,
    },
    /// The plan has a cable to a switch, and nothing announces itself.
    Silent {
        /// The port.
        port: PortRef,
        /// What the plan says.
        planned: PortRef,
    },
}

impl CableFinding {
    /// The port where it is seen.
    pub fn port(&self) -> &PortRef {
        match self {
            CableFinding::Elsewhere { port, .. }
            | CableFinding::Unplanned { port, .. }
            | CableFinding::Silent { port, .. } => port,
        }
    }

    /// What the plan says.
    pub fn planned(&self) -> Option<&PortRef> {
        match self {
            CableFinding::Elsewhere { planned, .. } | CableFinding::Silent { planned, .. } => Some(planned),
            CableFinding::Unplanned { .. } => None,
        }
    }

    /// What announces itself: system and port.
    pub fn found(&self) -> Option<&str> {
        match self {
            CableFinding::Elsewhere { found, .. } | CableFinding::Unplanned { found, .. } => Some(found),
            CableFinding::Silent { .. } => None,
        }
    }
}

impl fmt::Display for CableFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CableFinding::Elsewhere { port, planned, found } => {
                write!(f, "{port} is cabled to {found}; the plan says {planned}")
            }
            CableFinding::Unplanned { port, found } => {
                write!(f, "{port} is cabled to {found}; the plan has no cable there")
            }
            CableFinding::Silent { port, planned } => {
                write!(f, "{port} has no LLDP neighbour; the plan says {planned}")
            }
        }
    }
}

/// Compares the neighbours with the plan and returns the differences, sorted. Hosts need not announce themselves, so that
/// only silent switches are findings. Call it when every port has had the time for an announcement.
pub fn cable_findings(plan: &Topology, neighbours: &Neighbours) -> Vec<CableFinding> {
    let mut findings = Vec::new();
    let switches = plan.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
    for (number, planned) in switches
        .clone()
        .flat_map(|node| plan.ports_of(&node.name).into_iter().map(move |p| ((node, p.0), p.1)))
    {
        let (node, port) = number;
        let port = PortRef::new(node.name.clone(), port);
        match neighbours.at(&port) {
            None if plan.is_host(&planned.switch) => {}
            None => findings.push(CableFinding::Silent { port, planned: planned.clone() }),
            Some(neighbour) if is_planned(plan, planned, &neighbour.lldp) => {}
            Some(neighbour) => {
                let found = name(&neighbour.lldp);
                findings.push(CableFinding::Elsewhere { port, planned: planned.clone(), found });
            }
        }
    }
    for (port, neighbour) in neighbours.iter().filter(|(port, _)| plan.peer(port).is_none()) {
        findings.push(CableFinding::Unplanned { port: port.clone(), found: name(&neighbour.lldp) });
    }
    findings.sort();
    findings
}

/// Whether an announcement is that of a planned port. A host has one port in the plan, whatever its interface is called.
pub(super) fn is_planned(plan: &Topology, planned: &PortRef, lldp: &Lldp) -> bool {
    let is_system = system(lldp) == planned.switch;
    let is_port = match &lldp.port {
        PortId::Local(name) | PortId::Interface(name) => *name == planned.port.to_string(),
        PortId::Mac(_) | PortId::Other(..) => false,
    };
    is_system && (is_port || plan.is_host(&planned.switch))
}

fn system(lldp: &Lldp) -> String {
    lldp.system_name.clone().unwrap_or_else(|| lldp.chassis.to_string())
}

/// Returns what announces itself: system and port.
pub fn name(lldp: &Lldp) -> String {
    format!("{}:{}", system(lldp), lldp.port)
}
