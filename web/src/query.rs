//! Asking about a victim flow now: what the driver supplies.

use std::future::Future;
use std::pin::Pin;

use model::{Diagnosis, FlowKey, ProvenanceGraph, Snapshot};

/// A collection that was made for one question, and what the analyzer made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryAnswer {
    /// The verdict.
    pub diagnosis: Diagnosis,
    /// Its provenance graph.
    pub graph: ProvenanceGraph,
    /// The telemetry it rests on.
    pub snapshot: Option<Snapshot>,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The flow is not one of this network.
    #[error("{0}")]
    UnknownFlow(String),
    /// The flow's path was looked at and is clean: whatever slows it is not in the network.
    #[error("{0}")]
    Clean(String),
    /// Collections are limited, and the limit is reached.
    #[error("too many collections at once; ask again in {retry_after_s} s")]
    Busy {
        /// When to ask again.
        retry_after_s: u32,
    },
    /// The collection or the analysis failed.
    #[error("{0}")]
    Failed(String),
}

/// The future of [`QueryBackend::ask`].
pub type QueryFuture<'a> = Pin<Box<dyn Future<Output = Result<QueryAnswer, QueryError>> + Send + 'a>>;

/// Collects telemetry for a victim flow now and diagnoses it. Supplied by the driver; without one
/// `POST /queries` is answered 503. The answer is stored and published by this crate.
pub trait QueryBackend: Send + Sync + 'static {
    /// Answers for `victim`. Dropped when it takes longer than [`crate::QUERY_TIMEOUT`] or the client goes.
    fn ask(&self, victim: FlowKey) -> QueryFuture<'_>;
}
