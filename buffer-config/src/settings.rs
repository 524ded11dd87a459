//! The configuration file of `harrier check`, `harrier.toml`: rules, severities and paths of a repository.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::baseline::{Selection, glob_end};
use crate::finding::{Finding, Severity};
use crate::source::position;

/// The name of the file.
pub const FILE_NAME: &str = "harrier.toml";

/// The settings of a repository. Paths are relative to the folder of the file.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The rules whose findings are reported.
    pub selection: Selection,
    /// Patterns of files and folders that are not checked when a folder is.
    pub exclude: Vec<String>,
    /// Lowest severity that sets the exit status to 1.
    pub severity_threshold: Option<Severity>,
    /// Whether notes are shown in reports for people.
    pub notes: Option<bool>,
    /// The baseline.
    pub baseline: Option<PathBuf>,
    /// The suppressions.
    pub suppressions: Option<PathBuf>,
    /// NICs and the switch ports that they are connected to.
    pub hosts: Option<PathBuf>,
    /// The name of the ASIC.
    pub asic: Option<String>,
    /// Bytes of packet memory.
    pub memory_bytes: Option<u64>,
    /// Largest headroom oversubscription that is not an error.
    pub oversubscription_limit: Option<f64>,
    /// Largest lossless frame if the file does not specify it, bytes.
    pub lossless_mtu_bytes: Option<u32>,
    /// Cables that the configurations do not name.
    pub links: Vec<[PortName; 2]>,
    severity: Severities,
    paths: Vec<PathSettings>,
}

/// A switch and one of its ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortName {
    /// The hostname of the switch.
    pub switch: String,
    /// The name or alias of the port.
    pub port: String,
}

/// Severities by rule: codes, names or prefixes of codes.
type Severities = BTreeMap<String, Severity>;

/// Settings for some paths.
#[derive(Clone, Debug)]
struct PathSettings {
    path: String,
    ignore: Selection,
    severity: Severities,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    check: Check,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Check {
    select: Vec<Spanned<String>>,
    ignore: Vec<Spanned<String>>,
    exclude: Vec<Spanned<String>>,
    severity: BTreeMap<String, Spanned<String>>,
    severity_threshold: Option<Spanned<String>>,
    notes: Option<bool>,
    baseline: Option<PathBuf>,
    suppressions: Option<PathBuf>,
    hosts: Option<PathBuf>,
    asic: Option<Spanned<String>>,
    memory_bytes: Option<u64>,
    oversubscription_limit: Option<f64>,
    lossless_mtu_bytes: Option<u32>,
    paths: Vec<OfPath>,
    link: Vec<OfLink>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfLink {
    ends: Spanned<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPath {
    path: Spanned<String>,
    #[serde(default)]
    ignore: Vec<Spanned<String>>,
    #[serde(default)]
    severity: BTreeMap<String, Spanned<String>>,
}

/// Removes the entry whose key or value is at `at`. Returns whether there is one.
fn remove(table: &mut DeTable<'_>, at: &Range<usize>) -> bool {
    let is_inside = |value: &mut DeValue<'_>| match value {
        DeValue::Table(inner) => remove(inner, at),
        DeValue::Array(all) => all.iter_mut().any(|element| match element.get_mut() {
            DeValue::Table(inner) => remove(inner, at),
            _ => false,
        }),
        _ => false,
    };
    if table.iter_mut().any(|(_, value)| is_inside(value.get_mut())) {
        return true;
    }
    let holds = |span: Range<usize>| span.start <= at.start && at.end <= span.end;
    let found = table.iter().find(|(key, value)| holds(key.span()) || holds(value.span()));
    let key = found.map(|(key, _)| key.clone());
    key.is_some_and(|key| table.remove(&key).is_some())
}

/// The problems of a text, with positions.
struct Problems<'t> {
    text: &'t str,
    found: Vec<String>,
}

impl Problems<'_> {
    /// Reads the file. Unknown keys and values of another type are problems, and are left out.
    fn read(&mut self) -> Option<Check> {
        let (mut table, errors) = DeTable::parse_recoverable(self.text);
        errors.iter().for_each(|error| self.error(error));
        if !errors.is_empty() {
            return None;
        }
        loop {
            let error = match File::deserialize(toml::Deserializer::from(table.clone())) {
                Ok(file) => return Some(file.check),
                Err(error) => error,
            };
            self.error(&error);
            if !error.span().is_some_and(|span| remove(table.get_mut(), &span)) {
                return None;
            }
        }
    }

    fn error(&mut self, error: &toml::de::Error) {
        let at = error.span().map_or(0, |span| span.start as u32);
        self.found.push(format!("{}: {}", position(self.text, at), error.message()));
    }

    fn add<T>(&mut self, at: &Spanned<T>, what: impl std::fmt::Display) {
        self.found.push(format!("{}: {what}", position(self.text, at.span().start as u32)));
    }

    /// Words that select rules.
    fn rules(&mut self, words: Vec<Spanned<String>>) -> Vec<String> {
        for word in &words {
            self.rule(word, word.get_ref());
        }
        words.into_iter().map(Spanned::into_inner).collect()
    }

    fn rule<T>(&mut self, at: &Spanned<T>, word: &str) {
        let only = Selection { select: vec![word.to_string()], ignore: Vec::new() };
        if !only.unknown().is_empty() {
            self.add(at, format_args!("no rule matches `{word}`; see harrier check --list-rules"));
        }
    }

    fn severities(&mut self, table: BTreeMap<String, Spanned<String>>) -> Severities {
        let mut severities = Severities::new();
        for (rule, name) in table {
            self.rule(&name, &rule);
            if let Some(severity) = self.severity(&name) {
                severities.insert(rule, severity);
            }
        }
        severities
    }

