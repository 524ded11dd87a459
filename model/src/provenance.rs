//! The provenance graph: who waits for whom.
//!
//! Nodes are egress ports and flows; an edge `from -> to` reads "`from` waits for `to`".

use serde::{Deserialize, Serialize};

use crate::flow::FlowKey;
use crate::port::PortRef;

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProvenanceNode))]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Node {
    /// An egress port.
    Port(PortRef),
    /// A flow.
    Flow(FlowKey),
    /// A host, when its NIC is what pauses a port.
    Host(String),
    /// A finding about a switch's configuration, by its id.
    Finding(String),
    /// Packets that a switch lost, `port reason`: the port where they were to leave.
    Loss(String),
}

/// What an edge's weight counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Port waits for a downstream port: paused packets shared out by traffic, times the depth there.
    PortWaitsForPort,
    /// Flow waits for a paused port: its paused packets there.
    FlowWaitsForPort,
    /// Port waits for a flow: the flow's contribution to the queue (positive causes, negative suffers).
    PortWaitsForFlow,
    /// Port waits for a host that pauses it.
    PortWaitsForHost,
    /// Port behaves as it does because its switch is set so: 1.
    PortSetByFinding,
    /// Port lost packets: how many.
    PortLosesPackets,
    /// Packets were lost because the switch is set so: how many.
    LossSetByFinding,
}

/// A wait-for edge between two nodes, by their index in [`ProvenanceGraph::nodes`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProvenanceEdge))]
pub struct Edge {
    /// Index of the node that waits.
    pub from: usize,
    /// Index of the node it waits for.
    pub to: usize,
    /// What the weight counts.
    pub kind: EdgeKind,
    /// How much.
    pub weight: f64,
}

/// The graph of one snapshot. Nodes and edges are in a fixed order, so equal snapshots give equal graphs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProvenanceGraph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}
