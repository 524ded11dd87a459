//! What a collection should have brought and did not.
//!
//! In files and reports a gap is a sentence for people; whoever decides by it reads that sentence back
//! ([`Gap::from`]). A sentence that this version does not know, of other people's telemetry or of another version, is
//! kept as it is.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::port::PortRef;

/// Something that is missing from a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Gap {
    /// A switch that should have reported did not, although it runs the program.
    NoReport {
        /// The switch.
        switch: String,
        /// Why it should have.
        why: Expected,
    },
    /// A switch that should have reported does not run the program.
    NoProgram {
        /// The switch.
        switch: String,
        /// Why it should have reported.
        why: Expected,
    },
    /// A switch was frozen, and who asked it from where is not known.
    ReportLost {
        /// The switch.
        switch: String,
    },
    /// What a switch holds was not read.
    Unread {
        /// The switch.
        switch: String,
        /// What went wrong.
        why: String,
    },
    /// A bank was lost, and with it counts of the time that the snapshot is about.
    CountsLost {
        /// The switch.
        switch: String,
        /// They are from before this time.
        before_ns: u64,
        /// What went wrong.
        why: String,
    },
    /// A switch was frozen for an earlier event when the question came.
    FrozenBefore {
        /// The switch.
        switch: String,
        /// That event.
        event: u32,
        /// When it was frozen.
        frozen_ns: u64,
        /// When the question came.
        asked_ns: u64,
    },
    /// Flow slots made room for others, and did not arrive.
    EvictionsLost {
        /// The switch.
        switch: String,
        /// How many.
        slots: u64,
    },
    /// A port was paused more often than its log holds.
    PausesOverwritten {
        /// The port.
        port: PortRef,
        /// The class.
        priority: u8,
        /// The start of the first pause that is left.
        before_ns: u64,
    },
    /// Anything else, in words.
    Other(String),
}

/// Why a switch should have reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// The victim's packets cross it.
    OnVictimPath,
    /// It pauses this port, which the question reached.
    Pauses(PortRef),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::OnVictimPath => f.write_str("it lies on the victim's path"),
            Expected::Pauses(port) => write!(f, "the pauses lead there from {port}"),
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::NoReport { switch, why } => write!(f, "{switch}: sent no report, although {why}"),
            Gap::NoProgram { switch, why } => {
                write!(f, "{switch}: does not run the switch program, although {why}")
            }
            Gap::ReportLost { switch } => {
                write!(f, "{switch}: its report was lost; from which ports it was asked is not known")
            }
            Gap::Unread { switch, why } => write!(f, "{switch}: {why}"),
            Gap::CountsLost { switch, before_ns, why } => {
                write!(f, "{switch}: counts from before {before_ns} ns may be missing: {why}")
            }
            Gap::FrozenBefore { switch, event, frozen_ns, asked_ns } => write!(
                f,
                "{switch}: was frozen for event {event} at {frozen_ns} ns already; what happened up to {asked_ns} ns is not included"
            ),
            Gap::EvictionsLost { switch, slots } => {
                write!(f, "{switch}: {slots} evicted flow slots did not arrive")
            }
            Gap::PausesOverwritten { port, priority, before_ns } => write!(
                f,
                "{}: pauses of port {} priority {priority} before {before_ns} ns were overwritten by later ones",
                port.switch, port.port
            ),
            Gap::Other(text) => f.write_str(text),
        }
    }
}

impl From<Gap> for String {
    fn from(gap: Gap) -> String {
        gap.to_string()
    }
}

impl From<String> for Gap {
    fn from(text: String) -> Gap {
        // A sentence that does not come out as it went in is not one of these.
        read(&text).filter(|gap| gap.to_string() == text).unwrap_or(Gap::Other(text))
    }
}

impl From<&str> for Gap {
    fn from(text: &str) -> Gap {
        Gap::from(text.to_string())
    }
}

impl PartialEq<str> for Gap {
    fn eq(&self, text: &str) -> bool {
        let told = self.to_string();
        told == text
    }
}

impl PartialEq<&str> for Gap {
    fn eq(&self, text: &&str) -> bool {
        self == *text
    }
}

