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
    let switches = plan.of_kind(NodeKind::Switch).enumerate();
    let switches = switches.map(|(position, node)| switch(options, position, node));
    let nics = plan.of_kind(NodeKind::Host).map(|node| nic(options, node));
    Ok(vec![Stage { daemons: switches.collect() }, Stage { daemons: nics.collect() }])
}

fn nic(options: &UpOptions, node: &NodePlan) -> Daemon {
    let control = control_socket(options.number, &node.name).display().to_string();
    let mut arguments =
        list(&["nic", "--interface", HOST_INTERFACE, "--host", &node.name, "--control", &control]);
    arguments.extend(scenario_arguments(options));
    Daemon {
        name: format!("nic-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments,
        ready: "ready: ".to_string(),
    }
}

fn switch(options: &UpOptions, position: usize, node: &NodePlan) -> Daemon {
    let listen = format!("{}:{P4RUNTIME_PORT}", node.management);
    let device_id = (position + 1).to_string();
    let mut arguments =
        list(&["switch", "--no-program", "--listen", &listen, "--device-id", &device_id, "--insecure"]);
    arguments.extend(scenario_arguments(options));
    arguments.extend(list(&["--node", &node.name, "--mac", &mac(node.mac)]));
    for link in options.scenario.switch_ports(&node.name) {
        let interface = node.ports.iter().find(|(port, _)| *port == link.number);
        if let Some((port, interface)) = interface {
            arguments.extend(list(&["--port", &format!("{port}={interface}@{}bps", link.rate.0)]));
        }
    }
    Daemon {
        name: format!("switch-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments,
        ready: "listening on".to_string(),
    }
}

/// The scenario, its instance and its time, as all daemons of the data path take them.
fn scenario_arguments(options: &UpOptions) -> Vec<String> {
    let (seed, factor) = (options.seed.to_string(), options.scale.factor().to_string());
    list(&["--scenario", &options.scenario.name, "--seed", &seed, "--time-scale", &factor])
}

fn list(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| argument.to_string()).collect()
}

fn mac(bytes: [u8; 6]) -> String {
    bytes.map(|byte| format!("{byte:02x}")).join(":")
}
