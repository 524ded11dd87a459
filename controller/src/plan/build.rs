//! Builds plans from a topology.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::topology::NodeKind;
use model::{PortRef, Topology};

use super::{
    MatchValue, MulticastGroup, POLL_GROUP, PlanSettings, RegisterWrite, SwitchPlan, TableEntry,
    ValueSetMember,
};
use crate::layout::{Register, TelemetryLayout};

/// Size of the switch program's value set of RoCEv2 ports.
const MAX_ROCE_PORTS: usize = 8;
/// Size of the switch program's table of ECMP members.
const MAX_MEMBERS: usize = 16_384;

/// Errors of [`plan`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A port beyond those that the program is compiled for.
    #[error("port {port} has no telemetry: the program is compiled for ports 1 to {ports}")]
    PortOutOfRange {
        /// The port.
        port: PortRef,
        /// Number of ports that the program is compiled for.
        ports: u64,
    },
    /// A host without an address cannot be routed to.
    #[error("host `{0}` has no address")]
    NoAddress(String),
    /// Two hosts share an address.
    #[error("hosts `{first}` and `{second}` share the address {address}")]
    SharedAddress {
        /// The address.
        address: IpAddr,
        /// One host.
        first: String,
        /// The other.
        second: String,
    },
    /// A DSCP table of the wrong length or with an invalid priority.
    #[error("dscp_priorities: {0}; expected 64 priorities from 0 to 7")]
    Priorities(String),
    /// Too many RoCEv2 ports.
    #[error("{0} roce_ports; the switch program holds {MAX_ROCE_PORTS}")]
    RocePorts(usize),
    /// More equal-cost ports than the tables hold.
    #[error("switch `{switch}` needs {members} ECMP members; the switch program holds {MAX_MEMBERS}")]
    Members {
        /// The switch.
        switch: String,
        /// Number of members that the topology needs.
        members: usize,
    },
}

/// Returns the plans for all switches of `topology`, by name.
///
/// Each host's addresses are routed over all shortest paths. Ports towards hosts are marked, so that polling packets
/// stop there, and each port is configured with the duration of a pause quantum at its rate.
///
/// # Errors
/// The first part of the topology or settings that cannot be programmed.
pub fn plan(
    topology: &Topology,
    settings: &PlanSettings,
    layout: &TelemetryLayout,
) -> Result<BTreeMap<String, SwitchPlan>, PlanError> {
    check_settings(settings)?;
    let mut plans: BTreeMap<String, SwitchPlan> = BTreeMap::new();
    let mut groups: BTreeMap<&str, BTreeMap<Vec<u16>, u16>> = BTreeMap::new();
    for node in topology.nodes.iter().filter(|n| n.kind == NodeKind::Switch) {
        let mut plan = SwitchPlan { switch: node.name.clone(), ..SwitchPlan::default() };
        plan_ports(topology, settings, layout, &mut plan)?;
        plan_classes(settings, &mut plan);
        let seed = settings.ecmp_seed_of(&node.name).to_be_bytes().to_vec();
        plan.registers.push(write(&layout.ecmp_seed, 0, seed));
        plans.insert(node.name.clone(), plan);
        groups.insert(&node.name, BTreeMap::new());
    }

    let router = settings.router(topology);
    let mut owners: BTreeMap<IpAddr, &str> = BTreeMap::new();
    for host in topology.nodes.iter().filter(|n| n.kind == NodeKind::Host) {
        if host.addresses.is_empty() {
            return Err(PlanError::NoAddress(host.name.clone()));
        }
        for address in &host.addresses {
            if let Some(first) = owners.insert(*address, &host.name) {
                let (first, second) = (first.to_string(), host.name.clone());
                return Err(PlanError::SharedAddress { address: *address, first, second });
            }
        }
        for (switch, ports) in router.next_hops(&host.name) {
            let (Some(plan), Some(groups)) = (plans.get_mut(switch), groups.get_mut(switch)) else {
                continue;
            };
            for address in &host.addresses {
                plan.entries.push(route(*address, &ports, groups));
            }
        }
    }

    for (switch, groups) in groups {
        let members: usize = groups.keys().map(Vec::len).sum();
        if members > MAX_MEMBERS {
            return Err(PlanError::Members { switch: switch.to_string(), members });
        }
        if let Some(plan) = plans.get_mut(switch) {
            // Members first: a route must not refer to a group that does not exist yet.
            let routes = std::mem::take(&mut plan.entries);
            plan.entries = groups.iter().flat_map(|(ports, id)| members_of(*id, ports)).collect();
            plan.entries.extend(routes);
        }
    }
    Ok(plans)
}

