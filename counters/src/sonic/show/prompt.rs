//! Lines with a prompt: which switch a command is for.
//!
//! Prompts are those of shells (`admin@leaf1:~$`, `[admin@leaf1 ~]$`, `leaf1#`), also behind what a shell writes before
//! them (`(venv)`, `[10:12:03]`), and commands that run on another system (`ssh admin@leaf1 "show pfc counters"`).

/// A line with a prompt, `admin@leaf1:~$ show pfc counters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prompt<'t> {
    /// The switch; absent if the prompt does not name one, as `$`.
    pub(super) switch: Option<&'t str>,
    /// The command; empty if none was given.
    pub(super) command: &'t str,
}

/// The maximum length of a host name (RFC 1123); names of users are shorter.
const MAX_NAME: usize = 255;
/// What prompts end with.
const ENDS: [char; 4] = ['$', '#', '>', '%'];
/// Options of `ssh` that are followed by a value.
const SSH_OPTIONS_WITH_VALUE: &str = "BbcDEeFIiJLlmOopQRSWw";

/// Reads a line with a prompt or a command that names its switch.
pub(super) fn prompt(line: &str) -> Option<Prompt<'_>> {
    let line = line.trim();
    let found = user_and_switch(line).or_else(|| switch_only(line)).or_else(|| before_command(line));
    let found = found.or_else(|| is_command(line).then_some(Prompt { switch: None, command: line }))?;
    Some(remote(found.command).unwrap_or(found))
}

/// Whether a text is a command whose output is read, or that sets the place or the time of others.
pub(super) fn is_command(text: &str) -> bool {
    let text = text.strip_prefix("sudo ").unwrap_or(text);
    let word = text.split_whitespace().next().unwrap_or("");
    let has_more = text.len() > word.len();
    match word {
        "date" => !has_more || text[word.len()..].trim_start().starts_with(['+', '-']),
        "show" => ["pfc", "pfcwd", "queue", "priority-group", "interface", "interfaces", "lldp", "int"]
            .iter()
            .any(|about| text.split_whitespace().nth(1) == Some(*about)),
        "ssh" => has_more,
        _ => false,
    }
}

/// The switch and the command of `ssh [OPTION]... [USER@]SWITCH COMMAND`.
fn remote(command: &str) -> Option<Prompt<'_>> {
    let mut rest = command.strip_prefix("ssh ")?.trim_start();
    loop {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start();
        let Some(option) = word.strip_prefix('-') else {
            let switch = word.rsplit_once('@').map_or(word, |(_, switch)| switch);
            let command = rest.trim_matches(['"', '\'']).trim();
            return is_name(switch).then_some(Prompt { switch: Some(switch), command });
        };
        if option.len() == 1 && SSH_OPTIONS_WITH_VALUE.contains(option) {
            rest = rest.split_once(' ').map_or("", |(_, after)| after.trim_start());
        }
        if rest.is_empty() {
            return None;
        }
    }
}

/// `admin@leaf1:~$ command`, `admin@leaf1 ~ # command`, `[admin@leaf1 ~]$ command`, `admin@leaf1> command`.
fn user_and_switch(line: &str) -> Option<Prompt<'_>> {
    let (before, rest) = line.split_once('@')?;
    let user = before.rsplit([' ', '[', '(']).next()?;
    let end = rest.find(|c: char| !is_of_name(c))?;
    let (switch, rest) = rest.split_at(end);
    if !is_name(user) || !is_name(switch) || !is_decoration(&before[..before.len() - user.len()]) {
        return None;
    }
    let end = rest.find(ENDS)?;
    let (directory, command) = (&rest[..end], &rest[end + 1..]);
    // Other text with `a@b:c#d` has no blank there, and other text with `a@b` has more than a directory before `$`.
    let is_directory = directory.is_empty() || directory.starts_with([':', ' ', ']']);
    let is_end = command.is_empty() || command.starts_with([' ', '#', '$']) || is_command(command);
    let is_short = directory.split_whitespace().count() <= 2;
    (is_directory && is_end && is_short)
        .then(|| Prompt { switch: Some(switch), command: command_of(command) })
}

