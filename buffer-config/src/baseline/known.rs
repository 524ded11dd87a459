//! Known findings, by object: a file with one line for each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::object::{Objects, identity};
use crate::finding::{Finding, Severity};
use crate::rules::{names, one_per_defect};

/// The version of the file's format.
const VERSION: u32 = 3;
/// Files of this version lack findings that a stronger one about the same defect left out.
const ONE_PER_DEFECT: u32 = 2;

/// Known findings, also those that a stronger finding about the same defect leaves out of reports: it may be repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Text", into = "Text")]
pub struct Baseline {
    known: BTreeMap<Object, Counts>,
    /// Whether it has one finding for each defect only, as in files of version 2.
    is_one_per_defect: bool,
}

/// The number of findings by severity.
type Counts = [usize; 3];

/// What a known finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    file: String,
    code: String,
    object: String,
    /// Empty for findings that do not list ports.
    port: String,
}

/// The file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Text {
    version: u32,
    findings: Vec<Row>,
}

/// Findings of one rule about one object, or about this object of each port.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Row {
    file: String,
    code: String,
    severity: Severity,
    object: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ports: Vec<String>,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

impl TryFrom<Text> for Baseline {
    type Error = String;

    fn try_from(text: Text) -> Result<Self, String> {
        if ![ONE_PER_DEFECT, VERSION].contains(&text.version) {
            return Err(format!(
                "version {} of the format is not supported, only {ONE_PER_DEFECT} and {VERSION}",
                text.version
            ));
        }
        let mut baseline = Self { is_one_per_defect: text.version == ONE_PER_DEFECT, ..Self::default() };
        for row in text.findings.into_iter().filter(|row| row.count > 0) {
            let Row { file, code, severity, object, ports, count } = row;
            let ports = if ports.is_empty() { vec![String::new()] } else { ports };
            for port in ports {
                let object = Object { file: file.clone(), code: code.clone(), object: object.clone(), port };
                let counts = baseline.known.entry(object).or_default();
                counts[severity as usize] = counts[severity as usize].saturating_add(count);
            }
        }
        Ok(baseline)
    }
}

impl From<Baseline> for Text {
    fn from(baseline: Baseline) -> Self {
        let mut rows: BTreeMap<(String, String, String, Severity, usize), Vec<String>> = BTreeMap::new();
        for (at, counts) in baseline.known {
            for severity in [Severity::Info, Severity::Warning, Severity::Error] {
                let count = counts[severity as usize];
                if count > 0 {
                    let key = (at.file.clone(), at.code.clone(), at.object.clone(), severity, count);
                    rows.entry(key).or_default().push(at.port.clone());
                }
            }
        }
        let row = |((file, code, object, severity, count), mut ports): (_, Vec<String>)| {
            ports.sort_by(|a, b| natural(a).cmp(&natural(b)));
            // An entry without a port has an empty one; it is not listed with others.
            let of_ports: Vec<String> = ports.iter().filter(|port| !port.is_empty()).cloned().collect();
            let whole = (of_ports.len() < ports.len()).then(Vec::new);
            let parts = whole.into_iter().chain(Some(of_ports).filter(|ports| !ports.is_empty()));
            let rows: Vec<Row> = parts
                .map(|ports| Row {
                    file: String::clone(&file),
                    code: String::clone(&code),
                    severity,
                    object: String::clone(&object),
                    ports,
                    count,
                })
                .collect();
            rows
        };
        let version = if baseline.is_one_per_defect { ONE_PER_DEFECT } else { VERSION };
        Self { version, findings: rows.into_iter().flat_map(row).collect() }
    }
}

/// `Ethernet4` before `Ethernet10`.
fn natural(port: &str) -> (usize, &str) {
    (port.len(), port)
}

impl Baseline {
    /// Adds findings, with the names of their files.
    pub fn add(&mut self, findings: &[Finding]) {
        self.add_of_text(findings, None, &Root::default());
    }

    /// Adds the findings of one file with this text; `root` is the folder of the baseline.
    pub fn add_of_text(&mut self, findings: &[Finding], text: Option<&str>, root: &Root) {
        let mut objects = Objects::new(text);
        for finding in findings {
            let object = objects.of(finding);
            let file = root.name_of(&finding.file);
            for port in ports_or_none(finding) {
                let object = Object {
                    file: file.clone(),
                    code: finding.code.to_string(),
                    object: object.clone(),
                    port: port.to_string(),
                };
                self.known.entry(object).or_default()[finding.severity as usize] += 1;
            }
        }
    }

    /// Whether it has no finding.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The file's text: one line for each finding, sorted, so that revisions can be compared.
    pub fn to_text(&self) -> String {
        let text = Text::from(self.clone());
        let rows: Vec<String> = text
            .findings
            .iter()
            .map(|row| format!("    {}", serde_json::to_string(row).unwrap_or_default()))
            .collect();
        let findings = if rows.is_empty() { String::new() } else { format!("\n{}\n  ", rows.join(",\n")) };
        format!("{{\n  \"version\": {},\n  \"findings\": [{findings}]\n}}\n", text.version)
    }

    /// Parses a baseline.
    ///
    /// # Errors
    /// If the text is not a baseline, with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let error = match serde_json::from_str(text) {
            Ok(baseline) => return Ok(baseline),
            Err(error) => error,
        };
        let is_old = serde_json::from_str::<serde_json::Value>(text)
            .is_ok_and(|value| value.get("fingerprints").is_some());
        Err(match is_old {
            true => {
                "the baseline was written by Harrier 0.2 or earlier; write it again with --write-baseline"
                    .to_string()
            }
            false => error.to_string(),
        })
    }
}

