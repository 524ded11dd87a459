//! Reading and writing of files, and one error for all problems of the input.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};

use crate::partial_files::PartialFiles;

/// Reads a file as UTF-8 text.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    utf8(bytes).map_err(|problem| anyhow::anyhow!("{}:{problem}", path.display()))
}

/// Reads standard input as UTF-8 text.
pub(crate) fn read_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
    utf8(bytes).map_err(|problem| anyhow::anyhow!("stdin:{problem}"))
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
