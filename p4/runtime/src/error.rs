//! P4Runtime statuses: one `p4.v1.Error` for each update or request of a batch, in the details of the gRPC status.
//!
//! Source: P4Runtime specification, "Error Reporting Messages".

use crate::proto::google::rpc;
use crate::proto::p4::v1;
use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

/// The error space of our details.
pub const SPACE: &str = "harrier";

const ERROR_TYPE_URL: &str = "type.googleapis.com/p4.v1.Error";

/// Error of an update or request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Canonical code.
    pub code: Code,
    /// The message, for people.
    pub message: String,
}

impl Refusal {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    /// `INVALID_ARGUMENT`.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::InvalidArgument, message)
    }

    /// `NOT_FOUND`.
    pub fn not_found(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::NotFound, message)
    }

    /// `OUT_OF_RANGE`.
    pub fn out_of_range(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::OutOfRange, message)
    }

    /// `UNIMPLEMENTED`.
    pub fn unimplemented(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::Unimplemented, message)
    }

    /// `PERMISSION_DENIED`.
    pub fn denied(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::PermissionDenied, message)
    }

    /// Converts the error to the status of a whole call.
    pub fn into_status(self) -> Status {
        Status::new(self.code, self.message)
    }
}

impl From<p4_switch::ControlError> for Refusal {
    fn from(error: p4_switch::ControlError) -> Refusal {
        use p4_switch::ControlError as E;
        let code = match &error {
            E::NoProgram | E::InUse { .. } => Code::FailedPrecondition,
            E::NotFound { .. } => Code::NotFound,
            E::Ambiguous { .. } | E::InvalidArgument { .. } => Code::InvalidArgument,
            E::AlreadyExists { .. } => Code::AlreadyExists,
            E::Full { .. } => Code::ResourceExhausted,
            E::Constant { .. } => Code::PermissionDenied,
        };
        Refusal::new(code, error.to_string())
    }
}

impl From<crate::bytestring::BytestringError> for Refusal {
    fn from(error: crate::bytestring::BytestringError) -> Refusal {
        Refusal::out_of_range(error.to_string())
    }
}

/// Header of a request with the size of the error details that its client accepts, in bytes; without it the size is
/// [`DETAIL_BYTES`].
pub const DETAIL_BYTES_HEADER: &str = "harrier-detail-bytes";

/// Maximum size of error details in bytes. They are sent in a header, in base64; gRPC's libraries accept 8 KiB of
/// headers (`GRPC_ARG_MAX_METADATA_SIZE`), and otherwise report nothing but that the headers are too large.
pub const DETAIL_BYTES: usize = 5 << 10;

/// Maximum number of errors in the message of a status without details.
const LISTED: usize = 3;
/// Maximum length of each of them in characters.
const LISTED_CHARS: usize = 300;

/// Returns the status of a batch: OK if all members succeeded, otherwise `UNKNOWN` with one detail per member in order,
/// including those that succeeded. If the details take more than `limit` bytes, they have codes but no messages; if
/// that is too much too, there are none, and the message lists the first errors.
///
/// # Errors
/// If at least one member failed.
pub fn batch_status(what: &str, results: &[Result<(), Refusal>], limit: usize) -> Result<(), Status> {
    let failed = results.iter().filter(|result| result.is_err()).count();
    if failed == 0 {
        return Ok(());
    }
    let message = format!("{failed} of {} {what} failed", results.len());
    for detail in [full, code_only] {
        let details = results.iter().map(detail).collect();
        let status = rpc::Status { code: Code::Unknown as i32, message: message.clone(), details };
        if status.encoded_len() <= limit {
            return Err(Status::with_details(Code::Unknown, message, status.encode_to_vec().into()));
        }
    }
    let errors = results.iter().enumerate().filter_map(|(at, result)| Some((at, result.as_ref().err()?)));
    let listed: Vec<String> = errors
        .take(LISTED)
        .map(|(at, refusal)| {
            let text: String = refusal.message.chars().take(LISTED_CHARS).collect();
            format!("number {at}: {:?}: {text}", refusal.code)
        })
        .collect();
    let advice = "the details of all are too large for a status; send fewer at a time";
    Err(Status::new(Code::Unknown, format!("{message}; {}; {advice}", listed.join("; "))))
}

/// Returns the size of the error details that a client accepts.
pub(crate) fn accepted_detail_bytes(headers: &MetadataMap) -> usize {
    let stated = headers.get(DETAIL_BYTES_HEADER).and_then(|value| value.to_str().ok()?.parse().ok());
    stated.unwrap_or(DETAIL_BYTES)
}

fn code_only(result: &Result<(), Refusal>) -> prost_types::Any {
    let canonical_code = result.as_ref().err().map_or(0, |refusal| refusal.code as i32);
    let error = v1::Error { canonical_code, ..Default::default() };
    prost_types::Any { type_url: ERROR_TYPE_URL.into(), value: error.encode_to_vec() }
}

fn full(result: &Result<(), Refusal>) -> prost_types::Any {
    let error = match result {
        Ok(()) => v1::Error::default(),
        Err(refusal) => v1::Error {
            canonical_code: refusal.code as i32,
            message: refusal.message.clone(),
            space: SPACE.into(),
            ..Default::default()
        },
    };
    prost_types::Any { type_url: ERROR_TYPE_URL.into(), value: error.encode_to_vec() }
}

/// Returns the details of a status, one per member of the batch; empty if there are none or they are not P4Runtime's.
pub fn details_of(status: &Status) -> Vec<v1::Error> {
    let Ok(decoded) = rpc::Status::decode(status.details()) else { return Vec::new() };
    let errors = decoded.details.iter().map(|any| match any.type_url.ends_with("/p4.v1.Error") {
        true => v1::Error::decode(any.value.as_slice()).ok(),
        false => None,
    });
    errors.collect::<Option<Vec<_>>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_one_detail_per_member_in_order() {
        let results = [Ok(()), Err(Refusal::not_found("no such entry")), Ok(())];
        let status = batch_status("updates", &results, DETAIL_BYTES).expect_err("one failed");
        assert_eq!(status.code(), Code::Unknown);
        let codes: Vec<i32> = details_of(&status).iter().map(|error| error.canonical_code).collect();
        assert_eq!(codes, [0, Code::NotFound as i32, 0]);
        assert!(batch_status("updates", &[Ok(())], DETAIL_BYTES).is_ok());
    }

    #[test]
    fn large_details_lose_first_their_messages_and_then_all() {
        let long = "x".repeat(200);
        let check = |count: usize, codes: usize, messages: bool| {
            let results: Vec<_> = (0..count).map(|_| Err(Refusal::not_found(&*long))).collect();
            let status = batch_status("updates", &results, DETAIL_BYTES).expect_err("all failed");
            let details = details_of(&status);
            assert!(status.details().len() <= DETAIL_BYTES, "{count}: {}", status.details().len());
            assert_eq!(details.len(), codes, "{count}");
            assert!(details.iter().all(|error| error.canonical_code == Code::NotFound as i32), "{count}");
            assert_eq!(details.iter().any(|error| error.message == long), messages, "{count}");
            assert_eq!(status.message().contains(&long), codes == 0, "{count}: {}", status.message());
        };
        check(10, 10, true);
        check(100, 100, false);
        check(20_000, 0, false);
    }
}
