//! The run without a root cause: the interface that a driver of a simulated network implements.

use std::future::Future;
use std::pin::Pin;

use model::{Diagnosis, Verification};
use serde::Serialize;
use utoipa::ToSchema;

/// What the same run without the root cause shows.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum WhatIf {
    /// The run was repeated.
    Repeated {
        /// Whether the victim recovers, and pauses and queues of the verdict are gone.
        verified: bool,
        /// Both runs compared.
        verification: Verification,
    },
    /// The network is real: no run of it can be repeated.
    NotSimulated,
    /// The run cannot be repeated, or not without this root cause.
    NotRepeated {
        /// Why.
        reason: String,
    },
}

/// Too many runs are repeated at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many runs are repeated at once; retry in {retry_after_s} s")]
pub struct WhatIfBusy {
    /// When to retry, in seconds.
    pub retry_after_s: u32,
}

/// The future of [`WhatIfBackend::repeat`].
pub type WhatIfFuture<'a> = Pin<Box<dyn Future<Output = Result<WhatIf, WhatIfBusy>> + Send + 'a>>;

/// Repeats the run that a diagnosis is about without its root cause. Only a simulated network can; without an
/// implementation the answer is [`WhatIf::NotSimulated`].
pub trait WhatIfBackend: Send + Sync + 'static {
    /// Repeats the run of `diagnosis`. `others` are the other diagnoses of the same delay: a victim with several root causes
    /// recovers without all of them only. The future is dropped when the client disconnects.
    fn repeat(&self, diagnosis: Diagnosis, others: Vec<Diagnosis>) -> WhatIfFuture<'_>;
}
