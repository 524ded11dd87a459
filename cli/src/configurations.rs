//! Checks the SONiC configurations of switches from files; diagnoses can name the findings as root cause, and REST returns
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use buffer_config::finding::Finding;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, Options};
use buffer_config::source::{SourceText, position};
use buffer_config::{input, lookup};
use model::{ConfigFinding, Topology};
use scenario::{Configured, config_findings};

use crate::input::read_text;

/// The platform's headroom for each speed and cable length, in the folder of the configuration.
const LOOKUP_FILE: &str = "pg_profile_lookup.ini";

/// A switch of the topology and the file of its configuration, `SWITCH=PATH`.
#[derive(Clone, Debug)]
pub(crate) struct ConfigOf {
    switch: String,
    path: PathBuf,
}

/// Parses `SWITCH=PATH`.
pub(crate) fn parse_config_of(text: &str) -> Result<ConfigOf, String> {
    let parts = text.split_once('=').filter(|(switch, path)| !switch.is_empty() && !path.is_empty());
    let (switch, path) = parts.ok_or("expected SWITCH=PATH, e.g. `leaf1=leaf1/config_db.json`")?;
    Ok(ConfigOf { switch: switch.to_string(), path: PathBuf::from(path) })
}

impl ConfigOf {
    /// The same file; a relative path starts at `folder`.
    pub(crate) fn below(self, folder: &Path) -> ConfigOf {
        ConfigOf { path: folder.join(self.path), ..self }
    }
}

/// What is wrong with the configurations of a network.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The findings that diagnoses can name as root cause.
    pub(crate) cited: Vec<ConfigFinding>,
    /// All findings of `harrier check` in each file, by switch.
    pub(crate) by_switch: BTreeMap<String, Vec<Finding>>,
}

/// Returns the findings of `harrier check` for these configurations, for each switch alone and for switches that the
/// topology connects. Adds files that cannot be read and unknown switches to `problems`.
pub(crate) fn findings(configs: &[ConfigOf], topology: &Topology, problems: &mut Vec<String>) -> Checked {
    let mut known: BTreeMap<&str, (ResolvedSwitch, Vec<Finding>)> = BTreeMap::new();
    for config in configs {
        let name = config.switch.as_str();
        if topology.node(name).is_none() || topology.is_host(name) {
            problems.push(format!("--config: `{name}` is not a switch of the topology"));
        } else if let Some(read) = read(config, problems)
            && known.insert(name, read).is_some()
        {
            problems.push(format!("--config: `{name}` is specified twice"));
        }
    }
    let configured =
        known.iter().map(|(switch, (resolved, findings))| Configured { switch, resolved, findings });
    let cited = config_findings(topology, &configured.collect::<Vec<_>>());
    let of_switch = |findings: &Vec<Finding>| {
        let mut findings = findings.clone();
        rules::one_per_defect(&mut findings);
        findings
    };
    let by_switch =
        known.iter().map(|(switch, (_, findings))| (switch.to_string(), of_switch(findings))).collect();
    Checked { cited, by_switch }
}

/// Checks a configuration without a lookup table, as a switch runs it.
///
/// # Errors
/// What cannot be read, with positions.
pub(crate) fn check_text(name: &str, text: &str) -> Result<(ResolvedSwitch, Vec<Finding>), Vec<String>> {
    let db = input::load(text);
    if !db.problems.is_empty() {
        let malformed = db.problems.iter();
        let malformed = malformed
            .map(|problem| format!("{name}:{}: {}", position(text, problem.span.start), problem.message));
        return Err(malformed.collect());
    }
    let source = SourceText { name, text };
    let (findings, resolved) = rules::check_resolved(source, &db, None, &Options::default());
    Ok((resolved, findings))
}

/// Reads the files of desired configurations: by switch, the name of the file and its text. Adds what cannot be read to
/// `problems`.
pub(crate) fn texts(configs: &[ConfigOf], problems: &mut Vec<String>) -> BTreeMap<String, (String, String)> {
    let mut found = BTreeMap::new();
    for config in configs {
        let read = read_text(&config.path).map_err(|error| vec![format!("{error:#}")]).and_then(|text| {
            let name = config.path.display().to_string();
            check_text(&name, &text).map(|_| (name, text))
        });
        match read {
            Ok(text) => {
                if found.insert(config.switch.clone(), text).is_some() {
                    problems.push(format!("`{}` is specified twice", config.switch));
                }
            }
            Err(wrong) => problems.extend(wrong),
        }
    }
    found
}

fn read(config: &ConfigOf, problems: &mut Vec<String>) -> Option<(ResolvedSwitch, Vec<Finding>)> {
    let mut text_of = |path: &PathBuf| {
        read_text(path)
            .map_err(|error| problems.push(format!("{error:#}")))
            .ok()
            .map(|text| (path.clone(), text))
    };
    let (path, text) = text_of(&config.path)?;
    let lookup_file = Some(config.path.with_file_name(LOOKUP_FILE)).filter(|path| path.is_file());
    let table = match &lookup_file {
        Some(path) => Some(text_of(path)?),
        None => None,
    };
    let table = table.map(|(path, text)| (lookup::parse(&text), path, text));
    let db = input::load(&text);
    let name = path.display().to_string();
    let mut malformed: Vec<String> = Vec::new();
    for problem in &db.problems {
        malformed.push(format!("{name}:{}: {}", position(&text, problem.span.start), problem.message));
    }
    if let Some((table, path, text)) = &table {
        for problem in &table.problems {
            malformed.push(format!(
                "{}:{}: {}",
                path.display(),
                position(text, problem.span.start),
                problem.message
            ));
        }
    }
    if !malformed.is_empty() {
        problems.extend(malformed);
        return None;
    }
    let source = SourceText { name: &name, text: &text };
    let lookup = table.as_ref().map(|(table, ..)| table);
    let (findings, resolved) = rules::check_resolved(source, &db, lookup, &Options::default());
    Some((resolved, findings))
}
