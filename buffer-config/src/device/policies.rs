//! Class maps, policy maps and access lists of EOS and NX-OS that give received packets a class.

use std::collections::{BTreeMap, BTreeSet};

use super::access::{AccessList, Reach};
use super::lines::{Command, Word};
use super::qos::Qos;
use super::treatment::{Filter, ListUse, Rate, Treatment};
use super::{Device, Placed, Remark, System, names};
use crate::source::Span;

/// The class that takes what no other class of a policy map matches.
const DEFAULT_CLASS: &str = "class-default";

/// What a class map matches.
#[derive(Clone, Debug, Default)]
struct Class<'a> {
    /// Whether all of its lines must match.
    all: bool,
    dscps: Vec<Placed<u8>>,
    priorities: Vec<Placed<u8>>,
    /// The class of packets that have one (output policies of NX-OS).
    group: Option<u8>,
    lists: Vec<Word<'a>>,
    /// Whether it matches by something else, e.g. the VLAN.
    by_other: bool,
}

/// A class of a policy map, the number that its packets get, and what else happens to them.
#[derive(Clone, Debug)]
struct Given<'a> {
    class: Word<'a>,
    number: Option<Placed<u8>>,
    new_dscp: Option<Placed<u8>>,
    new_cos: Option<Placed<u8>>,
    policer: Option<Placed<Rate>>,
    commands: [String; 3],
}

/// The class maps, policy maps and access lists of one file, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Policies<'a> {
    text: &'a str,
    classes: BTreeMap<&'a str, Class<'a>>,
    /// The classes of each policy map.
    policies: BTreeMap<&'a str, Vec<Given<'a>>>,
    lists: BTreeMap<&'a str, AccessList>,
    /// Where the policy maps are defined.
    spans: BTreeMap<&'a str, Span>,
    /// The policy maps that are applied.
    applied: BTreeSet<&'a str>,
}

