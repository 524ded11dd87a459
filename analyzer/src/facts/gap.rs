//! Gaps: what a verdict lacks, in words, with the switch that each statement is about, so that a reader gets one line
//! for each switch.

use std::fmt;

use model::MissingData;
use model::units::counted;

use crate::facts::wording::duration;

/// What a verdict lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The switch that the statement is about, if it is one; then `text` is its predicate.
    switch: Option<String>,
    text: String,
    /// Whether it says only that the switch sent nothing, which any other statement about that switch implies.
    is_silence: bool,
}

impl Gap {
    /// A gap of a switch; `predicate` continues "switch NAME".
    pub(crate) fn of_switch(switch: &str, predicate: impl Into<String>) -> Gap {
        Gap { switch: Some(switch.to_string()), text: predicate.into(), is_silence: false }
    }

    /// The gap of a switch without any telemetry; `whose` says which switch it is, or is empty.
    pub(crate) fn silence(switch: &str, whose: &str) -> Gap {
        Gap { is_silence: true, ..Gap::of_switch(switch, format!("{whose}sent no telemetry")) }
    }

    /// Returns missing data of a snapshot in words, without numbers of events.
    pub(crate) fn of(missing: &MissingData) -> Gap {
        match missing {
            MissingData::NoReport { switch, why } => {
                Gap::of_switch(switch, format!("sent no report, although {why}"))
            }
            MissingData::NoProgram { switch, why } => {
                Gap::of_switch(switch, format!("does not run the switch program, although {why}"))
            }
            MissingData::ReportLost { switch } => {
                Gap::of_switch(switch, "lost its report, so the ports from which it was polled are unknown")
            }
            MissingData::Unread { switch, why } => Gap::of_switch(switch, format!("was not read: {why}")),
            MissingData::CountsLost { switch, before_ns, why } => {
                let before = duration(*before_ns);
                Gap::of_switch(switch, format!("may lack counts from before {before}: {why}"))
            }
            MissingData::FrozenBefore { switch, frozen_ns, asked_ns, .. } => {
                let gap = duration(asked_ns.saturating_sub(*frozen_ns));
                let frozen = duration(*frozen_ns);
                Gap::of_switch(
                    switch,
                    format!(
                        "was already frozen at {frozen} for another poll and lacks the {gap} until this poll"
                    ),
                )
            }
            MissingData::EvictionsLost { switch, slots } => {
                Gap::of_switch(switch, format!("lost {}", counted(*slots, "evicted flow record")))
            }
            MissingData::PausesOverwritten { port, priority, before_ns } => Gap::of_switch(
                &port.switch,
                format!(
                    "no longer has the pauses of {port} in priority {priority} from before {}",
                    duration(*before_ns)
                ),
            ),
            MissingData::NoDeviceState { switch, why } => Gap::of_switch(
                switch,
                format!("shows neither losses in its queues nor outages of its links: {why}"),
            ),
            MissingData::Other(text) => Gap::from(text.clone()),
        }
    }
}

impl From<String> for Gap {
    fn from(text: String) -> Gap {
        Gap { switch: None, text, is_silence: false }
    }
}

impl From<&str> for Gap {
    fn from(text: &str) -> Gap {
        Gap::from(text.to_string())
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.switch {
            Some(switch) => write!(f, "switch {switch} {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// Returns gaps as text: one line for each switch, in the order of its first gap, without repetitions.
pub(crate) fn lines(gaps: impl IntoIterator<Item = Gap>) -> Vec<String> {
    let mut grouped: Vec<Vec<Gap>> = Vec::new();
    for gap in gaps {
        let same = |group: &&mut Vec<Gap>| match &gap.switch {
            Some(_) => group[0].switch == gap.switch,
            None => group[0] == gap,
        };
        match grouped.iter_mut().find(same) {
            Some(group) if group.contains(&gap) => {}
            Some(group) => group.push(gap),
            None => grouped.push(vec![gap]),
        }
    }
    grouped.into_iter().map(line).collect()
}

/// Returns the gaps of one switch as one line.
fn line(mut group: Vec<Gap>) -> String {
    let first_silence = group.iter().find(|gap| gap.is_silence).cloned();
    group.retain(|gap| !gap.is_silence);
    if group.is_empty() {
        group.extend(first_silence);
    }
    let texts: Vec<String> = group.iter().skip(1).map(|gap| format!("; it {}", gap.text)).collect();
    group.first().map(ToString::to_string).unwrap_or_default() + &texts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_switch_has_one_line_in_the_order_of_its_first_gap() {
        let gaps = [
            Gap::silence("sw1", ", which the victim crosses, "),
            Gap::of_switch("sw2", "lost 1 evicted flow record"),
            Gap::from("the topology has no link at sw4:1"),
            Gap::of_switch("sw1", "sent no report, although it lies on the victim's path"),
            Gap::of_switch("sw2", "has no record of the victim"),
            Gap::of_switch("sw2", "lost 1 evicted flow record"),
            Gap::from("the topology has no link at sw4:1"),
        ];
        assert_eq!(
            lines(gaps),
            [
                "switch sw1 sent no report, although it lies on the victim's path",
                "switch sw2 lost 1 evicted flow record; it has no record of the victim",
                "the topology has no link at sw4:1",
            ]
        );
    }
}
