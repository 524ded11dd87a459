//! The findings of `harrier check` in the SONiC configurations of a network's switches, in the form that diagnoses use.
//!
//! Only warnings and errors of rules with a known effect on traffic are included ([`effect`]). A finding about some
//! ports of a switch becomes one for each of those ports with a link; a finding about all of them, or about the switch,
//! stays one. Switches are compared with each other ([`Fleet`]) by the links of this network and not by the hostnames
//! and neighbours in their files, since several switches may use the same file.

use std::collections::BTreeMap;

use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, effect};
use model::{ConfigFinding, PortRef, Topology};

use crate::settings::SwitchPort;
use crate::sonic;

/// A switch of the network with its SONiC configuration.
#[derive(Clone, Copy, Debug)]
pub struct Configured<'s> {
    /// Its name in the topology.
    pub switch: &'s str,
    /// The configuration that it runs.
    pub resolved: &'s ResolvedSwitch,
    /// The findings in its file.
    pub findings: &'s [Finding],
}

/// The ports of a switch that have a link, ascending.
pub(crate) fn linked_ports(topology: &Topology, switch: &str) -> Vec<SwitchPort> {
    let port = |(number, peer): (u16, &PortRef)| {
        let link = topology.link_of(&PortRef::new(switch, number))?;
        Some(SwitchPort { number, rate: link.rate, delay: link.delay, peer: peer.switch.clone() })
    };
    topology.ports_of(switch).into_iter().filter_map(port).collect()
}

/// The findings about the configurations of these switches, by switch and identifier. A link uses the port of the
/// configuration whose neighbour is its peer; other links use the remaining ports, in the order of the file.
pub fn config_findings(topology: &Topology, switches: &[Configured<'_>]) -> Vec<ConfigFinding> {
    let numbers: BTreeMap<&str, BTreeMap<&str, u16>> = switches
        .iter()
        .map(|own| (own.switch, sonic::port_numbers(own.resolved, &linked_ports(topology, own.switch))))
        .collect();
    let between = as_linked(topology, switches, &numbers);
    let mut merged: BTreeMap<String, ConfigFinding> = BTreeMap::new();
    for own in switches {
        let Some(numbers) = numbers.get(own.switch) else { continue };
        let compared = between.iter().filter(|finding| finding.file == own.switch);
        for finding in own.findings.iter().chain(compared) {
            for new in of_switch(own, finding, numbers) {
                let same = merged.entry(new.id.clone()).or_insert_with(|| new.clone());
                // Several findings of one rule at one place become one.
                if !same.message.contains(&new.message) {
                    same.message = format!("{}; {}", same.message, new.message);
                }
            }
        }
    }
    let mut findings: Vec<ConfigFinding> = merged.into_values().collect();
    findings
        .sort_by(|a, b| (&a.switch, a.setting, a.port, &a.id).cmp(&(&b.switch, b.setting, b.port, &b.id)));
    findings
}

/// The findings from comparing the switches with each other; `file` of a finding is the name of its switch.
fn as_linked(
    topology: &Topology,
    switches: &[Configured<'_>],
    numbers: &BTreeMap<&str, BTreeMap<&str, u16>>,
) -> Vec<Finding> {
    let interface = |port: &PortRef| {
        let own = numbers.get(port.switch.as_str())?;
        own.iter().find(|(_, number)| **number == port.port).map(|(name, _)| name.to_string())
    };
    let mut fleet = Fleet::default();
    for own in switches {
        let mut here = own.resolved.clone();
        here.hostname = own.switch.to_string();
        here.chip.clear();
        for port in &mut here.ports {
            let number = numbers.get(own.switch).and_then(|known| known.get(port.name.as_str()));
            let peer = number.and_then(|number| topology.peer(&PortRef::new(own.switch, *number)));
            port.neighbour = peer.and_then(|peer| Some((peer.switch.clone(), interface(peer)?)));
        }
        fleet.add(own.switch, &here);
    }
    fleet.check_each()
}

fn of_switch(own: &Configured<'_>, finding: &Finding, numbers: &BTreeMap<&str, u16>) -> Vec<ConfigFinding> {
    let Some(effect) = effect::of(finding.code).filter(|_| finding.severity > Severity::Info) else {
        return Vec::new();
    };
    let named = finding.ports_of(own.resolved);
    let ports: Vec<u16> = named.iter().filter_map(|name| numbers.get(name).copied()).collect();
    // None of its ports has a link in this network.
    if ports.is_empty() && !named.is_empty() {
        return Vec::new();
    }
    let ports = match ports.len() < numbers.len() && !ports.is_empty() {
        true => ports.into_iter().map(Some).collect(),
        false => vec![None],
    };
    let rule = rules::find(finding.code);
    let fix = rule.map_or(String::new(), |rule| rule.section("Fix"));
    let name = own.switch;
    let convert = |port: Option<u16>| {
        // Rules about links name the switch themselves.
        let is_named = finding.message.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', '/']));
        let place = if is_named { String::new() } else { format!("{name}: ") };
        let message = format!("{place}{} ({} {})", finding.message, finding.code, finding.rule);
        let fix =
            format!("in the configuration of {name}, {}: {}", finding.pointer, fix.trim_end_matches('.'));
        let mut found = ConfigFinding::new(name, effect.setting, message, fix).by_rule(finding.code, port);
        found.deviation = finding.deviation.unwrap_or(effect.deviation);
        found
    };
    ports.into_iter().map(convert).collect()
}
