//! `harrier host probes`: the probes of several hosts as one matrix.

use std::path::PathBuf;

use host_diagnosis::pingmesh::{Dead, ScopeLatency, by_scope, dead};
use model::HostReport;
use model::host::HostProbes;
use serde_json::json;

use crate::Outcome;
use crate::input::{fail_with, read_text};
use crate::output::print_json;

/// Arguments of `harrier host probes`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Reports of hosts; their sections `probes` are joined
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let mut problems = Vec::new();
    let mut all = HostProbes::default();
    for path in &args.files {
        let report = read_text(path).and_then(|text| Ok(serde_json::from_str::<HostReport>(&text)?));
        match report {
            Ok(report) => match report.probes {
                Some(probes) => all.results.extend(probes.results),
                None => problems.push(format!("{}: the report has no section `probes`", path.display())),
            },
            Err(error) => problems.push(format!("{}: {error:#}", path.display())),
        }
    }
    fail_with("cannot join the probes", &problems)?;
    let (scopes, dead) = (by_scope(&all), dead(&all));
    if args.json {
        print_json(&json!({ "scopes": scopes, "dead": dead }))?;
    } else {
        for line in scopes.iter().map(describe_scope).chain(dead.iter().map(describe_dead)) {
            stdout_line!("{line}")?;
        }
    }
    Ok(if dead.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

fn describe_scope(latency: &ScopeLatency) -> String {
    let name = latency.scope.map_or("no scope", |scope| scope.name());
    let time =
        |time: Option<u64>| time.map_or("-".to_string(), |time| format!("{:.1} us", time as f64 / 1e3));
    format!(
        "{name:<8} {:>8} probes, {:>6} without a reply, p50 {}, p99 {}, p99.9 {}",
        latency.probes,
        latency.lost,
        time(latency.p50_ns),
        time(latency.p99_ns),
        time(latency.p999_ns)
    )
}

fn describe_dead(dead: &Dead) -> String {
    match dead {
        Dead::Host { host, peers, .. } => {
            format!("dead host: {host} (no reply between it and {peers} peers)")
        }
        Dead::Pair { from, to, .. } => format!("dead pair: {to} does not answer {from}"),
    }
}
