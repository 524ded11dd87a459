//! The provenance graph: wait-for edges between ports and flows.
//!
//! Nodes are egress ports, flows and hosts; an edge `from -> to` means that `from` waits for `to`.

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
    /// A host whose NIC pauses a port.
    Host(String),
    /// A configuration finding, by id.
    Finding(String),
    /// Lost packets, `port reason`: the egress port of the packets.
    Loss(String),
}

/// The kind of an edge, which defines its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Port waits for a downstream port: paused packets divided by traffic, times the queue depth there.
    PortWaitsForPort,
    /// Flow waits for a paused port: its paused packets there.
    FlowWaitsForPort,
    /// Port waits for a flow: the flow's contribution to the queue (positive: caused, negative: own queueing).
    PortWaitsForFlow,
    /// Port waits for a host that pauses it.
    PortWaitsForHost,
    /// A configuration finding explains the port's behaviour: 1.
    PortSetByFinding,
    /// The port lost packets: their number.
    PortLosesPackets,
    /// A configuration finding explains lost packets: their number.
    LossSetByFinding,
}

/// A wait-for edge between two nodes, by their index in [`ProvenanceGraph::nodes`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProvenanceEdge))]
pub struct Edge {
    /// Index of the waiting node.
    pub from: usize,
    /// Index of the node that it waits for.
    pub to: usize,
    /// The kind of the edge.
    pub kind: EdgeKind,
    /// The weight.
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
