//! The content of `p4_device_config` for this switch: the sources of the program, or the program in the JSON format of
//! the reference switch ([`p4_switch::bmv2`]), bare or as `device_data` of the message `p4.tmp.P4DeviceConfig`
//! (p4lang/PI, `proto/p4/tmp/p4config.proto`), which controllers for the reference switch send.
//!
//! The switch compiles the sources and rejects a P4Info that does not match the program. Layout, all numbers
//! big-endian: the tag, a version, a kind, the length and bytes of the main file's name, the number of files, and for
//! each file the lengths and bytes of its name and of its text. UTF-8 text without the tag is a program of a single
//! file, so that other controllers can load a `.p4` file in place of compiler output.

use crate::p4info;
use crate::proto::p4::config::v1::P4Info;
use p4_lang::ir::Program;
use p4_lang::{Cancel, MemoryLoader, Options};
use p4_switch::bmv2;
use prost::Message;
use std::collections::BTreeMap;

/// First bytes of a configuration.
pub const TAG: &[u8; 8] = b"HARRIER\0";
/// The version that this crate writes.
pub const VERSION: u16 = 1;
/// Kind of a configuration with sources.
const KIND_SOURCES: u16 = 1;
/// Maximum number of files of a program.
pub const FILES: u32 = 4096;
/// Name of the file if the configuration is plain text.
const BARE_NAME: &str = "main.p4";

/// Maximum number of problems of a JSON file that an error message lists.
const SHOWN_PROBLEMS: usize = 20;

/// A device configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceConfig {
    /// P4 sources.
    Sources(SourceBundle),
    /// A program in the JSON format of the reference switch.
    Bmv2Json(String),
}

/// The message in which controllers for the reference switch send a program.
#[derive(Clone, PartialEq, Message)]
struct P4DeviceConfig {
    #[prost(bytes = "vec", tag = "3")]
    device_data: Vec<u8>,
}

impl DeviceConfig {
    /// Decodes a configuration.
    ///
    /// # Errors
    /// If it is damaged or of an unknown kind.
    pub fn decode(bytes: &[u8]) -> Result<DeviceConfig, DeviceConfigError> {
        if !bytes.starts_with(TAG) {
            if let Some(text) = json_text(bytes) {
                return Ok(DeviceConfig::Bmv2Json(text));
            }
            let message = P4DeviceConfig::decode(bytes).ok();
            if let Some(text) = message.and_then(|message| json_text(&message.device_data)) {
                return Ok(DeviceConfig::Bmv2Json(text));
            }
        }
        SourceBundle::decode(bytes).map(DeviceConfig::Sources)
    }
}

/// Returns the text if it is a JSON object.
fn json_text(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| bmv2::is_json(text))?;
    Some(text.to_owned())
}

/// Reads a program in the JSON format of the reference switch. With a P4Info, its objects have the ids of the P4Info.
///
/// # Errors
/// The problems of the file, with their positions.
pub fn read_json(name: &str, text: &str, info: Option<&P4Info>) -> Result<Program, String> {
    let reading = bmv2::read(name, text);
    let report = reading.report(SHOWN_PROBLEMS);
    let mut program = reading.program.ok_or(report)?;
    if let Some(info) = info {
        p4info::adopt(&mut program, info);
    }
    Ok(program)
}

/// The sources of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceBundle {
    /// Name of the main file.
    pub main: String,
    /// Texts by the names that `#include` uses.
    pub files: BTreeMap<String, String>,
}

/// Errors of decoding a device configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceConfigError {
    /// The configuration is empty.
    #[error("the device configuration is empty; it must hold the program's sources")]
    Empty,
    /// Output of p4c for bmv2.
    #[error("the device configuration is JSON, not P4 sources")]
    Bmv2Json,
    /// Neither tagged nor UTF-8 text.
    #[error("the device configuration neither has the tag of this switch nor is P4 source text")]
    Foreign,
    /// Unknown version or kind.
    #[error("the device configuration has version {version} and kind {kind}; version 1 and kind 1 are known")]
    Version {
        /// Its version.
        version: u16,
        /// Its kind.
        kind: u16,
    },
    /// Truncated, with trailing bytes, or with text that is not UTF-8.
    #[error("the device configuration is damaged at byte {at}: {reason}")]
    Damaged {
        /// Byte offset.
        at: usize,
        /// The reason.
        reason: &'static str,
    },
}

impl SourceBundle {
    /// Creates a program of one file.
    pub fn single(name: impl Into<String>, text: impl Into<String>) -> SourceBundle {
        let name = name.into();
        SourceBundle { main: name.clone(), files: BTreeMap::from([(name, text.into())]) }
    }

