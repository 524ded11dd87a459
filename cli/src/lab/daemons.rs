//! The daemons of a lab: their arguments and configuration files, in the order in which they start.

use model::topology::NodeKind;

use super::names::P4RUNTIME_PORT;
use super::plan::{HOST_INTERFACE, LabPlan, NodePlan};
use super::process::Daemon;
use super::traffic::control_socket;
use super::up::UpOptions;

/// Daemons that start together, after those of the stage before are ready.
pub(super) struct Stage {
    /// The daemons.
    pub(super) daemons: Vec<Daemon>,
}

/// All daemons, and writes their files.
pub(super) fn stages(options: &UpOptions, plan: &LabPlan) -> anyhow::Result<Vec<Stage>> {
    let switches = plan.of_kind(NodeKind::Switch).enumerate().map(|(position, node)| switch(position, node));
    let nics = plan.of_kind(NodeKind::Host).map(|node| nic(options, node));
    Ok(vec![Stage { daemons: switches.collect() }, Stage { daemons: nics.collect() }])
}

fn nic(options: &UpOptions, node: &NodePlan) -> Daemon {
    let arguments = [
        "nic",
        "--interface",
        HOST_INTERFACE,
        "--scenario",
        &options.scenario.name,
        "--seed",
        &options.seed.to_string(),
        "--host",
        &node.name,
        "--time-scale",
        &options.scale.factor().to_string(),
        "--control",
        &control_socket(options.number, &node.name).display().to_string(),
    ];
    Daemon {
        name: format!("nic-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments: arguments.map(str::to_string).to_vec(),
        ready: "ready: ".to_string(),
    }
}

fn switch(position: usize, node: &NodePlan) -> Daemon {
    let arguments = vec![
        "switch".to_string(),
        "--no-program".to_string(),
        "--listen".to_string(),
        format!("{}:{P4RUNTIME_PORT}", node.management),
        "--device-id".to_string(),
        (position + 1).to_string(),
        "--insecure".to_string(),
    ];
    Daemon {
        name: format!("switch-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments,
        ready: "listening on".to_string(),
    }
}
