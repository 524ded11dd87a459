//! Reads texts of unknown size and kind: never more than a limit, and only regular files.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use crate::input::utf8;

/// Reads a file as UTF-8 text of at most `limit_bytes`.
///
/// # Errors
/// Why it cannot be read, without the name of the file. A text that starts with a position (`1:2: ...`) follows the
/// name and a colon ([`located`]).
pub(super) fn read(path: &Path, limit_bytes: u64) -> Result<String, String> {
    // A FIFO without a writer would block, so its kind is determined before it is opened.
    let metadata = fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    if let Some(kind) = not_a_file(metadata.file_type()) {
        return Err(format!("is {kind}, not a regular file"));
    }
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    read_from(file, limit_bytes)
}

/// Reads UTF-8 text of at most `limit_bytes`.
///
/// # Errors
/// As [`read`].
pub(super) fn read_from(source: impl Read, limit_bytes: u64) -> Result<String, String> {
    let mut bytes = Vec::new();
    source
        .take(limit_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error: io::Error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(format!("is larger than {} MiB (--max-file-mib)", limit_bytes >> 20));
    }
    match bytes.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err("1:1: is UTF-16 text; convert it with `iconv -f UTF-16 -t UTF-8`".into())
        }
        [0x1f, 0x8b, ..] => Err("is compressed with gzip; decompress it first".into()),
        _ => utf8(bytes),
    }
}

/// A reason with the name of the file.
pub(super) fn located(name: &str, reason: &str) -> String {
    let space = if reason.starts_with(|c: char| c.is_ascii_digit()) { "" } else { " " };
    format!("{name}:{space}{reason}")
}

fn not_a_file(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("a folder")
    } else if kind.is_fifo() {
        Some("a FIFO")
    } else if kind.is_socket() {
        Some("a socket (Redis: unix://PATH?db=4)")
    } else {
        Some("a device")
    }
}
