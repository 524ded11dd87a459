//! What a report may state about ports that no verdict is about: only what the counters that were read show.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Report;
use crate::interval::Window;
use crate::interval::change::PortChange;
use crate::pressure::Pressure;
use crate::wiring::Wiring;

/// What the readings do not cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncovered {
    /// A port that is not down has no counters of received or of sent pauses.
    pub pauses: bool,
    /// No port has counters of pauses.
    #[serde(default)]
    pub all_pauses: bool,
    /// Counters of a switch fell between two readings.
    #[serde(default)]
    pub cleared: bool,
    /// A switch has no counters of drops.
    pub drops: bool,
    /// Packets were dropped in a priority of which it is unknown whether it is lossless.
    pub unknown_drops: bool,
}

impl Uncovered {
    /// What the windows do not cover.
    pub(crate) fn by(windows: &[Window]) -> Uncovered {
        let switches = || windows.iter().flat_map(|window| window.switches.values());
        let is_empty = switches().next().is_none();
        let lacks_pauses = |port: &PortChange| {
            let lacks = |has: fn(&crate::interval::PriorityChange) -> bool| !port.priorities.iter().any(has);
            let received = lacks(|of| of.pause_rx_frames.is_some() || of.pause_rx_ns.is_some());
            port.up != Some(false) && (received || lacks(|of| of.pause_tx_frames.is_some()))
        };
        let counts_drops = |port: &PortChange| {
            port.priorities.iter().any(|of| of.queue_drops.is_some() || of.group_drops.is_some())
        };
        let ports = || switches().flat_map(|change| change.ports.values());
        let counts_pauses = |of: &crate::interval::PriorityChange| {
            of.pause_rx_frames.or(of.pause_tx_frames).or(of.pause_rx_ns).is_some()
        };
        let has_pauses = |port: &PortChange| port.priorities.iter().any(counts_pauses);
        Uncovered {
            all_pauses: !ports().any(has_pauses),
            cleared: switches().any(|change| change.is_cleared),
            pauses: is_empty || switches().any(|change| change.ports.values().any(lacks_pauses)),
            drops: is_empty || switches().any(|change| !change.ports.values().any(counts_drops)),
            unknown_drops: false,
        }
    }
}

/// The priorities of each switch that dropped packets and are not known to be lossless or not.
pub(crate) type UnknownDrops = BTreeMap<String, BTreeSet<usize>>;

/// Adds those of a window.
pub(crate) fn add_unknown_drops(rows: &[Pressure], wiring: &Wiring, found: &mut UnknownDrops) {
    let is_unknown =
        |row: &&Pressure| row.drops() > 0 && !row.is_lossless && row.change.pfc_enabled.is_none();
    for row in rows.iter().filter(is_unknown) {
        found.entry(wiring.ports[row.port].switch.clone()).or_default().insert(row.priority);
    }
}

/// What is unknown about them, a line for each switch.
pub(crate) fn lines(found: &UnknownDrops) -> impl Iterator<Item = String> + '_ {
    found.iter().map(|(switch, priorities)| {
        let shown = priorities.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        format!(
            "{switch}: packets were dropped in priority {shown}; whether it is lossless is unknown, because it has used no \
             PFC; add a dump of CONFIG_DB"
        )
    })
}

impl Report {
    /// What holds for `switches` switches if there is no verdict, as parts of a sentence: about pauses, and about drops.
    pub fn statements(&self, switches: usize) -> [String; 2] {
        let checked = if switches == 1 { "1 switch".to_string() } else { format!("{switches} switches") };
        let is_pausing = |port: &crate::PortPauses| port.received_frames.max(port.sent_frames) > Some(0);
        let pauses = if self.ports.iter().any(|port| is_pausing(port) || port.paused_part > Some(0.0)) {
            format!("ports of {checked} were paused or sent pauses, and no verdict explains them")
        } else if self.uncovered.all_pauses {
            format!("whether ports of {checked} were paused is not known: no port has counters of pauses")
        } else if self.uncovered.cleared {
            format!(
                "whether ports of {checked} were paused is not known: counters fell between the readings, and since then \
                 no port was paused or sent pauses"
            )
        } else if self.uncovered.pauses {
            format!(
                "no port of {checked} was paused or sent pauses as far as it has counters of pauses; some ports have none"
            )
        } else {
            format!("no port of {checked} was paused or sent pauses")
        };
        let drops = if self.ports.iter().any(|port| port.dropped_packets > 0 || port.storms > 0) {
            "lossless priorities dropped packets or had storms, and no verdict explains them"
        } else if self.uncovered.unknown_drops {
            "packets were dropped in priorities that are not known to be lossless"
        } else if self.uncovered.cleared {
            "whether lossless priorities dropped packets is unknown: counters fell between the readings"
        } else if self.uncovered.drops {
            "whether lossless priorities dropped packets is unknown: a switch has no counters of drops"
        } else {
            "no lossless priority dropped packets"
        };
        [pauses, drops.to_string()]
    }
}
