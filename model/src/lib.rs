//! The types that all parts of Harrier share.
//!
//! Units, keys (flows, ports), topology, the telemetry records that a switch keeps, the snapshot of a collection, the
//! provenance graph and the diagnosis that the analyzer computes from it, and the wire formats ([`wire`]). Everything
//! here is a plain value: no I/O, no clock, no randomness.

pub mod claim;
pub mod clock_shift;
pub mod collective;
pub mod config_finding;
pub mod diagnosis;
mod diagnosis_json;
pub mod flow;
pub mod host;
pub mod job;
pub mod loss;
pub mod missing_data;
pub mod network_event;
pub mod plain;
pub mod port;
pub mod provenance;
#[cfg(feature = "openapi")]
pub mod schema;
pub mod snapshot;
pub mod telemetry;
pub mod topology;
pub mod traffic;
pub mod union;
pub mod units;
pub mod verification;
pub mod wire;

pub use config_finding::{ConfigFinding, Setting};
pub use diagnosis::{Anomaly, Cause, Cost, Diagnosis, RootCause, Severity};
pub use diagnosis_json::DiagnosisOutline;
pub use flow::FlowKey;
pub use host::HostReport;
pub use job::{Job, JobStep, Transfer};
pub use loss::{LossReason, LossRecord};
pub use missing_data::MissingData;
pub use network_event::{NetworkChange, NetworkEvent};
pub use port::PortRef;
pub use provenance::ProvenanceGraph;
pub use snapshot::{FollowUp, Snapshot, SwitchTelemetry, Trigger, TriggerReason};
pub use topology::Topology;
pub use traffic::Traffic;
pub use units::{Rate, Time};
pub use verification::{CorrectedSettings, Verification};
