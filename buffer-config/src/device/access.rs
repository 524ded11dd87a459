//! Access lists of EOS and NX-OS: which packets of RoCEv2 a list matches.
//!
//! Sources: InfiniBand Architecture, annex A17: RoCEv2 has the UDP destination port 4791, and its source port differs from
//! flow to flow. Arista EOS user manual, "Traffic Management": class maps use the permit rules of a list only. Cisco Nexus
//! 9000 NX-OS QoS configuration guide, "Configuring ACL Classification": permit and deny rules match alike.

use super::lines::{Command, Word};
use super::{System, names};
use crate::source::Span;

/// The UDP destination port of RoCEv2.
pub(crate) const ROCE_PORT: u16 = 4791;
/// The protocol number of UDP.
const UDP: &str = "17";
/// The TCP port of iSCSI, which other networks make lossless.
const ISCSI_PORTS: [&str; 2] = ["3260", "iscsi"];
/// Words at the end of a rule that are no condition.
const NO_CONDITION: [&str; 3] = ["log", "count", "statistics"];

/// The part of the packets of RoCEv2 that something matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// None of them.
    #[default]
    None,
    /// Those of some hosts, for example.
    Some,
    /// All.
    All,
}

/// One rule of an access list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) permits: bool,
    pub(crate) roce: Reach,
    /// Whether it matches every packet.
    pub(crate) is_everything: bool,
    /// The DSCPs of the packets that it matches, if it has no condition besides them and UDP or IP.
    pub(crate) dscps: Vec<u8>,
    /// Whether it names the port of RoCEv2, or matches iSCSI.
    pub(crate) names_roce_port: bool,
    pub(crate) is_iscsi: bool,
    /// Its number, if the file states it.
    pub(crate) number: Option<u32>,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An access list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AccessList {
    pub(crate) rules: Vec<Rule>,
    pub(crate) span: Span,
}

impl AccessList {
    /// Adds the rules of a block.
    pub(super) fn extend(&mut self, name: Word<'_>, is_standard: bool, block: &[Command<'_>], text: &str) {
        self.span = name.span;
        for line in block {
            if let Some([number]) = line.after(&["no"]) {
                self.rules.retain(|rule| rule.number.is_none() || rule.number != number.text.parse().ok());
                continue;
            }
            let number = line.words.first().and_then(|word| word.text.parse::<u32>().ok());
            let start = usize::from(number.is_some());
            let words: Vec<&str> = line.words.iter().skip(start).map(|word| word.text).collect();
            let Some((action @ ("permit" | "deny"), condition)) =
                words.split_first().map(|(action, rest)| (*action, rest))
            else {
                continue;
            };
            let mut rule = if is_standard { standard(condition) } else { extended(condition) };
            rule.permits = action == "permit";
            rule.number = number;
            rule.text = line.text_after(text, 0).to_string();
            rule.span = line.span;
            self.rules.push(rule);
        }
    }

    /// The part of RoCEv2 that a class map with this list matches.
    pub(crate) fn reach(&self, system: System) -> Reach {
        let counts = |rule: &&Rule| rule.permits || system == System::Nxos;
        self.rules.iter().filter(counts).map(|rule| rule.roce).max().unwrap_or_default()
    }

    /// A rule that matches every packet in a class map.
    pub(crate) fn everything(&self, system: System) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.is_everything && (rule.permits || system == System::Nxos))
    }

    /// A deny rule that does not do in a class map what it says.
    pub(crate) fn ignored_deny(&self, system: System) -> Option<&Rule> {
        match system {
            System::Nxos => self.rules.iter().find(|rule| !rule.permits),
            _ => {
                let first = self.rules.iter().position(|rule| rule.permits && rule.roce > Reach::None)?;
                self.rules.get(..first)?.iter().find(|rule| !rule.permits && rule.roce == Reach::All)
            }
        }
    }

    /// Why a filter with this list drops RoCEv2: the rule, or `None` in it if no rule permits the packets. The outer value
    /// is `None` if it forwards a part at least.
    pub(crate) fn drops(&self) -> Option<Option<&Rule>> {
        if self.rules.is_empty() {
            return None;
        }
        for rule in &self.rules {
            match (rule.permits, rule.roce) {
                (true, Reach::Some | Reach::All) => return None,
                (false, Reach::All) => return Some(Some(rule)),
                _ => {}
            }
        }
        Some(None)
    }

    /// The first rule of a filter that drops all packets with some DSCPs.
    pub(crate) fn drops_dscps(&self) -> Option<&Rule> {
        let forwards_all = |rule: &Rule| rule.permits && rule.roce == Reach::All;
        let mut rules = self.rules.iter().take_while(|rule| !forwards_all(rule));
        rules.find(|rule| !rule.permits && !rule.dscps.is_empty())
    }
}

/// A rule before its action is known.
pub(crate) fn rule(roce: Reach, is_everything: bool) -> Rule {
    Rule {
        permits: true,
        roce,
        is_everything,
        dscps: Vec::new(),
        names_roce_port: false,
        is_iscsi: false,
        number: None,
        text: String::new(),
        span: Span::default(),
    }
}

/// A rule of a standard list, which has a source only.
fn standard(words: &[&str]) -> Rule {
    let (is_any, _) = address(words);
    rule(if is_any { Reach::All } else { Reach::Some }, is_any)
}

