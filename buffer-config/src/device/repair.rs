//! Repairs as commands of an operating system.

use super::System;
use super::access::ROCE_PORT;

/// What has to change, in terms that all systems share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Repair {
    /// Use PFC on the ports for these priorities, and no longer for others.
    UsePfc { priorities: Vec<u8>, not: Vec<u8> },
    /// Do not send or obey 802.3x pause frames.
    NoLinkPause,
    /// Monitor the ports with the PFC watchdog.
    Watch,
    /// Trust DSCPs.
    TrustDscp,
    /// Map a DSCP to a class.
    MapDscp { dscp: u8, class: u8 },
    /// Map a class to the queue with its number.
    OwnQueue { class: u8 },
    /// Mark packets of a queue.
    Mark { queue: u8 },
    /// Give a queue a share of the bandwidth instead of strict priority.
    Weight { queue: u8 },
    /// Remove the shaper of a queue.
    Unshape { queue: u8 },
    /// Remove the shaper of the ports.
    UnshapePort,
    /// Let packets of a class leave with this DSCP.
    KeepDscp { class: u8, dscp: u8 },
    /// Let packets of a class leave with this 802.1p priority.
    KeepCos { class: u8, cos: u8 },
    /// Remove a command, as written, from the class of a policy map, or from the rule of an access list (NVUE).
    NoAction { policy: String, class: String, command: String },
    /// Remove a rule of an access list.
    RemoveRule { list: String, number: u32 },
    /// Give packets of a class of a policy map this number.
    SetClass { policy: String, class: String, number: u8 },
    /// Permit RoCEv2 in an access list of a class map.
    PermitRoce { list: String },
    /// Set the MTU of the ports.
    Mtu { bytes: u32 },
    /// Set the forward error correction of the ports.
    Fec { name: String },
}

impl Repair {
    /// The commands for some ports, in the order in which they are entered. Empty where the system has no such command
    /// that is right for all models.
    pub(crate) fn commands(&self, system: System, ports: &[&str]) -> Vec<String> {
        match system {
            System::Nvue => self.nvue(&ports.join(",")),
            System::Eos => self.eos(ports),
            System::Nxos => self.nxos(ports),
        }
    }

    /// Whether it removes a command: then no value has to be chosen.
    pub(crate) fn removes_action(&self) -> bool {
        matches!(self, Self::NoAction { .. })
    }

    fn nvue(&self, ports: &str) -> Vec<String> {
        let mut commands = match self {
            Self::UsePfc { priorities, not } => {
                let priorities: Vec<String> = priorities.iter().map(u8::to_string).collect();
                let mut lines = vec![
                    format!("nv set qos pfc default-global switch-priority {}", priorities.join(",")),
                    "nv set qos pfc default-global tx enable".to_string(),
                    "nv set qos pfc default-global rx enable".to_string(),
                ];
                lines.extend(
                    not.iter().map(|p| format!("nv unset qos pfc default-global switch-priority {p}")),
                );
                lines
            }
            Self::NoLinkPause => vec![format!("nv unset interface {ports} qos link-pause")],
            Self::Watch => vec![format!("nv set interface {ports} qos pfc-watchdog state enable")],
            Self::TrustDscp => vec!["nv set qos mapping default-global trust l3".to_string()],
            Self::MapDscp { dscp, class } => {
                vec![format!("nv set qos mapping default-global dscp {dscp} switch-priority {class}")]
            }
            Self::OwnQueue { class } => {
                vec![format!(
                    "nv set qos egress-queue-mapping default-global switch-priority {class} traffic-class {class}"
                )]
            }
            Self::Mark { queue } => {
                let begin = format!("nv set qos congestion-control default-global traffic-class {queue}");
                vec![
                    format!("{begin} ecn enable"),
                    format!("{begin} min-threshold 150000"),
                    format!("{begin} max-threshold 1500000"),
                ]
            }
            Self::Weight { queue } => {
                let begin = format!("nv set qos egress-scheduler default-global traffic-class {queue}");
                vec![format!("{begin} mode dwrr"), format!("{begin} bw-percent 50")]
            }
            // The name of the profile is not known.
            Self::Unshape { .. } | Self::UnshapePort => {
                vec![format!("nv unset interface {ports} qos egress-shaper")]
            }
            Self::KeepDscp { class, dscp } => {
                vec![format!("nv set qos remark default-global switch-priority {class} dscp {dscp}")]
            }
            Self::KeepCos { class, cos } => {
                vec![format!("nv set qos remark default-global switch-priority {class} pcp {cos}")]
            }
            Self::NoAction { policy, class, command } => {
                vec![format!("nv unset acl {policy} rule {class} action {command}")]
            }
            // Access lists of NVUE do not select packets of a class.
            Self::PermitRoce { .. } | Self::RemoveRule { .. } | Self::SetClass { .. } => return Vec::new(),
            Self::Mtu { bytes } => vec![format!("nv set interface {ports} link mtu {bytes}")],
            Self::Fec { name } => {
                let word = match name.as_str() {
                    "fc" => "baser",
                    "none" => "off",
                    other => other,
                };
                vec![format!("nv set interface {ports} link fec {word}")]
            }
        };
        commands.push("nv config apply".to_string());
        commands
    }

