//! `harrier scenario`: the built-in scenarios.

use std::path::Path;

use clap::Subcommand;
use fabric::output::drawing::draw;
use fabric::scenario::{builtin, builtin_names, builtin_source};
use serde::Serialize;

use crate::Outcome;
use crate::commands::run::load;
use crate::input::read_text;
use crate::output::print_json;

/// Arguments of `harrier scenario`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Lists the built-in scenarios
    List {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Draws a scenario's network and timeline, and prints its file, ready to be changed and given to `harrier run`
    ///
    /// The picture goes to stderr, the file to stdout.
    Show {
        /// A built-in scenario, or a scenario file
        #[arg(value_name = "SCENARIO|FILE.toml")]
        name: String,
        /// Seed of the instance that is drawn
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// A line of the list.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: String,
    hosts: usize,
    switches: usize,
    flows: usize,
    /// Whether every seed is another instance, jitter of starts aside.
    seeded: bool,
    /// What it is meant to show.
    anomaly: Option<model::Anomaly>,
    cause: Option<model::Cause>,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::List { json } => list(json)?,
        Action::Show { name, seed } => show(&name, seed)?,
    }
    Ok(Outcome::Fine)
}

fn show(name: &str, seed: u64) -> anyhow::Result<()> {
    let scenario = load(name)?;
    eprintln!("{}", draw(&*scenario.instance(seed)?));
    match builtin_source(name) {
        Some(source) => print!("{source}"),
        None => print!("{}", read_text(Path::new(name))?),
    }
    Ok(())
}

/// All names, for messages.
pub(crate) fn names() -> String {
    builtin_names().collect::<Vec<_>>().join(", ")
}

fn list(json: bool) -> anyhow::Result<()> {
    let rows: Vec<Row> = builtin_names().filter_map(row).collect();
    if json {
        return print_json(&serde_json::json!({ "scenarios": rows }));
    }
    for row in rows {
        eprintln!("{:<32} {}", row.name, row.title);
    }
    Ok(())
}

fn row(name: &'static str) -> Option<Row> {
    let scenario = builtin(name)?;
    let hosts = scenario.topology.nodes.iter().filter(|n| scenario.topology.is_host(&n.name)).count();
    let switches = scenario.topology.nodes.len() - hosts;
    let expect = scenario.expect.as_ref();
    Some(Row {
        name,
        hosts,
        switches,
        flows: scenario.flows.len(),
        seeded: scenario.source.is_some(),
        anomaly: expect.and_then(|expect| expect.anomaly),
        cause: expect.and_then(|expect| expect.cause),
        title: scenario.title,
    })
}
