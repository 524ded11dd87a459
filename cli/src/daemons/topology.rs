//! Reads the network from a file.

use std::path::Path;

use anyhow::{Context, bail};
use model::Topology;

use crate::input::{fail_with, read_text};

/// Reads a topology: Harrier's JSON, or a topology file of the HPCC and ns-3 simulators.
///
/// # Errors
/// The file cannot be read, or all of its mistakes.
pub(crate) fn read(path: &Path) -> anyhow::Result<Topology> {
    let name = path.display().to_string();
    let text = read_text(path)?;
    let topology = if text.trim_start().starts_with('{') {
        serde_json::from_str(&text).with_context(|| format!("{name}: not a topology"))?
    } else {
        let (file, found) = scenario::ns3::parse_topology(&name, &text);
        if !found.is_empty() {
            bail!("{}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        }
        file.topology
    };
    let problems = topology.problems();
    fail_with(&name, &problems).with_context(|| format!("{name}: the topology contradicts itself"))?;
    Ok(topology)
}
