//! What is wrong with an input, and where.

use std::fmt;

use model::plain::plain_line;
use serde::{Deserialize, Serialize};

/// A problem of an input. The input is used as far as it is understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Where it is: line and column, both from 1; absent if the problem is about the input as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<(usize, usize)>,
    /// What is wrong, what was expected, and what is done instead.
    pub message: String,
}

impl Problem {
    /// A problem of the input as a whole. Control characters that it cites are shown as their numbers.
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { position: None, message: plain_line(&message.into()).into_owned() }
    }

    /// A problem at a line and a column, both from 1.
    pub fn at(line: usize, column: usize, message: impl Into<String>) -> Problem {
        Problem { position: Some((line, column)), ..Problem::new(message) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "{line}:{column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
