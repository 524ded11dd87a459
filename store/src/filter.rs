//! What a query asks for, and the page it gets.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::limits::{DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS};

/// Which diagnoses are wanted. Everything that is `None` matches all. Newest first.
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
    /// Not earlier than this.
    pub since_ns: Option<u64>,
    /// Earlier than this.
    pub until_ns: Option<u64>,
    /// Only those of one incident.
    pub incident: Option<String>,
    /// Rows of the page; [`DEFAULT_PAGE_ROWS`] when absent, [`MAX_PAGE_ROWS`] at most.
    pub limit: Option<u32>,
    /// Continue after this row, from [`Page::next`].
    pub after: Option<Cursor>,
}

/// Which incidents are wanted. Latest start first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncidentFilter {
    /// Only those that have not ended.
    pub open: bool,
    /// Touched at or after this.
    pub since_ns: Option<u64>,
    /// Started before this.
    pub until_ns: Option<u64>,
    /// Rows of the page; [`DEFAULT_PAGE_ROWS`] when absent, [`MAX_PAGE_ROWS`] at most.
    pub limit: Option<u32>,
    /// Continue after this row, from [`Page::next`].
    pub after: Option<Cursor>,
}

/// Rows, and where the next page starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Absent on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// A page of at most `limit` of `rows`, which were read with one row to spare.
    pub(crate) fn cut(mut rows: Vec<T>, limit: u32, cursor: impl Fn(&T) -> Cursor) -> Page<T> {
        let full = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if full { rows.last().map(cursor) } else { None };
        Page { rows, next }
    }
}

/// The number of rows that a request gets.
pub(crate) fn page_rows(limit: Option<u32>) -> u32 {
    limit.unwrap_or(DEFAULT_PAGE_ROWS).clamp(1, MAX_PAGE_ROWS)
}

/// A place between two rows: the time and id of the row before it. Written `time_ns~id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Time of the row.
    pub time_ns: u64,
    /// Its id.
    pub id: String,
}

/// Why a text is not a cursor.
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
