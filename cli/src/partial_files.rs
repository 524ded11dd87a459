//! Output files that appear together or not at all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Output files, written under temporary names (`NAME.partial`) in the same folders and renamed together. Dropped before
/// that, it removes them.
#[derive(Default)]
pub(crate) struct PartialFiles {
    paths: Vec<PathBuf>,
    /// Files to remove on failure; some may not exist any more.
    created: Vec<PathBuf>,
}

impl PartialFiles {
    /// Creates the temporary file for `path`.
    ///
    /// # Errors
    /// If it cannot be created, or `path` is a directory.
    pub(crate) fn create(&mut self, path: &Path) -> anyhow::Result<File> {
        if path.is_dir() {
            bail!("cannot write {}: it is a directory", path.display());
        }
        self.created.push(temporary(path));
        let file =
            File::create(temporary(path)).with_context(|| format!("cannot write {}", path.display()))?;
        self.paths.push(path.to_path_buf());
        Ok(file)
    }

    /// Renames all files, which must be written completely.
    ///
    /// # Errors
    /// If a file cannot be renamed; then no new file remains.
    pub(crate) fn complete(mut self) -> anyhow::Result<()> {
        for path in &self.paths {
            fs::rename(temporary(path), path).with_context(|| format!("cannot write {}", path.display()))?;
            // Only after the rename: a file that could not be replaced is the old one and must stay.
            self.created.push(path.clone());
        }
        self.created.clear();
        Ok(())
    }
}

impl Drop for PartialFiles {
    fn drop(&mut self) {
        for path in &self.created {
            // Best effort; the error to report is the first one.
            let _ = fs::remove_file(path);
        }
    }
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}
