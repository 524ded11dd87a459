//! `harrier scenario`: lists and shows the built-in scenarios.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Subcommand;
use scenario::drawing::draw;
use scenario::{Scenario, builtin, builtin_files, builtin_names, builtin_source};
use serde::Serialize;

use crate::Outcome;
use crate::commands::run::load;
use crate::input::{read_text, write_all};
use crate::output::print_json;
use crate::similar::most_similar;

/// Arguments of `harrier scenario`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List the built-in scenarios
    List {
        /// Print the list as JSON on stdout
        #[arg(long)]
        json: bool,
    },
    /// Show a scenario: a drawing of its network and timeline, and its file
    ///
    /// The drawing goes to stderr and the file to stdout. An edited copy of the file is an argument of `harrier run`.
    Show {
        /// Built-in scenario or scenario file
        #[arg(value_name = "SCENARIO|FILE.toml")]
        name: String,
        /// Seed of the instance to draw
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Write the file, and the files it names, to this directory instead of stdout
        #[arg(long, value_name = "DIR")]
        save: Option<PathBuf>,
    },
}

/// A scenario in the list.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: String,
    hosts: usize,
    switches: usize,
    flows: usize,
    /// Whether the seed changes more than the jitter of start times.
    seeded: bool,
    /// The anomaly that the scenario shows.
    anomaly: Option<model::Anomaly>,
    cause: Option<model::Cause>,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::List { json } => list(json)?,
        Action::Show { name, seed, save } => show(&name, seed, save.as_deref())?,
    }
    Ok(Outcome::Fine)
}

fn show(name: &str, seed: u64, directory: Option<&Path>) -> anyhow::Result<()> {
    let scenario = load(name)?;
    stderr_line!("{}", draw(&*scenario.instance(seed)?));
    if let Some(directory) = directory {
        return save(name, directory);
    }
    let named: Vec<&str> = builtin_files(name).map(|(file, _)| file).collect();
    if !named.is_empty() {
        stderr_line!("the file names {}; `--save DIR` writes all files", named.join(", "));
    }
    match builtin_source(name) {
        Some(source) => stdout_text!("{source}")?,
        None => stdout_text!("{}", read_text(Path::new(name))?)?,
    };
    Ok(())
}

/// Writes a built-in scenario with the files that it names to a directory, where they can be edited and run.
fn save(name: &str, directory: &Path) -> anyhow::Result<()> {
    let Some(source) = builtin_source(name) else {
        bail!("{name} is not a built-in scenario; --save expects one of {}", names());
    };
    let mut files = vec![(directory.join(format!("{name}.toml")), source.as_bytes().to_vec())];
    files.extend(builtin_files(name).map(|(file, text)| (directory.join(file), text.as_bytes().to_vec())));
    for (path, _) in &files {
        let folder = path.parent().unwrap_or(directory);
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let files: Vec<(&Path, Vec<u8>)> =
        files.iter().map(|(path, bytes)| (path.as_path(), bytes.clone())).collect();
    write_all(&files)?;
    files.iter().for_each(|(path, _)| stderr_line!("{}", path.display()));
    Ok(())
}

/// Returns the built-in scenario with this name, or says which are there.
pub(crate) fn required_builtin(name: &str) -> anyhow::Result<Scenario> {
    builtin(name).with_context(|| {
        let hint = did_you_mean(name).unwrap_or_else(|| "`harrier scenario list` lists them".to_string());
        format!("no built-in scenario is called `{name}`; {hint}")
    })
}

/// A question about the built-in scenario whose name resembles `name` most, for messages.
pub(crate) fn did_you_mean(name: &str) -> Option<String> {
    most_similar(name, builtin_names()).map(|known| format!("did you mean `{known}`?"))
}

/// Returns the names of all built-in scenarios, for messages.
pub(crate) fn names() -> String {
    builtin_names().collect::<Vec<_>>().join(", ")
}

fn list(json: bool) -> anyhow::Result<()> {
    let rows: Vec<Row> = builtin_names().filter_map(row).collect();
    if json {
        return print_json(&serde_json::json!({ "scenarios": rows }));
    }
    for row in rows {
        stderr_line!("{:<32} {}", row.name, row.title);
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
