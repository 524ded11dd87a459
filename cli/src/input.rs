//! Reading and writing of files, and one error for all problems of the input.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Reads a file as UTF-8 text.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    utf8(bytes).map_err(|problem| anyhow::anyhow!("{}:{problem}", path.display()))
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

/// Writes all files or none: first to temporary files in the same folders, which are then renamed.
pub(crate) fn write_all(files: &[(&Path, Vec<u8>)]) -> anyhow::Result<()> {
    let temporary = |path: &Path| {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    };
    let mut created: Vec<PathBuf> = Vec::new();
    let mut write = || -> anyhow::Result<()> {
        for (path, bytes) in files {
            if path.is_dir() {
                bail!("cannot write {}: it is a directory", path.display());
            }
            created.push(temporary(path));
            fs::write(temporary(path), bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
        for (path, _) in files {
            fs::rename(temporary(path), path).with_context(|| format!("cannot write {}", path.display()))?;
            // Only after the rename: a file that could not be replaced is the old one and must stay.
            created.push(path.to_path_buf());
        }
        Ok(())
    };
    let written = write();
    if written.is_err() {
        for path in created {
            // Best effort; some do not exist any more. The error to report is the first one.
            let _ = fs::remove_file(path);
        }
    }
    written
}

/// Fails with all problems, one on each line; succeeds if there are none.
pub(crate) fn fail_with(what: &str, problems: &[String]) -> anyhow::Result<()> {
    match problems {
        [] => Ok(()),
        [only] => bail!("{only}"),
        many => bail!("{what}: {} problems\n{}", many.len(), many.join("\n")),
    }
}