fn ports_or_none(finding: &Finding) -> impl Iterator<Item = &str> {
    let none = finding.ports.is_empty().then_some("");
    none.into_iter().chain(finding.ports.iter().map(String::as_str))
}

/// The folder of a baseline. The names of files are relative to it, so that a repository can be checked from any
/// working directory.
#[derive(Clone, Debug, Default)]
pub struct Root {
    folders: Option<(PathBuf, PathBuf)>,
}

impl Root {
    /// From the working directory, as an absolute path, and the folder of the baseline.
    pub fn new(working: &Path, folder: &Path) -> Self {
        Self { folders: Some((working.to_path_buf(), working.join(folder))) }
    }

    /// The name of a file, given relative to the working directory, from the folder of the baseline. URLs and standard
    /// input keep their names.
    pub fn name_of(&self, file: &str) -> String {
        let Some((working, folder)) = &self.folders else { return file.to_string() };
        if file == "-" || file.contains("://") {
            return file.to_string();
        }
        let (file, folder) = (plain(&working.join(file)), plain(folder));
        let same = file.iter().zip(&folder).take_while(|(a, b)| a == b).count();
        let up = std::iter::repeat_n("..", folder.len().saturating_sub(same));
        let down = file.iter().skip(same).map(String::as_str);
        up.chain(down).collect::<Vec<_>>().join("/")
    }
}

/// The names of a path's folders without `.` and `..`.
fn plain(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                names.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    names
}

/// The findings of a baseline that were not found yet.
#[derive(Debug, Default)]
pub(super) struct Left {
    known: BTreeMap<Object, Counts>,
    is_one_per_defect: bool,
    root: Root,
}

impl Left {
    pub(super) fn new(baseline: Baseline, root: Root) -> Self {
        Self { known: baseline.known, is_one_per_defect: baseline.is_one_per_defect, root }
    }

    /// Removes known findings, and the known ports of other findings, and keeps one finding for each defect. Returns the
    /// number of findings that would be reported without a baseline.
    ///
    /// What is known is removed first: a known finding leaves out no new one.
    pub(super) fn remove_known(&mut self, findings: &mut Vec<Finding>, text: Option<&str>) -> usize {
        if self.known.is_empty() {
            one_per_defect(findings);
            return 0;
        }
        if self.is_one_per_defect {
            one_per_defect(findings);
        }
        let mut removed = self.take_known(findings, text);
        one_per_defect(&mut removed);
        one_per_defect(findings);
        removed.len()
    }

    /// Removes known findings, and the known ports of other findings. Returns those that are removed entirely.
    fn take_known(&mut self, findings: &mut Vec<Finding>, text: Option<&str>) -> Vec<Finding> {
        let mut removed = Vec::new();
        let mut objects = Objects::new(text);
        findings.retain_mut(|finding| {
            let object = objects.of(finding);
            let file = self.root.name_of(&finding.file);
            let new: Vec<String> = ports_or_none(finding)
                .filter(|port| !self.take(&file, finding, &object, port))
                .map(str::to_string)
                .collect();
            if !new.is_empty() && !finding.ports.is_empty() && new.len() < finding.ports.len() {
                finding.keep_ports(new);
                return true;
            }
            if new.is_empty() {
                removed.push(finding.clone());
            }
            !new.is_empty()
        });
        removed
    }

    /// Takes one known finding of this severity, or of a higher one: a finding that became worse is new.
    fn take(&mut self, file: &str, finding: &Finding, object: &str, port: &str) -> bool {
        let key = Object {
            file: file.to_string(),
            code: finding.code.to_string(),
            object: object.to_string(),
            port: port.to_string(),
        };
        let counts = self.known.get_mut(&key);
        let count =
            counts.and_then(|all| all[finding.severity as usize..].iter_mut().find(|count| **count > 0));
        count.map(|count| *count -= 1).is_some()
    }

    /// The entries without a finding.
    pub(super) fn stale<'f>(
        &self,
        checked: impl Iterator<Item = &'f str>,
        is_selected: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let checked: BTreeSet<String> = checked.map(|file| self.root.name_of(file)).collect();
        let is_whole = self.known.keys().all(|at| checked.contains(&at.file));
        // A comparison of switches depends on all of them.
        let is_judged =
            |at: &Object| checked.contains(&at.file) && (is_whole || !at.code.starts_with("FLEET"));
        let left = self.known.iter().filter(|(_, counts)| counts.iter().any(|count| *count > 0));
        let stale = left.filter(|(at, _)| is_judged(at) && is_selected(&at.code));
        let mut rows: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
        for (at, _) in stale {
            rows.entry((&at.file, &at.code, &at.object)).or_default().push(&at.port);
        }
        let text = |((file, code, object), mut ports): ((&str, &str, &str), Vec<&str>)| {
            ports.retain(|port| !port.is_empty());
            ports.sort_by(|a, b| natural(a).cmp(&natural(b)));
            let of = if ports.is_empty() { String::new() } else { format!(" ({})", names(&ports)) };
            let object = if object.is_empty() { String::new() } else { format!(" {object}") };
            format!("{file} {code}{object}{of}")
        };
        rows.into_iter().map(text).collect()
    }
}

/// A hash of what a finding is about ([`Finding::fingerprint`]).
pub(crate) fn fingerprint_parts(finding: &Finding) -> [String; 2] {
    let first = finding.ports.iter().min_by(|a, b| natural(a).cmp(&natural(b)));
    [identity(finding), first.cloned().unwrap_or_default()]
}
