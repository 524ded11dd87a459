//! The lines of an export and the test case of an incident, read back. docs/store.md describes the lines.

use std::io::{BufRead, Read as _};

use model::{Diagnosis, ProvenanceGraph, Snapshot, Topology};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;
use crate::handling::{Feedback, Handling};
use crate::limits::TEXT_ID_BYTES;

/// The number of the form of export, and of test case, that this build reads.
const FORMAT: u32 = 1;
/// Maximum bytes of a line or of a test case; a longer one is a mistake.
const LINE_BYTES: u64 = 256 << 20;
/// Maximum mistakes of an import; then it ends.
pub(crate) const MISTAKES: usize = 100;

/// A mistake in a file that is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub file: String,
    /// Its line, from 1 on.
    pub line: u64,
    /// The column in bytes, from 1 on; 0: the line as a whole.
    pub column: usize,
    /// What is wrong.
    pub text: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mistake { file, line, column, text } = self;
        match column {
            0 => write!(f, "{file}:{line}: {text}"),
            column => write!(f, "{file}:{line}:{column}: {text}"),
        }
    }
}

/// Why an import was refused. The store is as it was then.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The files have mistakes, or contradict the store: at most 100, in the order of the files.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<Mistake>),
    /// A file cannot be read.
    #[error("cannot read `{file}`: {source}")]
    Read {
        /// The file.
        file: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A file to import.
pub struct Import<'r> {
    /// Its name, for mistakes.
    pub name: String,
    /// Its contents.
    pub contents: Box<dyn BufRead + Send + 'r>,
}

/// The first line.
#[derive(Debug, Deserialize)]
struct Header {
    format: u32,
    zero_ns: Option<u64>,
    time_scale: Option<u64>,
}

