//! Files as the cores want them: text with a name, and one error that lists every unreadable file.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

/// Reads a file as UTF-8 text.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
        anyhow::anyhow!("{}:{line}: not UTF-8 text", path.display())
    })
}

/// Writes a file so that it is there whole or not at all: beside it first, then renamed.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    let beside = Path::new(&beside);
    let written = fs::write(beside, bytes).and_then(|()| fs::rename(beside, path));
    if written.is_err() {
        // Best effort: the error that matters is the one reported below.
        let _ = fs::remove_file(beside);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Fails with all problems at once, one a line.
pub(crate) fn fail_with(what: &str, problems: &[String]) -> anyhow::Result<()> {
    match problems {
        [] => Ok(()),
        [only] => bail!("{only}"),
        many => bail!("{what}: {} problems\n{}", many.len(), many.join("\n")),
    }
}