fn read(text: &str) -> Option<Gap> {
    let (switch, told) = text.split_once(": ")?;
    let name = || switch.to_string();
    if let Some(why) = told.strip_prefix("sent no report, although ").and_then(expected) {
        return Some(Gap::NoReport { switch: name(), why });
    }
    if let Some(why) = told.strip_prefix("does not run the switch program, although ").and_then(expected) {
        return Some(Gap::NoProgram { switch: name(), why });
    }
    if told.starts_with("its report was lost") {
        return Some(Gap::ReportLost { switch: name() });
    }
    if let Some((before, why)) =
        told.strip_prefix("counts from before ").and_then(|rest| rest.split_once(" ns may be missing: "))
    {
        return Some(Gap::CountsLost {
            switch: name(),
            before_ns: before.parse().ok()?,
            why: why.to_string(),
        });
    }
    if let Some(rest) = told.strip_prefix("was frozen for event ") {
        let (event, rest) = rest.split_once(" at ")?;
        let (frozen, rest) = rest.split_once(" ns already; what happened up to ")?;
        let asked = rest.strip_suffix(" ns is not included")?;
        return Some(Gap::FrozenBefore {
            switch: name(),
            event: event.parse().ok()?,
            frozen_ns: frozen.parse().ok()?,
            asked_ns: asked.parse().ok()?,
        });
    }
    if let Some(slots) = told.strip_suffix(" evicted flow slots did not arrive") {
        return Some(Gap::EvictionsLost { switch: name(), slots: slots.parse().ok()? });
    }
    if let Some(rest) = told.strip_prefix("pauses of port ") {
        let (port, rest) = rest.split_once(" priority ")?;
        let (priority, rest) = rest.split_once(" before ")?;
        let before = rest.strip_suffix(" ns were overwritten by later ones")?;
        return Some(Gap::PausesOverwritten {
            port: PortRef::new(switch, port.parse().ok()?),
            priority: priority.parse().ok()?,
            before_ns: before.parse().ok()?,
        });
    }
    told.starts_with("its ").then(|| Gap::Unread { switch: name(), why: told.to_string() })
}

fn expected(text: &str) -> Option<Expected> {
    if let Some(port) = text.strip_prefix("the pauses lead there from ") {
        return Some(Expected::Pauses(port.parse().ok()?));
    }
    (text == "it lies on the victim's path").then_some(Expected::OnVictimPath)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_comes_back_from_its_sentence() {
        let switch = || "p1-edge2".to_string();
        let gaps = [
            Gap::NoReport { switch: switch(), why: Expected::OnVictimPath },
            Gap::NoReport { switch: switch(), why: Expected::Pauses(PortRef::new("sw1", 3)) },
            Gap::NoProgram { switch: switch(), why: Expected::OnVictimPath },
            Gap::ReportLost { switch: switch() },
            Gap::Unread { switch: switch(), why: "its registers could not be read: no answer".to_string() },
            Gap::CountsLost { switch: switch(), before_ns: 17, why: "its bank: a: b".to_string() },
            Gap::FrozenBefore { switch: switch(), event: 7, frozen_ns: 18, asked_ns: 19 },
            Gap::EvictionsLost { switch: switch(), slots: 3 },
            Gap::PausesOverwritten { port: PortRef::new("p1-edge2", 4), priority: 3, before_ns: 20 },
            Gap::Other("depths are those of the input port's queue".to_string()),
        ];
        for gap in gaps {
            let json = serde_json::to_string(&gap).unwrap();
            assert_eq!(json, serde_json::to_string(&gap.to_string()).unwrap());
            assert_eq!(serde_json::from_str::<Gap>(&json).unwrap(), gap);
        }
    }

    #[test]
    fn other_sentences_stay_as_they_are() {
        let sentences = [
            "",
            "sw1: sent no report, although it rains",
            "sw1: pauses of port 70000 priority 3 before 1 ns were overwritten by later ones",
            "sw1: pauses of port 07 priority 3 before 1 ns were overwritten by later ones",
            "sw1: x evicted flow slots did not arrive",
        ];
        for text in sentences {
            assert_eq!(Gap::from(text), Gap::Other(text.to_string()));
        }
    }
}