    fn eos(&self, ports: &[&str]) -> Vec<String> {
        let of_ports = |lines: &[String]| blocks("   ", ports, lines);
        match self {
            Self::UsePfc { priorities, not } => {
                let mut lines = vec!["priority-flow-control on".to_string()];
                lines.extend(not.iter().map(|p| format!("priority-flow-control priority {p} drop")));
                lines
                    .extend(priorities.iter().map(|p| format!("priority-flow-control priority {p} no-drop")));
                of_ports(&lines)
            }
            Self::NoLinkPause => of_ports(&["flowcontrol receive off".into(), "flowcontrol send off".into()]),
            Self::Watch => vec![
                "priority-flow-control pause watchdog default timeout 0.2".to_string(),
                "priority-flow-control pause watchdog default recovery-time 0.2".to_string(),
                "priority-flow-control pause watchdog default polling-interval 0.1".to_string(),
                "priority-flow-control pause watchdog action drop".to_string(),
            ],
            Self::TrustDscp => of_ports(&["qos trust dscp".into()]),
            Self::MapDscp { dscp, class } => vec![format!("qos map dscp {dscp} to traffic-class {class}")],
            Self::OwnQueue { class } => vec![format!("qos map traffic-class {class} to tx-queue {class}")],
            Self::Mark { queue } => of_ports(&[
                format!("tx-queue {queue}"),
                "   random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes \
                 max-mark-probability 100"
                    .into(),
            ]),
            Self::Weight { queue } => of_ports(&[
                format!("tx-queue {queue}"),
                "   no priority".into(),
                "   bandwidth percent 50".into(),
            ]),
            Self::Unshape { queue } => of_ports(&[format!("tx-queue {queue}"), "   no shape rate".into()]),
            Self::UnshapePort => of_ports(&["no shape rate".into()]),
            Self::KeepDscp { class, dscp } => vec![format!("qos map traffic-class {class} to dscp {dscp}")],
            Self::KeepCos { class, cos } => vec![format!("qos map traffic-class {class} to cos {cos}")],
            Self::NoAction { policy, class, command } => {
                vec![
                    format!("policy-map type quality-of-service {policy}"),
                    format!("   class {class}"),
                    format!("      no {command}"),
                ]
            }
            Self::PermitRoce { list } => permit_roce("   ", list),
            Self::RemoveRule { list, number } => {
                vec![format!("ip access-list {list}"), format!("   no {number}")]
            }
            Self::SetClass { policy, class, number } => {
                vec![
                    format!("policy-map type quality-of-service {policy}"),
                    format!("   class {class}"),
                    format!("      set traffic-class {number}"),
                ]
            }
            Self::Mtu { bytes } => of_ports(&[format!("mtu {bytes}")]),
            Self::Fec { name } => of_ports(&[match name.as_str() {
                "rs" => "error-correction encoding reed-solomon".to_string(),
                "fc" => "error-correction encoding fire-code".to_string(),
                _ => "no error-correction encoding".to_string(),
            }]),
        }
    }

    fn nxos(&self, ports: &[&str]) -> Vec<String> {
        let of_ports = |lines: &[String]| blocks("  ", ports, lines);
        match self {
            Self::UsePfc { .. } => of_ports(&["priority-flow-control mode on".into()]),
            Self::NoLinkPause => {
                of_ports(&["no flowcontrol receive on".into(), "no flowcontrol send on".into()])
            }
            Self::Watch => {
                let mut all = vec!["priority-flow-control watch-dog-interval on".to_string()];
                all.extend(of_ports(&["priority-flow-control watch-dog-interval on".into()]));
                all
            }
            Self::Mtu { bytes } => of_ports(&[format!("mtu {bytes}")]),
            Self::Fec { name } => of_ports(&[match name.as_str() {
                "rs" => "fec rs-fec".to_string(),
                "fc" => "fec fc-fec".to_string(),
                _ => "fec off".to_string(),
            }]),
            Self::MapDscp { dscp, class } => vec![
                format!("class-map type qos match-any <class that sets qos-group {class}>"),
                format!("  match dscp {dscp}"),
            ],
            Self::Mark { queue } => queuing(
                *queue,
                &[
                    "random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 \
                 weight 0 ecn",
                ],
            ),
            Self::Weight { queue } => queuing(*queue, &["no priority", "bandwidth remaining percent 50"]),
            Self::Unshape { queue } => queuing(*queue, &["no shape"]),
            Self::NoAction { policy, class, command } => {
                vec![
                    format!("policy-map type qos {policy}"),
                    format!("  class {class}"),
                    format!("    no {command}"),
                ]
            }
            Self::PermitRoce { list } => permit_roce("  ", list),
            Self::RemoveRule { list, number } => {
                vec![format!("ip access-list {list}"), format!("  no {number}")]
            }
            Self::SetClass { policy, class, number } => {
                vec![
                    format!("policy-map type qos {policy}"),
                    format!("  class {class}"),
                    format!("    set qos-group {number}"),
                ]
            }
            // The system has no such setting: policy maps decide, and each group has its own queue.
            Self::TrustDscp
            | Self::OwnQueue { .. }
            | Self::UnshapePort
            | Self::KeepDscp { .. }
            | Self::KeepCos { .. } => Vec::new(),
        }
    }
}

/// The rule that permits RoCEv2 in an access list.
fn permit_roce(indent: &str, list: &str) -> Vec<String> {
    vec![format!("ip access-list {list}"), format!("{indent}permit udp any any eq {ROCE_PORT}")]
}

/// Lines of a queue in the output policy.
fn queuing(queue: u8, lines: &[&str]) -> Vec<String> {
    let mut all = vec![
        "policy-map type queuing <output policy>".to_string(),
        format!("  class type queuing c-out-8q-q{queue}"),
    ];
    all.extend(lines.iter().map(|line| format!("    {line}")));
    all
}

/// The lines below the interface of each port.
fn blocks(indent: &str, ports: &[&str], lines: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for port in ports {
        all.push(format!("interface {port}"));
        all.extend(lines.iter().map(|line| format!("{indent}{line}")));
    }
    all
}
