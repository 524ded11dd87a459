//! Files of the HPCC family of ns-3 simulators: topology, flows and settings.
//!
//! The formats are those of the public HPCC simulator (alibaba-edu/High-Precision-Congestion-Control) as the prototypes
//! of Hawkeye's poster and paper extend them; [`Simulator`] distinguishes the three. All problems of all files are
//! reported with their positions; an unknown key is a problem.
//!
//! For comparable results, behaviour that is fixed in the simulators is reproduced: 4 KiB reserved per queue, headroom
//! of three times the link capacity, XON 3 KiB below XOFF with empty headroom; pauses that last until the resume frame,
//! a window of the largest bandwidth-delay product, marks echoed in ACKs, and a clock of whole nanoseconds to which
//! serialisation times are rounded down.

mod checks;
mod config;
mod dialect;
mod flows;
mod keys;
mod routes;
mod scenario;
mod text;
mod topology;
mod trace;

use std::path::{Path, PathBuf};

use crate::Scenario;
use crate::problem::{Problem, Problems};
use checks::{Read, Text, check_settings};

pub use config::{Config, CongestionControl, LinkDown, Outputs, RateMap};
pub use dialect::Simulator;
pub use flows::{FlowRow, parse_flows};
pub use keys::parse_config;
pub use routes::parse_routes;
pub use scenario::round_trip_ns;
pub use topology::{TopologyFile, host_address, parse_topology};
pub use trace::parse_trace;

/// The contents of the files.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// The output files.
    pub outputs: Outputs,
}

/// Reads a settings file and the files that it refers to. `load` takes a name from the settings and returns the path of
/// the file and its text, or an error; see [`candidates`] for the paths to search.
///
/// # Errors
/// All problems of all files, in the order of the files and of their lines.
pub fn load(
    config_name: &str,
    config_text: &str,
    mut load: impl FnMut(&str) -> Result<(String, String), String>,
) -> Result<Loaded, Problems> {
    let settings = Text { name: config_name, text: config_text };
    let (config, mut problems) = parse_config(config_name, config_text);
    problems.extend(check_settings(settings, &config));
    let mut unreadable = Vec::new();
    let mut fetch = |key: &str, named: Option<&str>| -> Option<(String, String)> {
        let named = named?;
        let found = load(named).map_err(|why| {
            let message = format!("cannot read `{named}`: {why}");
            unreadable.push(Problem::at(config_name, config_text, config.place(key), message));
        });
        found.ok()
    };
    let topology_source = fetch("TOPOLOGY_FILE", config.topology_file.as_deref());
    let flows_source = fetch("FLOW_FILE", config.flow_file.as_deref()).unwrap_or_default();
    let routes_source = fetch("ROUTE_FILE", config.route_file.as_deref());
    // It only selects what to dump, so it may be missing.
    let trace_source = config.trace_file.as_deref().and_then(|named| load(named).ok());
    problems.extend(unreadable);

    let (topology_name, topology_text) = topology_source.clone().unwrap_or_default();
    let (flows_name, flows_text) = &flows_source;
    let routes_name = routes_source.as_ref().map(|(name, _)| name.clone()).unwrap_or_default();
    let names = [config_name, &topology_name, flows_name, &routes_name];
    let topology = topology_source.map(|(name, text)| parse_topology(&name, &text));
    let rows = match flows_name.as_str() {
        "" => Vec::new(),
        name => {
            let (rows, found) = parse_flows(name, flows_text, topology.as_ref().map(|(file, _)| file));
            problems.extend(found);
            rows
        }
    };
    let Some((file, of_rows)) = topology else { return Err(in_order(problems, &names)) };
    let read = Read {
        config_text: settings,
        config: &config,
        topology_text: Text { name: &topology_name, text: &topology_text },
        topology: &file,
        is_whole: of_rows.is_empty(),
        flows_text: Text { name: flows_name, text: flows_text },
        rows: &rows,
    };
    let switch = scenario::switch_settings(&config, &file.topology);
    problems.extend(read.check(&switch));
    problems.extend(of_rows);
    let (routes, of_routes) =
        routes_source.map(|(name, text)| parse_routes(&name, &text, &file)).unwrap_or_default();
    problems.extend(of_routes);
    if let Some((name, text)) = trace_source {
        problems.extend(parse_trace(&name, &text, file.topology.nodes.len()).1);
    }
    if !problems.is_empty() {
        return Err(in_order(problems, &names));
    }
    let mut scenario = scenario::assemble(config_name, &config, file, rows, switch);
    scenario.routing.routes = routes;
    Ok(Loaded { scenario, outputs: config.outputs })
}

/// Sorts the problems by file, in this order, and by position.
fn in_order(mut problems: Vec<Problem>, files: &[&str]) -> Problems {
    let file = |problem: &Problem| files.iter().position(|name| *name == problem.file).unwrap_or(files.len());
    problems.sort_by_key(|problem| (file(problem), problem.line, problem.column));
    Problems(problems)
}

/// The possible paths of a file that a settings file refers to: relative to the directory in which the simulator was
/// started (usually the parent of the settings' directory), to the settings' directory, and next to the settings.
pub fn candidates(config_path: &Path, named: &str) -> Vec<PathBuf> {
    let directory = config_path.parent().unwrap_or(Path::new(""));
    let mut places = vec![directory.join(named), directory.join("..").join(named)];
    if let Some(name) = Path::new(named).file_name() {
        places.push(directory.join(name));
    }
    places.push(PathBuf::from(named));
    places
}
