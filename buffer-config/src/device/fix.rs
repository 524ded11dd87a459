//! Applies the commands of a repair to the text of a configuration, where the text consists of commands: running
//! configurations and files with `nv set`. A later command replaces an earlier one, as on the switch.

use std::collections::BTreeMap;

use super::{System, check, read, system_of};
use crate::finding::{Finding, Severity};
use crate::source::SourceText;

/// The text with the commands of a finding added. `None` if they cannot be added to this kind of file, do not remove the
/// finding, or cause another warning or error.
pub(crate) fn repaired(source: SourceText<'_>, finding: &Finding) -> Option<String> {
    let system = system_of(source.text)?;
    // Words in angle brackets are for people to replace.
    if finding.commands.is_empty() || finding.commands.iter().any(|command| command.contains('<')) {
        return None;
    }
    let text = match system {
        System::Nvue if source.text.lines().any(|line| line.trim_start().starts_with("nv set ")) => {
            let commands: Vec<&str> =
                finding.commands.iter().map(String::as_str).filter(|c| *c != "nv config apply").collect();
            inserted(source.text, &commands, |line| line.starts_with("nv config apply"))
        }
        System::Nvue => return None,
        System::Eos | System::Nxos => {
            let commands: Vec<&str> = finding.commands.iter().map(String::as_str).collect();
            inserted(source.text, &commands, |line| line.trim_end() == "end")
        }
    };
    let before = counts(source, system);
    let after = counts(SourceText { name: source.name, text: &text }, system);
    let own = (finding.code, finding.pointer.clone());
    let is_removed = after.get(&own).copied().unwrap_or(0) < before.get(&own).copied().unwrap_or(0);
    let is_worse = after.iter().any(|(place, count)| before.get(place).is_none_or(|n| n < count));
    (is_removed && !is_worse).then_some(text)
}

/// The text with lines added before the last line for which `is_end` holds, or at its end.
fn inserted(text: &str, lines: &[&str], is_end: impl Fn(&str) -> bool) -> String {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut offset = 0;
    let mut at = text.len();
    for line in text.split_inclusive('\n') {
        if is_end(line) {
            at = offset;
        }
        offset += line.len();
    }
    let (head, tail) = text.split_at(at);
    let mut all = head.to_string();
    if !all.is_empty() && !all.ends_with('\n') {
        all.push_str(line_end);
    }
    for line in lines {
        all.push_str(line);
        all.push_str(line_end);
    }
    all + tail
}

/// The number of warnings and errors of each rule at each place.
fn counts(source: SourceText<'_>, system: System) -> BTreeMap<(&'static str, String), usize> {
    let mut counts = BTreeMap::new();
    let found = check(source, &read(system, source.text));
    for finding in found.into_iter().filter(|f| f.severity > Severity::Info) {
        *counts.entry((finding.code, finding.pointer)).or_default() += 1;
    }
    counts
}