/// `leaf1# command`, `leaf1$`, `leaf1:~$ command`.
fn switch_only(line: &str) -> Option<Prompt<'_>> {
    let line = undecorated(line);
    let end = line.find(|c: char| !is_of_name(c))?;
    let (switch, rest) = line.split_at(end);
    let directory = rest.find(ENDS)?;
    let command = &rest[directory + 1..];
    let is_end = command.is_empty() || command.starts_with(' ') || is_command(command);
    let is_directory = directory == 0 || rest.starts_with(':') && !rest[..directory].contains(' ');
    // `>` and `%` also follow other words.
    let is_sure = rest.starts_with(['#', '$']) || is_command(command.trim());
    let is_prompt = is_name(switch) && !switch.starts_with("Ethernet") && is_end && is_directory && is_sure;
    is_prompt.then(|| Prompt { switch: Some(switch), command: command_of(command) })
}

/// Any other prompt before a command that is known, `-> show pfc counters`. A word in it is taken as the switch's name.
fn before_command(line: &str) -> Option<Prompt<'_>> {
    let (at, _) = line.match_indices(' ').find(|(at, _)| {
        let before = &line[..*at];
        let is_end = before.ends_with(|c: char| ENDS.contains(&c) || !c.is_ascii());
        is_end && is_command(line[*at..].trim_start())
    })?;
    let before = undecorated(&line[..at]);
    let word = before.split(|c: char| !is_of_name(c)).find(|word| is_name(word));
    Some(Prompt { switch: word, command: line[at..].trim() })
}

/// The command after a prompt, without the comment sign of a root shell that was pasted twice.
fn command_of(text: &str) -> &str {
    text.trim_start_matches(['#', '$', ' ']).trim()
}

/// The line without what shells write before their prompts: `(venv)`, `[10:12:03]`, `10:12:03`.
fn undecorated(line: &str) -> &str {
    let mut line = line.trim_start();
    loop {
        let Some((word, rest)) = line.split_once(' ') else { return line };
        let is_bracketed = word.starts_with('(') && word.ends_with(')')
            || word.starts_with('[') && word.ends_with(']') && !word.contains('@');
        let is_clock = word.contains(':') && word.bytes().all(|b| b.is_ascii_digit() || b":.".contains(&b));
        if !is_bracketed && !is_clock {
            return line;
        }
        line = rest.trim_start();
    }
}

/// Whether a text is what shells write before their prompts, or the bracket of one.
fn is_decoration(text: &str) -> bool {
    let padded = format!("{text} ");
    matches!(undecorated(&padded).trim(), "" | "[" | "(")
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
        && text.chars().all(is_of_name)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(&str, &str)>) {
        let found = prompt(line).map(|prompt| (prompt.switch.unwrap_or("-"), prompt.command));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn prompts_name_the_switch() {
        let command = "show pfc counters";
        for line in [
            "admin@leaf1:~$ show pfc counters",
            "(venv) admin@leaf1:~$ show pfc counters",
            "[10:12:03] admin@leaf1:~$ show pfc counters",
            "10:12:03 admin@leaf1:~$ show pfc counters",
            "[admin@leaf1 ~]$ show pfc counters",
            "admin@leaf1 ~ $ show pfc counters",
            "admin@leaf1> show pfc counters",
            "leaf1# show pfc counters",
            "leaf1#show pfc counters",
            "leaf1:~$ show pfc counters",
            "(venv) leaf1> show pfc counters",
            "leaf1 ~ % show pfc counters",
            "\u{279c} leaf1 ~ \u{276f} show pfc counters",
            "$ ssh admin@leaf1 \"show pfc counters\"",
            "$ ssh -p 22 -o User=admin leaf1 'show pfc counters'",
            "me@laptop:~$ ssh -t admin@leaf1 show pfc counters",
            "ssh admin@leaf1 show pfc counters",
        ] {
            check(line, Some(("leaf1", command)));
        }
        check("root@str-7060-acs-1:/home/admin# ", Some(("str-7060-acs-1", "")));
        check("admin@leaf1:~$", Some(("leaf1", "")));
        check("me@laptop:~$ ssh admin@leaf1", Some(("leaf1", "")));
        check("show pfc counters", Some(("-", command)));
        check("# show pfc counters", Some(("-", command)));
        check("for s in leaf1 leaf2; do ssh $s show pfc counters; done", None);
        check("$ date +%s", Some(("-", "date +%s")));
    }

    #[test]
    fn other_text_is_no_prompt() {
        for line in [
            "mail a@b:c#d",
            "Ethernet0:3  operational",
            "date of the next window",
            "show must go on",
            "Ethernet0    spine1    etp1    BR    user@host: see #3",
            "Egress shared pool occupancy per unicast queue: (Namespace asic0)",
            "Port Rx    PFC3",
            "see [1] a@b.example $5",
        ] {
            check(line, None);
        }
    }
}
