//! Readings of counters from files: dumps of SONiC's databases, archives of `show techsupport`, output of `show` commands.
//!
//! Dumps in one folder belong together, and so do those with the same beginning of the name. The folders, or the names,
//! say which switch and which time they are of (docs/counters.md).

mod archive;
mod identity;
mod naming;
mod samples;
mod timing;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use counters::Reading;
use counters::sonic::{DatabaseName, Databases, parse_date, parse_dump, parse_show, reading};

pub(crate) use samples::read_samples;

use identity::Identity;
use naming::{Named, database_file, named};
use timing::Found;
use walk::{Files, InputFile};

/// A time for all files below a path, `PATH=TIME`.
#[derive(Clone, Debug)]
pub(crate) struct TimeOf {
    path: PathBuf,
    time_ns: u64,
}

/// Parses `PATH=TIME`.
pub(crate) fn parse_time_of(text: &str) -> Result<TimeOf, String> {
    let parts = text.rsplit_once('=').filter(|(path, _)| !path.is_empty());
    let (path, time) = parts.ok_or("expected PATH=TIME, e.g. `before=2026-10-05T10:12:13Z`")?;
    let time_ns = parse_date(time).ok_or_else(|| {
        format!("`{time}` is not a time; expected one as 2026-10-05T10:12:13Z, or seconds since 1970")
    })?;
    Ok(TimeOf { path: PathBuf::from(path), time_ns })
}

/// The readings of all arguments.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) readings: Vec<Reading>,
    /// What is wrong with files; the rest was read.
    pub(crate) problems: Vec<String>,
}

/// Reads files, folders, archives and standard input (`-`).
pub(crate) fn gather(arguments: &[PathBuf], times: &[TimeOf]) -> Gathered {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut files = Files::default();
    for argument in arguments {
        files.read(argument);
        problems.append(&mut files.take_problems());
        let given = times.iter().find(|time| argument.starts_with(&time.path)).map(|time| time.time_ns);
        let (mut dumps, outputs) = sort(std::mem::take(&mut files.files), &mut problems);
        dumps.add_readings(given, &mut found, &mut problems);
        add_outputs(&outputs, given, &mut found, &mut problems);
    }
    let is_unused = |time: &&TimeOf| !arguments.iter().any(|argument| argument.starts_with(&time.path));
    problems.extend(times.iter().filter(is_unused).map(|time| {
        format!("--time {}: no argument is this path or below it; the time is not used", time.path.display())
    }));
    identity::keep_apart(&mut found, &mut problems);
    Gathered { readings: timing::settle(found, &mut problems), problems }
}

/// The dumps of databases that belong together: a folder and the beginning of the names.
#[derive(Default)]
struct Dumps {
    groups: BTreeMap<(PathBuf, String), Group>,
}

#[derive(Default)]
struct Group {
    /// The databases by the end of their names: the numbered snapshots of `show techsupport`.
    by_suffix: BTreeMap<String, Databases>,
    changed_ns: u64,
    first_file: String,
    /// The file with the counters, which malformed values are in, by the same ends.
    counters_files: BTreeMap<String, String>,
    /// What `dump/date.counter_1` says.
    dates: BTreeMap<String, u64>,
}

/// Separates dumps from the output of commands, by their content.
fn sort(files: Vec<InputFile>, problems: &mut Vec<String>) -> (Dumps, Vec<InputFile>) {
    let mut dumps = Dumps::default();
    let mut outputs = Vec::new();
    for file in files {
        if let Some(suffix) = file.stem.strip_prefix("date.counter_") {
            if let Some(time_ns) = parse_date(&file.text) {
                dumps.group(&file, "").dates.insert(suffix.to_string(), time_ns);
            }
        } else if file.text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            dumps.add(&file, problems);
        } else {
            outputs.push(file);
        }
    }
    (dumps, outputs)
}

impl Dumps {
    fn group(&mut self, file: &InputFile, prefix: &str) -> &mut Group {
        let group = self.groups.entry((file.folders.clone(), prefix.to_string())).or_default();
        group.changed_ns = group.changed_ns.max(file.changed_ns);
        if group.first_file.is_empty() {
            group.first_file.clone_from(&file.shown);
        }
        group
    }