/// The origin of switch time, of a network whose clock goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) zero_ns: Option<u64>,
    pub(crate) time_scale: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FindingLine {
    pub(crate) id: String,
    pub(crate) code: String,
    pub(crate) severity: String,
    pub(crate) finding: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct IncidentLine {
    pub(crate) id: String,
    pub(crate) culprit: String,
    pub(crate) run: u32,
    pub(crate) start_ns: u64,
    pub(crate) update_ns: u64,
    pub(crate) end_ns: Option<u64>,
    pub(crate) start_wall_ns: u64,
    pub(crate) update_wall_ns: u64,
    pub(crate) count: u64,
    pub(crate) recurrences: u64,
    pub(crate) occurrence: u64,
    pub(crate) occurred_ns: u64,
    pub(crate) occurred_wall_ns: u64,
    pub(crate) severity: model::Severity,
    pub(crate) confidence: f64,
    pub(crate) precedence: Option<i64>,
    pub(crate) diagnosis: String,
    pub(crate) handling: Handling,
    pub(crate) feedback: Option<Feedback>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct OccurrenceLine {
    pub(crate) incident: String,
    pub(crate) number: u64,
    pub(crate) start_ns: u64,
    pub(crate) update_ns: u64,
    pub(crate) start_wall_ns: u64,
    pub(crate) update_wall_ns: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NoteLine {
    pub(crate) incident: String,
    pub(crate) number: u64,
    pub(crate) wall_ns: u64,
    pub(crate) author: String,
    pub(crate) handling: Option<Handling>,
    pub(crate) feedback: Option<Feedback>,
    pub(crate) text: String,
    /// Absent from exports of versions before 0.3, as the next one.
    pub(crate) diagnosis: Option<String>,
    pub(crate) topology: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DiagnosisLine {
    pub(crate) id: String,
    pub(crate) incident: String,
    pub(crate) run: u32,
    pub(crate) wall_ns: u64,
    pub(crate) time_ns: u64,
    pub(crate) diagnosis: Diagnosis,
    pub(crate) graph: Option<ProvenanceGraph>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SnapshotLine {
    pub(crate) id: String,
    pub(crate) wall_ns: u64,
    pub(crate) time_ns: u64,
    pub(crate) snapshot: Snapshot,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TopologyLine {
    pub(crate) name: String,
    pub(crate) topology: Topology,
}

/// A verdict as a test case, as `GET /api/v1/incidents/{id}/case` returns it.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// Version of this form: [`Case::FORMAT`].
    pub format: u32,
    /// The wall clock at which switch time starts, in nanoseconds since 1970; absent if the network is simulated.
    pub zero_ns: Option<u64>,
    /// Nanoseconds of wall clock for one of switch time; absent if the network is simulated.
    pub time_scale: Option<u64>,
    /// Id of the incident.
    pub incident: String,
    /// Whether the verdict was right; absent without an answer.
    pub feedback: Option<Feedback>,
    /// The notes of the incident.
    pub notes: Vec<CaseNote>,
    /// The verdict.
    pub diagnosis: Diagnosis,
    /// The graph that shows it. Absent from cases of versions before 0.3.
    pub graph: Option<ProvenanceGraph>,
    /// When the diagnosis arrived, in nanoseconds since 1970; absent from cases of versions before 0.3.
    pub wall_ns: Option<u64>,
    /// The telemetry that it rests on.
    pub snapshot: Snapshot,
    /// The network; absent if none was loaded.
    pub topology: Option<Topology>,
}

impl Case {
    /// The version of the form of cases that this version reads and writes.
    pub const FORMAT: u32 = FORMAT;
}

/// A note of a test case.
#[derive(Debug, Deserialize)]
pub struct CaseNote {
    /// Its number, from 1 on.
    pub number: u64,
    /// When it was written, in nanoseconds since 1970. Absent from cases of versions before 0.3.
    #[serde(default)]
    pub wall_ns: u64,
    /// Who wrote it.
    pub author: String,
    /// What it set the handling to.
    pub handling: Option<Handling>,
    /// What it said about the verdict.
    pub feedback: Option<Feedback>,
    /// The text; may be empty.
    pub text: String,
    /// The diagnosis that it is about. Absent from cases of versions before 0.3.
    pub diagnosis: Option<String>,
}

/// A row of an export, or a whole test case.
#[derive(Debug)]
pub(crate) enum Record {
    Clock(Clock),
    Topology(Box<TopologyLine>),
    Finding(FindingLine),
    Incident(Box<IncidentLine>),
    Occurrence(OccurrenceLine),
    Note(NoteLine),
    Diagnosis(Box<DiagnosisLine>),
    Snapshot(Box<SnapshotLine>),
    Case(Box<Case>),
}

/// The name of the kind of a line, whatever else is in it.
#[derive(Deserialize)]
struct Kind {
    kind: String,
}

/// A line or column, and what is wrong there.
type Wrong = (u64, usize, String);

/// Reads the records of a file, one at a time.
pub(crate) struct Records<'r> {
    file: Import<'r>,
    line: u64,
    is_ended: bool,
}

impl<'r> Records<'r> {
    pub(crate) fn new(file: Import<'r>) -> Records<'r> {
        Records { file, line: 0, is_ended: false }
    }

    /// Returns a mistake in the line of the latest record.
    pub(crate) fn mistake(&self, text: String) -> Mistake {
        Mistake { file: self.file.name.clone(), line: self.line, column: 0, text }
    }

    /// Returns the next record, or what is wrong in place of it; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<Result<Record, Mistake>>, ImportError> {
        if self.is_ended {
            return Ok(None);
        }
        let read = self.read_line().map_err(|source| self.cannot_read(source))?;
        let record = match read {
            Err(wrong) => Err(wrong),
            Ok(None) if self.line == 0 => Err((1, 0, "the file is empty".into())),
            Ok(None) => return Ok(None),
            Ok(Some(text)) if self.line == 1 => self.first(text)?,
            Ok(Some(text)) => record(text.trim_ascii_end()).map_err(|error| self.at(&error)),
        };
        // Without its first line the rest has no meaning.
        self.is_ended |= record.is_err() && self.line <= 1;
        let file = || self.file.name.clone();
        Ok(Some(record.map_err(|(line, column, text)| Mistake { file: file(), line, column, text })))
    }

    /// Reads the first line: the header of an export, or the start of a test case.
    fn first(&mut self, text: Vec<u8>) -> Result<Result<Record, Wrong>, ImportError> {
        if let Ok(Kind { kind }) = serde_json::from_slice(&text) {
            if kind != "store" {
                let text = format!("an export starts with a line of kind `store`, this one has `{kind}`");
                return Ok(Err((1, 0, text)));
            }
            let header = serde_json::from_slice::<Header>(&text).map_err(|error| self.at(&error));
            return Ok(header.and_then(|header| {
                check_format(header.format)?;
                Ok(Record::Clock(Clock { zero_ns: header.zero_ns, time_scale: header.time_scale }))
            }));
        }
        self.is_ended = true;
        let mut whole = text;
        let room = LINE_BYTES + 1 - (whole.len() as u64).min(LINE_BYTES);
        let read = self.file.contents.by_ref().take(room).read_to_end(&mut whole);
        read.map_err(|source| self.cannot_read(source))?;
        if whole.len() as u64 > LINE_BYTES {
            return Ok(Err((1, 0, format!("a test case has at most {LINE_BYTES} bytes"))));
        }
        let case = serde_json::from_slice::<Case>(&whole);
        let wrong = |error: serde_json::Error| {
            let text = format!("neither an export nor a test case: {}", without_position(&error));
            (error.line() as u64, error.column(), text)
        };
        Ok(case.map_err(wrong).and_then(|case| {
            check_format(case.format)?;
            Ok(Record::Case(Box::new(case)))
        }))
    }

    /// Reads a line without its line break; `None` at the end of the file.
    fn read_line(&mut self) -> std::io::Result<Result<Option<Vec<u8>>, Wrong>> {
        let mut text = Vec::new();
        self.file.contents.by_ref().take(LINE_BYTES + 1).read_until(b'\n', &mut text)?;
        if text.is_empty() {
            return Ok(Ok(None));
        }
        self.line += 1;
        if text.len() as u64 > LINE_BYTES {
            self.is_ended = true;
            return Ok(Err((self.line, 0, format!("a line has at most {LINE_BYTES} bytes"))));
        }
        Ok(Ok(Some(text)))
    }

    fn at(&self, error: &serde_json::Error) -> Wrong {
        (self.line, error.column(), without_position(error))
    }

    fn cannot_read(&self, source: std::io::Error) -> ImportError {
        ImportError::Read { file: self.file.name.clone(), source }
    }
}

fn check_format(format: u32) -> Result<(), Wrong> {
    match format {
        FORMAT => Ok(()),
        other => Err((1, 0, format!("format {other} is not known; this version reads format {FORMAT}"))),
    }
}

fn record(text: &[u8]) -> Result<Record, serde_json::Error> {
    fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
        serde_json::from_slice(text)
    }
    let Kind { kind } = read(text)?;
    match kind.as_str() {
        "topology" => read(text).map(Box::new).map(Record::Topology),
        "finding" => read(text).map(Record::Finding),
        "incident" => read(text).map(Box::new).map(Record::Incident),
        "occurrence" => read(text).map(Record::Occurrence),
        "note" => read(text).map(Record::Note),
        "diagnosis" => read(text).map(Box::new).map(Record::Diagnosis),
        "snapshot" => read(text).map(Box::new).map(Record::Snapshot),
        other => Err(serde::de::Error::custom(format!(
            "`{other}` is not the kind of a row; expected topology, finding, incident, occurrence, note, diagnosis or snapshot"
        ))),
    }
}

/// The text of an error without the position, which is that within the line.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

/// Says what is wrong with an id, if anything.
pub(crate) fn check_id(what: &str, id: &str) -> Result<(), String> {
    match id.len() {
        1..=TEXT_ID_BYTES => Ok(()),
        length => Err(format!("the id of a {what} has 1 to {TEXT_ID_BYTES} bytes, this one has {length}")),
    }
}
