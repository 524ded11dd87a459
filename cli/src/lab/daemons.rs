//! The daemons of a lab: their arguments and configuration files, in the order in which they start.

use model::topology::NodeKind;

use super::names::P4RUNTIME_PORT;
use super::plan::{LabPlan, NodePlan};
use super::process::Daemon;
use super::up::UpOptions;

/// Daemons that start together, after those of the stage before are ready.
pub(super) struct Stage {
    /// The daemons.
    pub(super) daemons: Vec<Daemon>,
}

/// All daemons, and writes their files.
pub(super) fn stages(options: &UpOptions, plan: &LabPlan) -> anyhow::Result<Vec<Stage>> {
    let _ = options;
    let switches = plan.of_kind(NodeKind::Switch).enumerate().map(|(position, node)| switch(position, node));
    Ok(vec![Stage { daemons: switches.collect() }])
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