impl<'a> Policies<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// Reads an access list, or a `class-map` or `policy-map` of type `qos`. Returns whether the command is one.
    pub(super) fn read(&mut self, command: &Command<'a>, device: &mut Device) -> bool {
        let Some((name, rest)) = command.words.split_last() else { return false };
        let head: Vec<&str> = rest.iter().map(|word| word.text).collect();
        match head.as_slice() {
            ["class-map", "match-any" | "match-all"]
            | ["class-map", "type", "qos" | "quality-of-service"]
            | ["class-map", "type", "qos" | "quality-of-service", "match-any" | "match-all"] => {
                // Without a word, NX-OS requires all lines to match.
                let is_stated = |mode: &str| head.last() == Some(&mode);
                let is_default = device.system == System::Nxos && !is_stated("match-any");
                self.class(name.text, command, is_default || is_stated("match-all"), device);
                true
            }
            ["policy-map", "type", "qos" | "quality-of-service"] | ["policy-map"] => {
                self.spans.entry(name.text).or_insert(name.span);
                self.policy(name.text, command, device);
                true
            }
            ["ip" | "ipv6", "access-list", kind @ ..] if matches!(kind, [] | ["standard"]) => {
                let list = self.lists.entry(name.text).or_default();
                list.extend(*name, !kind.is_empty(), &command.block, self.text);
                true
            }
            _ => false,
        }
    }

    /// Reads a class map. If `all` lines must match, packets have a DSCP that each of them lists.
    fn class(&mut self, name: &'a str, command: &Command<'a>, all: bool, device: &mut Device) {
        let class = self.classes.entry(name).or_default();
        class.all = all;
        let mut is_first = true;
        for line in &command.block {
            let Some((values, is_dscp)) = matched(line, name, device) else {
                class.other(line);
                continue;
            };
            let is_narrowed = is_dscp && all && !is_first;
            let before = if is_narrowed { std::mem::take(&mut class.dscps) } else { Vec::new() };
            is_first &= !is_dscp;
            if is_dscp {
                class.dscps.extend(values)
            } else {
                class.priorities.extend(values)
            }
            if is_narrowed {
                class.dscps.retain(|dscp| before.iter().any(|other| other.value == dscp.value));
            }
        }
    }

    /// Reads a policy map. A later block of the same class changes what an earlier one has set.
    fn policy(&mut self, name: &'a str, command: &Command<'a>, device: &mut Device) {
        let mut policy = std::mem::take(self.policies.entry(name).or_default());
        for line in &command.block {
            let Some(class) = line.words.last().filter(|_| line.after(&["class"]).is_some()) else {
                continue;
            };
            let at = policy.iter().position(|given: &Given<'_>| given.class.text == class.text);
            let at = at.unwrap_or_else(|| {
                policy.push(Given::new(*class));
                policy.len() - 1
            });
            if let Some(given) = policy.get_mut(at) {
                line.block.iter().for_each(|set| given.action(set, name, self.text, device));
            }
        }
        self.policies.insert(name, policy);
    }

    /// Adds the classes that the policy map gives to packets, and what else it does with them. Reports names that the file
    /// does not define.
    pub(super) fn apply(&mut self, policy: Word<'a>, owner: &str, qos: &mut Qos, device: &mut Device) {
        self.applied.insert(policy.text);
        for given in self.given(policy, owner, device) {
            let Some(class) = self.class_of(given, policy, device) else { continue };
            let lists = self.lists_of(class, policy, device);
            let treatment = treatment(policy, given, class, lists);
            if let Some(number) = given.number {
                class.add_to(qos, number, &treatment);
            }
            qos.treatments.push(treatment);
        }
    }

    /// Adds what a policy map does with packets that are sent, whose class is known already.
    pub(super) fn apply_output(&self, policy: Word<'a>, owner: &str, qos: &mut Qos, device: &mut Device) {
        for given in self.given(policy, owner, device) {
            let Some(class) = self.class_of(given, policy, device) else { continue };
            let lists = self.lists_of(class, policy, device);
            let of_class = treatment(policy, given, class, lists);
            let (number, is_output, takes_rest) = (class.group, true, false);
            qos.treatments.push(Treatment { number, is_output, takes_rest, ..of_class });
        }
    }

    /// Reports policy maps with lossless classes that are not applied, if no policy map with the same class is.
    pub(super) fn unapplied(&self, is_lossless: impl Fn(u8) -> bool) -> Vec<Remark> {
        let numbers = |name: &str| -> BTreeSet<u8> {
            let given = self.policies.get(name).into_iter().flatten();
            given.filter_map(|given| given.number.map(|number| number.value)).collect()
        };
        let used: BTreeSet<u8> = self.applied.iter().flat_map(|name| numbers(name)).collect();
        let is_needed = |number: &u8| is_lossless(*number) && !used.contains(number);
        let unapplied = self.spans.iter().filter(|(name, _)| !self.applied.contains(*name));
        let remark = |(name, span): (&&str, &Span)| {
            let class = numbers(name).into_iter().find(|number| is_needed(number))?;
            let message = format!(
                "the policy map `{name}`, which puts packets into lossless class {class}, is not applied"
            );
            Some(Remark::new("MAP011", *span, format!("/policy-map/{name}"), message))
        };
        unapplied.filter_map(remark).collect()
    }

    /// Adds a filter of a port with an access list, if it drops RoCEv2.
    pub(super) fn filter(&self, list: Word<'a>, qos: &mut Qos) {
        qos.filters.extend(self.lists.get(list.text).and_then(|known| Filter::of(list.text, known)));
    }

    /// The classes of a policy map.
    fn given(&self, policy: Word<'a>, owner: &str, device: &mut Device) -> &[Given<'a>] {
        let known = self.policies.get(policy.text);
        // NX-OS has policies of its own, which no configuration shows.
        let is_built_in = device.system == System::Nxos && policy.text.starts_with("default-");
        if known.is_none() && !is_built_in {
            undefined(device, policy.span, owner, "policy map", policy.text);
        }
        known.map(Vec::as_slice).unwrap_or_default()
    }

    fn class_of(&self, given: &Given<'a>, policy: Word<'a>, device: &mut Device) -> Option<&Class<'a>> {
        static REST: Class<'static> = Class::rest();
        let known = self.classes.get(given.class.text);
        if known.is_none() && given.class.text == DEFAULT_CLASS {
            return Some(&REST);
        }
        if known.is_none() {
            let pointer = format!("/policy-map/{}", policy.text);
            undefined(device, given.class.span, &pointer, "class map", given.class.text);
        }
        known
    }

    fn lists_of(&self, class: &Class<'a>, policy: Word<'a>, device: &mut Device) -> Vec<ListUse> {
        let mut all = Vec::new();
        for name in &class.lists {
            match self.lists.get(name.text) {
                Some(list) => all.push(ListUse::new(*name, list, device.system)),
                None => {
                    let pointer = format!("/policy-map/{}", policy.text);
                    undefined(device, name.span, &pointer, "access list", name.text);
                }
            }
        }
        all
    }
}

