//! The files of a lab's daemons: topology, plan, configuration findings and certificates.

use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::Context;
use model::Time;
use model::topology::NodeKind;
use serde::Serialize;

pub(super) use crate::daemons::pki::Role;

use super::names::LabNumber;
use super::plan::LabPlan;
use super::up::UpOptions;
use crate::daemons::pki;

/// Validity of the certificates: longer than any lab.
const DAYS: u32 = 30;

/// Writes all files.
pub(super) fn write(options: &UpOptions, plan: &LabPlan) -> anyhow::Result<()> {
    let scenario = &options.scenario;
    save(options, "topology", &scenario.topology)?;
    save(options, "plan", &scenario.plan_settings(options.seed, Time::ZERO))?;
    // Of the whole run: the lab's operator knows the configurations, not when they matter.
    save(options, "findings", &scenario.audit(Time::ZERO, scenario.stop))?;
    issue_certificates(options, plan)
}

fn save(options: &UpOptions, name: &str, value: &impl Serialize) -> anyhow::Result<()> {
    let path = options.number.directory().join("config").join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(value)?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Every daemon has its own certificate; an agent's is valid for the addresses of its host.
fn issue_certificates(options: &UpOptions, plan: &LabPlan) -> anyhow::Result<()> {
    let number = options.number;
    let folder = folder(number);
    pki::init(&folder, DAYS)?;
    let issue = |role: Role, name: &str, addresses: Vec<IpAddr>| {
        let request = pki::Request { role, name: name.to_string(), dns: Vec::new(), addresses, days: DAYS };
        pki::issue(&folder, &request).map(drop)
    };
    issue(Role::Server, "server", vec![number.server_address().into()])?;
    issue(Role::Controller, "lab", vec![number.controller_address().into()])?;
    for node in &plan.nodes {
        match node.kind {
            NodeKind::Switch => issue(Role::Switch, &node.name, vec![node.management.into()])?,
            NodeKind::Host => issue(Role::Agent, &node.name, node.addresses.clone())?,
        }
    }
    Ok(())
}

/// The authority's certificate, and certificate and key of a daemon.
pub(super) fn certificates(number: LabNumber, role: Role, name: &str) -> [String; 3] {
    let role = role.name();
    let file = |name: String| folder(number).join(name).display().to_string();
    [file("ca.pem".to_string()), file(format!("{role}-{name}.pem")), file(format!("{role}-{name}.key"))]
}

fn folder(number: LabNumber) -> PathBuf {
    number.directory().join("pki")
}
