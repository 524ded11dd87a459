//! Archives of `show techsupport`: `sonic_dump_SWITCH_DATE_TIME.tar.gz` with the databases and the output of commands in
//! `dump/` (`generate_dump` of sonic-utilities).

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::naming;
use super::walk::{Files, MAX_FILE_BYTES, MAX_TOTAL_BYTES, limited};

/// The maximum number of entries of an archive; those of large switches have some ten thousand.
const MAX_ENTRIES: usize = 200_000;

/// Whether a file is an archive, by its name.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    name.ends_with(".tar.gz") || name.ends_with(".tgz") || name.ends_with(".tar")
}

/// Whether an archive's file is the output of a command that has counters, ports or neighbours.
pub(super) fn is_output(name: &str) -> bool {
    let names = ["interface.counters_", "queue.counters_", "date.counter_"];
    name == "interface.status"
        || name == "lldpctl"
        || name == "lldp.summary"
        || names.iter().any(|start| name.starts_with(start))
}

/// Reads the files of an archive that have counters. What follows damage is lost, what precedes it is used.
pub(super) fn read(file: impl Read, shown: &str, folders: &Path, changed_ns: u64, files: &mut Files) {
    let is_compressed = !shown.ends_with(".tar");
    // Everything in the archive passes the decoder, also what is skipped.
    let most = MAX_TOTAL_BYTES * 8;
    let source: Box<dyn Read> = match is_compressed {
        true => Box::new(MultiGzDecoder::new(file).take(most)),
        false => Box::new(file.take(most)),
    };
    let mut archive = tar::Archive::new(source);
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => {
            files.problems.push(format!("{shown}: not a tar archive: {error}"));
            return;
        }
    };
    let mut found = 0;
    for (number, entry) in entries.enumerate() {
        if number >= MAX_ENTRIES {
            files.problems.push(format!("{shown}: more than {MAX_ENTRIES} entries; the rest is left out"));
            break;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                files.problems.push(format!("{shown}: damaged after {number} entries: {error}"));
                break;
            }
        };
        let Ok(path) = entry.path().map(|path| path.into_owned()) else { continue };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let Some((name, stem)) = wanted(&path) else { continue };
        found += 1;
        // Paths of an archive are names only; nothing is written.
        let inside: PathBuf = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let label = format!("{shown}: {name}");
        files.add(&label, &folders.join(inside), &stem, changed_ns, limited(entry, MAX_FILE_BYTES));
    }
    if found == 0 {
        files.problems.push(format!(
            "{shown}: no counters in it; expected an archive of `show techsupport` with dump/COUNTERS_DB.json"
        ));
    }
}

/// The name and the stem of an entry that is read. The ASIC's database is large and has no counters.
fn wanted(path: &Path) -> Option<(String, String)> {
    let name = path.file_name()?.to_str()?.to_string();
    if let Some(stem) = name.strip_suffix(".json") {
        let file = naming::database_file(stem)?;
        let has_counters = file.database != counters::sonic::DatabaseName::Asic && !name.contains("CHASSIS");
        return has_counters.then(|| (name.clone(), stem.to_string()));
    }
    is_output(&name).then(|| (name.clone(), name))
}
