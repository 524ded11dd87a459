//! The files of the arguments: files, folders with all they contain, archives, standard input; with limits.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::archive;

/// The maximum size of a file, unpacked. A COUNTERS_DB of a switch with 512 ports has about 30 MiB.
pub(super) const MAX_FILE_BYTES: u64 = 256 << 20;
/// The maximum size of all files of all arguments together: they, or what was read of them, are in memory at the same time.
pub(super) const MAX_TOTAL_BYTES: u64 = 2 << 30;
/// The maximum number of files: a thousand switches with five databases, before and after, and some more.
const MAX_FILES: usize = 50_000;
/// The maximum number of problems of one argument that are listed.
const MAX_PROBLEMS: usize = 1_000;
/// The maximum depth of folders below an argument.
const MAX_DEPTH: usize = 8;
/// Folders above a file that may name its switch and its time.
const NAMING_FOLDERS: usize = 3;

/// A file that was read.
#[derive(Clone, Debug)]
pub(super) struct InputFile {
    /// For messages.
    pub(super) shown: String,
    /// The folders that may name switch and time.
    pub(super) folders: PathBuf,
    /// Its name without extension.
    pub(super) stem: String,
    pub(super) text: String,
    /// When it was last changed, in nanoseconds since 1970.
    pub(super) changed_ns: u64,
}

/// The files that were read, and what is wrong with others. The limits apply to all arguments together.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) files: Vec<InputFile>,
    pub(super) problems: Vec<String>,
    total_bytes: u64,
    count: usize,
    omitted: usize,
}

impl Files {
    /// Lists a problem, or counts it if there are many.
    pub(super) fn problem(&mut self, problem: String) {
        match self.problems.len() < MAX_PROBLEMS {
            true => self.problems.push(problem),
            false => self.omitted += 1,
        }
    }

    /// The problems so far, with the number of those that are not listed.
    pub(super) fn take_problems(&mut self) -> Vec<String> {
        if self.omitted > 0 {
            self.problems.push(format!("{} more files were left out or could not be read", self.omitted));
            self.omitted = 0;
        }
        std::mem::take(&mut self.problems)
    }

    /// Reads an argument: a file, a folder, an archive, or `-` for standard input.
    pub(super) fn read(&mut self, argument: &Path) {
        if argument == Path::new("-") {
            let read = limited(std::io::stdin().lock(), MAX_FILE_BYTES);
            self.add("standard input", Path::new(""), "", 0, read);
            return;
        }
        match fs::metadata(argument) {
            Ok(metadata) if metadata.is_dir() => self.folder(argument, argument, 0),
            Ok(_) => self.file(argument, &naming_folders(argument)),
            Err(error) => self.problem(format!("cannot read {}: {error}", argument.display())),
        }
    }

    fn folder(&mut self, root: &Path, folder: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            self.problem(format!("{}: more than {MAX_DEPTH} folders deep; left out", folder.display()));
            return;
        }
        let mut paths = match fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>(),
            Err(error) => {
                self.problem(format!("cannot read {}: {error}", folder.display()));
                return;
            }
        };
        paths.sort();
        for path in paths {
            // Links could lead out of the folder, or back.
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                self.folder(root, &path, depth + 1);
            } else if metadata.is_file() && is_wanted(&path) {
                let parent = path.parent().unwrap_or(Path::new(""));
                let below = parent.strip_prefix(root).unwrap_or(parent);
                let top = root.file_name().map(PathBuf::from).unwrap_or_default();
                self.file(&path, &top.join(below));
            }
        }
    }

    fn file(&mut self, path: &Path, folders: &Path) {
        let shown = path.display().to_string();
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) => {
                self.problem(format!("cannot read {shown}: {error}"));
                return;
            }
        };
        let changed = file.metadata().and_then(|metadata| metadata.modified()).ok();
        let changed_ns = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed_ns = changed_ns.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0));
        if archive::is_archive(path) {
            archive::read(file, &shown, folders, changed_ns, self);
            return;
        }
        // The files of `show techsupport` have dots in their names instead of extensions.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
        let stem = if archive::is_output(name) { name } else { stem };
        self.add(&shown, folders, stem, changed_ns, limited(file, MAX_FILE_BYTES));
    }

    /// Adds a file's content, if it is text and within the limits.
    pub(super) fn add(
        &mut self,
        shown: &str,
        folders: &Path,
        stem: &str,
        changed_ns: u64,
        read: Result<Vec<u8>, String>,
    ) {
        let text = read.and_then(|bytes| {
            self.total_bytes += bytes.len() as u64;
            if self.total_bytes > MAX_TOTAL_BYTES {
                return Err(format!("more than {} MiB of files; left out", MAX_TOTAL_BYTES >> 20));
            }
            if self.count >= MAX_FILES {
                return Err(format!("more than {MAX_FILES} files; left out"));
            }
            self.count += 1;
            decoded(bytes)
        });
        match text {
            Ok((text, wrong)) => {
                if let Some(wrong) = wrong {
                    self.problem(format!("{shown}:{wrong}"));
                }
                self.files.push(InputFile {
                    shown: shown.to_string(),
                    folders: folders.to_path_buf(),
                    stem: stem.to_string(),
                    text,
                    changed_ns,
                });
            }
            Err(problem) => self.problem(format!("{shown}: {problem}")),
        }
    }
}

/// The text of a file, and where it is no UTF-8: one byte of another encoding, in the name of a neighbour, does not make the
/// rest of a recording useless.
fn decoded(bytes: Vec<u8>) -> Result<(String, Option<String>), String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let convert = "convert it with `iconv -f UTF-16 -t UTF-8`, or save it as UTF-8";
        return Err(format!("UTF-16 text, expected UTF-8; {convert}"));
    }
    let lossy = String::from_utf8_lossy(&bytes).into_owned();
    match crate::input::utf8(bytes) {
        Ok(text) => Ok((text, None)),
        Err(wrong) => Ok((lossy, Some(format!("{wrong}; bytes of other encodings are read as `\u{fffd}`")))),
    }
}

/// Reads at most `most` bytes.
pub(super) fn limited(source: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot read it: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("larger than {} MiB; left out", most >> 20));
    }
    Ok(bytes)
}

/// Files in folders that can hold counters; pictures, captures and programs are left out without a message.
fn is_wanted(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let is_topology = name == crate::commands::run::TOPOLOGY_FILE;
    let is_hidden = name.starts_with('.');
    !is_topology
        && !is_hidden
        && (archive::is_archive(path)
            || matches!(extension, "json" | "txt" | "log" | "out" | "")
            || archive::is_output(name))
}

/// The folders directly above a file that is an argument.
fn naming_folders(path: &Path) -> PathBuf {
    let parents: Vec<_> = path.parent().into_iter().flat_map(Path::components).collect();
    parents[parents.len().saturating_sub(NAMING_FOLDERS)..].iter().collect()
}
