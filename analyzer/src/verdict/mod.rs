//! Stage 4, verdict: what follows from a finding: culprits with a confidence, the cause, cost and severity, and which
//! verdicts belong to one incident.

pub(crate) mod causes;
pub mod collective;
pub(crate) mod confidence;
pub(crate) mod doubtful;
pub mod incident;
pub(crate) mod one_standstill;
pub(crate) mod ranking;
pub(crate) mod severity;
pub(crate) mod standstills;
