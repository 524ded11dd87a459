//! Persistent storage of the topology, snapshots, diagnoses with their graphs, incidents, findings, port and flow series.
//!
//! This is the only crate that contains SQL. Writes are idempotent by id: storing a row a second time changes nothing.
//! Times are nanoseconds of switch time. Fields that end in `wall_ns`, and times of uploads, are nanoseconds of wall
//! clocks since 1970, which the caller passes: the store itself reads no clock.

mod assignment;
mod compression;
mod error;
mod filter;
mod flow_rollup;
mod handling;
mod import;
mod incident;
mod limits;
mod names;
mod rollup;
mod sql;

pub use error::StoreError;
pub use filter::{Cursor, CursorError, DiagnosisFilter, IncidentFilter, IncidentTotals, Page};
pub use flow_rollup::{FlowRollup, FlowRollupKey};
pub use handling::{Feedback, Handling, Judgement, NewNote, Note};
pub use import::{Case, CaseNote, Import, ImportError, Mistake};
pub use incident::{Incident, Occurrence};
pub use limits::{
    DEFAULT_PAGE_ROWS, INCIDENT_MEMBERS, INCIDENT_MEMORY_NS, INCIDENT_OCCURRENCES, INCIDENT_QUIET_NS,
    INCIDENT_VICTIMS, Limits, MAX_PAGE_ROWS, NOTES, PRUNE_EVERY, RELATED_INCIDENTS, SERIES_MINUTE_AGE_NS,
    SERIES_ROWS, SERIES_SECOND_AGE_NS, STARTS, TEXT_ID_BYTES,
};
pub use names::{anomaly_name, cause_name, severity_name};
pub use rollup::{Resolution, Rollup, RollupKey};
pub use sql::{
    Arrival, Backup, Content, DiagnosisRow, Exported, Finding, Imported, InboxRow, ListedDiagnosis, Migrated,
    NewDiagnosis, OpenIncidents, Removed, Report, Size, Stats, Store, Stored, TableStats, WebhookAlerts,
    WebhookChanges, backup, check_url, shown_url, stats, store_url,
};
