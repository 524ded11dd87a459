//! What can go wrong on a controller's side.

use super::SchemaError;
use crate::error::details_of;
use std::fmt::Write;
use tonic::{Code, Status};

/// A refused update or request of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateError {
    /// Its position in the batch.
    pub index: usize,
    /// Canonical code.
    pub code: Code,
    /// What is wrong, in the server's words.
    pub message: String,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server does not answer.
    #[error("cannot connect to {endpoint}: {source}")]
    Connect {
        /// Where to.
        endpoint: String,
        /// Why.
        source: tonic::transport::Error,
    },
    /// The server refused the whole call.
    #[error("{code:?}: {message}")]
    Status {
        /// Canonical code.
        code: Code,
        /// The server's words.
        message: String,
    },
    /// Members of a batch were refused; the others were done.
    #[error("{}", describe(.total, .failed))]
    Batch {
        /// Members of the batch.
        total: usize,
        /// Those that were refused.
        failed: Vec<UpdateError>,
    },
    /// Another controller is primary.
    #[error("election id {election_id} does not make this controller primary; the highest is {highest:?}")]
    NotPrimary {
        /// This controller's.
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
    /// The answer lacks elements.
    #[error("the answer does not hold all elements of register {register}")]
    Incomplete {
        /// The register.
        register: String,
    },
    /// The answer is not what was asked for.
    #[error("the answer is malformed: {0}")]
    Malformed(String),
}

/// Refused updates that a message lists.
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
    /// The canonical code of a refused call, or of the first refused member of a batch.
    pub fn code(&self) -> Option<Code> {
        match self {
            ClientError::Status { code, .. } => Some(*code),
            ClientError::Batch { failed, .. } => failed.first().map(|error| error.code),
            _ => None,
        }
    }
}