impl Class<'_> {
    /// The class of all packets that no other class takes.
    const fn rest() -> Self {
        Self {
            all: false,
            dscps: Vec::new(),
            priorities: Vec::new(),
            group: None,
            lists: Vec::new(),
            by_other: true,
        }
    }

    /// The part of RoCEv2 that access lists give the class.
    fn roce(&self, lists: &[ListUse]) -> Reach {
        let all = lists.iter().map(|list| list.reach);
        let reach = if self.all { all.min() } else { all.max() };
        // Packets must also have one of its DSCPs.
        let is_narrowed = self.all && (!self.dscps.is_empty() || self.by_other);
        reach.unwrap_or_default().min(if is_narrowed { Reach::Some } else { Reach::All })
    }

    /// Adds the number of the class to a port.
    fn add_to(&self, qos: &mut Qos, number: Placed<u8>, treatment: &Treatment) {
        if self.by_other || !self.lists.is_empty() {
            qos.classes_by_other.insert(number.value);
        }
        // The first class that matches wins.
        for dscp in &treatment.dscps {
            qos.class_of_dscp.entry(*dscp).or_insert(number);
        }
        for priority in &self.priorities {
            qos.class_of_cos.entry(priority.value).or_insert(number);
        }
    }
}

impl<'a> Class<'a> {
    /// Reads a line that matches neither by DSCPs nor by 802.1p priorities.
    fn other(&mut self, line: &Command<'a>) {
        let list = [
            &["match", "access-group", "name"] as &[&str],
            &["match", "ip", "access-group"],
            &["match", "ipv6", "access-group"],
        ]
        .iter()
        .find_map(|begin| line.after(begin)?.last().copied());
        if let Some(name) = list {
            self.lists.push(name);
        } else if let Some([group, ..]) = line.after(&["match", "qos-group"]) {
            self.group = group.text.parse().ok();
        } else {
            self.by_other |= line.after(&["match"]).is_some();
        }
    }
}

/// The values of a line of a class map that matches DSCPs (true) or 802.1p priorities (false).
fn matched(line: &Command<'_>, name: &str, device: &mut Device) -> Option<(Vec<Placed<u8>>, bool)> {
    let after = |what: &[&str]| line.after(&[&["match"], what].concat());
    let dscps = after(&["dscp"]).or_else(|| after(&["ip", "dscp"]));
    let precedences = after(&["precedence"]).or_else(|| after(&["ip", "precedence"]));
    let (list, is_dscp) = match (dscps, precedences, after(&["cos"])) {
        (Some(list), ..) | (None, Some(list), _) => (list, true),
        (None, None, Some(list)) => (list, false),
        (None, None, None) => return None,
    };
    let mut all = Vec::new();
    for word in list {
        let (read, expected) = match (is_dscp, dscps.is_some()) {
            (true, true) => (names::dscps(word.text), "DSCPs from 0 to 63"),
            (true, false) => (names::precedences(word.text), "precedences from 0 to 7"),
            (false, _) => (names::numbers(word.text, 7), "priorities from 0 to 7"),
        };
        match read {
            Some(values) => all.extend(values.into_iter().map(|value| Placed::new(value, word.span))),
            None => {
                let message = format!("class map {name} matches `{}`; expected {expected}", word.text);
                device.refused(word.span, &format!("/class-map/{name}"), message);
            }
        }
    }
    Some((all, is_dscp))
}

impl<'a> Given<'a> {
    fn new(class: Word<'a>) -> Self {
        let commands = Default::default();
        Self { class, number: None, new_dscp: None, new_cos: None, policer: None, commands }
    }

    /// Reads an action of the class.
    fn action(&mut self, set: &Command<'a>, policy: &str, text: &str, device: &mut Device) {
        let words: Vec<&str> = set.words.iter().map(|word| word.text).collect();
        let value = set.words.last().copied();
        let placed = |number: Option<u8>| Some(Placed::new(number?, value?.span));
        let one = |all: Option<Vec<u8>>| all.and_then(|all| all.first().copied());
        let command = || set.text_after(text, 0).to_string();
        match words.as_slice() {
            ["set", "qos-group" | "traffic-class", number, ..] => {
                let word = set.words.get(2).copied();
                match number.parse::<u8>().ok().filter(|number| *number < 8) {
                    Some(number) => self.number = word.map(|word| Placed::new(number, word.span)),
                    None => {
                        let message = format!("policy map {policy} sets class `{number}`; expected 0 to 7");
                        device.refused(
                            word.map_or(set.span, |word| word.span),
                            &format!("/policy-map/{policy}"),
                            message,
                        );
                    }
                }
            }
            // A table of NX-OS gives each DSCP a new one, which is not known here.
            ["set", "dscp", _, "table", ..] => {}
            ["set", "dscp", dscp] | ["set", "ip", "dscp", dscp] => {
                self.new_dscp = placed(one(names::dscps(dscp)));
                self.commands[0] = command();
            }
            ["set", "precedence", number] | ["set", "ip", "precedence", number] => {
                self.new_dscp = placed(one(names::precedences(number)));
                self.commands[0] = command();
            }
            ["set", "cos", number] => {
                self.new_cos = placed(number.parse().ok().filter(|number| *number < 8));
                self.commands[1] = command();
            }
            ["police", ..] => {
                self.policer = policer(set);
                self.commands[2] = command();
            }
            ["no", "set", "dscp" | "precedence" | "ip", ..] => self.new_dscp = None,
            ["no", "set", "cos", ..] => self.new_cos = None,
            ["no", "police", ..] => self.policer = None,
            _ => {}
        }
    }
}

