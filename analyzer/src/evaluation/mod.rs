//! Evaluation: the verdicts of several methods on the same runs, compared with ground truth.
//!
//! As in the evaluation of Hawkeye (SIGCOMM 2025, DOI 10.1145/3718958.3750490), a true positive has the exact anomaly
//! *and* the exact root cause. [`contestant`] defines the telemetry and rules of each method, [`score`](mod@score) scores the
//! verdicts of one run, [`missed`](mod@missed) classifies missed events, [`table`] aggregates runs. `harrier eval`
//! runs the scenarios and draws the plots.

pub mod contestant;
pub mod missed;
pub mod score;
pub mod table;

pub use contestant::Contestant;
pub use missed::{Missed, missed};
pub use score::{Score, is_right, names_event, names_truth, score};
pub use table::{Observation, Row, rows};