fn check_settings(settings: &PlanSettings) -> Result<(), PlanError> {
    for table in std::iter::once(&settings.dscp_priorities).chain(settings.switch_priorities.values()) {
        if table.len() != 64 {
            return Err(PlanError::Priorities(format!("{} entries", table.len())));
        }
        if let Some(class) = table.iter().find(|class| **class > 7) {
            return Err(PlanError::Priorities(format!("priority {class}")));
        }
    }
    let ports: BTreeSet<u16> = settings.roce_ports.iter().copied().collect();
    if ports.len() > MAX_ROCE_PORTS {
        return Err(PlanError::RocePorts(ports.len()));
    }
    Ok(())
}

fn plan_ports(
    topology: &Topology,
    settings: &PlanSettings,
    layout: &TelemetryLayout,
    plan: &mut SwitchPlan,
) -> Result<(), PlanError> {
    let mut to_switches = Vec::new();
    for (port, peer) in topology.ports_of(&plan.switch) {
        let here = PortRef::new(&plan.switch, port);
        if port == 0 || u64::from(port) > layout.ports {
            return Err(PlanError::PortOutOfRange { port: here, ports: layout.ports });
        }
        let host_facing = topology.is_host(&peer.switch);
        if !host_facing {
            to_switches.push(port);
        }
        let rate_bps = topology.link_of(&here).map_or(0, |link| link.rate.0);
        let quantum = if settings.pause_timer { quantum(rate_bps) } else { 0 };
        let config = &layout.port_config;
        let mut value = vec![0; config.register.word.bytes()];
        config.host_facing.set(&mut value, u128::from(host_facing));
        config.quantum.set(&mut value, quantum);
        plan.registers.push(write(&config.register, u64::from(port) - 1, value));
    }
    plan.groups.push(MulticastGroup { id: POLL_GROUP, ports: to_switches });
    Ok(())
}

/// Duration of 512 bit times in units of 2^-16 ns, rounded; at least 1, since 0 disables the timer.
fn quantum(rate_bps: u64) -> u128 {
    if rate_bps == 0 {
        return 0;
    }
    let scaled = 512 * 1_000_000_000 * 65_536u128;
    ((scaled + u128::from(rate_bps) / 2) / u128::from(rate_bps)).max(1)
}

fn plan_classes(settings: &PlanSettings, plan: &mut SwitchPlan) {
    let table = settings.switch_priorities.get(&plan.switch).unwrap_or(&settings.dscp_priorities);
    // Priority 0 is the table's default.
    for (dscp, class) in table.iter().enumerate().filter(|(_, class)| **class != 0) {
        plan.entries.push(TableEntry {
            table: "dscp_priorities",
            key: vec![("dscp", MatchValue::Exact(vec![dscp as u8]))],
            action: "set_priority",
            params: vec![("priority", vec![*class])],
        });
    }
    let ports: BTreeSet<u16> = settings.roce_ports.iter().copied().collect();
    plan.value_sets = ports
        .into_iter()
        .map(|port| ValueSetMember { value_set: "roce_ports", value: port.to_be_bytes().to_vec() })
        .collect();
}

fn route(address: IpAddr, ports: &[u16], groups: &mut BTreeMap<Vec<u16>, u16>) -> TableEntry {
    let (table, value, prefix_length) = match address {
        IpAddr::V4(v4) => ("ipv4_routes", v4.octets().to_vec(), 32),
        IpAddr::V6(v6) => ("ipv6_routes", v6.octets().to_vec(), 128),
    };
    let key = vec![("destination", MatchValue::Lpm { value, prefix_length })];
    if let [port] = ports {
        return TableEntry { table, key, action: "set_port", params: vec![port_param(*port)] };
    }
    let next = groups.len() as u16 + 1;
    let id = *groups.entry(ports.to_vec()).or_insert(next);
    let size = ports.len() as u16;
    let params = vec![("group_id", id.to_be_bytes().to_vec()), ("size", size.to_be_bytes().to_vec())];
    TableEntry { table, key, action: "set_group", params }
}

fn members_of(group: u16, ports: &[u16]) -> impl Iterator<Item = TableEntry> {
    ports.iter().enumerate().map(move |(member, port)| TableEntry {
        table: "ecmp_members",
        key: vec![
            ("group", MatchValue::Exact(group.to_be_bytes().to_vec())),
            ("member", MatchValue::Exact((member as u16).to_be_bytes().to_vec())),
        ],
        action: "set_port",
        params: vec![port_param(*port)],
    })
}

fn port_param(port: u16) -> (&'static str, Vec<u8>) {
    ("port", port.to_be_bytes().to_vec())
}

fn write(register: &Register, index: u64, value: Vec<u8>) -> RegisterWrite {
    RegisterWrite { register: register.name.clone(), index, value }
}
