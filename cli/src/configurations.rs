//! SONiC configurations of a network's switches from files, as findings that verdicts can rest on.

use std::collections::BTreeMap;
use std::path::PathBuf;

use buffer_config::finding::Finding;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, Options};
use buffer_config::source::{Source, place};
use buffer_config::{forms, lookup};
use model::{ConfigFinding, Topology};
use scenario::{Configured, config_findings};

use crate::input::read_text;

/// Beside a configuration: the platform's headroom of each speed and cable length.
const LOOKUP_FILE: &str = "pg_profile_lookup.ini";

/// A switch of the topology and its configuration, `SWITCH=PATH`.
#[derive(Clone, Debug)]
pub(crate) struct ConfigOf {
    switch: String,
    path: PathBuf,
}

/// Reads `SWITCH=PATH`.
pub(crate) fn parse_config_of(text: &str) -> Result<ConfigOf, String> {
    let parts = text.split_once('=').filter(|(switch, path)| !switch.is_empty() && !path.is_empty());
    let (switch, path) = parts.ok_or("expected SWITCH=PATH, e.g. `leaf1=leaf1/config_db.json`")?;
    Ok(ConfigOf { switch: switch.to_string(), path: PathBuf::from(path) })
}

/// What the rules of `harrier check` find in the configurations of these switches, each by itself and together as the
/// topology links them. What cannot be read is a problem.
pub(crate) fn findings(
    configs: &[ConfigOf],
    topology: &Topology,
    problems: &mut Vec<String>,
) -> Vec<ConfigFinding> {
    let mut known: BTreeMap<&str, (ResolvedSwitch, Vec<Finding>)> = BTreeMap::new();
    for config in configs {
        let name = config.switch.as_str();
        if topology.node(name).is_none() || topology.is_host(name) {
            problems.push(format!("--config: `{name}` is not a switch of the topology"));
        } else if let Some(read) = read(config, problems)
            && known.insert(name, read).is_some()
        {
            problems.push(format!("--config: `{name}` is given twice"));
        }
    }
    let configured =
        known.iter().map(|(switch, (resolved, findings))| Configured { switch, resolved, findings });
    config_findings(topology, &configured.collect::<Vec<_>>())
}

fn read(config: &ConfigOf, problems: &mut Vec<String>) -> Option<(ResolvedSwitch, Vec<Finding>)> {
    let mut text_of = |path: &PathBuf| {
        read_text(path)
            .map_err(|error| problems.push(format!("{error:#}")))
            .ok()
            .map(|text| (path.clone(), text))
    };
    let (path, text) = text_of(&config.path)?;
    let beside = Some(config.path.with_file_name(LOOKUP_FILE)).filter(|path| path.is_file());
    let table = match &beside {
        Some(path) => Some(text_of(path)?),
        None => None,
    };
    let table = table.map(|(path, text)| (lookup::parse(&text), path, text));
    let db = forms::load(&text);
    let name = path.display().to_string();
    let mut told: Vec<String> = Vec::new();
    for problem in &db.problems {
        told.push(format!("{name}:{}: {}", place(&text, problem.span.start), problem.message));
    }
    if let Some((table, path, text)) = &table {
        for problem in &table.problems {
            told.push(format!("{}:{}: {}", path.display(), place(text, problem.span.start), problem.message));
        }
    }
    if !told.is_empty() {
        problems.extend(told);
        return None;
    }
    let source = Source { name: &name, text: &text };
    let lookup = table.as_ref().map(|(table, ..)| table);
    let (findings, resolved) = rules::check_resolved(source, &db, lookup, &Options::default());
    Some((resolved, findings))
}
