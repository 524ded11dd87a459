//! Applies the commands of a repair to the text of a configuration, where the text consists of commands: running
//! configurations and files with `nv set`. A later command replaces an earlier one, as on the switch.

use super::{System, system_of};

/// The command that makes the changes of NVUE take effect. A file may have it already.
const APPLY: &str = "nv config apply";

/// The text with commands added before its end, and the commands that were added. Everything else stays as it was
/// written.
///
/// # Errors
/// Why the commands cannot be added to this text.
pub(crate) fn with_commands(text: &str, commands: &[String]) -> Result<(String, Vec<String>), String> {
    // Words in angle brackets are for people to replace.
    if let Some(command) = commands.iter().find(|command| command.contains('<')) {
        return Err(format!("a name in its commands is to be replaced: {}", command.trim()));
    }
    let (added, is_end): (Vec<String>, fn(&str) -> bool) = match system_of(text) {
        Some(System::Nvue) if text.lines().any(|line| line.trim_start().starts_with("nv set ")) => {
            let added = commands.iter().filter(|command| *command != APPLY).cloned().collect();
            (added, |line| line.starts_with(APPLY))
        }
        Some(System::Nvue) => {
            return Err(format!("commands cannot be added to YAML or JSON: {}", commands.join("; ")));
        }
        Some(System::Eos | System::Nxos) => (commands.to_vec(), |line| line.trim_end() == "end"),
        None => return Err("the text is no running configuration".to_string()),
    };
    Ok((inserted(text, &added, is_end), added))
}

/// The text with lines added before the last line for which `is_end` holds, or at its end.
fn inserted(text: &str, lines: &[String], is_end: impl Fn(&str) -> bool) -> String {
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
