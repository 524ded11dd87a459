//! DSCPs and 802.1p priorities with which packets leave: profiles of `remark`, and access lists.
//!
//! Source: Cumulus Linux 5 user guide, "Quality of Service", "Mark and Remark Traffic", and "Access Control List
//! Configuration": rules apply in the order of their numbers, and packets that no rule matches are forwarded.

use super::super::access::{self, AccessList, ROCE_PORT, Reach, Rule};
use super::super::qos::Qos;
use super::super::treatment::{Filter, Treatment};
use super::super::{Placed, names};
use super::tree::Node;
use super::{Reader, children};

/// The word for every address, protocol or port.
const ANY: &str = "ANY";

impl Reader {
    /// The values with which packets of each switch priority leave.
    pub(super) fn remark(&mut self, profile: &Node) -> Qos {
        let mut to = Qos::default();
        for from in children(profile, "switch-priority") {
            let dscp = from.value(&["dscp"]).cloned();
            let dscp = dscp.and_then(|node| self.number(&node, "dscp", (0u8, 63)));
            let cos = from.value(&["pcp"]).cloned();
            let cos = cos.and_then(|node| self.number(&node, "pcp", (0u8, 7)));
            for class in self.numbers(from, "switch-priority", 7) {
                to.dscp_of_class.extend(dscp.map(|dscp| (class, dscp)));
                to.cos_of_class.extend(cos.map(|cos| (class, cos)));
            }
        }
        to
    }

    /// What the access lists of a port do with its packets.
    pub(super) fn lists_of_port(&self, root: &Node, port: &Node, qos: &mut Qos) {
        for list in children(port, "acl") {
            let Some(known) = root.at(&["acl", &list.key]) else { continue };
            if known.value(&["type"]).is_some_and(|kind| kind.key == "mac") {
                continue;
            }
            let mut rules: Vec<&Node> = children(known, "rule").collect();
            rules.sort_by_key(|rule| rule.key.parse::<u32>().unwrap_or(u32::MAX));
            let mut all =
                AccessList { rules: rules.iter().filter_map(|rule| read(rule)).collect(), span: known.span };
            // Packets that no rule matches are forwarded.
            all.rules.push(access::rule(Reach::All, true));
            qos.filters.extend(Filter::of(&list.key, &all));
            qos.treatments.extend(rules.iter().filter_map(|rule| treatment(&list.key, rule)));
        }
    }
}

/// A rule, if it decides about packets.
fn read(node: &Node) -> Option<Rule> {
    let action = node.value(&["action"])?;
    let rule = matched(node);
    Some(Rule {
        permits: action.key != "deny",
        text: format!("rule {}", node.key),
        span: action.span,
        ..rule
    })
}

/// What a rule does with packets of RoCEv2 besides dropping them.
fn treatment(list: &str, node: &Node) -> Option<Treatment> {
    let action = node.get("action")?;
    let rule = matched(node);
    if rule.roce < Reach::All && !rule.names_roce_port && rule.dscps.is_empty() {
        return None;
    }
    let set = |name: &str, most: u8| {
        let value = action.at(&["set", name])?.children.last()?;
        let number = value.key.parse::<u8>().ok().filter(|number| *number <= most)?;
        Some(Placed::new(number, value.span))
    };
    let (new_dscp, new_cos) = (set("dscp", 63), set("cos", 7));
    let policer = action.get("police").map(|police| Placed::new(None, police.span));
    let has_action = new_dscp.is_some() || new_cos.is_some() || policer.is_some();
    has_action.then(|| Treatment {
        policy: list.to_string(),
        class: node.key.clone(),
        span: node.span,
        roce: if rule.dscps.is_empty() { Reach::All } else { Reach::None },
        dscps: rule.dscps,
        new_dscp,
        new_cos,
        policer,
        commands: ["set dscp".to_string(), "set cos".to_string(), "police".to_string()],
        ..Treatment::default()
    })
}

/// The packets that a rule matches.
fn matched(node: &Node) -> Rule {
    let empty = Node::default();
    let ip = node.at(&["match", "ip"]).unwrap_or(&empty);
    let value = |path: &[&str]| ip.value(path).map(|node| node.key.as_str()).filter(|word| *word != ANY);
    let is_udp = value(&["protocol"]).is_none_or(|name| matches!(name, "udp" | "17"));
    let ports: Vec<&Node> =
        [&["dest-port"] as &[&str], &["udp", "dest-port"]].iter().filter_map(|path| ip.at(path)).collect();
    let ports: Vec<&str> = ports
        .iter()
        .flat_map(|port| &port.children)
        .map(|port| port.key.as_str())
        .filter(|p| *p != ANY)
        .collect();
    let has_port = ports.is_empty() || ports.iter().any(|port| has_roce(port));
    let source =
        [&["source-port"] as &[&str], &["udp", "source-port"]].iter().any(|path| value(path).is_some());
    let dscps =
        value(&["dscp"]).and_then(|word| names::dscps(&word.to_ascii_lowercase())).unwrap_or_default();
    let is_other = ip.get("tcp").is_some() || node.at(&["match", "mac"]).is_some();
    let known = ["protocol", "dest-port", "udp", "dscp"];
    let has_more = source
        || ip.children.iter().any(|child| {
            !known.contains(&child.key.as_str()) && child.children.iter().any(|value| value.key != ANY)
        });
    let roce = match is_udp && has_port && !is_other {
        false => Reach::None,
        true if has_more || !dscps.is_empty() => Reach::Some,
        true => Reach::All,
    };
    let is_everything = roce == Reach::All && ports.is_empty() && value(&["protocol"]).is_none();
    Rule {
        names_roce_port: roce > Reach::None && !ports.is_empty(),
        dscps: if roce == Reach::Some && !has_more { dscps } else { Vec::new() },
        ..access::rule(roce, is_everything)
    }
}

/// Whether a port or a range such as `4000:5000` contains that of RoCEv2.
fn has_roce(port: &str) -> bool {
    let (low, high) = port.split_once([':', '-']).unwrap_or((port, port));
    matches!((low.parse::<u16>(), high.parse::<u16>()), (Ok(low), Ok(high)) if (low..=high).contains(&ROCE_PORT))
}
