//! The inputs of `harrier check`: files, folders, standard input and live switches.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use buffer_config::lookup::{self, Lookup};
use buffer_config::report::Unread;
use buffer_config::{device, input};

use super::Args;
use super::read::{located, read, read_from};
use super::setup::Setup;
use crate::input::fail_with;
use crate::redis;

/// The bytes of a file that are read to recognise a system other than SONiC.
const HEAD_BYTES: u64 = 256 * 1024;

/// A configuration to check.
pub(crate) struct Input {
    /// The name that findings use.
    pub(crate) name: String,
    path: Option<PathBuf>,
    text: Option<String>,
    /// Whether a folder was given, so that the file may be something else than a configuration.
    is_found: bool,
}

/// Resolved arguments.
#[derive(Default)]
pub(crate) struct Inputs {
    pub(crate) all: Vec<Input>,
    /// Arguments and files that could not be read.
    pub(crate) unread: Vec<Unread>,
}

impl Inputs {
    /// The inputs, for modes that need all of them.
    ///
    /// # Errors
    /// Some could not be read.
    pub(crate) fn sound(&self) -> anyhow::Result<&[Input]> {
        let lines: Vec<String> =
            self.unread.iter().map(|unread| located(&unread.file, &unread.reason)).collect();
        fail_with("some inputs cannot be read", &lines)?;
        Ok(&self.all)
    }
}

impl Input {
    /// The switch that the file belongs to. The files of a switch with several chips (`config_db.json`,
    /// `config_db0.json`, ... in one folder) share one, named after their folder.
    pub(super) fn switch(&self) -> String {
        let chip = self.path.as_deref().filter(|p| is_of_chip(p) || is_of_host_with_chips(p));
        let folder = chip.and_then(Path::parent).map(|f| f.display().to_string());
        folder.filter(|f| !f.is_empty()).unwrap_or_else(|| self.name.clone())
    }

    /// The file, if the input is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the file was found in a folder and its name is not that of a configuration, so that it may be something
    /// else.
    pub(super) fn may_be_something_else(&self) -> bool {
        let name = self.path.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
        self.is_found && !name.is_some_and(|name| name.starts_with("config_db"))
    }

    /// Whether the file is a lookup table that is checked by itself.
    pub(super) fn is_lookup(&self) -> bool {
        self.path.as_deref().is_some_and(|path| has_ending(path, "ini"))
    }

    /// The text and its lookup table: the given one, or the one in the same folder.
    ///
    /// # Errors
    /// Why it cannot be read, without the name of the input.
    pub(crate) fn read(
        &self,
        lookup: Option<&Path>,
        limit_bytes: u64,
    ) -> Result<(String, Option<Lookup>), String> {
        let text = match (&self.text, &self.path) {
            (Some(text), _) => text.clone(),
            (None, Some(path)) => read(path, limit_bytes)?,
            (None, None) => String::new(),
        };
        if self.is_lookup() {
            return Ok(("{}".into(), Some(lookup::parse(&text))));
        }
        let path = lookup.map(Path::to_path_buf).or_else(|| self.lookup_beside());
        let table = path.map(|path| {
            read(&path, limit_bytes).map_err(|reason| located(&path.display().to_string(), &reason))
        });
        Ok((text, table.transpose()?.map(|text| lookup::parse(&text))))
    }

    /// The text of a configuration that can be judged, and its lookup table.
    ///
    /// # Errors
    /// It cannot be read, or is empty, truncated or something else than a configuration.
    pub(super) fn read_sound(&self, args: &Args, setup: &Setup) -> anyhow::Result<(String, Option<Lookup>)> {
        let read = self.read(args.lookup.as_deref(), setup.limit_bytes).and_then(|read| {
            let reason = Some(&read.0).filter(|_| !self.is_lookup()).and_then(|text| input::refusal(text));
            reason.map_or(Ok(read), Err)
        });
        read.map_err(|reason| anyhow::anyhow!(located(&self.name, &reason)))
    }

    /// The lookup table in the folder of the file.
    pub(super) fn lookup_beside(&self) -> Option<PathBuf> {
        let folder = self.path.as_deref().and_then(Path::parent)?;
        Some(folder.join("pg_profile_lookup.ini")).filter(|path| path.is_file())
    }
}

/// Endings of files that may be configurations of systems other than SONiC.
const OTHER_ENDINGS: [&str; 6] = ["yaml", "yml", "cfg", "conf", "config", "txt"];

/// Whether the beginning of a file is a configuration of a system other than SONiC.
fn is_of_other_system(path: &Path) -> bool {
    let Ok(file) = fs::File::open(path) else { return false };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = file.take(HEAD_BYTES).read_to_end(&mut head);
    read.is_ok() && device::system_of(&String::from_utf8_lossy(&head)).is_some()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e == ending)
}

