//! Findings: the diagnostics that all rules report.

use std::hash::Hasher;

use fnv::FnvHasher;
use model::config_finding::Deviation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::baseline::{fingerprint_parts, message_shape};
use crate::resolved::ResolvedSwitch;
use crate::source::{Position, Span};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Likely to cause problems, or not provable to be correct.
    Warning,
    /// Packets are lost, a daemon stops, or a setting is silently ignored.
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

/// A violation that a rule reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's code, e.g. `BUF023`.
    pub code: &'static str,
    /// The rule's name.
    pub rule: &'static str,
    /// Its severity on this switch.
    pub severity: Severity,
    /// The violation, with its numbers.
    pub message: String,
    /// Path of the file.
    pub file: String,
    /// Byte range in the file.
    pub span: Span,
    /// Line and column of the first byte.
    pub position: Position,
    /// JSON pointer of the entry or field.
    pub pointer: String,
    /// The ports it applies to, if it concerns ports.
    pub ports: Vec<String>,
    /// Whether the value is lower or higher than expected, if the rule can tell.
    pub deviation: Option<Deviation>,
    /// The fix as JSON Patch operations; empty if there is no safe one.
    pub patch: Vec<PatchOp>,
    /// The fix as commands of the switch's operating system; empty for SONiC. Words in angle brackets are to be replaced.
    pub commands: Vec<String>,
    /// Findings of stronger rules about the same defect ([`crate::rules::one_per_defect`]).
    pub causes: Vec<Cause>,
}

/// A stronger finding about the same defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its rule.
    pub code: &'static str,
    /// Its JSON pointer.
    pub pointer: String,
    /// The ports that have this defect; empty if the stronger finding covers the other one entirely.
    pub ports: Vec<String>,
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
    /// Why `config apply-patch` rejects it on a live switch of this ASIC ([`crate::live_update`]).
    #[serde(skip)]
    pub refused_live: Option<String>,
}

impl PatchOp {
    /// An operation that a live switch is not known to reject.
    pub fn new(op: &'static str, path: String, value: Option<Value>) -> Self {
        Self { op, path, value, refused_live: None }
    }
}

/// Rules that report what cannot be verified: that the pools fit the packet memory, that the headroom is sufficient.
pub const NOT_PROVABLE: [&str; 2] = ["BUF050", "PG031"];

impl Finding {
    /// Whether the finding states that the configuration cannot be verified, because the switch names an unknown ASIC.
    ///
    /// Such a configuration does not pass: the exit status is 1, as for an error. If the ASIC is known but its
    /// arithmetic is not published, or if the file names no switch at all (a buffer template), the same rules report a
    /// note.
    pub fn is_not_provable(&self) -> bool {
        NOT_PROVABLE.contains(&self.code) && self.severity > Severity::Info
    }

    /// The ports of `switch` that the finding concerns: the ports it names, those of the entry it points to, or those
    /// that use the profile it points to. Empty if it concerns the whole switch.
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

    /// Restricts the finding, and its fix, to some of its ports.
    pub(crate) fn keep_ports(&mut self, ports: Vec<String>) {
        let first = self.ports.first().cloned().unwrap_or_default();
        if let Some((all, rest)) = self.message.split_once(": ")
            && all.starts_with(&first)
        {
            let names: Vec<&str> = ports.iter().map(String::as_str).collect();
            self.message =
                format!("{}: {}", crate::rules::names(&names), crate::rules::agreeing(rest, names.len()));
        }
        let gone: Vec<&String> = self.ports.iter().filter(|port| !ports.contains(port)).collect();
        let is_of_gone =
            |op: &PatchOp| op.path.split(['/', '|']).any(|step| gone.iter().any(|port| *port == step));
        self.patch.retain(|op| !is_of_gone(op));
        self.ports = ports;
    }

    /// A hash that stays the same when lines move, keys are reordered, numbers change, or another port has the same
    /// defect: of code, file name with its folder, object ([`crate::baseline`]), first port and the words of the message.
    ///
    /// Folders further up do not count, so a repository can be checked from any directory. The last folder does,
    /// because all switches of a fleet may use the same file name.
    pub fn fingerprint(&self) -> String {
        let folder = self.file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let name = self.file.get(folder..).unwrap_or_default();
        let mut hasher = FnvHasher::default();
        let [object, port] = fingerprint_parts(self);
        for part in [self.code, name, &object, &port, &message_shape(self)] {
            hasher.write(part.as_bytes());
            hasher.write_u8(0);
        }
        format!("{:016x}", hasher.finish())
    }
}
