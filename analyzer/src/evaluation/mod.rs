//! What verdicts are worth: the answers of several methods on the same runs, set against what really happened.
//!
//! After the evaluation of Hawkeye (SIGCOMM 2025, DOI 10.1145/3718958.3750490): a true positive has the exact anomaly
//! *and* the exact root cause. [`contestant`] says which telemetry and which rules a method has, [`score`] judges the
//! verdicts of one run, [`missed`](mod@missed) looks at what they do not name, [`table`] adds up runs, [`plot`] and [`curve`] draw. Whoever runs the scenarios is outside (`harrier eval`).

pub mod contestant;
pub mod curve;
pub mod missed;
pub mod plot;
pub mod score;
pub mod table;

pub use contestant::Contestant;
pub use missed::{Missed, missed};
pub use score::{Score, is_right, names_event, names_truth, score};
pub use table::{Observation, Row, rows};
