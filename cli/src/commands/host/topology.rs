//! `harrier host topology`: the topology of a host from hwloc's XML, as reports have it.

use std::path::PathBuf;

use host_diagnosis::hostping::read_hwloc;

use crate::Outcome;
use crate::input::{fail_with, read_text};
use crate::output::print_json;

/// Arguments of `harrier host topology`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Output of `lstopo --of xml` (hwloc 2)
    #[arg(value_name = "FILE.xml")]
    file: PathBuf,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let topology = read_hwloc(&read_text(&args.file)?).or_else(|problems| {
        let name = args.file.display();
        let problems: Vec<String> = problems.iter().map(|problem| format!("{name}:{problem}")).collect();
        fail_with("cannot read the topology", &problems).map(|()| Default::default())
    })?;
    print_json(&topology)?;
    Ok(Outcome::Fine)
}
