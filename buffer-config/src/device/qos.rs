//! Flow control, classes, queues and watchdog of a port, as far as a file states them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Placed;
use super::treatment::{Filter, Treatment};
use crate::resolved::WatchdogAction;

/// Whether a port uses PFC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PfcMode {
    /// It does.
    On,
    /// It does not.
    Off,
    /// If DCBX agrees on it with the neighbour.
    Negotiated,
}

/// What determines the class of a received packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Its DSCP.
    Dscp,
    /// Its 802.1p priority.
    Cos,
    /// Its DSCP, or its 802.1p priority if it is not an IP packet.
    Both,
    /// The port.
    Nothing,
}

/// Forward error correction, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fec {
    /// Reed-Solomon (IEEE 802.3 clauses 91, 108 and 119).
    Rs,
    /// Fire code (clause 74, BASE-R).
    Fc,
    /// None.
    None,
}

impl Fec {
    /// SONiC's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs => "rs",
            Self::Fc => "fc",
            Self::None => "none",
        }
    }
}

/// The unit of a queue threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Buffer cells of the ASIC, or packets: the number of bytes is unknown.
    Segments,
    /// Queueing delay, microseconds.
    Microseconds,
    /// Percent of the queue's limit.
    Percent,
}

impl Unit {
    /// Its symbol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "B",
            Self::Segments => "segments",
            Self::Microseconds => "us",
            Self::Percent => "%",
        }
    }
}

/// A queue threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// The number of units.
    pub count: u64,
    /// Its unit.
    pub unit: Unit,
}

impl Amount {
    /// The number of bytes, if the unit has one.
    pub fn bytes(self) -> Option<u64> {
        (self.unit == Unit::Bytes).then_some(self.count)
    }
}

/// One egress queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// Whether packets are marked (ECN).
    pub marks: Option<Placed<bool>>,
    /// Whether packets are dropped early (WRED without ECN).
    pub drops: Option<Placed<bool>>,
    /// No packet is marked below this depth.
    pub min: Option<Placed<Amount>>,
    /// Every packet is marked above this depth, or the probability is `percent`.
    pub max: Option<Placed<Amount>>,
    /// Marking probability at the upper threshold, percent.
    pub percent: Option<Placed<u8>>,
    /// Whether the queue has strict priority.
    pub is_strict: Option<Placed<bool>>,
    /// Guaranteed or relative bandwidth, percent.
    pub bandwidth_percent: Option<Placed<u8>>,
    /// A shaper sends no faster, bit/s; the largest number where a command removes the shaper.
    pub max_rate_bps: Option<Placed<u64>>,
}

impl Queue {
    fn over(self, base: Self) -> Self {
        Self {
            marks: self.marks.or(base.marks),
            drops: self.drops.or(base.drops),
            min: self.min.or(base.min),
            max: self.max.or(base.max),
            percent: self.percent.or(base.percent),
            is_strict: self.is_strict.or(base.is_strict),
            bandwidth_percent: self.bandwidth_percent.or(base.bandwidth_percent),
            max_rate_bps: self.max_rate_bps.or(base.max_rate_bps),
        }
    }
}

/// Settings that a port has by itself, by a profile, or by a policy of the whole switch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Qos {
    /// Whether PFC is used.
    pub pfc: Option<Placed<PfcMode>>,
    /// Whether PFC frames are sent.
    pub sends_pfc: Option<Placed<bool>>,
    /// Whether received PFC frames take effect.
    pub receives_pfc: Option<Placed<bool>>,
    /// The lossless classes, each with its PFC priority. A class is the number inside the switch: traffic class (EOS),
    /// switch priority (NVUE) or QoS group (NX-OS).
    pub lossless: BTreeMap<u8, Placed<u8>>,
    /// Classes that a command makes lossy, although a profile may make them lossless (EOS).
    #[serde(skip)]
    pub(crate) lossy: BTreeSet<u8>,
    /// What determines a packet's class.
    pub trust: Option<Placed<Trust>>,
    /// The class of each DSCP.
    pub class_of_dscp: BTreeMap<u8, Placed<u8>>,
    /// Classes that packets can have by something else, e.g. an access list, or because no class matches them.
    pub classes_by_other: BTreeSet<u8>,
    /// The class of each 802.1p priority.
    pub class_of_cos: BTreeMap<u8, Placed<u8>>,
    /// The egress queue of each class.
    pub queue_of_class: BTreeMap<u8, Placed<u8>>,
    /// The DSCP with which packets of a class leave, where it is changed.
    pub dscp_of_class: BTreeMap<u8, Placed<u8>>,
    /// The 802.1p priority with which packets of a class leave, where it is changed.
    pub cos_of_class: BTreeMap<u8, Placed<u8>>,
    /// What policy maps do with packets, in the order of their classes.
    #[serde(skip)]
    pub(crate) treatments: Vec<Treatment>,
    /// Filters that drop RoCEv2.
    #[serde(skip)]
    pub(crate) filters: Vec<Filter>,
    /// The egress queues.
    pub queues: BTreeMap<u8, Queue>,
    /// Whether a scheduler gives shares to some queues, and none to those that it does not name (NVUE).
    #[serde(skip)]
    pub(crate) has_all_shares: bool,
    /// A shaper of the port sends no faster, bit/s; the largest number where a command removes the shaper.
    pub port_rate_bps: Option<Placed<u64>>,
    /// Whether the PFC watchdog monitors the port.
    pub watchdog: Option<Placed<bool>>,
    /// A queue that is paused for this long is in a storm, milliseconds.
    pub detection_ms: Option<Placed<u32>>,
    /// The queue is restored after this time without pauses, milliseconds.
    pub restoration_ms: Option<Placed<u32>>,
    /// Time between two looks at the queue, milliseconds.
    pub polling_ms: Option<Placed<u32>>,
    /// What happens to a queue in a storm.
    pub watchdog_action: Option<Placed<WatchdogAction>>,
    /// A storm shuts the port down.
    pub watchdog_shuts_port: Option<Placed<bool>>,
    /// Whether the port sends 802.3x pause frames, which stop all classes.
    pub sends_link_pause: Option<Placed<bool>>,
    /// Whether the port obeys 802.3x pause frames.
    pub obeys_link_pause: Option<Placed<bool>>,
}

