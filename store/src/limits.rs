//! Limits, and the behaviour at each.

/// Rows of a page when a query sets no limit.
pub const DEFAULT_PAGE_ROWS: u32 = 50;
/// Maximum rows of a page; larger limits are reduced to it.
pub const MAX_PAGE_ROWS: u32 = 500;
/// Maximum victims that an incident lists; its diagnoses name all of them.
pub const INCIDENT_VICTIMS: u32 = 64;
/// An incident without a new diagnosis for this long has ended.
pub const INCIDENT_QUIET_NS: u64 = 60_000_000_000;
/// Starts of each daemon whose last record is known. What an earlier one sends again is taken for new.
pub const STARTS: u32 = 64;
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
    /// Bytes of uploads that wait to be processed. At the limit further ones are not stored, so that they are not
    /// acknowledged and wait with their senders; the last one may exceed it.
    pub inbox_bytes: u64,
    /// Time without a new diagnosis after which an incident has ended.
    pub incident_quiet_ns: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            diagnoses: 100_000,
            snapshots: 2_000,
            reports: 200_000,
            inbox_bytes: 1 << 30,
            incident_quiet_ns: INCIDENT_QUIET_NS,
        }
    }
}
