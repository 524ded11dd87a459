//! The JSON of diagnoses as the store keeps it.
//!
//! These functions are here, and not generic, because this crate is compiled for speed: release builds compile the store and
//! the web server, which call them for every row, for size.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::diagnosis::{Collected, CounterInterval, NetworkFault};
use crate::{Anomaly, Cause, Cost, Diagnosis, FlowKey, PortRef, ProvenanceGraph, RootCause, Severity};

/// A diagnosis without its evidence and what else lists do not show. Most of the JSON of a diagnosis is evidence, which is skipped
/// when this is read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[allow(missing_docs, reason = "the fields are those of `Diagnosis`, which documents them")]
pub struct DiagnosisOutline {
    pub id: String,
    pub time_ns: u64,
    pub victim: Option<FlowKey>,
    pub anomaly: Anomaly,
    pub cause: Cause,
    pub summary: String,
    pub confidence: f64,
    #[serde(default)]
    pub severity: Severity,
    #[serde(default)]
    pub cost: Cost,
    #[serde(default)]
    pub delay_share: Option<f64>,
    pub root_cause: RootCause,
    #[serde(default)]
    pub fault: Option<NetworkFault>,
    pub pause_path: Vec<PortRef>,
    #[serde(rename = "loop")]
    pub pause_loop: Vec<PortRef>,
    pub victims: Vec<FlowKey>,
    pub collected: Collected,
    #[serde(default)]
    pub counters: Option<CounterInterval>,
}

impl DiagnosisOutline {
    /// Reads the outline of a diagnosis from the JSON of the whole.
    ///
    /// # Errors
    /// The text is not the JSON of a diagnosis; fields that the outline does not have are not examined.
    pub fn from_json(text: &str) -> Result<DiagnosisOutline, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Diagnosis {
    /// Reads a diagnosis from JSON.
    ///
    /// # Errors
    /// The text is not the JSON of a diagnosis.
    pub fn from_json(text: &str) -> Result<Diagnosis, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes the diagnosis as JSON.
    ///
    /// # Errors
    /// A number is NaN or infinite: JSON would have null instead, which [`Diagnosis::from_json`] does not read.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        readable(self)
    }
}

impl ProvenanceGraph {
    /// Reads a graph from JSON.
    ///
    /// # Errors
    /// The text is not the JSON of a graph.
    pub fn from_json(text: &str) -> Result<ProvenanceGraph, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes the graph as JSON.
    ///
    /// # Errors
    /// A number is NaN or infinite: JSON would have null instead, which [`ProvenanceGraph::from_json`] does not read.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        readable(self)
    }
}

/// Returns the JSON of a value, unless it cannot be read again.
fn readable<T: Serialize + DeserializeOwned>(value: &T) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(value)?;
    serde_json::from_str::<T>(&text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::Evidence;

    fn diagnosis() -> Diagnosis {
        let evidence = Evidence {
            claim: "a \"quoted\" claim".to_string(),
            template: None,
            switch: Some("s1".to_string()),
            port: None,
            epoch: None,
            records: Vec::new(),
        };
        Diagnosis {
            id: "d1".to_string(),
            time_ns: 7,
            summary: "slow".to_string(),
            confidence: 0.5,
            delay_share: Some(0.25),
            evidence: vec![evidence],
            pause_loop: vec![PortRef::new("s1".to_string(), 2)],
            ..Diagnosis::undetermined(None)
        }
    }

    #[test]
    fn an_outline_has_the_fields_of_the_whole() {
        let whole = diagnosis();
        let text = whole.to_json().unwrap();
        assert_eq!(Diagnosis::from_json(&text).unwrap(), whole);
        let outline = DiagnosisOutline::from_json(&text).unwrap();
        assert_eq!(
            (outline.id, outline.time_ns, outline.summary, outline.confidence, outline.delay_share),
            (whole.id, 7, "slow".to_string(), 0.5, Some(0.25))
        );
        assert_eq!((outline.pause_loop, outline.severity), (whole.pause_loop, Severity::Info));
    }

    #[test]
    fn a_number_that_json_does_not_have_is_an_error() {
        for confidence in [f64::NAN, f64::INFINITY] {
            assert!(Diagnosis { confidence, ..diagnosis() }.to_json().is_err());
        }
    }
}
