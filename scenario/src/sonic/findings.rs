//! The findings of `harrier check` in the SONiC configurations of a network's switches, in the form that diagnoses use.
//!
//! Only warnings and errors of rules with a known effect on traffic are included ([`effect`]). A finding about some
//! ports of a switch becomes one for each of those ports with a link; a finding about all of them, or about the switch,
//! stays one. Switches are compared with each other ([`Fleet`]) by the links of this network and not by the hostnames
//! and neighbours in their files, since several switches may use the same file. What was read of the switches themselves
//! ([`KnownPorts`]) says which port has which number, and completes the links.

use std::collections::BTreeMap;

use buffer_config::finding::{Finding, PatchOp, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, effect};
use model::{ConfigFinding, PortRef, Topology};
use serde_json::Value;

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

/// What the switches themselves say about their ports.
#[derive(Clone, Debug, Default)]
pub struct KnownPorts<'p> {
    /// The numbers of the ports of each switch, by their names in the configuration.
    pub numbers: BTreeMap<&'p str, BTreeMap<&'p str, u16>>,
    /// The other ends of cables, from both ends.
    pub peers: BTreeMap<&'p PortRef, &'p PortRef>,
}

/// The findings about the configurations of these switches, by switch and identifier. A link uses the port of the
/// configuration whose neighbour is its peer; other links use the remaining ports, in the order of the file.
pub fn config_findings(topology: &Topology, switches: &[Configured<'_>]) -> Vec<ConfigFinding> {
    config_findings_at(topology, &KnownPorts::default(), switches)
}

/// As [`config_findings`], with what is known about the ports of switches. A switch of which none of its configured ports is
/// known has the ports of its links.
pub fn config_findings_at(
    topology: &Topology,
    known: &KnownPorts<'_>,
    switches: &[Configured<'_>],
) -> Vec<ConfigFinding> {
    let numbers: BTreeMap<&str, BTreeMap<&str, u16>> =
        switches.iter().map(|own| (own.switch, numbers_of(topology, known, own))).collect();
    let between = as_linked(topology, known, switches, &numbers);
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

/// The numbers of the ports of a configuration.
fn numbers_of<'s>(
    topology: &Topology,
    known: &KnownPorts<'_>,
    own: &Configured<'s>,
) -> BTreeMap<&'s str, u16> {
    let read = known.numbers.get(own.switch);
    let number = |name: &str| read?.get(name).copied();
    let named = own.resolved.ports.iter().map(|port| port.name.as_str());
    let named: BTreeMap<&str, u16> = named.filter_map(|name| Some((name, number(name)?))).collect();
    match named.is_empty() {
        true => sonic::port_numbers(own.resolved, &linked_ports(topology, own.switch)),
        false => named,
    }
}

/// The findings from comparing the switches with each other; `file` of a finding is the name of its switch.
fn as_linked(
    topology: &Topology,
    known: &KnownPorts<'_>,
    switches: &[Configured<'_>],
    numbers: &BTreeMap<&str, BTreeMap<&str, u16>>,
) -> Vec<Finding> {
    let of_switch = |(switch, own): (&&str, &BTreeMap<&str, u16>)| {
        let at = |number: &u16| PortRef::new(*switch, *number);
        let ports = own.iter().map(|(name, number)| (at(number), name.to_string()));
        ports.collect::<Vec<_>>()
    };
    let interfaces: BTreeMap<PortRef, String> = numbers.iter().flat_map(of_switch).collect();
    let mut peers = known.peers.clone();
    peers.extend(topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]));
    let mut fleet = Fleet::default();
    for own in switches {
        let mut here = own.resolved.clone();
        here.hostname = own.switch.to_string();
        here.chip.clear();
        for port in &mut here.ports {
            let number = numbers.get(own.switch).and_then(|known| known.get(port.name.as_str()));
            let peer = number.and_then(|number| peers.get(&PortRef::new(own.switch, *number)));
            port.neighbour =
                peer.and_then(|peer| Some((peer.switch.clone(), interfaces.get(*peer)?.clone())));
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
    let name = own.switch;
    let fix = format!("in the configuration of {name}, {}", fix(finding));
    let convert = |port: Option<u16>| {
        // Rules about links name the switch themselves.
        let is_named = finding.message.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', '/']));
        let place = if is_named { String::new() } else { format!("{name}: ") };
        let message = format!("{place}{} ({} {})", finding.message, finding.code, finding.rule);
        let mut found =
            ConfigFinding::new(name, effect.setting, message, fix.clone()).by_rule(finding.code, port);
        found.deviation = finding.deviation.unwrap_or(effect.deviation);
        found
    };
    ports.into_iter().map(convert).collect()
}

/// What to do about a finding: the value to set if its repair is a single one, otherwise what the rule's page says.
fn fix(finding: &Finding) -> String {
    if let [PatchOp { path, value: Some(Value::String(value)), .. }] = finding.patch.as_slice() {
        return format!("set {path} to {value}");
    }
    let fix = rules::find(finding.code).map_or(String::new(), |rule| rule.section("Fix"));
    format!("{}: {}", finding.pointer, fix.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use buffer_config::input;
    use buffer_config::rules::Options;
    use buffer_config::source::SourceText;

    use super::*;

    /// A switch whose ports have PFC for these priorities.
    fn checked(priorities: &[(&str, &str)]) -> (ResolvedSwitch, Vec<Finding>) {
        let ports = priorities.iter().map(|(port, priorities)| {
            format!(
                r#""PORT|{port}": {{"lanes": "1,2,3,4", "speed": "100000"}},
                   "PORT_QOS_MAP|{port}": {{"pfc_enable": "{priorities}"}}"#
            )
        });
        let text = format!("{{{}}}", ports.collect::<Vec<_>>().join(","));
        let db = input::load(&text);
        assert!(db.problems.is_empty(), "{:?}", db.problems);
        let source = SourceText { name: "config_db.json", text: &text };
        let (findings, resolved) = rules::check_resolved(source, &db, None, &Options::default());
        (resolved, findings)
    }

    /// Checks where the ends of a cable are said to differ.
    fn check(topology: &Topology, known: &KnownPorts<'_>, expected: &[(&str, Option<u16>)]) {
        let leaf1 = checked(&[("Ethernet0", "3,4"), ("Ethernet4", "3,4"), ("Ethernet8", "3")]);
        let leaf2 = checked(&[("Ethernet0", "3,4")]);
        let configured = [("leaf1", &leaf1), ("leaf2", &leaf2)]
            .map(|(switch, (resolved, findings))| Configured { switch, resolved, findings });
        let found = config_findings_at(topology, known, &configured);
        let of_cables = found.iter().filter(|finding| finding.id.ends_with("/FLEET003"));
        let of_cables: Vec<_> = of_cables.map(|finding| (finding.id.as_str(), finding.port)).collect();
        assert_eq!(of_cables, expected);
    }

    #[test]
    fn cables_that_the_switches_see_need_no_topology() {
        let none = Topology::default();
        check(&none, &KnownPorts::default(), &[]);
        let (one, other) = (PortRef::new("leaf1", 3), PortRef::new("leaf2", 1));
        let of_leaf1 = BTreeMap::from([("Ethernet0", 1), ("Ethernet4", 2), ("Ethernet8", 3)]);
        let numbers = BTreeMap::from([("leaf1", of_leaf1), ("leaf2", BTreeMap::from([("Ethernet0", 1)]))]);
        let peers = BTreeMap::from([(&one, &other), (&other, &one)]);
        let known = KnownPorts { numbers: numbers.clone(), peers };
        check(&none, &known, &[("leaf1:3/FLEET003", Some(3))]);
        // The numbers are those of the switch, also on the links of a topology.
        let link = model::topology::Link {
            a: one.clone(),
            b: other.clone(),
            rate: model::Rate::from_gbps(100),
            delay: model::Time::default(),
        };
        let planned = Topology { links: vec![link], ..Topology::default() };
        let known = KnownPorts { numbers, ..KnownPorts::default() };
        check(&planned, &known, &[("leaf1:3/FLEET003", Some(3))]);
    }

    #[test]
    fn a_repair_of_one_value_says_the_value() {
        let (_, findings) = checked(&[("Ethernet0", "3,4"), ("Ethernet4", "3,x")]);
        let mut finding = findings.into_iter().next().expect("a finding");
        finding.patch.clear();
        assert!(fix(&finding).starts_with(&format!("{}: ", finding.pointer)), "{}", fix(&finding));
        let replace = |value: &str| PatchOp::new("replace", "/A/b/xoff".to_string(), Some(value.into()));
        finding.patch = vec![replace("2580480")];
        assert_eq!(fix(&finding), "set /A/b/xoff to 2580480");
        finding.patch.push(replace("7"));
        assert!(fix(&finding).starts_with(&finding.pointer), "{}", fix(&finding));
    }
}
