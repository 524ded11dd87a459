//! The modes of `harrier check` other than checking: list rules, write the example of a rule, explain a port, write
//! fixes, compare revisions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use buffer_config::db::ConfigDb;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules;
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, device, diff, explain, fix_patch, input, resolve};

use super::inputs::{self, Input};
use super::setup::Setup;
use super::{Args, run, write_text};
use crate::Outcome;
use crate::commands::prove;
use crate::output::print_json;

/// Lists all rules, as a table or as JSON.
pub(super) fn list_rules(is_json: bool) -> anyhow::Result<Outcome> {
    if is_json {
        let rule = |rule: &rules::Rule| {
            serde_json::json!({
                "code": rule.meta.code,
                "name": rule.meta.name,
                "severity": rule.meta.severity,
                "summary": rule.summary(),
                "why": rule.section("Why it matters"),
                "fix": rule.section("Fix"),
                "source": rule.section("Source"),
            })
        };
        print_json(&rules::all().map(rule).collect::<Vec<_>>())?;
        return Ok(Outcome::Fine);
    }
    let mut text = String::new();
    for rule in rules::all() {
        let meta = rule.meta;
        text.push_str(&format!(
            "{:<9} {:<8} {:<26} {}\n",
            meta.code,
            meta.severity.name(),
            meta.name,
            rule.summary()
        ));
    }
    write_text(Path::new("-"), &text)?;
    Ok(Outcome::Fine)
}

