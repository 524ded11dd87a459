//! Limits, and the behaviour at each.

use crate::rollup::Resolution;

/// Rows of a page when a query sets no limit.
pub const DEFAULT_PAGE_ROWS: u32 = 50;
/// Maximum rows of a page; larger limits are reduced to it.
pub const MAX_PAGE_ROWS: u32 = 500;
/// Maximum victims that an incident lists; it counts further ones.
pub const INCIDENT_VICTIMS: u32 = 8;
/// Maximum incidents that are listed as related to one.
pub const RELATED_INCIDENTS: u32 = 10;
/// Maximum occurrences that an incident keeps; the oldest are removed first and still count.
pub const INCIDENT_OCCURRENCES: u32 = 50;
/// Maximum flows, and maximum ports, that are known of an incident. A diagnosis at the limit adds none; one below it may
/// exceed the limit.
pub const INCIDENT_MEMBERS: u32 = 1_000;
/// An incident without a diagnosis and without a pause for this long has ended.
pub const INCIDENT_QUIET_NS: u64 = 60_000_000_000;
/// A culprit that returns later than this opens a new incident: a day.
pub const INCIDENT_MEMORY_NS: u64 = 24 * 3_600 * 1_000_000_000;
/// Wall-clock time for which series of ports and flows by the second are kept: an hour.
pub const SERIES_SECOND_AGE_NS: u64 = 3_600 * 1_000_000_000;
/// Wall-clock time for which series of ports and flows by the minute are kept: a week.
pub const SERIES_MINUTE_AGE_NS: u64 = 7 * 24 * 3_600 * 1_000_000_000;
/// Maximum rows of each resolution of port series, and of flow series; the oldest are removed first. An hour of seconds of
/// 500 ports, or a week of minutes of 200 ports.
pub const SERIES_ROWS: u32 = 2_000_000;
/// Maximum notes of an incident; the oldest are removed first.
pub const NOTES: u32 = 500;
/// Starts of each daemon whose last record is known. What an earlier one sends again is taken for new.
pub const STARTS: u32 = 64;
/// Number of new diagnoses between two removals of old rows; tables may exceed their limit by this many rows.
pub const PRUNE_EVERY: u64 = 64;
/// Maximum length of an id; longer ones are rejected.
pub const TEXT_ID_BYTES: usize = 256;

/// How many rows are kept, and for how long. The oldest are removed first; the representative diagnosis of an incident
/// with a note and its snapshot stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Diagnoses, each with its graph. An incident is removed together with its last diagnosis.
    pub diagnoses: u32,
    /// Snapshots. They are far larger than diagnoses, so fewer are kept.
    pub snapshots: u32,
    /// Reports of hosts and controllers.
    pub reports: u32,
    /// Wall-clock time since the arrival of a diagnosis, snapshot or report after which it is removed; absent: no limit.
    pub max_age_ns: Option<u64>,
    /// Bytes of the database at which the oldest diagnoses, snapshots and reports are removed; absent: no limit. The
    /// file keeps its size, and new rows use the room.
    pub max_bytes: Option<u64>,
    /// Wall-clock time for which series by the second are kept.
    pub series_second_age_ns: u64,
    /// Wall-clock time for which series by the minute are kept.
    pub series_minute_age_ns: u64,
    /// Rows of each resolution of port series, and of flow series.
    pub series_rows: u32,
    /// Bytes of uploads that wait to be processed. At the limit further ones are not stored, so that they are not
    /// acknowledged and wait with their senders; the last one may exceed it.
    pub inbox_bytes: u64,
    /// Switch time without a diagnosis and without a pause after which an incident has ended.
    pub incident_quiet_ns: u64,
    /// Wall-clock time after an incident's latest update during which a diagnosis of the same culprit reopens it.
    pub incident_memory_ns: u64,
}

impl Limits {
    /// Returns for how long series of this resolution are kept.
    pub(crate) fn series_age_ns(&self, resolution: Resolution) -> u64 {
        match resolution {
            Resolution::Second => self.series_second_age_ns,
            Resolution::Minute => self.series_minute_age_ns,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            diagnoses: 100_000,
            snapshots: 2_000,
            reports: 200_000,
            max_age_ns: None,
            max_bytes: None,
            series_second_age_ns: SERIES_SECOND_AGE_NS,
            series_minute_age_ns: SERIES_MINUTE_AGE_NS,
            series_rows: SERIES_ROWS,
            inbox_bytes: 1 << 30,
            incident_quiet_ns: INCIDENT_QUIET_NS,
            incident_memory_ns: INCIDENT_MEMORY_NS,
        }
    }
}
