//! The rules that a report describes. Reports of other checks than those of switches have a catalogue of their own.

use std::sync::LazyLock;

use crate::finding::Severity;
use crate::rules;

/// A command that reports findings, and its rules.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// The command, e.g. `harrier check`.
    pub command: &'static str,
    /// Its rules.
    pub rules: Vec<RuleText>,
}

/// The texts of a rule.
#[derive(Clone, Debug)]
pub struct RuleText {
    /// Stable code.
    pub code: &'static str,
    /// Stable name.
    pub name: &'static str,
    /// The usual severity.
    pub severity: Severity,
    /// What it reports, in one sentence.
    pub summary: String,
    /// Why it matters.
    pub why: String,
    /// How to fix it.
    pub fix: String,
    /// Its page, in Markdown.
    pub page: String,
}

impl Catalogue {
    /// The rules of this crate.
    pub fn of_switches() -> &'static Catalogue {
        static SWITCHES: LazyLock<Catalogue> = LazyLock::new(|| {
            let rules = rules::all().map(|rule| RuleText {
                code: rule.meta.code,
                name: rule.meta.name,
                severity: rule.meta.severity,
                summary: rule.summary(),
                why: rule.section("Why it matters"),
                fix: rule.section("Fix"),
                page: rule.page(),
            });
            Catalogue { command: "harrier check", rules: rules.collect() }
        });
        &SWITCHES
    }

    /// Why a finding matters and how to fix it; empty if the catalogue does not have its rule.
    pub(super) fn advice(&self, code: &str) -> (&str, &str) {
        self.rules.iter().find(|rule| rule.code == code).map_or(("", ""), |rule| (&rule.why, &rule.fix))
    }
}
