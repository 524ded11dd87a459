//! The one kind of diagnostic.

use model::config_finding::Deviation;
use serde::Serialize;
use serde_json::Value;

use crate::resolved::ResolvedSwitch;
use crate::source::{Place, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Likely to hurt, or not provable to be right.
    Warning,
    /// Packets are lost, a daemon stops, or a setting is silently not applied.
    Error,
}

impl Severity {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's code, e.g. `BUF023`.
    pub code: &'static str,
    /// The rule's name.
    pub rule: &'static str,
    /// How bad it is here.
    pub severity: Severity,
    /// What is wrong, with the numbers.
    pub message: String,
    /// The file.
    pub file: String,
    /// Bytes in the file.
    pub span: Span,
    /// Line and column of the first byte.
    pub place: Place,
    /// JSON pointer of the entry or field.
    pub pointer: String,
    /// Names of the ports that it holds for, where it is about some.
    pub ports: Vec<String>,
    /// Whether less or more is set than was expected, where that is known of this finding.
    pub deviation: Option<Deviation>,
    /// What would repair it, as JSON Patch operations; empty when there is no safe one.
    pub patch: Vec<PatchOp>,
}

/// One operation of a JSON Patch (RFC 6902).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatchOp {
    /// `add`, `remove` or `replace`.
    pub op: &'static str,
    /// JSON pointer.
    pub path: String,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Why `config apply-patch` would refuse it on a live switch of this ASIC ([`crate::gcu`]).
    #[serde(skip)]
    pub refused_live: Option<String>,
}

impl PatchOp {
    /// An operation of which nothing is known but what it does.
    pub fn new(op: &'static str, path: String, value: Option<Value>) -> Self {
        Self { op, path, value, refused_live: None }
    }
}

/// Rules that say what cannot be told of a switch: whether its pools fit its memory, whether its headroom suffices.
pub const NOT_PROVABLE: [&str; 2] = ["BUF050", "PG031"];

impl Finding {
    /// Nothing was found wrong, but nothing is known to be right: the switch names an ASIC that Harrier does not know. That
    /// is no pass, so it makes the exit status 1 like an error. Where a known ASIC merely has no published arithmetic, or
    /// a file names no switch at all (a template of buffers), the same rules leave a note.
    pub fn is_not_provable(&self) -> bool {
        NOT_PROVABLE.contains(&self.code) && self.severity > Severity::Info
    }

    /// The ports of `switch` that it is about: those it names, those of the entry it points at, those that use the profile
    /// it points at. Empty when it is about the switch as a whole.
    pub fn ports_of<'s>(&self, switch: &'s ResolvedSwitch) -> Vec<&'s str> {
        let named = |names: &[&str]| {
            let known = switch.ports.iter().map(|port| port.name.as_str());
            known.filter(|name| names.contains(name)).collect::<Vec<_>>()
        };
        if !self.ports.is_empty() {
            return named(&self.ports.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let pointer: Vec<String> =
            self.pointer.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
        let of_profile = pointer.iter().position(|part| part == "BUFFER_PROFILE");
        if let Some(profile) = of_profile.and_then(|at| pointer.get(at + 1)) {
            let uses = |at: &Option<usize>| {
                at.and_then(|at| switch.profiles.get(at)).is_some_and(|used| used.name == *profile)
            };
            let ports = switch
                .ports
                .iter()
                .filter(|port| port.priority_groups.iter().any(uses) || port.queues.iter().any(uses));
            return ports.map(|port| port.name.as_str()).collect();
        }
        let owners = pointer.iter().filter_map(|part| part.split('|').next());
        named(&owners.flat_map(|owner| owner.split(',')).collect::<Vec<_>>())
    }

    /// What stays the same when lines move: code, file with its folder, pointer and message. Which folders are above does
    /// not count, so that a repository may be checked from anywhere; the folder does, because all switches of a fleet
    /// may keep their configuration under one name.
    pub fn fingerprint(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let folder = self.file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let name = self.file.get(folder..).unwrap_or_default();
        for part in [self.code, name, &self.pointer, &self.message] {
            for byte in part.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        format!("{hash:016x}")
    }
}
