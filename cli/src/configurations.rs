//! Checks the SONiC configurations of switches from files; diagnoses can name the findings as root cause, and REST returns
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use buffer_config::finding::Finding;
use buffer_config::json::Problem;
use buffer_config::lookup::Lookup;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, Options};
use buffer_config::source::{SourceText, position};
use buffer_config::{input, lookup};
use counters::Cabling;
use model::topology::{Node, NodeKind};
use model::{ConfigFinding, Topology};
use scenario::{Configured, KnownPorts, config_findings_at};

use crate::daemons::config::settings::Settings;
use crate::input::read_text;

/// The platform's headroom for each speed and cable length, in the folder of the configuration.
pub(crate) const LOOKUP_FILE: &str = "pg_profile_lookup.ini";

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

/// Returns the configurations that a key of a daemon lists, as `SWITCH=PATH`; a relative path starts at the folder of the
/// file with the key. Adds what is none to `problems`.
pub(crate) fn of_key(settings: &Settings, key: &str, problems: &mut Vec<String>) -> Vec<ConfigOf> {
    let folder = settings.folder(key);
    let parsed = settings.texts(key).into_iter().map(parse_config_of);
    let found = parsed.filter_map(|config| config.map_err(|error| problems.push(error)).ok());
    found.map(|config| ConfigOf { path: folder.join(config.path), ..config }).collect()
}

/// Returns the topology with these switches, so that configurations can refer to them.
pub(crate) fn with_switches<'n>(topology: &Topology, names: impl IntoIterator<Item = &'n str>) -> Topology {
    let mut named = topology.clone();
    for name in names {
        if named.node(name).is_none() {
            named.nodes.push(Node { name: name.to_string(), kind: NodeKind::Switch, addresses: Vec::new() });
        }
    }
    named
}

/// What is wrong with the configurations of a network.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The findings that diagnoses can name as root cause.
    pub(crate) cited: Vec<ConfigFinding>,
    /// All findings of `harrier check` in each file, by switch.
    pub(crate) by_switch: BTreeMap<String, Vec<Finding>>,
}

/// What the counters of switches say about their ports.
pub(crate) fn known_ports(cabling: &Cabling) -> KnownPorts<'_> {
    KnownPorts { numbers: cabling.port_numbers(), peers: cabling.peers().collect() }
}

/// Returns the findings of `harrier check` for these configurations, for each switch alone and for switches that the
/// topology, or `known_ports`, connects. Adds files that cannot be read and unknown switches to `problems`.
pub(crate) fn findings(
    configs: &[ConfigOf],
    topology: &Topology,
    known_ports: &KnownPorts<'_>,
    problems: &mut Vec<String>,
) -> Checked {
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
    let cited = config_findings_at(topology, known_ports, &configured.collect::<Vec<_>>());
    let of_switch = |findings: &Vec<Finding>| {
        let mut findings = findings.clone();
        rules::one_per_defect(&mut findings);
        findings
    };
    let by_switch =
        known.iter().map(|(switch, (_, findings))| (switch.to_string(), of_switch(findings))).collect();
    Checked { cited, by_switch }
}

/// A lookup table for headroom, the name of its file and its text.
pub(crate) struct LookupFile {
    name: String,
    text: String,
    table: Lookup,
}

/// Checks a configuration, with the lookup table of its platform if it is known.
///
/// # Errors
/// What cannot be read in both of them, with positions.
pub(crate) fn check_text(
    name: &str,
    text: &str,
    lookup: Option<&LookupFile>,
) -> Result<(ResolvedSwitch, Vec<Finding>), Vec<String>> {
    let db = input::load(text);
    let mut wrong = malformed(name, text, &db.problems);
    if let Some(LookupFile { name, text, table }) = lookup {
        wrong.extend(malformed(name, text, &table.problems));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let source = SourceText { name, text };
    let table = lookup.map(|lookup| &lookup.table);
    let (findings, resolved) = rules::check_resolved(source, &db, table, &Options::default());
    Ok((resolved, findings))
}

/// Problems of a text for people, with their positions.
fn malformed(name: &str, text: &str, problems: &[Problem]) -> Vec<String> {
    let shown =
        |problem: &Problem| format!("{name}:{}: {}", position(text, problem.span.start), problem.message);
    problems.iter().map(shown).collect()
}

/// Reads the files of desired configurations: by switch, the name of the file and its text. Adds what cannot be read to
/// `problems`.
pub(crate) fn texts(configs: &[ConfigOf], problems: &mut Vec<String>) -> BTreeMap<String, (String, String)> {
    let mut found = BTreeMap::new();
    for config in configs {
        let read = read_text(&config.path).map_err(|error| vec![format!("{error:#}")]).and_then(|text| {
            let name = config.path.display().to_string();
            check_text(&name, &text, None).map(|_| (name, text))
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

/// Checks the configuration in a file, with the lookup table in its folder. Adds what cannot be read to `problems`.
fn read(config: &ConfigOf, problems: &mut Vec<String>) -> Option<(ResolvedSwitch, Vec<Finding>)> {
    let mut file = |path: &Path| {
        let text = read_text(path).map_err(|error| problems.push(format!("{error:#}"))).ok()?;
        Some((path.display().to_string(), text))
    };
    let (name, text) = file(&config.path)?;
    let lookup_path = Some(config.path.with_file_name(LOOKUP_FILE)).filter(|path| path.is_file());
    let lookup = match lookup_path {
        Some(path) => {
            let (name, text) = file(&path)?;
            Some(LookupFile { name, table: lookup::parse(&text), text })
        }
        None => None,
    };
    check_text(&name, &text, lookup.as_ref()).map_err(|wrong| problems.extend(wrong)).ok()
}