    fn add(&mut self, file: &InputFile, problems: &mut Vec<String>) {
        let name = database_file(&file.stem);
        let (databases, found) = parse_dump(&file.text, name.as_ref().map(|name| name.database));
        problems.extend(found.iter().map(|problem| located(&file.shown, problem)));
        let (prefix, suffix) = match name {
            Some(name) => (name.prefix, name.suffix),
            None => (file.stem.clone(), String::new()),
        };
        let group = self.group(file, &prefix);
        if databases.tables.contains_key(&DatabaseName::Counters) {
            group.counters_files.entry(suffix.clone()).or_insert_with(|| file.shown.clone());
        }
        group.by_suffix.entry(suffix).or_default().merge(databases);
    }

    fn add_readings(&mut self, given: Option<u64>, found: &mut Vec<Found>, problems: &mut Vec<String>) {
        let has_counters = |databases: &Databases| databases.tables.contains_key(&DatabaseName::Counters);
        for ((folders, prefix), group) in &self.groups {
            let named = named(folders, prefix);
            let is_numbered = group
                .by_suffix
                .iter()
                .any(|(suffix, databases)| !suffix.is_empty() && has_counters(databases));
            for (suffix, databases) in &group.by_suffix {
                // Of an archive the numbered snapshots are used: their times are known.
                if is_numbered && (suffix.is_empty() || !has_counters(databases)) {
                    continue;
                }
                let mut all = databases.clone();
                if !suffix.is_empty()
                    && let Some(common) = group.by_suffix.get("")
                {
                    let mut common = common.clone();
                    common.tables.remove(&DatabaseName::Counters);
                    all.merge(common);
                }
                let own = group.dates.get(suffix).copied();
                let time_ns = given.or(own).or(named.time_ns);
                let place = place(folders, prefix, suffix);
                let configured = all.value(DatabaseName::Config, "DEVICE_METADATA|localhost", "hostname");
                let switch = match configured {
                    Some(_) => None,
                    None => named.switch.as_deref(),
                };
                let (reading, wrong) = reading(&all, switch, time_ns.unwrap_or(group.changed_ns));
                let read = group.counters_files.get(suffix).unwrap_or(&group.first_file);
                problems.extend(wrong.iter().map(|problem| located(read, problem)));
                let mac = all.value(DatabaseName::Config, "DEVICE_METADATA|localhost", "mac");
                let identity =
                    Identity { origin: named.switch.clone(), mac: mac.map(str::to_ascii_lowercase) };
                if !reading.ports.is_empty() {
                    let has_time = time_ns.is_some();
                    found.push(Found { reading, has_time, rank: named.rank, place, identity });
                }
            }
        }
    }
}

fn place(folders: &Path, prefix: &str, suffix: &str) -> String {
    format!("{}/{prefix}/{suffix}", folders.display())
}

/// Adds the readings in the output of commands. The outputs of one folder of an archive are one reading; every other file
/// stands for itself.
fn add_outputs(
    outputs: &[InputFile],
    given: Option<u64>,
    found: &mut Vec<Found>,
    problems: &mut Vec<String>,
) {
    for file in outputs {
        let named: Named = named(&file.folders, &file.stem);
        let is_of_archive = archive::is_output(&file.stem);
        // The databases in the same archive say the same, and more.
        let is_known =
            found.iter().any(|known| known.place.starts_with(&format!("{}/", file.folders.display())));
        if is_of_archive && is_known {
            continue;
        }
        let time_ns = given.or(named.time_ns);
        let (readings, wrong) =
            parse_show(&file.text, named.switch.as_deref(), time_ns.unwrap_or(file.changed_ns));
        problems.extend(wrong.iter().map(|problem| located(&file.shown, problem)));
        let several = readings.len();
        for (number, mut reading) in readings.into_iter().enumerate() {
            let has_time = !reading.time_is_assumed || time_ns.is_some() && several == 1;
            reading.time_is_assumed = !has_time;
            let place = format!("{}/{}/{number:06}", file.folders.display(), file.stem);
            let identity = Identity { origin: named.switch.clone(), mac: None };
            found.push(Found { reading, has_time, rank: named.rank, place, identity });
        }
    }
}

/// A problem with its file.
fn located(file: &str, problem: &counters::Problem) -> String {
    match problem.position {
        Some(_) => format!("{file}:{problem}"),
        None => format!("{file}: {problem}"),
    }
}