/// Whether the file is the database of one chip, such as `config_db0.json`.
fn is_of_chip(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let number = name.strip_prefix("config_db").and_then(|n| n.strip_suffix(".json")).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the file is the `config_db.json` of a switch whose chips have their own databases in the same folder.
fn is_of_host_with_chips(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n == "config_db.json")
        && path.with_file_name("config_db0.json").is_file()
}

/// How arguments are resolved to inputs.
pub(crate) struct Search<'a> {
    /// The most bytes that are read of standard input.
    pub(crate) limit_bytes: u64,
    /// The authorities of a Redis server's certificate.
    pub(crate) redis_ca: Option<&'a Path>,
    /// Files that this run writes: in a folder they are left out.
    pub(crate) own: Vec<PathBuf>,
    /// Whether files and folders can be excluded.
    pub(crate) has_exclusions: bool,
    /// Whether a file or folder below a folder is left out.
    pub(crate) is_excluded: Box<dyn Fn(&Path) -> bool + 'a>,
}

/// Resolves the arguments to inputs.
pub(crate) fn inputs(paths: &[String], search: &Search<'_>) -> Inputs {
    let mut inputs = Inputs::default();
    for name in paths {
        let of_text = |name: String, text| Input { name, path: None, text: Some(text), is_found: false };
        if name == "-" {
            match read_from(io::stdin().lock(), search.limit_bytes) {
                Ok(text) => inputs.all.push(of_text("-".into(), text)),
                Err(reason) => inputs.unread.push(Unread { file: "-".into(), reason }),
            }
        } else if redis::is_address(name) {
            let shown = redis::shown(name);
            match redis::dump(name, search.redis_ca) {
                Ok(text) => inputs.all.push(of_text(shown, text)),
                Err(error) => inputs.unread.push(Unread { file: shown, reason: format!("{error:#}") }),
            }
        } else if Path::new(name).is_dir() {
            let (mut found, before) = (Vec::new(), inputs.unread.len());
            files_below(Path::new(name), search, &mut found, &mut inputs.unread);
            // A report of an earlier run, which this run replaces, is empty by now.
            let own = &search.own;
            found.retain(|path| {
                own.is_empty() || !fs::canonicalize(path).is_ok_and(|path| own.contains(&path))
            });
            // What is in a folder that cannot be read is unknown.
            if found.is_empty() && inputs.unread.len() == before {
                let reason = match search.has_exclusions {
                    false => {
                        "the folder has no *.json or *.ini file, and no configuration of NVUE, EOS or NX-OS"
                    }
                    true => "the folder has no configuration that is not excluded",
                };
                inputs.unread.push(Unread { file: name.clone(), reason: reason.into() });
            }
            inputs.all.extend(found.into_iter().map(|path| of_path(path, true)));
        } else if let Some(reason) = no_file(name) {
            inputs.unread.push(Unread { file: name.clone(), reason: reason.into() });
        } else {
            inputs.all.push(of_path(PathBuf::from(name), false));
        }
    }
    inputs
}

/// Why a name that looks like something else than a file is none.
fn no_file(name: &str) -> Option<&'static str> {
    if fs::symlink_metadata(name).is_ok() {
        return None;
    }
    if name.contains("://") {
        return Some("is neither a file nor the address of a live switch: redis://, rediss:// or unix://");
    }
    name.contains(['*', '?'])
        .then_some("matches no file; specify a folder to check all configurations below it")
}

fn of_path(path: PathBuf, is_found: bool) -> Input {
    Input { name: name_of(&path), path: Some(path), text: None, is_found }
}

fn name_of(path: &Path) -> String {
    let name = path.display().to_string();
    name.strip_prefix("./").map_or(name.clone(), str::to_string)
}

/// Configurations in a folder and its subfolders, sorted by name. Lookup tables count if the folder has no JSON file.
/// Hidden folders, such as `.git`, and packages of other tools are left out.
fn files_below(folder: &Path, search: &Search<'_>, found: &mut Vec<PathBuf>, unread: &mut Vec<Unread>) {
    let entries = fs::read_dir(folder).and_then(|all| all.map(|e| e.map(|e| e.path())).collect());
    let mut paths: Vec<PathBuf> = match entries {
        Ok(paths) => paths,
        Err(error) => {
            let reason = format!("cannot be read: {error}");
            return unread.push(Unread { file: name_of(folder), reason });
        }
    };
    paths.sort();
    paths.retain(|path| !(search.is_excluded)(path));
    let any_json = paths.iter().any(|p| has_ending(p, "json"));
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !name.starts_with('.') && name != "node_modules" {
                files_below(&path, search, found, unread);
            }
        } else if has_ending(&path, "json")
            || (has_ending(&path, "ini") && !any_json)
            || (OTHER_ENDINGS.iter().any(|ending| has_ending(&path, ending)) && is_of_other_system(&path))
        {
            found.push(path);
        }
    }
}
