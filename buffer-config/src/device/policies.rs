//! Class maps and policy maps of EOS and NX-OS that give received packets a class.

use std::collections::BTreeMap;

use super::lines::{Command, Word};
use super::qos::Qos;
use super::{Device, Placed, Remark, System, names};
use crate::source::Span;

/// The class that takes what no other class of a policy map matches.
const DEFAULT_CLASS: &str = "class-default";

/// What a class map matches.
#[derive(Clone, Debug, Default)]
struct Class {
    dscps: Vec<Placed<u8>>,
    priorities: Vec<Placed<u8>>,
    /// Whether it matches by something else, e.g. an access list.
    by_other: bool,
}

/// A class of a policy map, and the number that its packets get.
type Given<'a> = (Word<'a>, Option<Placed<u8>>);

/// The class maps and policy maps of one file, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Policies<'a> {
    classes: BTreeMap<&'a str, Class>,
    /// The classes of each policy map.
    policies: BTreeMap<&'a str, Vec<Given<'a>>>,
}

impl<'a> Policies<'a> {
    /// Reads a `class-map` or `policy-map` of type `qos`. Returns whether the command is one.
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
                self.policy(name.text, command, device);
                true
            }
            _ => false,
        }
    }

    /// Reads a class map. If `all` lines must match, packets have a DSCP that each of them lists.
    fn class(&mut self, name: &'a str, command: &Command<'a>, all: bool, device: &mut Device) {
        let class = self.classes.entry(name).or_default();
        let mut is_first = true;
        for line in &command.block {
            let dscp = line.after(&["match", "dscp"]).or_else(|| line.after(&["match", "ip", "dscp"]));
            let (list, is_dscp) = match (dscp, line.after(&["match", "cos"])) {
                (Some(list), _) => (list, true),
                (None, Some(list)) => (list, false),
                (None, None) => {
                    class.by_other |= line.after(&["match"]).is_some();
                    continue;
                }
            };
            let is_narrowed = is_dscp && all && !is_first;
            let before = if is_narrowed { std::mem::take(&mut class.dscps) } else { Vec::new() };
            is_first &= !is_dscp;
            for word in list {
                let read = if is_dscp { names::dscps(word.text) } else { names::numbers(word.text, 7) };
                let Some(values) = read else {
                    let expected = if is_dscp { "DSCPs from 0 to 63" } else { "priorities from 0 to 7" };
                    let message = format!("class map {name} matches `{}`; expected {expected}", word.text);
                    device.refused(word.span, &format!("/class-map/{name}"), message);
                    continue;
                };
                let values = values.into_iter().map(|value| Placed::new(value, word.span));
                if is_dscp { class.dscps.extend(values) } else { class.priorities.extend(values) }
            }
            if is_narrowed {
                class.dscps.retain(|dscp| before.iter().any(|other| other.value == dscp.value));
            }
        }
    }

    fn policy(&mut self, name: &'a str, command: &Command<'a>, device: &mut Device) {
        let policy = self.policies.entry(name).or_default();
        for line in &command.block {
            let Some(class) = line.words.last().filter(|_| line.after(&["class"]).is_some()) else {
                continue;
            };
            let number = line.block.iter().find_map(|set| {
                set.after(&["set", "qos-group"]).or_else(|| set.after(&["set", "traffic-class"]))?.first()
            });
            let number = number.and_then(|word| match word.text.parse::<u8>() {
                Ok(number) if number < 8 => Some(Placed::new(number, word.span)),
                _ => {
                    let message = format!("policy map {name} sets class `{}`; expected 0 to 7", word.text);
                    device.refused(word.span, &format!("/policy-map/{name}"), message);
                    None
                }
            });
            policy.push((*class, number));
        }
    }

    /// Adds the classes that the policy map gives to packets. Reports names that the file does not define.
    pub(super) fn apply(&self, policy: Word<'a>, owner: &str, qos: &mut Qos, device: &mut Device) {
        let Some(classes) = self.policies.get(policy.text) else {
            // NX-OS has policies of its own, which no configuration shows.
            if device.system == System::Nxos && policy.text.starts_with("default-") {
                return;
            }
            undefined(device, policy.span, owner, "policy map", policy.text);
            return;
        };
        for (name, number) in classes {
            let Some(class) = self.classes.get(name.text) else {
                if name.text == DEFAULT_CLASS {
                    qos.classes_by_other.extend(number.map(|number| number.value));
                } else {
                    undefined(
                        device,
                        name.span,
                        &format!("/policy-map/{}", policy.text),
                        "class map",
                        name.text,
                    );
                }
                continue;
            };
            let Some(number) = number else { continue };
            if class.by_other {
                qos.classes_by_other.insert(number.value);
            }
            // The first class that matches wins.
            for dscp in &class.dscps {
                qos.class_of_dscp.entry(dscp.value).or_insert(*number);
            }
            for priority in &class.priorities {
                qos.class_of_cos.entry(priority.value).or_insert(*number);
            }
        }
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
