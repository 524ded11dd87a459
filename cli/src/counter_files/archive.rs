//! Archives of `show techsupport`: `sonic_dump_SWITCH_DATE_TIME.tar.gz` with the databases and the output of commands in
//! `dump/` (`generate_dump` of sonic-utilities).

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::naming;
use super::walk::{Files, MAX_FILE_BYTES, MAX_TOTAL_BYTES, limited};

/// The maximum number of entries of an archive; those of large switches have some ten thousand.
const MAX_ENTRIES: usize = 200_000;

/// The maximum length of a name in an entry of its own; Linux allows 4,096 bytes.
const MAX_NAME_BYTES: u64 = 64 << 10;

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
            files.problem(format!("{shown}: not a tar archive: {error}"));
            return;
        }
    };
    // The library would read the entries with long names into memory, whatever their size.
    let entries = entries.raw(true);
    let mut long_name = LongName::None;
    let mut found = 0;
    for (number, entry) in entries.enumerate() {
        if number >= MAX_ENTRIES {
            files.problem(format!("{shown}: more than {MAX_ENTRIES} entries; the rest is left out"));
            break;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                files.problem(format!("{shown}: damaged after {number} entries: {error}"));
                break;
            }
        };
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            long_name = long_name.or(LongName::read(entry, kind.is_gnu_longname()));
            continue;
        }
        if kind.is_gnu_longlink() || kind.is_pax_global_extensions() {
            continue;
        }
        let path = match std::mem::replace(&mut long_name, LongName::None) {
            LongName::None => entry.path().map(|path| path.into_owned()).ok(),
            LongName::Some(path) => Some(path),
            LongName::TooLong => {
                files.problem(format!(
                    "{shown}: entry {number} has a name of more than {MAX_NAME_BYTES} bytes; left out"
                ));
                None
            }
        };
        let Some(path) = path.filter(|_| kind.is_file()) else { continue };
        let Some((name, stem)) = wanted(&path) else { continue };
        found += 1;
        // Paths of an archive are names only; nothing is written.
        let inside: PathBuf = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let label = format!("{shown}: {name}");
        files.add(&label, &folders.join(inside), &stem, changed_ns, limited(entry, MAX_FILE_BYTES));
    }
    if found == 0 {
        files.problem(format!(
            "{shown}: no counters in it; expected an archive of `show techsupport` with dump/COUNTERS_DB.json"
        ));
    }
}

/// The name of the next entry, if an entry before it has it.
enum LongName {
    None,
    Some(PathBuf),
    TooLong,
}

impl LongName {
    /// Reads a name: GNU's entries consist of it, those of POSIX have records `LENGTH path=NAME`.
    fn read(entry: impl Read, is_gnu: bool) -> LongName {
        let mut bytes = Vec::new();
        if entry.take(MAX_NAME_BYTES + 1).read_to_end(&mut bytes).is_err() {
            return LongName::None;
        }
        if bytes.len() as u64 > MAX_NAME_BYTES {
            return LongName::TooLong;
        }
        let name = match is_gnu {
            true => Some(bytes.as_slice()),
            false => tar::PaxExtensions::new(&bytes)
                .filter_map(Result::ok)
                .find(|record| record.key_bytes() == b"path")
                .map(|record| record.value_bytes()),
        };
        name.map_or(LongName::None, |name| {
            let name = String::from_utf8_lossy(name);
            LongName::Some(PathBuf::from(name.trim_end_matches('\0')))
        })
    }

    /// This name, or one of an earlier entry.
    fn or(self, later: LongName) -> LongName {
        match (self, later) {
            (LongName::None, later) => later,
            (earlier, LongName::None) => earlier,
            (_, later) => later,
        }
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
