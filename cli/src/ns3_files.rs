//! The output files of an ns-3 simulation.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use fabric::RunOutcome;
use fabric::output::ns3::{QueueMonitor, completions, pauses};
use scenario::Scenario;
use scenario::ns3::Outputs;

use crate::input::write_all;

/// The output files that a settings file names. All are written to one directory, under their file names.
pub(crate) struct Ns3Files {
    outputs: Outputs,
    completions: Option<PathBuf>,
    pauses: Option<PathBuf>,
    queues: Option<PathBuf>,
}

impl Ns3Files {
    /// Creates the directory. Fails if two outputs have the same file name.
    pub(crate) fn new(directory: &Path, outputs: Outputs) -> anyhow::Result<Ns3Files> {
        let mut taken: BTreeMap<PathBuf, &str> = BTreeMap::new();
        let mut place = |key: &'static str, named: &Option<String>| {
            let Some(named) = named else { return Ok(None) };
            let Some(name) = Path::new(named).file_name() else {
                bail!("`{key}`: `{named}` has no file name");
            };
            let path = directory.join(name);
            if let Some(first) = taken.insert(path.clone(), key) {
                bail!("`{first}` and `{key}` would both be {}; give them different names", path.display());
            }
            Ok(Some(path))
        };
        let completions = place("FCT_OUTPUT_FILE", &outputs.completions)?;
        let pauses = place("PFC_OUTPUT_FILE", &outputs.pauses)?;
        let queues = place("QLEN_MON_FILE", &outputs.queues)?;
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        Ok(Ns3Files { outputs, completions, pauses, queues })
    }

    /// Returns a queue monitor if the settings name a file for it.
    pub(crate) fn monitor(&self, scenario: &Scenario) -> Option<QueueMonitor> {
        self.queues.as_ref().map(|_| QueueMonitor::new(&self.outputs, scenario))
    }

    /// Writes all files.
    pub(crate) fn write(
        &self,
        scenario: &Scenario,
        outcome: &RunOutcome,
        monitor: Option<QueueMonitor>,
    ) -> anyhow::Result<()> {
        let mut files: Vec<(&Path, Vec<u8>)> = Vec::new();
        if let Some(path) = &self.completions {
            files.push((path, completions(scenario, &outcome.flows).into_bytes()));
        }
        if let Some(path) = &self.pauses {
            files.push((path, pauses(&scenario.topology, &outcome.pauses).into_bytes()));
        }
        if let (Some(path), Some(monitor)) = (&self.queues, monitor) {
            files.push((path, monitor.finish().into_bytes()));
        }
        write_all(&files)?;
        if let Some(named) = &self.outputs.trace {
            stderr_line!(
                "`TRACE_OUTPUT_FILE` ({named}) is not written; --pcap DIR captures the packets of every link"
            );
        }
        Ok(())
    }
}