    /// Encodes the sources for `p4_device_config`.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = TAG.to_vec();
        out.extend_from_slice(&VERSION.to_be_bytes());
        out.extend_from_slice(&KIND_SOURCES.to_be_bytes());
        let text = |text: &str, out: &mut Vec<u8>| {
            out.extend_from_slice(&(text.len() as u32).to_be_bytes());
            out.extend_from_slice(text.as_bytes());
        };
        text(&self.main, &mut out);
        out.extend_from_slice(&(self.files.len() as u32).to_be_bytes());
        for (name, body) in &self.files {
            text(name, &mut out);
            text(body, &mut out);
        }
        out
    }

    /// Decodes a configuration.
    ///
    /// # Errors
    /// If it is damaged or of an unknown kind.
    pub fn decode(bytes: &[u8]) -> Result<SourceBundle, DeviceConfigError> {
        let Some(body) = bytes.strip_prefix(TAG) else { return bare(bytes) };
        let mut reader = Reader { bytes: body, offset: TAG.len() };
        let (version, kind) = (reader.number16()?, reader.number16()?);
        if (version, kind) != (VERSION, KIND_SOURCES) {
            return Err(DeviceConfigError::Version { version, kind });
        }
        let main = reader.text()?;
        let count = reader.number32()?;
        if count > FILES {
            return Err(reader.damaged("too many files"));
        }
        let mut files = BTreeMap::new();
        for _ in 0..count {
            let name = reader.text()?;
            let text = reader.text()?;
            files.insert(name, text);
        }
        if !reader.bytes.is_empty() {
            return Err(reader.damaged("unexpected bytes follow the last file"));
        }
        if !files.contains_key(&main) {
            return Err(reader.damaged("the main file is missing"));
        }
        Ok(SourceBundle { main, files })
    }
}

/// Compiles the sources with the P4 front end.
///
/// # Errors
/// The diagnostics of the front end.
pub fn compile(sources: &SourceBundle) -> Result<Program, String> {
    compile_until(sources, &Cancel::default())
}

/// Compiles the sources unless another thread cancels the compilation.
///
/// # Errors
/// The diagnostics of the front end.
pub fn compile_until(sources: &SourceBundle, cancel: &Cancel) -> Result<Program, String> {
    let loader = sources
        .files
        .iter()
        .fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name.as_str(), text.as_str()));
    let options = Options { p4info: true, cancel: cancel.clone(), ..Options::default() };
    let compilation = p4_lang::compile(&sources.main, &loader, &options);
    match compilation.program {
        Some(program) => Ok(program),
        None => Err(compilation.report(false)),
    }
}

fn bare(bytes: &[u8]) -> Result<SourceBundle, DeviceConfigError> {
    let text = std::str::from_utf8(bytes).map_err(|_| DeviceConfigError::Foreign)?;
    match text.trim_start().chars().next() {
        None => Err(DeviceConfigError::Empty),
        Some('{') => Err(DeviceConfigError::Bmv2Json),
        Some(_) if text.contains('\0') => Err(DeviceConfigError::Foreign),
        Some(_) => Ok(SourceBundle::single(BARE_NAME, text)),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn damaged(&self, reason: &'static str) -> DeviceConfigError {
        DeviceConfigError::Damaged { at: self.offset, reason }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], DeviceConfigError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(self.damaged("it ends too early"))?;
        self.bytes = rest;
        self.offset += count;
        Ok(taken)
    }

    fn number16(&mut self) -> Result<u16, DeviceConfigError> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn number32(&mut self) -> Result<u32, DeviceConfigError> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn text(&mut self) -> Result<String, DeviceConfigError> {
        let length = self.number32()? as usize;
        let bytes = self.take(length)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.damaged("a text is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sources_round_trip(files in prop::collection::btree_map("[a-z/.]{1,9}", ".{0,40}", 1..5)) {
            let main = files.keys().next().cloned().unwrap_or_default();
            let bundle = SourceBundle { main, files };
            prop_assert_eq!(SourceBundle::decode(&bundle.encode()), Ok(bundle));
        }

        #[test]
        fn truncated_configurations_are_rejected(cut in 1usize..40) {
            let whole = SourceBundle::single("a.p4", "control c() { apply {} }").encode();
            let bytes = &whole[..whole.len() - cut.min(whole.len() - TAG.len())];
            prop_assert!(SourceBundle::decode(bytes).is_err());
        }

        #[test]
        fn trailing_bytes_are_rejected(noise in prop::collection::vec(any::<u8>(), 1..8)) {
            let mut bytes = SourceBundle::single("a.p4", "control c() { apply {} }").encode();
            bytes.extend(&noise);
            prop_assert!(SourceBundle::decode(&bytes).is_err());
        }

        #[test]
        fn any_bytes_are_decoded_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut tagged = TAG.to_vec();
            tagged.extend(&bytes);
            let _ = SourceBundle::decode(&bytes);
            let _ = SourceBundle::decode(&tagged);
        }
    }

    #[test]
    fn json_is_found_bare_and_in_the_message_of_the_reference_switch() {
        let json = Ok(DeviceConfig::Bmv2Json("{\"actions\": []}".to_owned()));
        assert_eq!(DeviceConfig::decode(b"{\"actions\": []}"), json);
        // Fields 1 (`reassign`), 2 (`extras`, empty) and 3 (`device_data`).
        assert_eq!(DeviceConfig::decode(b"\x08\x01\x12\x00\x1a\x0f{\"actions\": []}"), json);
        let source = DeviceConfig::decode(b"#include <v1model.p4>\n");
        assert_eq!(source, SourceBundle::decode(b"#include <v1model.p4>\n").map(DeviceConfig::Sources));
        assert_eq!(DeviceConfig::decode(b"\x08\x01\x1a\xff"), Err(DeviceConfigError::Foreign));
    }

    #[test]
    fn each_kind_of_foreign_configuration_has_its_error() {
        assert_eq!(SourceBundle::decode(b""), Err(DeviceConfigError::Empty));
        assert_eq!(SourceBundle::decode(b" {\"program\": 1}"), Err(DeviceConfigError::Bmv2Json));
        assert_eq!(SourceBundle::decode(&[0xff, 0xfe, 1]), Err(DeviceConfigError::Foreign));
        assert!(SourceBundle::decode(b"#include <v1model.p4>\n").is_ok());
    }
}
