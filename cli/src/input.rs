//! Files as the cores want them: text with a name, and one error that lists every unreadable file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Reads a file as UTF-8 text.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        anyhow::anyhow!("{}:{line}:{column}: not UTF-8 text", path.display())
    })
}

/// Writes files so that all of them are there whole or none is: beside them first, then renamed.
pub(crate) fn write_all(files: &[(&Path, Vec<u8>)]) -> anyhow::Result<()> {
    let beside = |path: &Path| {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    };
    let mut made: Vec<PathBuf> = Vec::new();
    let mut write = || -> anyhow::Result<()> {
        for (path, bytes) in files {
            if path.is_dir() {
                bail!("cannot write {}: it is a directory", path.display());
            }
            made.push(beside(path));
            fs::write(beside(path), bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
        for (path, _) in files {
            fs::rename(beside(path), path).with_context(|| format!("cannot write {}", path.display()))?;
            // After the rename: a file that could not be replaced is the one from before, and stays.
            made.push(path.to_path_buf());
        }
        Ok(())
    };
    let written = write();
    if written.is_err() {
        for path in made {
            // Best effort, and most are not there: the error that matters is the one reported.
            let _ = fs::remove_file(path);
        }
    }
    written
}

/// Fails with all problems at once, one a line.
pub(crate) fn fail_with(what: &str, problems: &[String]) -> anyhow::Result<()> {
    match problems {
        [] => Ok(()),
        [only] => bail!("{only}"),
        many => bail!("{what}: {} problems\n{}", many.len(), many.join("\n")),
    }
}
