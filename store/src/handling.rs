//! What people do and say about incidents.

use model::Topology;
use serde::{Deserialize, Serialize};

/// What is done about an incident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Handling {
    /// Nothing yet.
    #[default]
    Open,
    /// Someone works on it.
    Acknowledged,
    /// The cause is removed. A recurrence reopens it.
    Resolved,
    /// The cause is known: no alert, recurrences included.
    Silenced,
}

/// Whether a verdict was right, from those who found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// The culprit is the one that the verdict names.
    Right,
    /// It is another one.
    Wrong,
    /// It was not found out.
    Unclear,
}

/// A note that is added to an incident.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewNote {
    /// The diagnosis that it is about; absent for the one that represents the incident.
    pub diagnosis: Option<String>,
    /// Who writes it.
    pub author: String,
    /// What it sets the handling to; absent to leave it.
    pub handling: Option<Handling>,
    /// What it says about the verdict; absent to leave it.
    pub feedback: Option<Feedback>,
    /// The text; may be empty.
    pub text: String,
}

/// A note of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its number, from 1 on.
    pub number: u64,
    /// When it was written, in nanoseconds of a wall clock since 1970.
    pub wall_ns: u64,
    /// The note.
    pub note: NewNote,
}

/// The latest answer to whether the verdict of an incident was right.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub feedback: Feedback,
    /// Id of the diagnosis that it is about.
    pub diagnosis: String,
    /// The network at that time; absent if none was loaded, or if an earlier version has stored the answer.
    pub topology: Option<Topology>,
}
