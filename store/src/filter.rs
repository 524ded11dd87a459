//! Filters and pages of list queries.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use model::{Anomaly, Cause, FlowKey, PortRef, Severity};

use crate::handling::Handling;
use crate::limits::{DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS};

/// Selects diagnoses, latest arrival first. A field that is `None` matches all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagnosisFilter {
    /// The victim.
    pub victim: Option<FlowKey>,
    /// Source address of the victim.
    pub src: Option<IpAddr>,
    /// Destination address of the victim.
    pub dst: Option<IpAddr>,
    /// Source port of the victim.
    pub sport: Option<u16>,
    /// Destination port of the victim.
    pub dport: Option<u16>,
    /// IP protocol number of the victim.
    pub proto: Option<u8>,
    /// At or after this time.
    pub since_ns: Option<u64>,
    /// Before this time.
    pub until_ns: Option<u64>,
    /// Belongs to this incident.
    pub incident: Option<String>,
    /// Has this anomaly.
    pub anomaly: Option<Anomaly>,
    /// Has this cause.
    pub cause: Option<Cause>,
    /// Has this severity.
    pub severity: Option<Severity>,
    /// Has at least this confidence, from 0 to 1.
    pub min_confidence: Option<f64>,
    /// Has this root host.
    pub host: Option<String>,
    /// Has this root port.
    pub port: Option<PortRef>,
    /// Maximum number of rows: [`DEFAULT_PAGE_ROWS`] when absent, [`MAX_PAGE_ROWS`] at most.
    pub limit: Option<u32>,
    /// Continue after this row, from [`Page::next`].
    pub after: Option<Cursor>,
}

/// Selects incidents, latest occurrence first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncidentFilter {
    /// Only incidents that have not ended.
    pub open: bool,
    /// Updated at or after this time.
    pub since_ns: Option<u64>,
    /// Started before this time.
    pub until_ns: Option<u64>,
    /// Lasted at or after this wall clock, in nanoseconds since 1970: one of its occurrences had not ended before.
    pub since_wall_ns: Option<u64>,
    /// Lasted before this wall clock, in nanoseconds since 1970. With `since_wall_ns`, the same occurrence lies in both.
    pub until_wall_ns: Option<u64>,
    /// The representative diagnosis has this anomaly.
    pub anomaly: Option<Anomaly>,
    /// The representative diagnosis has this cause.
    pub cause: Option<Cause>,
    /// The representative diagnosis has this severity.
    pub severity: Option<Severity>,
    /// This is done about it.
    pub handling: Option<Handling>,
    /// A diagnosis names this root host, or a victim or culprit has one of `host_addresses`.
    pub host: Option<String>,
    /// The addresses of `host`, which the store does not know.
    pub host_addresses: Vec<IpAddr>,
    /// This is a root port, or a port of a pause path or loop.
    pub port: Option<PortRef>,
    /// This is a victim or a culprit.
    pub flow: Option<FlowKey>,
    /// Maximum number of rows: [`DEFAULT_PAGE_ROWS`] when absent, [`MAX_PAGE_ROWS`] at most.
    pub limit: Option<u32>,
    /// Continue after this row, from [`Page::next`].
    pub after: Option<Cursor>,
}

/// Rows, and the cursor of the next page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Absent on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Cuts `rows` to `limit`. The query reads one row more than the limit, which shows whether there is a next page.
    pub(crate) fn cut(mut rows: Vec<T>, limit: u32, cursor: impl Fn(&T) -> Cursor) -> Page<T> {
        let full = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if full { rows.last().map(cursor) } else { None };
        Page { rows, next }
    }
}

/// The row limit of a request, within bounds.
pub(crate) fn page_rows(limit: Option<u32>) -> u32 {
    limit.unwrap_or(DEFAULT_PAGE_ROWS).clamp(1, MAX_PAGE_ROWS)
}

/// How many incidents match a filter, whatever its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IncidentTotals {
    /// All that match.
    pub matching: u64,
    /// Those that have not ended.
    pub open: u64,
}

/// A position in a list: what the last row of a page is ordered by. Written as `wall_ns~time_ns~id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// When the row arrived.
    pub wall_ns: u64,
    /// Its switch time.
    pub time_ns: u64,
    /// Its id.
    pub id: String,
}

/// The text is not a cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a cursor; expected the `next` of an earlier page")]
pub struct CursorError(pub String);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}~{}~{}", self.wall_ns, self.time_ns, self.id)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Cursor, CursorError> {
        let fail = || CursorError(text.to_string());
        let mut parts = text.splitn(3, '~');
        let mut number = || parts.next()?.parse().ok();
        let (wall_ns, time_ns) = (number().ok_or_else(fail)?, number().ok_or_else(fail)?);
        let id = parts.next().ok_or_else(fail)?.to_string();
        Ok(Cursor { wall_ns, time_ns, id })
    }
}
