//! The settings of a run: `harrier.toml` and the files next to it, found upwards from the input, and the arguments, which
//! take precedence.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, bail};
use buffer_config::asic;
use buffer_config::baseline::{Baseline, FindingFilter, Root, Selection, Suppressions};
use buffer_config::finding::{Finding, Severity};
use buffer_config::headroom::Floor;
use buffer_config::hosts::{self, Hosts};
use buffer_config::rules::Options;
use buffer_config::settings::{self as patterns, FILE_NAME, PortName, Settings};

use super::inputs::Search;
use super::read::{located, read};
use super::{Args, FloorArg, Notes, today};
use crate::redis;

/// The name under which a baseline is found.
const BASELINE: &str = "harrier-baseline.json";
/// The name under which suppressions are found.
const SUPPRESSIONS: &str = "harrier-suppressions.toml";

/// The settings of a run.
pub(super) struct Setup {
    pub(super) options: Options,
    pub(super) selection: Selection,
    pub(super) threshold: Severity,
    /// Whether reports for people have notes.
    pub(super) has_notes: bool,
    /// Patterns of files and folders, and the folder that they are relative to.
    pub(super) exclude: Vec<String>,
    /// The most bytes that are read of one file.
    pub(super) limit_bytes: u64,
    pub(super) hosts: Option<Hosts>,
    pub(super) baseline: Option<PathBuf>,
    pub(super) suppressions: Option<PathBuf>,
    /// All files that were read, so that `--watch` notices their changes.
    pub(super) files: Vec<PathBuf>,
    settings: Settings,
    /// Names files relative to the folder of `harrier.toml`, or to the working directory without one.
    root: Root,
    working: PathBuf,
}

impl Setup {
    /// Reads the settings that apply to the inputs of a run.
    pub(super) fn read(args: &Args, paths: &[String]) -> anyhow::Result<Self> {
        let working = env::current_dir().context("there is no working directory")?;
        let limit_bytes = args.max_file_mib << 20;
        let find = |name: &str, option: &str| match args.no_config {
            true => Ok(None),
            false => found_upwards(&working, paths, name, option),
        };
        let file = match &args.config {
            Some(path) => Some(path.clone()),
            None => find(FILE_NAME, "--config")?,
        };
        let settings = match &file {
            Some(path) => settings(path, limit_bytes)?,
            None => Settings::default(),
        };
        let folder = file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let set = |path: &Option<PathBuf>| path.as_ref().map(|path| folder.join(path));
        let side = |given: &Option<PathBuf>, set: Option<PathBuf>, name: &str, option: &str| match given {
            Some(path) => Ok(Some(path.clone())),
            None if set.is_some() => Ok(set),
            None => find(name, option),
        };
        let suppressions =
            side(&args.suppressions, set(&settings.suppressions), SUPPRESSIONS, "--suppressions")?;
        let baseline = side(&args.baseline, set(&settings.baseline), BASELINE, "--baseline")?;
        let hosts_file = args.hosts.clone().or(set(&settings.hosts));
        let hosts = match &hosts_file {
            Some(path) => {
                let text = side_text(path, limit_bytes)?;
                Some(hosts::parse(&text).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?)
            }
            None => None,
        };
        let selection = selection(args, &settings);
        if let Some(word) = selection.unknown().first() {
            bail!("no rule matches `{word}`; see --list-rules");
        }
        let threshold = match args.severity_threshold {
            Some(given) => given.severity(),
            None => settings.severity_threshold.unwrap_or(Severity::Error),
        };
        let has_notes = match args.notes {
            Some(Notes::Always) => true,
            Some(Notes::Never) => false,
            // Notes of selected rules, and those that fail the check, are shown.
            None => settings.notes.unwrap_or(threshold == Severity::Info || !args.select.is_empty()),
        };
        let files = [&file, &suppressions, &baseline, &hosts_file].into_iter().flatten().cloned().collect();
        Ok(Self {
            options: options(args, &settings)?,
            selection,
            threshold,
            has_notes,
            exclude: settings.exclude.iter().chain(&args.exclude).cloned().collect(),
            limit_bytes,
            hosts,
            // A new baseline contains what the old one knows.
            baseline: baseline.filter(|_| args.write_baseline.is_none()),
            suppressions,
            files,
            root: Root::new(&working, folder),
            settings,
            working,
        })
    }

    /// Cables that the configurations do not name.
    pub(super) fn links(&self) -> &[[PortName; 2]] {
        &self.settings.links
    }

    /// How the arguments are resolved to inputs.
    pub(super) fn search<'a>(&'a self, args: &'a Args) -> Search<'a> {
        let is_excluded = |path: &Path| {
            let name = self.name_of(&path.display().to_string());
            self.exclude.iter().any(|pattern| patterns::matches(pattern, &name))
        };
        Search {
            limit_bytes: self.limit_bytes,
            redis_ca: args.redis_ca.as_deref(),
            own: args.written().filter_map(|path| fs::canonicalize(path).ok()).collect(),
            has_exclusions: !self.exclude.is_empty(),
            is_excluded: Box::new(is_excluded),
        }
    }

