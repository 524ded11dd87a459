//! Persistent storage of the topology, snapshots, diagnoses with their graphs, incidents and findings.
//!
//! This is the only crate that contains SQL. Writes are idempotent by id: storing a row a second time changes nothing.
//! Times are nanoseconds of switch time, those of uploads of wall clocks; the store itself reads no clock.

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
    DEFAULT_PAGE_ROWS, INCIDENT_QUIET_NS, INCIDENT_VICTIMS, Limits, MAX_PAGE_ROWS, PRUNE_EVERY, SOURCES,
    TEXT_ID_BYTES,
};
pub use names::{anomaly_name, cause_name};
pub use sql::{Arrival, Content, Finding, InboxRow, Report, Store, Stored};
