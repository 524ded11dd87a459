//! What is wrong with a JSON file, with positions.

use std::fmt;

/// How severe a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program cannot be run.
    Error,
    /// The program can be run, but not everything in it has an effect.
    Warning,
}

/// A problem of a JSON file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether it prevents running the program.
    pub severity: Severity,
    /// Its position as a JSON pointer (RFC 6901), e.g. `/actions/3/primitives/0/op`; empty for the whole file.
    pub pointer: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match self.pointer.as_str() {
            "" => write!(f, "{severity}: {}", self.message),
            pointer => write!(f, "{severity}: {pointer}: {}", self.message),
        }
    }
}

/// Maximum number of problems that are kept; the others are counted.
const MAX_KEPT: usize = 1_000;

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    kept: Vec<Problem>,
    errors: usize,
    warnings: usize,
}

impl Problems {
    pub(super) fn push(&mut self, severity: Severity, pointer: String, message: String) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
        if self.kept.len() < MAX_KEPT {
            self.kept.push(Problem { severity, pointer, message });
        }
    }

    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// Returns the kept problems, and the number of all errors and of all warnings.
    pub(super) fn finish(self) -> (Vec<Problem>, usize, usize) {
        (self.kept, self.errors, self.warnings)
    }
}