    fn severity(&mut self, name: &Spanned<String>) -> Option<Severity> {
        let known = [Severity::Info, Severity::Warning, Severity::Error];
        let severity = known.into_iter().find(|severity| severity.name() == name.get_ref());
        if severity.is_none() {
            let what = format!(
                "no severity `{}`; expected error, warning or info (`ignore` removes a rule's findings)",
                name.get_ref()
            );
            self.add(name, what);
        }
        severity
    }

    /// Both ends of a cable, each `switch:port`.
    fn link(&mut self, link: &OfLink) -> Option<[PortName; 2]> {
        let parse = |end: &String| {
            let (switch, port) =
                end.split_once(':').filter(|(switch, port)| !switch.is_empty() && !port.is_empty())?;
            Some(PortName { switch: switch.to_string(), port: port.to_string() })
        };
        let ends: Option<Vec<PortName>> = link.ends.get_ref().iter().map(parse).collect();
        let ends = ends.and_then(|ends| <[PortName; 2]>::try_from(ends).ok());
        if ends.is_none() {
            self.add(&link.ends, "expected two ends, such as [\"leaf1:Ethernet0\", \"spine1:Ethernet1/1\"]");
        }
        ends
    }

    fn pattern(&mut self, pattern: Spanned<String>) -> String {
        if pattern.get_ref().trim_matches(['/', '.']).is_empty() {
            self.add(&pattern, "an empty pattern; expected a file or folder, with `*` for any characters");
        }
        pattern.into_inner()
    }
}

impl Settings {
    /// Parses a file.
    ///
    /// # Errors
    /// All problems of the text, each with line and column.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        let mut problems = Problems { text, found: Vec::new() };
        let Some(check) = problems.read() else { return Err(problems.found) };
        if let Some(name) = &check.asic
            && crate::asic::by_name(name.get_ref())
                .or_else(|| crate::asic::of_asic_table(name.get_ref()))
                .is_none()
        {
            let names: Vec<&str> = crate::asic::ASICS.iter().map(|asic| asic.name).collect();
            problems.add(
                name,
                format_args!("no ASIC `{}`; expected one of {}", name.get_ref(), names.join(", ")),
            );
        }
        let settings = Self {
            selection: Selection {
                select: problems.rules(check.select),
                ignore: problems.rules(check.ignore),
            },
            exclude: check.exclude.into_iter().map(|pattern| problems.pattern(pattern)).collect(),
            severity_threshold: check.severity_threshold.and_then(|name| problems.severity(&name)),
            notes: check.notes,
            baseline: check.baseline,
            suppressions: check.suppressions,
            hosts: check.hosts,
            asic: check.asic.map(Spanned::into_inner),
            memory_bytes: check.memory_bytes,
            oversubscription_limit: check.oversubscription_limit,
            lossless_mtu_bytes: check.lossless_mtu_bytes,
            links: check.link.iter().filter_map(|link| problems.link(link)).collect(),
            severity: problems.severities(check.severity),
            paths: check
                .paths
                .into_iter()
                .map(|of| PathSettings {
                    path: problems.pattern(of.path),
                    ignore: Selection { select: Vec::new(), ignore: problems.rules(of.ignore) },
                    severity: problems.severities(of.severity),
                })
                .collect(),
        };
        if problems.found.is_empty() { Ok(settings) } else { Err(problems.found) }
    }

    /// Removes the findings that are ignored, and sets the severities of the others. `name_of` returns the name of a
    /// finding's file relative to the folder of the settings.
    pub fn apply(&self, findings: &mut Vec<Finding>, name_of: impl Fn(&str) -> String) {
        if self.severity.is_empty() && self.paths.is_empty() {
            return;
        }
        findings.retain_mut(|finding| {
            let name = name_of(&finding.file);
            let here = || self.paths.iter().filter(|of| matches(&of.path, &name));
            if here().any(|of| !of.ignore.wants(finding.code, finding.rule)) {
                return false;
            }
            let tables = here().map(|of| &of.severity).rev().chain([&self.severity]);
            if let Some((severity, is_rule)) = tables.filter_map(|table| severity_in(table, finding)).next() {
                // A prefix would turn notes into errors.
                finding.severity = if is_rule { severity } else { severity.min(finding.severity) };
            }
            true
        });
    }
}

/// The severity of the longest word that matches the finding's rule, and whether the word is the rule's code or name: the
/// severity of a prefix is the highest that findings keep.
fn severity_in(table: &Severities, finding: &Finding) -> Option<(Severity, bool)> {
    let of_word = |(word, severity): (&String, &Severity)| {
        let length = match word == finding.rule {
            true => Some(finding.code.len()),
            false => finding.code.get(..word.len()).filter(|c| c.eq_ignore_ascii_case(word)).map(str::len),
        };
        length.map(|length| (length, *severity))
    };
    let longest = table.iter().filter_map(of_word).max_by_key(|(length, _)| *length);
    longest.map(|(length, severity)| (severity, length == finding.code.len()))
}

/// Whether a pattern matches a path, or a folder that contains it. `*` matches any characters, and a pattern may start
/// at any folder, unless it starts with `/`.
pub fn matches(pattern: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern).trim_end_matches('/').replace("**", "*");
    match pattern.strip_prefix('/') {
        // A name without a folder in front of it matches at the start only.
        Some(rooted) => {
            folders.chain([path]).any(|part| glob_end(&format!("\u{1}/{rooted}"), &format!("\u{1}/{part}")))
        }
        None => folders.chain([path]).any(|part| glob_end(&pattern, part)),
    }
}
