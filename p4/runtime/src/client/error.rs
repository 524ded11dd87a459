//! Errors of the client.

use super::SchemaError;
use crate::error::details_of;
use std::fmt::Write;
use tonic::{Code, Status};

/// The error of one update or request of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateError {
    /// Its position in the batch.
    pub index: usize,
    /// Canonical code.
    pub code: Code,
    /// The server's message.
    pub message: String,
}

/// Describes an error of tonic by its causes: its own text is only `transport error`. A cause that repeats the text of
/// another one is said once.
pub fn connection_causes(error: &tonic::transport::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        match texts.last_mut() {
            Some(last) if last.contains(&text) => {}
            Some(last) if text.contains(last.as_str()) => *last = text,
            _ => texts.push(text),
        }
        cause = error.source();
    }
    if texts.is_empty() { error.to_string() } else { texts.join(": ") }
}

/// Errors of calls.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed.
    #[error("cannot connect to {endpoint}: {}", connection_causes(.source))]
    Connect {
        /// The endpoint.
        endpoint: String,
        /// The cause.
        source: tonic::transport::Error,
    },
    /// The server rejected the whole call.
    #[error("{code:?}: {message}")]
    Status {
        /// Canonical code.
        code: Code,
        /// The server's message.
        message: String,
    },
    /// Members of a batch failed. Without rollback, the others were applied.
    #[error("{}", describe(.total, .failed))]
    Batch {
        /// Number of members of the batch.
        total: usize,
        /// The failed members.
        failed: Vec<UpdateError>,
    },
    /// Another controller is primary.
    #[error("election id {election_id} does not make this controller primary; the highest is {highest:?}")]
    NotPrimary {
        /// The election id of this controller.
        election_id: u128,
        /// The highest that the server has seen.
        highest: Option<u128>,
    },
    /// The stream has ended.
    #[error("the stream has ended")]
    StreamClosed,
    /// A name or value does not fit the pipeline.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The response lacks elements.
    #[error("the response lacks elements of register {register}")]
    Incomplete {
        /// The register.
        register: String,
    },
    /// The response does not match the request.
    #[error("the response is malformed: {0}")]
    Malformed(String),
}

/// Maximum number of failed updates that a message lists.
const LISTED: usize = 3;

fn describe(total: &usize, failed: &[UpdateError]) -> String {
    let mut text = format!("{} of {total} failed", failed.len());
    for error in failed.iter().take(LISTED) {
        let _ = write!(text, "; number {}: {:?}: {}", error.index, error.code, error.message);
    }
    if failed.len() > LISTED {
        let _ = write!(text, "; and {} more", failed.len() - LISTED);
    }
    text
}

impl From<Status> for ClientError {
    fn from(status: Status) -> ClientError {
        let details = details_of(&status);
        if details.is_empty() {
            return ClientError::Status { code: status.code(), message: status.message().to_string() };
        }
        let failed = details.iter().enumerate().filter(|(_, error)| error.canonical_code != 0);
        ClientError::Batch {
            total: details.len(),
            failed: failed
                .map(|(index, error)| UpdateError {
                    index,
                    code: Code::from(error.canonical_code),
                    message: error.message.clone(),
                })
                .collect(),
        }
    }
}

impl ClientError {
    /// Returns the canonical code of a rejected call, or of the first failed member of a batch.
    pub fn code(&self) -> Option<Code> {
        match self {
            ClientError::Status { code, .. } => Some(*code),
            ClientError::Batch { failed, .. } => failed.first().map(|error| error.code),
            _ => None,
        }
    }
}
