//! Limits, and the behaviour at each.

/// Rows of a page when a query sets no limit.
pub const DEFAULT_PAGE_ROWS: u32 = 50;
/// Maximum rows of a page; larger limits are reduced to it.
pub const MAX_PAGE_ROWS: u32 = 500;
/// Maximum victims that an incident lists; its diagnoses name all of them.
pub const INCIDENT_VICTIMS: u32 = 64;
/// An incident without a new diagnosis for this long has ended.
pub const INCIDENT_QUIET_NS: u64 = 60_000_000_000;
/// Starts of daemons whose last record is known; a daemon that is older and still sends is taken for a new one.
pub const SOURCES: u32 = 65_536;
/// Number of new diagnoses between two removals of old rows; tables may exceed their limit by this many rows.
pub const PRUNE_EVERY: u64 = 64;
/// Maximum length of an id; longer ones are rejected.
pub const TEXT_ID_BYTES: usize = 256;

/// How many rows are kept. The oldest are removed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Diagnoses, each with its graph. An incident is removed together with its last diagnosis.
    pub diagnoses: u32,
    /// Snapshots. They are far larger than diagnoses, so fewer are kept.
    pub snapshots: u32,
    /// Reports of hosts and controllers.
    pub reports: u32,
    /// Time without a new diagnosis after which an incident has ended.
    pub incident_quiet_ns: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            diagnoses: 100_000,
            snapshots: 2_000,
            reports: 200_000,
            incident_quiet_ns: INCIDENT_QUIET_NS,
        }
    }
}