impl Qos {
    /// These settings, and those of `base` where they state nothing.
    pub(crate) fn over(self, base: &Self) -> Self {
        let mut queues = base.queues.clone();
        for (number, queue) in self.queues {
            let under = queues.get(&number).copied().unwrap_or_default();
            queues.insert(number, queue.over(under));
        }
        // The lossless classes are one set: a profile of a port replaces that of the switch.
        let mut lossless = if self.lossless.is_empty() { base.lossless.clone() } else { self.lossless };
        lossless.retain(|class, _| !self.lossy.contains(class));
        Self {
            pfc: self.pfc.or(base.pfc),
            sends_pfc: self.sends_pfc.or(base.sends_pfc),
            receives_pfc: self.receives_pfc.or(base.receives_pfc),
            lossless,
            lossy: self.lossy.union(&base.lossy).copied().collect(),
            trust: self.trust.or(base.trust),
            class_of_dscp: joined(self.class_of_dscp, &base.class_of_dscp),
            classes_by_other: self.classes_by_other.union(&base.classes_by_other).copied().collect(),
            class_of_cos: joined(self.class_of_cos, &base.class_of_cos),
            queue_of_class: joined(self.queue_of_class, &base.queue_of_class),
            dscp_of_class: joined(self.dscp_of_class, &base.dscp_of_class),
            cos_of_class: joined(self.cos_of_class, &base.cos_of_class),
            treatments: treatments(self.treatments, &base.treatments),
            filters: self.filters.into_iter().chain(base.filters.iter().cloned()).collect(),
            queues,
            has_all_shares: self.has_all_shares || base.has_all_shares,
            port_rate_bps: self.port_rate_bps.or(base.port_rate_bps),
            watchdog: self.watchdog.or(base.watchdog),
            detection_ms: self.detection_ms.or(base.detection_ms),
            restoration_ms: self.restoration_ms.or(base.restoration_ms),
            polling_ms: self.polling_ms.or(base.polling_ms),
            watchdog_action: self.watchdog_action.or(base.watchdog_action),
            watchdog_shuts_port: self.watchdog_shuts_port.or(base.watchdog_shuts_port),
            sends_link_pause: self.sends_link_pause.or(base.sends_link_pause),
            obeys_link_pause: self.obeys_link_pause.or(base.obeys_link_pause),
        }
    }

    /// Whether 802.3x pause frames are sent or obeyed, as far as the file states it.
    pub(crate) fn has_link_pause(&self) -> bool {
        [self.sends_link_pause, self.obeys_link_pause].into_iter().flatten().any(|pause| pause.value)
    }

    /// Whether PFC is on, as far as the file states it.
    pub(crate) fn has_pfc(&self) -> bool {
        self.pfc.is_some_and(|mode| mode.value == PfcMode::On)
    }

    /// The priorities for which the port uses PFC, bit n for priority n; `None` if the file leaves it open.
    pub(crate) fn pfc_priorities(&self) -> Option<u8> {
        let mask = self.lossless.values().filter(|p| p.value < 8).fold(0u8, |mask, p| mask | 1 << p.value);
        match self.pfc.map(|mode| mode.value) {
            Some(PfcMode::On) => Some(mask),
            Some(PfcMode::Off) => Some(0),
            Some(PfcMode::Negotiated) | None => None,
        }
    }

    /// The egress queue of a class: the stated one, or the one with the same number.
    pub(crate) fn queue_of(&self, class: u8) -> u8 {
        self.queue_of_class.get(&class).map_or(class, |queue| queue.value)
    }
}

fn joined(mut own: BTreeMap<u8, Placed<u8>>, base: &BTreeMap<u8, Placed<u8>>) -> BTreeMap<u8, Placed<u8>> {
    for (from, to) in base {
        own.entry(*from).or_insert(*to);
    }
    own
}

/// The treatments of a port: in each direction, its own policy replaces that of the switch.
fn treatments(mut own: Vec<Treatment>, base: &[Treatment]) -> Vec<Treatment> {
    let has_own = |is_output: bool| own.iter().any(|treatment| treatment.is_output == is_output);
    let (received, sent) = (has_own(false), has_own(true));
    own.extend(base.iter().filter(|t| if t.is_output { !sent } else { !received }).cloned());
    own
}
