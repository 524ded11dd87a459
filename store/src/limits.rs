//! Named limits, and what happens at each.

/// Rows of a page when a query does not say.
pub const DEFAULT_PAGE_ROWS: u32 = 50;
/// Rows of a page at most; larger requests are cut to it.
pub const MAX_PAGE_ROWS: u32 = 500;
/// Victims that an incident lists; the rest is in its diagnoses.
pub const INCIDENT_VICTIMS: u32 = 64;
/// An incident that no diagnosis touched for this long has ended.
pub const INCIDENT_QUIET_NS: u64 = 60_000_000_000;
/// Old rows are removed once every so many stored diagnoses, so tables may exceed their limit by this much.
pub const PRUNE_EVERY: u64 = 64;
/// Length of an id that a caller may choose; longer ones are refused.
pub const TEXT_ID_BYTES: usize = 256;

/// How much is kept. Beyond it the oldest goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Diagnoses, each with its graph. An incident goes with its last diagnosis.
    pub diagnoses: u32,
    /// Snapshots; far larger than diagnoses.
    pub snapshots: u32,
    /// Quiet time after which an incident has ended.
    pub incident_quiet_ns: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { diagnoses: 100_000, snapshots: 2_000, incident_quiet_ns: INCIDENT_QUIET_NS }
    }
}
