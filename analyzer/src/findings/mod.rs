//! Stage 3, findings: which anomaly the facts and the graph show, at which port, and which flows built its queue.

pub(crate) mod accounting;
pub(crate) mod contention;
pub(crate) mod replay;
pub(crate) mod setting_losses;
pub(crate) mod signatures;
pub(crate) mod standstill;
