//! What a lab has created, in a file, so that other commands and a later `down` find it.
//!
//! The file names everything before it is created. Processes are found by the [`super::names::MARKER`] in their
//! environment instead, because a process exists before its id is known.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::names::LabNumber;

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
    /// Text of the line that it prints when it is ready.
    pub(super) ready: String,
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
    number.directory().join("state.json")
}

/// Creates the directories of a lab.
pub(super) fn create_directories(number: LabNumber) -> anyhow::Result<()> {
    let create = |path: &Path| {
        std::fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
    };
    create(&number.directory().join("log"))?;
    create(&number.directory().join("config"))
}
