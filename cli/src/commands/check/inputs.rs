//! The inputs of `harrier check`: files, folders, standard input and live switches.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fs, str};

use anyhow::{Context, bail};
use buffer_config::lookup::{self, Lookup};

use crate::input::read_text;
use crate::redis;

/// A configuration to check.
pub(crate) struct Input {
    /// The name that findings use.
    pub(crate) name: String,
    path: Option<PathBuf>,
    text: Option<String>,
}

impl Input {
    /// The switch that the file belongs to. The files of a switch with several chips (`config_db.json`,
    /// `config_db0.json`, ... in one folder) share one, named after their folder.
    pub(crate) fn switch(&self) -> String {
        let chip = self.path.as_deref().filter(|p| is_of_chip(p) || is_of_host_with_chips(p));
        let folder = chip.and_then(Path::parent).map(|f| f.display().to_string());
        folder.filter(|f| !f.is_empty()).unwrap_or_else(|| self.name.clone())
    }

    /// The text and its lookup table: the given one, or the one in the same folder.
    pub(crate) fn read(&self, lookup: Option<&Path>) -> anyhow::Result<(String, Option<Lookup>)> {
        let text = match (&self.text, &self.path) {
            (Some(text), _) => text.clone(),
            (None, Some(path)) => read_text(path)?,
            (None, None) => String::new(),
        };
        if self.path.as_deref().is_some_and(|p| has_ending(p, "ini")) {
            return Ok(("{}".into(), Some(lookup::parse(&text))));
        }
        let neighbour = self.path.as_deref().and_then(Path::parent).map(|f| f.join("pg_profile_lookup.ini"));
        let path = lookup.map(Path::to_path_buf).or(neighbour.filter(|p| p.is_file()));
        let table = path.map(|p| read_text(&p)).transpose()?.map(|t| lookup::parse(&t));
        Ok((text, table))
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e == ending)
}

/// Whether the file is the database of one chip, such as `config_db0.json`.
fn is_of_chip(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let number = name.strip_prefix("config_db").and_then(|n| n.strip_suffix(".json")).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the file is the `config_db.json` of a switch whose chips have their own databases in the same folder.
fn is_of_host_with_chips(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n == "config_db.json")
        && path.with_file_name("config_db0.json").is_file()
}

/// Resolves the arguments to inputs.
pub(crate) fn inputs(paths: &[String]) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for name in paths {
        if name == "-" {
            let mut text = String::new();
            io::stdin().lock().read_to_string(&mut text).context("cannot read standard input as text")?;
            inputs.push(Input { name: "-".into(), path: None, text: Some(text) });
        } else if name.starts_with("redis://") {
            let text = redis::dump(name).with_context(|| format!("cannot read {name}"))?;
            inputs.push(Input { name: name.clone(), path: None, text: Some(text) });
        } else if Path::new(name).is_dir() {
            let mut found = Vec::new();
            files_below(Path::new(name), &mut found)?;
            if found.is_empty() {
                bail!("{name}: the folder has no *.json or *.ini file");
            }
            inputs.extend(found.into_iter().map(of_path));
        } else {
            inputs.push(of_path(PathBuf::from(name)));
        }
    }
    Ok(inputs)
}

fn of_path(path: PathBuf) -> Input {
    let name = path.display().to_string();
    let name = name.strip_prefix("./").map_or(name.clone(), str::to_string);
    Input { name, path: Some(path), text: None }
}

/// Configurations in a folder and its subfolders, sorted by name. Lookup tables count if the folder has no JSON file.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let any_json = paths.iter().any(|p| has_ending(p, "json"));
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            files_below(&path, found)?;
        } else if has_ending(&path, "json") || (has_ending(&path, "ini") && !any_json) {
            found.push(path);
        }
    }
    Ok(())
}
