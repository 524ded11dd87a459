//! P4Info: the control plane's description of a program, generated from the compiled program, as text and binary
//! protobuf.
//!
//! Content and order are those of p4c's `--p4runtime-files` for v1model, so that a controller for p4c's file works with
//! this one; the message is that of the P4Runtime specification, "The P4Info Message".

mod adopt;
mod annotation;
mod compare;
mod fields;
mod generate;
mod text;
mod types;

pub use adopt::adopt;
pub use compare::differences;
pub use fields::field_differences;
pub use generate::from_program;
pub use text::{TextError, from_text, to_text};

use crate::proto::p4::config::v1 as config;
use prost::Message;

/// The encoded message.
pub fn to_binary(info: &config::P4Info) -> Vec<u8> {
    info.encode_to_vec()
}

/// Decodes the message.
///
/// # Errors
/// If the bytes are not a P4Info message.
pub fn from_binary(bytes: &[u8]) -> Result<config::P4Info, prost::DecodeError> {
    config::P4Info::decode(bytes)
}
