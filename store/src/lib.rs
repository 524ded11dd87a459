//! Persistent storage of the topology, snapshots, diagnoses with their graphs, incidents and findings.
//!
//! This is the only crate that contains SQL. Writes are idempotent by id: storing a row a second time changes nothing.
//! Times are nanoseconds of switch time. Fields that end in `wall_ns`, and times of uploads, are nanoseconds of wall
//! clocks since 1970, which the caller passes: the store itself reads no clock.

mod compression;
mod error;
mod filter;
mod handling;
mod incident;
mod limits;
mod names;
mod sql;

pub use error::StoreError;
pub use filter::{Cursor, CursorError, DiagnosisFilter, IncidentFilter, IncidentTotals, Page};
pub use handling::{Feedback, Handling, NewNote, Note};
pub use incident::{Incident, Occurrence};
pub use limits::{
    DEFAULT_PAGE_ROWS, INCIDENT_MEMBERS, INCIDENT_MEMORY_NS, INCIDENT_OCCURRENCES, INCIDENT_QUIET_NS,
    INCIDENT_VICTIMS, Limits, MAX_PAGE_ROWS, NOTES, PRUNE_EVERY, STARTS, TEXT_ID_BYTES,
};
pub use names::{anomaly_name, cause_name, severity_name};
pub use sql::{
    Arrival, Backup, Content, DiagnosisRow, Exported, Finding, InboxRow, Migrated, OpenIncidents, Removed,
    Report, Size, Stats, Store, Stored, TableStats, backup, shown_url, stats, store_url,
};
