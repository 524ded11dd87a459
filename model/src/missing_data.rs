//! Missing data: what a snapshot should contain and does not.
//!
//! In the JSON of a snapshot, an entry is an object whose `gap` field names its kind, so that programs need not parse
//! text. A string is missing data in words ([`MissingData::Other`]), as telemetry of other tools has it. A verdict
//! lists missing data as text: its [`Display`](fmt::Display).

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::flow::FlowKey;
use crate::port::PortRef;
use crate::units::{counted, readable_ns};

/// Data that is missing from a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Gap))]
#[serde(remote = "Self", tag = "gap", rename_all = "snake_case")]
pub enum MissingData {
    /// A switch that runs the program sent no report.
    NoReport {
        /// The switch.
        switch: String,
        /// Why a report was expected.
        #[serde(rename = "because")]
        why: Expected,
    },
    /// A switch that should have reported does not run the program.
    NoProgram {
        /// The switch.
        switch: String,
        /// Why a report was expected.
        #[serde(rename = "because")]
        why: Expected,
    },
    /// A switch was frozen, but its report was lost.
    ReportLost {
        /// The switch.
        switch: String,
    },
    /// The registers of a switch were not read.
    Unread {
        /// The switch.
        switch: String,
        /// What went wrong.
        why: String,
    },
    /// A bank was lost, and with it counts of the time of the event.
    CountsLost {
        /// The switch.
        switch: String,
        /// The counts are from before this time.
        before_ns: u64,
        /// What went wrong.
        why: String,
    },
    /// A switch was already frozen for another event when the polling packet arrived.
    FrozenBefore {
        /// The switch.
        switch: String,
        /// That event.
        event: u32,
        /// The victim of that event, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        victim: Option<FlowKey>,
        /// When it was frozen.
        frozen_ns: u64,
        /// When the polling packet arrived.
        asked_ns: u64,
    },
    /// Records of evicted flow slots did not arrive.
    EvictionsLost {
        /// The switch.
        switch: String,
        /// Number of slots.
        slots: u64,
    },
    /// A port was paused more often than its log can hold.
    PausesOverwritten {
        /// The port.
        port: PortRef,
        /// The priority.
        priority: u8,
        /// The start of the first pause that the log still has.
        before_ns: u64,
    },
    /// A switch gives neither the losses of its queues nor the state of its links.
    NoDeviceState {
        /// The switch.
        switch: String,
        /// Why not.
        why: String,
    },
    /// Anything else, in words.
    #[serde(skip)]
    Other(String),
}

/// Why a report was expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// The switch is on the victim's path.
    OnVictimPath,
    /// It pauses this port, which the polling packet reached.
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

impl fmt::Display for MissingData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingData::NoReport { switch, why } => write!(f, "{switch}: sent no report, although {why}"),
            MissingData::NoProgram { switch, why } => {
                write!(f, "{switch}: does not run the switch program, although {why}")
            }
            MissingData::ReportLost { switch } => {
                write!(f, "{switch}: its report was lost, so the ports from which it was polled are unknown")
            }
            MissingData::Unread { switch, why } => write!(f, "{switch}: {why}"),
            MissingData::CountsLost { switch, before_ns, why } => {
                write!(f, "{switch}: counts from before {} may be missing: {why}", readable_ns(*before_ns))
            }
            MissingData::FrozenBefore { switch, victim, frozen_ns, asked_ns, .. } => {
                write!(f, "{switch}: already frozen at {} for ", readable_ns(*frozen_ns))?;
                match victim {
                    Some(victim) => write!(f, "the poll of {victim}")?,
                    None => f.write_str("another poll")?,
                }
                write!(
                    f,
                    "; records of the {} until this poll are not included",
                    readable_ns(asked_ns.saturating_sub(*frozen_ns))
                )
            }
            MissingData::EvictionsLost { switch, slots } => {
                write!(f, "{switch}: {} did not arrive", counted(*slots, "evicted flow record"))
            }
            MissingData::PausesOverwritten { port, priority, before_ns } => write!(
                f,
                "{port}: pauses of priority {priority} before {} were overwritten by later ones",
                readable_ns(*before_ns)
            ),
            MissingData::NoDeviceState { switch, why } => {
                write!(f, "{switch}: losses in its queues and outages of its links are not known: {why}")
            }
            MissingData::Other(text) => f.write_str(text),
        }
    }
}

