//! Stage 2, graph: the wait-for edges between ports, the pause paths and loops in them, and the analysis context that
//! holds both.

pub mod adjacency;
pub(crate) mod context;
pub mod graph_search;
pub(crate) mod pause_paths;
pub(crate) mod port_graph;
