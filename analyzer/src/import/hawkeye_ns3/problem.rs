//! Problems of a dump.

/// A problem with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {kind}")]
pub struct Problem {
    /// The file's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The problem.
    pub kind: ProblemKind,
}

/// The kinds of problems.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each says what it is")]
pub enum ProblemKind {
    #[error("the file's name does not end in a switch number, as in `telemetry_9.txt`; name the switch")]
    NoSwitch,
    #[error("the topology has no switch `{0}`")]
    UnknownSwitch(String),
    #[error("switch {switch} has no port {port} in the topology")]
    UnknownPort { switch: String, port: u16 },
    #[error("the file holds no telemetry")]
    Empty,
    #[error(
        "`{0}` is no heading of a telemetry dump; expected `time T`, `polling`, `signal`, an epoch, a table's name or `end`"
    )]
    UnknownHeading(String),
    #[error("expected a number up to {max} for {field}, found `{found}`")]
    BadNumber { field: String, max: u64, found: String },
    #[error("expected an IPv4 address as eight hexadecimal digits for {field}, found `{found}`")]
    BadAddress { field: String, found: String },
    #[error("`epoch {0}` before any `time T`: when that epoch was is unknown")]
    NoTime(String),
    #[error("`{0}` numbers a ring slot; after `time T` an epoch is called `epoch now` or `epoch last`")]
    SlotAfterTime(String),
    #[error("the reading that begins here has no `end`: the dump was cut off")]
    NoEnd,
    #[error("a row outside of a table")]
    StrayRow,
    #[error("a table before any `epoch N`: which epoch it belongs to is unknown")]
    NoEpoch,
    #[error("unknown column `{0}`")]
    UnknownColumn(String),
    #[error("column `{0}` is given twice")]
    RepeatedColumn(String),
    #[error("the table has no column `{0}`")]
    MissingColumn(&'static str),
    #[error("the row has {found} fields, its table has {expected} columns")]
    FieldCount { expected: usize, found: usize },
    #[error("the table has more than its one row")]
    ExtraRow,
    #[error("the table ends without its row")]
    NoRow,
}
