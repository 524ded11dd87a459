//! Policy maps of type `queuing`: the queues of ports, and the thresholds at which input queues pause.

use std::collections::BTreeMap;

use super::super::eos::{percent, shape, threshold};
use super::super::lines::{Command, Word};
use super::super::qos::Queue;
use super::super::{Device, Placed, Remark};
use super::system_number;

/// A policy map of type `queuing`.
#[derive(Clone, Debug, Default)]
pub(super) struct Queuing {
    pub(super) queues: BTreeMap<u8, Queue>,
    /// What is wrong if the policy map is applied to received packets.
    pub(super) of_input: Vec<Remark>,
}

impl Queuing {
    /// Reads a policy map. `groups` are the QoS groups of class maps of type `queuing` by name.
    pub(super) fn read(
        name: &Word<'_>,
        command: &Command<'_>,
        groups: &BTreeMap<&str, u8>,
        device: &mut Device,
    ) -> Self {
        let mut policy = Self::default();
        for line in &command.block {
            let Some([class, ..]) = line.after(&["class", "type", "queuing"]) else { continue };
            // The default class is queue 0.
            let is_default = class.text.ends_with("-default");
            let number = system_number(class.text).or_else(|| groups.get(class.text).copied());
            let Some(number) = number.or(is_default.then_some(0)) else { continue };
            let pointer = format!("/policy-map/{}/{}", name.text, class.text);
            let queue = policy.queues.entry(number).or_default();
            for set in &line.block {
                setting(set, queue, &pointer, device);
                policy.of_input.extend(pause(set, &pointer));
            }
        }
        shares(name, command, device);
        policy
    }
}

/// Reports shares of more than 100 %, which NX-OS does not accept: those of the whole bandwidth, and those of what queues
/// with strict priority leave.
fn shares(name: &Word<'_>, command: &Command<'_>, device: &mut Device) {
    let lines = || command.block.iter().flat_map(|class| &class.block);
    for begin in [&["bandwidth", "percent"] as &[&str], &["bandwidth", "remaining", "percent"]] {
        let mut shares = lines().filter_map(|line| line.after(begin)?.first());
        let sum: u32 = shares.clone().filter_map(|share| share.text.parse::<u8>().ok()).map(u32::from).sum();
        if let Some(last) = shares.next_back().filter(|_| sum > 100) {
            let message = format!("the shares of policy map {} are {sum} %; expected 100 at most", name.text);
            device.refused(last.span, &format!("/policy-map/{}", name.text), message);
        }
    }
}

fn setting(set: &Command<'_>, queue: &mut Queue, pointer: &str, device: &mut Device) {
    if set.after(&["priority"]).is_some() {
        queue.is_strict = Some(Placed::new(true, set.span));
    } else if set.after(&["shape"]).is_some() {
        queue.max_rate_bps = shape(set, "max");
    } else if set.after(&["random-detect"]).is_some() {
        let marks = set.words.iter().any(|word| word.text == "ecn");
        queue.marks = Some(Placed::new(marks, set.span));
        queue.drops = (!marks).then_some(Placed::new(true, set.span));
        queue.min = threshold(set, "minimum-threshold", device, pointer);
        queue.max = threshold(set, "maximum-threshold", device, pointer);
        if let Some(word) = set.value("drop-probability") {
            queue.percent = percent(word, device, pointer);
        }
    } else if let Some(word) = set.value("percent").filter(|_| set.after(&["bandwidth"]).is_some()) {
        let number = word.text.parse::<u8>().ok().filter(|n| *n <= 100);
        queue.bandwidth_percent = number.map(|n| Placed::new(n, word.span));
    }
}

/// What is wrong with the thresholds of a lossless input queue.
///
/// Source: Cisco Nexus 9000 NX-OS QoS configuration guide, "Configuring Priority Flow Control": an input queue of
/// `buffer-size` bytes pauses at `pause-threshold` and resumes at `resume-threshold`; the rest is its headroom.
fn pause(set: &Command<'_>, pointer: &str) -> Option<Remark> {
    set.after(&["pause"])?;
    let bytes = |name: &str| {
        let word = set.value(name)?;
        Some(Placed::new(word.text.parse::<u64>().ok()?, word.span))
    };
    let pauses = bytes("pause-threshold")?;
    if let Some(size) = bytes("buffer-size").filter(|size| size.value <= pauses.value) {
        let message = format!(
            "the input queue of {} B pauses at {} B: packets that still arrive have no headroom",
            size.value, pauses.value
        );
        return Some(Remark::new("PG005", pauses.span, pointer, message));
    }
    let resumes = bytes("resume-threshold").filter(|resumes| resumes.value > pauses.value)?;
    let message = format!(
        "the input queue resumes at {} B, above the {} B at which it pauses",
        resumes.value, pauses.value
    );
    Some(Remark::new("PG012", resumes.span, pointer, message))
}