/// A rule with protocol, source, destination and their ports.
fn extended(words: &[&str]) -> Rule {
    let Some((protocol, rest)) = words.split_first() else { return rule(Reach::None, false) };
    let is_udp = matches!(*protocol, "udp" | UDP);
    let is_ip = matches!(*protocol, "ip" | "ipv4" | "ipv6");
    let (any_source, rest) = address(rest);
    let (source_port, rest) = ports(rest);
    let (any_destination, rest) = address(rest);
    let (destination_port, rest) = ports(rest);
    let (dscps, rest) = match rest {
        ["dscp", list, after @ ..] => (names::dscps(list).unwrap_or_default(), after),
        _ => (Vec::new(), rest),
    };
    let is_bare = rest.iter().all(|word| NO_CONDITION.contains(word));
    let names = |ports: &Option<Ports<'_>>, all: &[&str]| {
        ports.as_ref().is_some_and(|ports| ports.numbers.iter().any(|port| all.contains(port)))
    };
    let roce_port = ROCE_PORT.to_string();
    let is_any = any_source && any_destination && is_bare;
    let matches_port = destination_port.as_ref().is_none_or(Ports::has_roce);
    // A source port is the port of few flows; a range may be that of all.
    let source = source_port
        .as_ref()
        .map_or(Reach::All, |ports| if ports.is_one() { Reach::None } else { Reach::Some });
    // Which ports a group has is stated elsewhere.
    let is_group = destination_port.as_ref().is_some_and(|ports| ports.operator == "portgroup");
    let roce = match (is_udp || is_ip) && matches_port {
        true if is_any && dscps.is_empty() && !is_group => source,
        true => source.min(Reach::Some),
        false => Reach::None,
    };
    let has_ports = source_port.is_some() || destination_port.is_some();
    let is_everything = is_ip && is_any && !has_ports && dscps.is_empty();
    Rule {
        dscps: if is_any && roce > Reach::None && source == Reach::All { dscps } else { Vec::new() },
        names_roce_port: names(&source_port, &[&roce_port]) || names(&destination_port, &[&roce_port]),
        is_iscsi: *protocol == "tcp"
            && (names(&source_port, &ISCSI_PORTS) || names(&destination_port, &ISCSI_PORTS)),
        ..rule(roce, is_everything)
    }
}

/// Whether an address is `any`, and the words after it.
fn address<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    let after = |count: usize| words.get(count..).unwrap_or_default();
    match words {
        ["any", ..] => (true, after(1)),
        ["host" | "addrgroup" | "object-group", _, ..] => (false, after(2)),
        [one, ..] if one.contains('/') => (one.ends_with("/0"), after(1)),
        // An address with a wildcard mask.
        [_, mask, ..] if mask.contains('.') || mask.contains(':') => (*mask == "255.255.255.255", after(2)),
        [_, ..] => (false, after(1)),
        [] => (true, words),
    }
}

/// A condition on ports.
struct Ports<'t> {
    operator: &'t str,
    numbers: Vec<&'t str>,
}

impl Ports<'_> {
    fn is_one(&self) -> bool {
        self.operator == "eq"
    }

    /// Whether the condition holds for the port of RoCEv2. That of a group of ports may.
    fn has_roce(&self) -> bool {
        let numbers: Vec<u16> = self.numbers.iter().filter_map(|port| port.parse().ok()).collect();
        match (self.operator, numbers.as_slice()) {
            ("eq", all) => all.contains(&ROCE_PORT),
            ("neq", all) => !all.contains(&ROCE_PORT),
            ("gt", [least, ..]) => ROCE_PORT > *least,
            ("lt", [most, ..]) => ROCE_PORT < *most,
            ("range", [least, most, ..]) => (*least..=*most).contains(&ROCE_PORT),
            ("portgroup", _) => true,
            _ => false,
        }
    }
}

/// The condition on ports at the start of the words, and the words after it.
fn ports<'w, 't>(words: &'w [&'t str]) -> (Option<Ports<'t>>, &'w [&'t str]) {
    let Some((operator, rest)) = words.split_first() else { return (None, words) };
    let count = match *operator {
        // EOS has several ports behind `eq`; a name of a port begins no address.
        "eq" | "neq" => 1 + rest.iter().skip(1).take_while(|word| word.parse::<u16>().is_ok()).count(),
        "gt" | "lt" | "portgroup" => 1,
        "range" => 2,
        _ => return (None, words),
    };
    let numbers = rest.iter().take(count).copied().collect();
    (Some(Ports { operator, numbers }), rest.get(count..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(text: &str) -> Reach {
        extended(&text.split(' ').collect::<Vec<_>>()).roce
    }

    #[test]
    fn rules_match_the_destination_port_of_rocev2() {
        for text in ["udp any any eq 4791", "ip any any", "17 any any", "udp any any range 4000 5000 log"] {
            assert_eq!(reach(text), Reach::All, "{text}");
        }
        for text in [
            "udp 10.0.0.0/8 any eq 4791",
            "udp 10.0.0.0 0.255.255.255 host 192.0.2.1 eq 53 4791",
            "udp any gt 49151 any eq 4791",
            "udp any any eq 4791 dscp 26",
            "udp any any portgroup RDMA",
        ] {
            assert_eq!(reach(text), Reach::Some, "{text}");
        }
        for text in [
            "tcp any any eq 4791",
            "udp any any eq 4971",
            "udp any eq 4791 any",
            "udp any any eq snmp",
            "icmp",
        ] {
            assert_eq!(reach(text), Reach::None, "{text}");
        }
    }
}
