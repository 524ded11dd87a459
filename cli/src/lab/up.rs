//! `harrier lab up`: builds the network of a scenario and starts its daemons.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use model::topology::NodeKind;
use nix::unistd::geteuid;
use scenario::Scenario;

use super::daemons::{self, Stage};
use super::names::LabNumber;
use super::plan::LabPlan;
use super::process::{self, Daemon};
use super::scale::Scale;
use super::state::{LabState, create_directories, lock};
use super::{down, links, namespace};

/// Time for the daemons of one stage to get ready. Twenty switches compile their program on two cores in this time.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// What to build.
#[derive(Clone, Debug)]
pub(crate) struct UpOptions {
    /// The lab's number.
    pub(crate) number: LabNumber,
    /// The scenario.
    pub(crate) scenario: Scenario,
    /// The seed of its instance.
    pub(crate) seed: u64,
    /// The factor by which time is stretched.
    pub(crate) scale: Scale,
    /// Whether server, controller and agents know the topology; otherwise it is discovered.
    pub(crate) has_topology: bool,
    /// Address of the dashboard and of REST.
    pub(crate) listen: SocketAddr,
    /// When the clocks of all switches started, in ns since 1970.
    pub(crate) clock_start_unix_ns: u64,
}

/// Builds the lab. When that fails, everything that exists by then is removed.
pub(crate) fn up(options: &UpOptions) -> anyhow::Result<()> {
    if !geteuid().is_root() {
        bail!("{}", namespace::NEEDS);
    }
    let _lock = lock(options.number)?;
    if LabState::load(options.number)?.is_some() {
        bail!(
            "lab {} is up already, or an `up` was interrupted; `harrier lab down` removes it",
            options.number.0
        );
    }
    // What a `down` that was interrupted at its end left.
    down::remove(options.number)?;
    let built = build(options);
    if built.is_err() {
        // The cause of the failure is more important than that of an incomplete removal.
        let logs = down::keep_logs(options.number);
        if let Err(error) = down::remove(options.number) {
            stderr_line!("warning: the lab could not be removed completely: {error:#}");
        }
        if let Some(logs) = logs {
            stderr_line!("the logs are in {}", logs.display());
        }
    }
    built
}

fn build(options: &UpOptions) -> anyhow::Result<()> {
    let number = options.number;
    let plan = LabPlan::new(number, &options.scenario.topology)?;
    create_directories(number)?;
    let listen = options.listen.to_string();
    let name = &options.scenario.name;
    let mut state = LabState::new(name, options.seed, options.scale.factor(), &listen, number);
    state.namespaces = plan.nodes.iter().map(|node| node.namespace.clone()).collect();
    state.namespaces.push(number.management_namespace());
    // Before anything exists, so that `down` knows all of it.
    state.save(number)?;

    build_network(&plan, &state, number)?;
    let stages = daemons::stages(options, &plan)?;
    for stage in stages {
        start_stage(number, &mut state, stage)?;
    }
    state.is_complete = true;
    state.save(number)?;
    report(options, &plan, state.processes.len());
    Ok(())
}

/// Says what was built, and at which scale.
fn report(options: &UpOptions, plan: &LabPlan, processes: usize) {
    let UpOptions { number, scenario, scale, listen, .. } = options;
    let count = |kind| plan.of_kind(kind).count();
    stderr_line!(
        "lab {}: {}: {} switches, {} hosts, {processes} processes",
        number.0,
        scenario.name,
        count(NodeKind::Switch),
        count(NodeKind::Host)
    );
    let fastest = scenario.topology.links.iter().map(|link| link.rate).max().unwrap_or_default();
    stderr_line!(
        "lab {}: time is stretched {} times: {fastest} is {}, and the scenario lasts {:.0} s",
        number.0,
        scale.factor(),
        scale.wire_rate(fastest),
        scale.wall(scenario.stop).as_secs_f64()
    );
    stderr_line!("lab {}: dashboard at http://{listen}/", number.0);
}

fn build_network(plan: &LabPlan, state: &LabState, number: LabNumber) -> anyhow::Result<()> {
    for name in &state.namespaces {
        namespace::create(name)?;
    }
    links::create_cables(plan)?;
    links::create_management(plan, number)?;
    plan.nodes.iter().try_for_each(links::configure)
}

/// Starts the daemons of a stage together and waits until all are ready.
fn start_stage(number: LabNumber, state: &mut LabState, stage: Stage) -> anyhow::Result<()> {
    let mut started = Vec::new();
    for daemon in &stage.daemons {
        let process = process::start(number, daemon)?;
        state.processes.push(process.clone());
        state.save(number)?;
        started.push(process);
    }
    let deadline = Instant::now() + START_TIMEOUT;
    for process in &started {
        process::wait_until_ready(process, deadline).with_context(|| format!("lab {}", number.0))?;
    }
    Ok(())
}

/// Starts a daemon of a running lab again, in the same place with the same arguments.
pub(super) fn restart(number: LabNumber, name: &str) -> anyhow::Result<()> {
    let _lock = lock(number)?;
    let mut state = LabState::of_running(number)?;
    let position = state.processes.iter().position(|process| process.name == name);
    let position = position.with_context(|| format!("the lab has no process `{name}`"))?;
    let old = state.processes[position].clone();
    if process::is_running(number, old.pid) {
        bail!("{name} still runs as process {}", old.pid);
    }
    let daemon =
        Daemon { name: old.name, namespace: old.namespace, arguments: old.arguments, ready: old.ready };
    let process = process::start(number, &daemon)?;
    state.processes[position] = process.clone();
    state.save(number)?;
    process::wait_until_ready(&process, Instant::now() + START_TIMEOUT)
}
