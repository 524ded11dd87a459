//! `harrier scenario`: the built-in scenarios.

use anyhow::bail;
use clap::Subcommand;
use fabric::scenario::{builtin, builtin_names, builtin_source};
use serde::Serialize;

use crate::Outcome;
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
    /// Prints a scenario's file, ready to be changed and given to `harrier run`
    Show {
        /// Its name
        name: String,
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
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::List { json } => list(json)?,
        Action::Show { name } => match builtin_source(&name) {
            Some(source) => print!("{source}"),
            None => bail!("there is no scenario `{name}`; there are: {}", names()),
        },
    }
    Ok(Outcome::Fine)
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
        eprintln!("{:<18} {}", row.name, row.title);
    }
    Ok(())
}

fn row(name: &'static str) -> Option<Row> {
    let scenario = builtin(name)?;
    let hosts = scenario.topology.nodes.iter().filter(|n| scenario.topology.is_host(&n.name)).count();
    let switches = scenario.topology.nodes.len() - hosts;
    Some(Row { name, title: scenario.title, hosts, switches, flows: scenario.flows.len() })
}
