//! Verdicts that end at a host, continued inside it with reports that are about the time of their events: those of the
//! hosts of a simulation, or of a file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use host_diagnosis::{AgedReport, continue_in_hosts, problems};
use model::{Diagnosis, HostReport, Topology};
use serde::{Deserialize, Serialize};

use crate::input::read_text;

/// File name of the reports in a directory of saved snapshots.
pub(crate) const REPORTS_FILE: &str = "host-reports.json";

/// The event that each verdict is about, by the verdict's identifier.
pub(crate) type Events = BTreeMap<String, u32>;

/// The reports of hosts about the time of each event.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct EventReports(BTreeMap<u32, Vec<HostReport>>);

impl EventReports {
    /// The reports that belong to these events, in the same order.
    pub(crate) fn new(events: impl Iterator<Item = u32>, reports: &[Vec<HostReport>]) -> EventReports {
        EventReports(events.zip(reports.iter().cloned()).collect())
    }

    /// Reads the reports that a run has saved.
    ///
    /// # Errors
    /// A file that cannot be read, is malformed, or has a report that contradicts itself.
    pub(crate) fn read(path: &Path) -> anyhow::Result<EventReports> {
        let name = path.display();
        let read: EventReports = serde_json::from_str(&read_text(path)?)
            .with_context(|| format!("{name}: not reports of hosts by event"))?;
        for (event, reports) in &read.0 {
            for (at, report) in reports.iter().enumerate() {
                if let Some(problem) = problems(report).first() {
                    bail!("{name}: /{event}/{at}{problem}");
                }
            }
        }
        Ok(read)
    }

    /// Continues each verdict as the server does with reports of agents.
    pub(crate) fn continue_all(&self, verdicts: &mut [Diagnosis], events: &Events, topology: &Topology) {
        for verdict in verdicts {
            let reports = events.get(&verdict.id).and_then(|event| self.0.get(event));
            let reports = reports.into_iter().flatten();
            let reports = reports.map(|report| AgedReport { report, age_ns: 0 });
            *verdict = continue_in_hosts(verdict.clone(), Some(topology), reports);
        }
    }
}
