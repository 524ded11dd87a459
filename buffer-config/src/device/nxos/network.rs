//! Policy maps of type `network-qos`: the lossless classes of the whole switch, and their MTU.

use std::collections::BTreeMap;

use super::super::lines::{Command, Word};
use super::super::policies::undefined;
use super::super::{Device, Placed, Remark};
use super::system_number;
use crate::source::Span;

/// A class with its MTU.
#[derive(Clone, Debug)]
struct ClassMtu {
    name: String,
    is_lossless: bool,
    mtu_bytes: Placed<u32>,
}

/// A policy map of type `network-qos`.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    pub(super) name: String,
    pub(super) span: Span,
    /// The lossless QoS groups, each with its PFC priority.
    pub(super) lossless: BTreeMap<u8, Placed<u8>>,
    /// The MTU of its first class that states one.
    pub(super) mtu_bytes: Option<Placed<u32>>,
    mtus: Vec<ClassMtu>,
}

impl Network {
    /// Reads a policy map, or a later block of it. `groups` are the QoS groups of class maps by name.
    pub(super) fn read(
        &mut self,
        name: &Word<'_>,
        command: &Command<'_>,
        groups: &BTreeMap<&str, u8>,
        device: &mut Device,
    ) {
        if self.name.is_empty() {
            (self.name, self.span) = (name.text.to_string(), name.span);
        }
        for line in &command.block {
            if let Some([class, ..]) = line.after(&["class", "type", "network-qos"]) {
                self.class(class, line, groups, device);
            }
        }
    }

    fn class(
        &mut self,
        class: &Word<'_>,
        line: &Command<'_>,
        groups: &BTreeMap<&str, u8>,
        device: &mut Device,
    ) {
        let group = system_number(class.text).or_else(|| groups.get(class.text).copied());
        let pointer = format!("/policy-map/{}", self.name);
        let mut is_lossless = false;
        let mut own = None;
        for set in &line.block {
            if let Some([cos, ..]) = set.after(&["pause", "pfc-cos"]) {
                is_lossless = true;
                match (cos.text.parse::<u8>(), group) {
                    (Ok(priority), Some(group)) if priority < 8 => {
                        self.lossless.insert(group, Placed::new(priority, set.span));
                    }
                    (Ok(priority), None) if priority < 8 => {
                        undefined(device, class.span, &pointer, "network-qos class", class.text);
                    }
                    _ => {
                        let message = format!("`pfc-cos` is `{}`; expected 0 to 7", cos.text);
                        device.refused(cos.span, &pointer, message);
                    }
                }
            } else if let Some([mtu]) = set.after(&["mtu"]) {
                own = mtu.text.parse().ok().map(|bytes| Placed::new(bytes, mtu.span));
            }
        }
        self.mtu_bytes = self.mtu_bytes.or(own);
        match (self.mtus.iter_mut().find(|known| known.name == class.text), own) {
            (Some(known), own) => {
                known.mtu_bytes = own.unwrap_or(known.mtu_bytes);
                known.is_lossless |= is_lossless;
            }
            (None, Some(mtu_bytes)) => {
                self.mtus.push(ClassMtu { name: class.text.to_string(), is_lossless, mtu_bytes });
            }
            (None, None) => {}
        }
    }

    /// Reports lossless classes with a smaller MTU than another class: the switch drops larger packets of RDMA only.
    pub(super) fn small_mtus(&self) -> Vec<Remark> {
        let most = self.mtus.iter().map(|class| class.mtu_bytes.value).max().unwrap_or(0);
        let small = self.mtus.iter().filter(|class| class.is_lossless && class.mtu_bytes.value < most);
        let remark = |class: &ClassMtu| {
            let (name, mtu) = (&class.name, class.mtu_bytes);
            let message = format!(
                "the MTU of lossless class {name} is {}, but {most} of another class: larger packets of RDMA are dropped",
                mtu.value
            );
            let pointer = format!("/policy-map/{}/{name}/mtu", self.name);
            Remark::new("LINK010", mtu.span, pointer, message).repair(vec![
                format!("policy-map type network-qos {}", self.name),
                format!("  class type network-qos {name}"),
                format!("    mtu {most}"),
            ])
        };
        small.map(remark).collect()
    }
}