/// Visits each chip of a file: its namespace, its tables and its resolved switch.
pub(super) fn with_chips<T>(
    args: &Args,
    setup: &Setup,
    input: &Input,
    mut visit: impl FnMut(&str, &ConfigDb<'_>, ResolvedSwitch) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<T>> {
    let (text, table) = input.read_sound(args, setup)?;
    if let Some(system) = device::system_of(&text) {
        bail!("{}: this needs a SONiC configuration, but the file is one of {}", input.name, system.name());
    }
    let options = &setup.options;
    let options =
        ResolveOptions { lookup: table.as_ref(), asic: options.asic, memory_bytes: options.memory_bytes };
    let all = input::load_all(&text);
    all.iter().map(|chip| visit(&chip.name, &chip.db, resolve(&chip.db, options))).collect()
}

/// The name of a chip in the output.
pub(super) fn named(file: &str, chip: &str) -> String {
    if chip.is_empty() { file.to_string() } else { format!("{file} {chip}") }
}

/// Prints the resolved switches, or explains one port.
pub(super) fn show(args: &Args, setup: &Setup, inputs: &[Input]) -> anyhow::Result<Outcome> {
    let mut resolved = BTreeMap::new();
    let mut devices = BTreeMap::new();
    for input in inputs {
        let (text, _) = input.read_sound(args, setup)?;
        if let Some(system) = device::system_of(&text).filter(|_| args.show_resolved) {
            devices.insert(input.name.clone(), device::read(system, &text));
            continue;
        }
        let port = args.explain_headroom.as_ref().or(args.explain_watchdog.as_ref());
        let mut is_found = port.is_none();
        with_chips(args, setup, input, |chip, db, switch| {
            let name = named(&input.name, chip);
            let Some(port) = port else {
                resolved.insert(name, switch);
                return Ok(());
            };
            if !switch.ports.iter().any(|p| p.name == *port) {
                return Ok(());
            }
            is_found = true;
            let text = if args.explain_headroom.is_some() {
                explain::headroom_of(db, &switch, port, &setup.options)
                    .map_err(|e| anyhow::anyhow!("{name}: {e}"))?
            } else {
                watchdog(&switch, port, args.storm_ms).with_context(|| name.clone())?
            };
            let head = if inputs.len() > 1 || !chip.is_empty() { format!("{name}\n") } else { String::new() };
            write_text(Path::new("-"), &(head + &text))
        })?;
        if !is_found {
            bail!("{}: there is no port {}", input.name, port.map_or("", String::as_str));
        }
    }
    if args.show_resolved {
        let of_device = devices.iter().map(|(name, device)| Ok((name, serde_json::to_value(device)?)));
        let of_switch = resolved.iter().map(|(name, switch)| Ok((name, serde_json::to_value(switch)?)));
        let all = of_device.chain(of_switch).collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        match all.len() {
            1 => print_json(&all.values().next())?,
            _ => print_json(&all)?,
        }
    }
    Ok(Outcome::Fine)
}

/// Writes the example of a rule into a folder, and prints the command that reports its finding.
pub(super) fn write_example(code: &str, paths: &[String]) -> anyhow::Result<Outcome> {
    let rule = rules::find(code).with_context(|| format!("no rule `{code}`; see --list-rules"))?;
    let [folder] = paths else { bail!("specify one folder: harrier check --example {code} DIR") };
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() || folder.contains(|c: char| c.is_whitespace() || "'\"\\$`".contains(c)) {
        // The printed command is for a shell.
        bail!("specify a folder without blanks and quotes");
    }
    let example = rule.example();
    fs::create_dir_all(folder).with_context(|| format!("cannot create {folder}"))?;
    for (name, text) in &example.files {
        let path = Path::new(folder).join(name);
        if path.exists() {
            bail!("{} exists; specify an empty or new folder", path.display());
        }
        write_text(&path, text)?;
    }
    let arguments: Vec<String> = example
        .arguments
        .iter()
        .map(|argument| {
            argument.strip_prefix("DIR").map_or(argument.clone(), |name| format!("{folder}{name}"))
        })
        .collect();
    write_text(Path::new("-"), &format!("harrier check {}\n", arguments.join(" ")))?;
    Ok(Outcome::Fine)
}

/// The computed timeline, followed by a replay on the fabric's watchdog with the same settings.
fn watchdog(switch: &ResolvedSwitch, port: &str, storm_ms: u32) -> anyhow::Result<String> {
    let text = explain::watchdog_of(switch, port, storm_ms).map_err(|e| anyhow::anyhow!("{e}"))?;
    Ok(text + &prove::describe_storm(switch, port, storm_ms)?)
}

/// Writes the fixes of one file: a JSON Patch, or the commands for a system other than SONiC.
pub(super) fn write_patch(args: &Args, setup: &Setup, inputs: &[Input], path: &Path) -> anyhow::Result<()> {
    let [input] = inputs else { bail!("--fix-patch takes one file, but {} were given", inputs.len()) };
    let (text, table) = input.read_sound(args, setup)?;
    let source = SourceText { name: &input.name, text: &text };
    let mut findings = rules::check_file(source, table.as_ref(), &setup.options).findings;
    setup.select(&mut findings);
    rules::one_per_defect(&mut findings);
    let plan = fix_patch::plan(source, &findings, table.as_ref(), &setup.options)
        .map_err(|e| anyhow::anyhow!("{}: no patch can be made: {e}", input.name))?;
    for op in &plan.operations {
        if let Some(reason) = &op.refused_live {
            stderr_line!("{}: rejected on a live switch: {reason}", op.path);
        }
    }
    for (code, reason) in &plan.left_out {
        stderr_line!("{code} is not fixed: {reason}");
    }
    let text = match device::system_of(&text) {
        Some(_) => plan.commands.iter().map(|command| format!("{command}\n")).collect(),
        None => serde_json::to_string_pretty(&plan.operations)? + "\n",
    };
    write_text(path, &text)
}

/// Compares two revisions.
pub(super) fn compare(args: &Args, setup: &Setup, old: &str, new: &str) -> anyhow::Result<Outcome> {
    let inputs = inputs::inputs(&[old.to_string(), new.to_string()], &setup.search(args));
    let [old, new] = inputs.sound()? else { bail!("--diff compares two files") };
    let ((old_text, old_table), (new_text, new_table)) =
        (old.read_sound(args, setup)?, new.read_sound(args, setup)?);
    let before = diff::Revision { name: &old.name, text: &old_text, lookup: old_table.as_ref() };
    let after = diff::Revision { name: &new.name, text: &new_text, lookup: new_table.as_ref() };
    let mut result = diff::compare(before, after, &setup.options);
    setup.select(&mut result.findings);
    for change in &result.changes {
        stderr_line!("{change}");
    }
    run::print(args, setup, &new.name, &new_text, result.findings, result.unchanged)
}
