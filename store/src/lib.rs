//! What Harrier remembers: topology, snapshots, diagnoses with their graphs, incidents and findings.
//!
//! The only crate that speaks SQL. Everything is idempotent by id: what is stored twice is stored once.
//! Times are nanoseconds of the fabric's clock; the store itself reads no clock.

mod error;
mod filter;
mod incident;
mod limits;
mod names;
mod sql;

pub use error::StoreError;
pub use filter::{Cursor, CursorError, DiagnosisFilter, IncidentFilter, Page};
pub use incident::Incident;
pub use limits::{
    DEFAULT_PAGE_ROWS, INCIDENT_QUIET_NS, INCIDENT_VICTIMS, Limits, MAX_PAGE_ROWS, PRUNE_EVERY, TEXT_ID_BYTES,
};
pub use names::{anomaly_name, cause_name};
pub use sql::{Finding, Store, Stored};
