//! `pg_profile_lookup.ini`: the headroom for each speed and cable length in the traditional model.
//!
//! Columns `speed cable size xon xoff threshold [xon_offset]`, separated by white space; `#` in the first column starts
//! a comment (swss cfgmgr/buffermgr.cpp, readPgProfileLookupFile, which validates nothing).

use crate::json::Problem;
use crate::source::Span;

/// A lookup table.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// Rows in the order of the file.
    pub rows: Vec<Row>,
    /// Syntax errors.
    pub problems: Vec<Problem>,
}

/// The values for ports of one speed and cable length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Mbit/s.
    pub speed_mbps: u32,
    /// Cable length as written, e.g. `40m`: `buffermgrd` compares the text.
    pub cable: String,
    /// Reserved bytes.
    pub size_bytes: u64,
    /// XON threshold, bytes.
    pub xon_bytes: u64,
    /// Headroom, bytes.
    pub xoff_bytes: u64,
    /// `dynamic_th` or `static_th`, depending on the pool's mode.
    pub threshold: i64,
    /// Distance of XON below XOFF, bytes.
    pub xon_offset_bytes: Option<u64>,
    /// Position of the row in the text.
    pub span: Span,
}

impl Row {
    /// The cable length in metres.
    pub fn cable_m(&self) -> Option<u32> {
        self.cable.strip_suffix('m')?.parse().ok()
    }
}

impl Lookup {
    /// The row that `buffermgrd` uses: the texts are equal, and the last such row wins.
    pub fn find(&self, speed_mbps: u32, cable: &str) -> Option<&Row> {
        self.rows.iter().rev().find(|row| row.speed_mbps == speed_mbps && row.cable == cable)
    }
}

/// Reads a table.
pub fn parse(text: &str) -> Lookup {
    let mut lookup = Lookup::default();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let row = line.trim_end();
        if row.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let indent = row.len() - row.trim_start().len();
        let span = Span::new(start + indent, start + row.len());
        match read_row(row, span) {
            Ok(row) => lookup.rows.push(row),
            Err(message) => lookup.problems.push(Problem { span, message }),
        }
    }
    lookup
}

fn read_row(line: &str, span: Span) -> Result<Row, String> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let (first, offset) = match columns.as_slice() {
        [a, b, c, d, e, f] => ([a, b, c, d, e, f], None),
        [a, b, c, d, e, f, g] => ([a, b, c, d, e, f], Some(g)),
        _ => {
            return Err(format!(
                "{} columns; expected speed, cable, size, xon, xoff, threshold and optionally xon_offset (buffermgrd reads missing columns as empty)",
                columns.len()
            ));
        }
    };
    let [speed, cable, size, xon, xoff, threshold] = first;
    let number = |name: &str, word: &str| {
        word.parse::<u64>().map_err(|_| format!("{name} is `{word}`, expected a number of bytes"))
    };
    Ok(Row {
        speed_mbps: speed.parse().map_err(|_| format!("speed is `{speed}`, expected Mbit/s"))?,
        cable: match cable.strip_suffix('m').map(str::parse::<u32>) {
            Some(Ok(_)) => (*cable).to_string(),
            _ => return Err(format!("cable length is `{cable}`, expected metres such as `40m`")),
        },
        size_bytes: number("size", size)?,
        xon_bytes: number("xon", xon)?,
        xoff_bytes: number("xoff", xoff)?,
        threshold: threshold.parse().map_err(|_| format!("threshold is `{threshold}`, expected a number"))?,
        xon_offset_bytes: offset.map(|word| number("xon_offset", word)).transpose()?,
        span,
    })
}
