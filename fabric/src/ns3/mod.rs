//! Files of the HPCC family of ns-3 simulators: topology, flows and settings.
//!
//! The formats are those of the public HPCC simulator (alibaba-edu/High-Precision-Congestion-Control) as the
//! Hawkeye poster's prototype (lixiao19/Hawkeye-NS3) extends them. Every problem of all files is reported with
//! its position; an unknown key is a problem.
//!
//! What these simulators do that their files do not say is done here too, so that results compare: 4 KiB a
//! queue of its own, headroom of three times what the link holds, resuming 3 KiB below the threshold with an empty
//! headroom; pauses that last until the resume frame, a window of the largest bandwidth-delay product, congestion
//! echoed in acknowledgements, 56 header bytes on the wire (Ethernet 14, IPv4 20, UDP 8, sequence and priority 6,
//! timestamp 8), and a clock of whole nanoseconds to which serialisation times are cut.
//!
//! The two differ in one point. In the public simulator an ingress queue pauses at 1/8 of what is free of
//! `BUFFER_SIZE`, at twice that share for each doubling of the port's rate over the hosts'. The poster's fork has
//! commented this out and pauses at 16 KiB. A file that uses a key of the fork (`AGENT_NODE`, `NO_CC_NODE`) is
//! simulated like the fork, any other like the public simulator.

mod config;
mod flows;
mod scenario;
mod text;
mod topology;
mod trace;

use std::path::{Path, PathBuf};

use crate::problem::{Problem, Problems};
use crate::scenario::Scenario;

pub use config::{Config, LinkDown, parse_config};
pub use flows::{FlowRow, parse_flows};
pub use topology::{TopologyFile, host_address, parse_topology};
pub use trace::parse_trace;

/// Reads a settings file and the files it names. `load` gets a name as the settings write it and returns the
/// name by which people find the file and its text, or why there is none; see [`candidates`] for where to look.
pub fn load(
    config_name: &str,
    config_text: &str,
    mut load: impl FnMut(&str) -> Result<(String, String), String>,
) -> Result<Scenario, Problems> {
    let (config, mut problems) = parse_config(config_name, config_text);
    let mut fetch = |key: &str, named: &Option<(String, usize)>| match named {
        None => {
            let message = format!("`{key}` is missing");
            Err(Problem::at(config_name, config_text, config_text.len(), message))
        }
        Some((name, offset)) => load(name).map_err(|why| {
            Problem::at(config_name, config_text, *offset, format!("cannot read `{name}`: {why}"))
        }),
    };
    let topology = fetch("TOPOLOGY_FILE", &config.topology_file);
    let flows = fetch("FLOW_FILE", &config.flow_file);
    let topology = match topology {
        Ok((name, text)) => {
            let (file, found) = parse_topology(&name, &text);
            problems.extend(found);
            Some(file)
        }
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let rows = match flows {
        Ok((name, text)) => {
            let (rows, found) = parse_flows(&name, &text, topology.as_ref());
            problems.extend(found);
            rows
        }
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    };
    let Some(topology) = topology else {
        return Err(Problems(problems));
    };
    // It only says what to dump, so the files are complete without it.
    if let Some((name, text)) = config.trace_file.as_ref().and_then(|(named, _)| load(named).ok()) {
        problems.extend(parse_trace(&name, &text, topology.topology.nodes.len()).1);
    }
    let scenario = scenario::assemble(config_name, config_text, &config, topology, rows, &mut problems);
    Problems(problems).or(scenario)
}

/// Where a file that a settings file names may be: as written from the directory the simulator was started in
/// (the parent of the settings' directory, as a rule), from the settings' own directory, and next to it.
pub fn candidates(config_path: &Path, named: &str) -> Vec<PathBuf> {
    let directory = config_path.parent().unwrap_or(Path::new(""));
    let mut places = vec![directory.join(named), directory.join("..").join(named)];
    if let Some(name) = Path::new(named).file_name() {
        places.push(directory.join(name));
    }
    places.push(PathBuf::from(named));
    places
}
