//! On-demand queries about a victim flow: the interface that the driver implements.

use std::future::Future;
use std::pin::Pin;

use model::{Diagnosis, FlowKey, ProvenanceGraph, Snapshot};

/// The diagnosis of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    /// The verdict.
    pub diagnosis: Diagnosis,
    /// Its provenance graph.
    pub graph: ProvenanceGraph,
    /// The snapshot that the diagnosis was made from.
    pub snapshot: Option<Snapshot>,
}

/// Why a query has no diagnosis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// No host of this network sends the flow.
    #[error("{0}")]
    UnknownFlow(String),
    /// The telemetry of the flow's path shows no anomaly: the network does not slow the flow down.
    #[error("{0}")]
    Clean(String),
    /// Collections are limited, and the limit is reached.
    #[error("too many collections at once; retry in {retry_after_s} s")]
    Busy {
        /// When to retry, in seconds.
        retry_after_s: u32,
    },
    /// The collection or the analysis failed.
    #[error("{0}")]
    Failed(String),
}

/// The future of [`QueryBackend::query`].
pub type QueryFuture<'a> = Pin<Box<dyn Future<Output = Result<QueryResult, QueryError>> + Send + 'a>>;

/// Collects telemetry for a victim flow on demand and diagnoses it. The driver implements it; without an implementation
/// `POST /queries` returns status 503. This crate stores and publishes the diagnosis.
pub trait QueryBackend: Send + Sync + 'static {
    /// Diagnoses `victim`. The future is dropped after [`crate::QUERY_TIMEOUT`] or when the client disconnects.
    fn query(&self, victim: FlowKey) -> QueryFuture<'_>;
}
