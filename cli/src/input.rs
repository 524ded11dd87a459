//! Reading and writing of files, and one error for all problems of the input.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};

use crate::partial_files::PartialFiles;
use crate::units;

/// The largest input that is read as a whole. A snapshot of a thousand switches is smaller, and its parsed form takes several
/// times its size in memory.
const MAX_INPUT_BYTES: u64 = 1 << 30;

/// Reads a file as UTF-8 text of at most 1 GiB.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    utf8(read_bytes(path)?).map_err(|problem| anyhow::anyhow!("{}:{problem}", path.display()))
}

/// Reads a file, a FIFO or a device of at most 1 GiB.
pub(crate) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let read = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        // A file that is too large is refused before it is read.
        if metadata.is_file() && metadata.len() > MAX_INPUT_BYTES {
            return Err(too_large(MAX_INPUT_BYTES));
        }
        read_at_most(file, MAX_INPUT_BYTES)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Reads standard input as UTF-8 text of at most 1 GiB.
pub(crate) fn read_stdin() -> anyhow::Result<String> {
    let bytes = read_at_most(io::stdin().lock(), MAX_INPUT_BYTES).context("cannot read stdin")?;
    utf8(bytes).map_err(|problem| anyhow::anyhow!("stdin:{problem}"))
}

fn read_at_most(source: impl Read, limit_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit_bytes { Err(too_large(limit_bytes)) } else { Ok(bytes) }
}

fn too_large(limit_bytes: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {}", units::bytes(limit_bytes)))
}

/// The bytes as UTF-8 text, or the position of the first that are not.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        format!("{line}:{column}: not UTF-8 text")
    })
}

/// Writes all files or none ([`PartialFiles`]).
pub(crate) fn write_all(files: &[(&Path, Vec<u8>)]) -> anyhow::Result<()> {
    let mut written = PartialFiles::default();
    for (path, bytes) in files {
        let mut file = written.create(path)?;
        file.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    written.complete()
}

/// Fails with all problems, one on each line; succeeds if there are none.
pub(crate) fn fail_with(what: &str, problems: &[String]) -> anyhow::Result<()> {
    match problems {
        [] => Ok(()),
        [only] => bail!("{only}"),
        many => bail!("{what}: {} problems\n{}", many.len(), many.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_without_an_end_is_read_up_to_the_limit() {
        let endless = || io::repeat(b'x');
        assert_eq!(read_at_most(endless().take(1_024), 1_024).unwrap().len(), 1_024);
        assert_eq!(read_at_most(endless(), 1_024).unwrap_err().to_string(), "it is larger than 1.0 KiB");
    }
}
