//! What a lab has created, in a file, so that other commands and a later `down` find it.
//!
//! The file names everything before it is created. Processes are found by the [`super::names::MARKER`] in their
//! environment instead, because a process exists before its id is known.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::names::LabNumber;
use super::process::Ready;

/// Name of the state file.
pub(super) const STATE: &str = "state.json";
/// Name of the file with the identity of a lab.
const IDENTITY: &str = "identity";
/// Version of the file.
const VERSION: u32 = 1;

/// A lab that exists, at least in part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LabState {
    /// [`VERSION`].
    pub(super) version: u32,
    /// The scenario.
    pub(super) scenario: String,
    /// The seed of its instance.
    pub(super) seed: u64,
    /// The factor by which time is stretched.
    pub(super) scale: u64,
    /// Address of the dashboard and of REST.
    pub(super) listen: String,
    /// All namespaces.
    pub(super) namespaces: Vec<String>,
    /// The interface in the namespace of `up`.
    pub(super) host_interface: String,
    /// The processes that were started, in that order.
    pub(super) processes: Vec<ProcessState>,
    /// Whether `up` has completed.
    pub(super) is_complete: bool,
    /// How often the traffic has been started.
    #[serde(default)]
    pub(super) starts: u32,
}

/// A process of a lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProcessState {
    /// Its name: daemon and node, `switch-sw1`.
    pub(super) name: String,
    /// Its namespace; absent: that of `up`.
    pub(super) namespace: Option<String>,
    /// Its process id.
    pub(super) pid: i32,
    /// Its log.
    pub(super) log: PathBuf,
    /// Length of the log when it was started.
    pub(super) log_start: u64,
    /// How its log says that it is ready.
    pub(super) ready: Ready,
    /// Its arguments, without the program.
    pub(super) arguments: Vec<String>,
}

impl LabState {
    /// A lab without processes.
    pub(super) fn new(scenario: &str, seed: u64, scale: u64, listen: &str, number: LabNumber) -> LabState {
        LabState {
            version: VERSION,
            scenario: scenario.to_string(),
            seed,
            scale,
            listen: listen.to_string(),
            namespaces: Vec::new(),
            host_interface: number.host_interface(),
            processes: Vec::new(),
            is_complete: false,
            starts: 0,
        }
    }

    /// Replaces the file. A reader sees the old or the new contents.
    pub(super) fn save(&self, number: LabNumber) -> anyhow::Result<()> {
        let path = file(number);
        let temporary = path.with_extension("json.new");
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(&temporary, text).with_context(|| format!("cannot write {}", temporary.display()))?;
        std::fs::rename(&temporary, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads the file; `None` if there is none.
    ///
    /// # Errors
    /// The file is unreadable or of another version.
    pub(super) fn load(number: LabNumber) -> anyhow::Result<Option<LabState>> {
        let path = file(number);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let state: LabState = serde_json::from_str(&text).with_context(|| {
            format!("{} is not the state of a lab; remove it with `harrier lab down`", path.display())
        })?;
        anyhow::ensure!(
            state.version == VERSION,
            "{} has version {}; this program reads version {VERSION}",
            path.display(),
            state.version
        );
        Ok(Some(state))
    }

    /// Reads the file of a lab that must exist.
    pub(super) fn of_running(number: LabNumber) -> anyhow::Result<LabState> {
        LabState::load(number)?.with_context(|| {
            let labs = if number.0 == 0 { String::new() } else { format!(" --lab {}", number.0) };
            format!("no lab is up; start one with `harrier lab up{labs}`")
        })
    }

    /// The process with this name.
    pub(super) fn process(&self, name: &str) -> Option<&ProcessState> {
        self.processes.iter().find(|process| process.name == name)
    }
}

/// The state file of a lab.
fn file(number: LabNumber) -> PathBuf {
    number.directory().join(STATE)
}

/// Creates the directories of a lab, and its identity: a value that no other lab on this machine has or had.
pub(super) fn create_directories(number: LabNumber) -> anyhow::Result<()> {
    let directory = number.directory();
    let create = |path: &Path| {
        std::fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
    };
    create(&directory.join("log"))?;
    create(&directory.join("config"))?;
    let identity = format!("{}-{}-{}", number.0, std::process::id(), crate::nic::unix_ns());
    let path = directory.join(IDENTITY);
    std::fs::write(&path, identity).with_context(|| format!("cannot write {}", path.display()))
}

/// The identity of a lab.
pub(super) fn identity(number: LabNumber) -> anyhow::Result<String> {
    let path = number.directory().join(IDENTITY);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The lab is taken by this command, until this is dropped.
#[derive(Debug)]
pub(super) struct LabLock {
    number: LabNumber,
    file: File,
}

/// Takes the lab for this command: no two commands build, change or remove it at once.
pub(super) fn lock(number: LabNumber) -> anyhow::Result<LabLock> {
    let path = lock_file(number);
    let folder = path.parent().unwrap_or(Path::new("/"));
    loop {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let file = match File::options().create(true).append(true).open(&path) {
            Ok(file) => file,
            // Another command has removed the folder in between, because it was empty.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot open {}", path.display())),
        };
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        // The command that held the lock may have removed the file: then a third one locks a new file.
        if is_file(&file, &path) {
            return Ok(LabLock { number, file });
        }
    }
}

/// Whether a file is the one that a path names.
fn is_file(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (named.dev(), named.ino())
}

impl Drop for LabLock {
    /// Removes the file of a lab that does not exist (any more), and the folder if it was the only lab.
    fn drop(&mut self) {
        let path = lock_file(self.number);
        if !self.number.directory().exists() && is_file(&self.file, &path) {
            // A command that waits for the lock takes a new file.
            let _ = std::fs::remove_file(&path);
            // Fails if there are other labs.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }
}

fn lock_file(number: LabNumber) -> PathBuf {
    number.directory().with_extension("lock")
}