    /// The name of a file for the patterns of `harrier.toml`.
    pub(super) fn name_of(&self, file: &str) -> String {
        self.root.name_of(file)
    }

    /// Removes findings that are not selected, and sets severities.
    pub(super) fn select(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| self.selection.wants(finding.code, finding.rule));
        self.settings.apply(findings, |file| self.name_of(file));
    }

    /// A filter with the suppressions and the baseline.
    pub(super) fn filter(&self) -> anyhow::Result<FindingFilter> {
        let suppressions = match &self.suppressions {
            Some(path) => Suppressions::parse(&side_text(path, self.limit_bytes)?)
                .map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?,
            None => Suppressions::default(),
        };
        let (baseline, root) = match &self.baseline {
            Some(path) => (
                Baseline::parse(&side_text(path, self.limit_bytes)?)
                    .map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?,
                self.root_of(path),
            ),
            None => (Baseline::default(), Root::default()),
        };
        Ok(FindingFilter::with_root(suppressions, baseline, root, &today()))
    }

    /// Names files relative to the folder of a baseline.
    pub(super) fn root_of(&self, baseline: &Path) -> Root {
        Root::new(&self.working, baseline.parent().unwrap_or(Path::new("")))
    }
}

fn selection(args: &Args, settings: &Settings) -> Selection {
    let select = if args.select.is_empty() { &settings.selection.select } else { &args.select };
    let ignore = settings.selection.ignore.iter().chain(&args.ignore);
    Selection { select: select.clone(), ignore: ignore.cloned().collect() }
}

fn options(args: &Args, settings: &Settings) -> anyhow::Result<Options> {
    let asic = match args.asic.as_ref().or(settings.asic.as_ref()) {
        Some(name) => Some(asic::by_name(name).or_else(|| asic::of_asic_table(name)).with_context(|| {
            let names: Vec<&str> = asic::ASICS.iter().map(|a| a.name).collect();
            format!("no ASIC `{name}`; expected one of {}", names.join(", "))
        })?),
        None => None,
    };
    let floor = match args.floor {
        FloorArg::Wire => Some(Floor::Wire),
        FloorArg::Standard => Some(Floor::Standard),
        FloorArg::WithPortMtu => Some(Floor::WithPortMtu),
        FloorArg::WithTwoMtu => Some(Floor::WithTwoMtu),
        FloorArg::WorstCase => None,
    };
    Ok(Options {
        asic,
        memory_bytes: args.memory.or(settings.memory_bytes),
        oversubscription_limit: args.oversubscription_limit.or(settings.oversubscription_limit),
        floor,
        lossless_mtu: args.lossless_mtu.or(settings.lossless_mtu_bytes).unwrap_or(1024),
    })
}

fn side_text(path: &Path, limit_bytes: u64) -> anyhow::Result<String> {
    read(path, limit_bytes).map_err(|reason| anyhow::anyhow!(located(&path.display().to_string(), &reason)))
}

/// Reads a configuration file; the error lists all its problems.
fn settings(path: &Path, limit_bytes: u64) -> anyhow::Result<Settings> {
    Settings::parse(&side_text(path, limit_bytes)?).map_err(|problems| {
        let lines: Vec<String> =
            problems.iter().map(|problem| format!("{}:{problem}", path.display())).collect();
        anyhow::anyhow!(lines.join("\n"))
    })
}

/// A file in the folder of an input or in one above it, up to the root of its git repository. Inputs without a path use
/// the working directory.
fn found_upwards(
    working: &Path,
    paths: &[String],
    name: &str,
    option: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let mut found: Option<PathBuf> = None;
    for path in paths {
        let start = match path.as_str() {
            "-" => working.to_path_buf(),
            address if redis::is_address(address) => working.to_path_buf(),
            file => plain(&working.join(file)),
        };
        let mut here = None;
        for folder in start.ancestors().filter(|folder| folder.is_dir()) {
            let file = folder.join(name);
            if file.is_file() {
                here = Some(file);
                break;
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        if let (Some(one), Some(other)) = (&found, &here)
            && one != other
        {
            let (one, other) = (one.display(), other.display());
            bail!(
                "{one} and {other} apply to different inputs; check them separately, or specify one with {option}"
            );
        }
        found = found.or(here);
    }
    // Shown as a relative path if it is below the working directory.
    Ok(found.map(|path| path.strip_prefix(working).map_or(path.clone(), Path::to_path_buf)))
}

/// The path without `.` and `..`, so that its ancestors are the folders above it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
