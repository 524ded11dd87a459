//! Filters and pages of list queries.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::limits::{DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS};

/// Selects diagnoses, newest first. A field that is `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagnosisFilter {
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
    /// Maximum number of rows: [`DEFAULT_PAGE_ROWS`] when absent, [`MAX_PAGE_ROWS`] at most.
    pub limit: Option<u32>,
    /// Continue after this row, from [`Page::next`].
    pub after: Option<Cursor>,
}

/// Selects incidents, latest start first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncidentFilter {
    /// Only incidents that have not ended.
    pub open: bool,
    /// Updated at or after this time.
    pub since_ns: Option<u64>,
    /// Started before this time.
    pub until_ns: Option<u64>,
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

/// A position in a list: time and id of the last row of a page. Written as `time_ns~id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Time of the row.
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
        write!(f, "{}~{}", self.time_ns, self.id)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Cursor, CursorError> {
        let fail = || CursorError(text.to_string());
        let (time_ns, id) = text.split_once('~').ok_or_else(fail)?;
        Ok(Cursor { time_ns: time_ns.parse().map_err(|_| fail())?, id: id.to_string() })
    }
}
