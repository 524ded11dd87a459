//! The judge: what really happened in a simulated run, and how good verdicts about it are.
//!
//! Guilt is measured, not defined: a run is repeated without an actor, and the actor is guilty by the share of the
//! victim's excess delay that disappears. Nothing here depends on the analyzer, the host agent or the controller, and no
//! constant is shared with them (docs/evaluation/judge.md).
//!
//! - [`judge`] grades verdicts by repeated runs.
//! - [`table`] aggregates judged runs, [`host_cause_table`] the causes inside hosts.
//! - [`truth`] reconstructs what happened in one run from its packet log, for the expectations of scenarios.
//! - [`agreement`] compares a verdict with that ground truth.

pub mod agreement;
mod ground_truth;
pub mod host_cause_table;
pub mod judge;
pub mod table;
pub mod truth;

pub use agreement::{names_event, names_place};
pub use ground_truth::{GroundTruth, Phase};