impl Serialize for MissingData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            MissingData::Other(text) => serializer.serialize_str(text),
            known => MissingData::serialize(known, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for MissingData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MissingData, D::Error> {
        deserializer.deserialize_any(MissingDataVisitor)
    }
}

struct MissingDataVisitor;

impl<'de> Visitor<'de> for MissingDataVisitor {
    type Value = MissingData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("missing data: an object with `gap`, or a sentence")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<MissingData, E> {
        Ok(MissingData::Other(text.to_string()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MissingData, A::Error> {
        MissingData::deserialize(MapAccessDeserializer::new(map))
    }
}

/// The JSON form of a [`MissingData`], for schemas.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = MissingEntry)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum InJson {
    /// A known kind.
    Named(MissingData),
    /// Anything else, in words.
    Words(String),
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Checks that `missing` and its JSON convert into each other.
    fn check(missing: MissingData, json: Value) {
        assert_eq!(serde_json::to_value(&missing).unwrap(), json);
        assert_eq!(serde_json::from_value::<MissingData>(json).unwrap(), missing);
    }

    #[test]
    fn every_kind_round_trips_through_json() {
        let switch = || "p1-edge2".to_string();
        check(
            MissingData::NoReport { switch: switch(), why: Expected::OnVictimPath },
            json!({"gap": "no_report", "switch": "p1-edge2", "because": "on_victim_path"}),
        );
        check(
            MissingData::NoProgram { switch: switch(), why: Expected::Pauses(PortRef::new("sw1", 3)) },
            json!({"gap": "no_program", "switch": "p1-edge2", "because": {"pauses": "sw1:3"}}),
        );
        check(
            MissingData::ReportLost { switch: switch() },
            json!({"gap": "report_lost", "switch": "p1-edge2"}),
        );
        check(
            MissingData::Unread { switch: switch(), why: "the port is closed".into() },
            json!({"gap": "unread", "switch": "p1-edge2", "why": "the port is closed"}),
        );
        check(
            MissingData::NoDeviceState { switch: switch(), why: "it does not offer them".into() },
            json!({"gap": "no_device_state", "switch": "p1-edge2", "why": "it does not offer them"}),
        );
        check(
            MissingData::CountsLost { switch: switch(), before_ns: 17, why: "its bank: a: b".into() },
            json!({"gap": "counts_lost", "switch": "p1-edge2", "before_ns": 17, "why": "its bank: a: b"}),
        );
        check(
            MissingData::FrozenBefore {
                switch: switch(),
                event: 7,
                victim: None,
                frozen_ns: 18,
                asked_ns: 19,
            },
            json!({"gap": "frozen_before", "switch": "p1-edge2", "event": 7, "frozen_ns": 18, "asked_ns": 19}),
        );
        check(
            MissingData::EvictionsLost { switch: switch(), slots: 3 },
            json!({"gap": "evictions_lost", "switch": "p1-edge2", "slots": 3}),
        );
        check(
            MissingData::PausesOverwritten { port: PortRef::new("p1-edge2", 4), priority: 3, before_ns: 20 },
            json!({"gap": "pauses_overwritten", "port": "p1-edge2:4", "priority": 3, "before_ns": 20}),
        );
        let words = "depths are those of the input port's queue";
        check(MissingData::Other(words.into()), json!(words));
    }

    #[test]
    fn a_string_is_never_parsed_as_a_known_kind() {
        let known =
            MissingData::PausesOverwritten { port: PortRef::new("sw1", 4), priority: 3, before_ns: 20 };
        let sentence = known.to_string();
        assert_eq!(sentence, "sw1:4: pauses of priority 3 before 20 ns were overwritten by later ones");
        assert_eq!(
            serde_json::from_value::<MissingData>(json!(sentence)).unwrap(),
            MissingData::Other(sentence)
        );
    }

    #[test]
    fn invalid_entries_are_rejected() {
        let rejected = |json: Value, why: &str| {
            let error = serde_json::from_value::<MissingData>(json).unwrap_err().to_string();
            assert!(error.contains(why), "no `{why}` in: {error}");
        };
        rejected(json!(7), "expected missing data: an object with `gap`, or a sentence");
        rejected(json!({"switch": "sw1"}), "missing field `gap`");
        rejected(json!({"gap": "rain", "switch": "sw1"}), "unknown variant `rain`");
        rejected(json!({"gap": "evictions_lost", "switch": "sw1", "slots": -1}), "invalid value");
    }
}
