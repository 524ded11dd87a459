//! The judge by intervention: grades every verdict of a run, and finds the disturbances that no verdict names.
//!
//! [`actor`] lists what can be taken out of a run, [`bench`](mod@bench) repeats the run without it,
//! [`guilt`](mod@guilt) measures the difference, `standstill` checks deadlocks from the packets alone, [`grade`] compares
//! a verdict with both, `place` judges verdicts that name a port alone, [`sample`] chooses the verdicts to judge,
//! [`packets_ahead`](mod@packets_ahead) is a reference, [`ranking`] compares methods by what they name first, [`harm`](mod@harm) finds the flows that a disturbance delays,
//! and [`calibration`](mod@calibration) compares confidence with grades. [`host_cause`] compares causes inside hosts with
//! what their models do; no grade depends on it. Definitions and their reasons: docs/evaluation/judge.md.

pub mod actor;
pub mod bench;
pub mod calibration;
pub mod grade;
pub mod guilt;
pub mod harm;
pub mod host_cause;
mod incident;
pub mod packets_ahead;
mod place;
pub mod ranking;
pub mod sample;
mod standstill;
mod stay;
#[cfg(test)]
mod test_scenarios;

pub use actor::Actor;
pub use bench::Bench;
pub use calibration::{Bin, Calibration, calibration};
pub use grade::{Grade, Judgement, judge};
pub use guilt::Guilt;
pub use harm::{Disturbance, Harm, harm};
pub use host_cause::{HostCauseCount, host_causes};
pub use incident::{grade_incident, gravest};
pub use packets_ahead::{PacketsAhead, packets_ahead};
pub use ranking::{Ranking, rankings};
pub use sample::{Budget, Urgency};

/// The version of these definitions. A change gets a number and a line in docs/evaluation/judge.md, and all published
/// figures are computed again.
pub const VERSION: &str = "v9";