/// The rate above which a policer drops packets or changes their DSCP; `None` if it does neither.
///
/// Sources: Cisco Nexus 9000 NX-OS QoS configuration guide, "Configuring Policing": without another action, packets that
/// violate the rate are dropped. arista.avd, templates of `policy-map`: with two rates, packets above the second are dropped.
fn policer(line: &Command<'_>) -> Option<Placed<Rate>> {
    let words: Vec<&str> = line.words.iter().map(|word| word.text).collect();
    let action =
        |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied();
    if action("violate") == Some("transmit") && action("exceed").is_none_or(|action| action == "transmit") {
        return None;
    }
    let mut span = line.span;
    let mut most: Rate = Some(0);
    for (at, word) in words.iter().enumerate().skip(1) {
        let Some(number) = word.parse::<u64>().ok() else { continue };
        let is_rate = at == 1 || matches!(words.get(at - 1), Some(&("cir" | "pir" | "rate")));
        let factor = match words.get(at + 1).copied().unwrap_or("bps") {
            "kbps" => Some(1_000),
            "mbps" => Some(1_000_000),
            "gbps" => Some(1_000_000_000),
            "pps" => None,
            _ => Some(1),
        };
        if is_rate {
            span = line.words.get(at).map_or(span, |word| word.span);
            most = most.zip(factor).map(|(most, factor)| most.max(number.saturating_mul(factor)));
        }
    }
    let has_share = words.contains(&"percent");
    Some(Placed::new(most.filter(|rate| *rate > 0 && !has_share), span))
}

/// What happens to the packets of a class of a policy map.
fn treatment(policy: Word<'_>, given: &Given<'_>, class: &Class<'_>, lists: Vec<ListUse>) -> Treatment {
    let roce = class.roce(&lists);
    // Packets must also be in an access list, which has none of RDMA.
    let is_empty = class.all && !class.lists.is_empty() && roce == Reach::None;
    let dscps = class.dscps.iter().filter(|_| !is_empty).map(|dscp| dscp.value).collect();
    Treatment {
        policy: policy.text.to_string(),
        class: given.class.text.to_string(),
        span: given.class.span,
        is_output: false,
        number: given.number.map(|number| number.value),
        dscps,
        by_other: class.by_other || !class.priorities.is_empty() || class.lists.len() > lists.len(),
        roce,
        takes_rest: given.class.text == DEFAULT_CLASS,
        lists,
        new_dscp: given.new_dscp,
        new_cos: given.new_cos,
        policer: given.policer,
        commands: given.commands.clone(),
    }
}

/// Reports a name that nothing in the file defines.
pub(super) fn undefined(device: &mut Device, span: Span, pointer: &str, kind: &str, name: &str) {
    let message = format!("the {kind} `{name}` is not defined in this file, so it has no effect");
    let port = pointer.strip_prefix("/interface/").and_then(|rest| rest.split('/').next());
    let port = port.map(|name| name.replace("~1", "/").replace("~0", "~"));
    // Ports with the same name are one finding, at the first of them.
    let is_same = |remark: &&mut Remark| {
        remark.code == "MAP010"
            && remark.message == message
            && (remark.pointer == pointer || port.is_some() && !remark.ports.is_empty())
    };
    if let Some(known) = device.remarks.iter_mut().find(is_same) {
        known.ports.extend(port.filter(|port| !known.ports.contains(port)));
        return;
    }
    let remark = Remark::new("MAP010", span, pointer, message);
    device.remark(Remark { ports: port.into_iter().collect(), ..remark });
}
