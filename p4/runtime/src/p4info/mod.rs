//! P4Info: the control plane's description of a program, made from the checked program, written and read as text
//! and binary protobuf.
//!
//! Contents and order follow what p4c's `--p4runtime-files` writes for v1model, so that a controller built against
//! p4c's file works with ours; the message is that of the P4Runtime specification, "The P4Info Message".

mod annotation;
mod compare;
mod fields;
mod generate;
mod text;
mod types;

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

/// Reads the encoded message.
///
/// # Errors
/// When the bytes are not a P4Info message.
pub fn from_binary(bytes: &[u8]) -> Result<config::P4Info, prost::DecodeError> {
    config::P4Info::decode(bytes)
}
