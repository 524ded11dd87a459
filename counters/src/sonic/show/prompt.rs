//! Lines of a terminal that are no output: prompts and control sequences.

/// A line with a prompt, `admin@leaf1:~$ show pfc counters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prompt<'t> {
    /// The switch.
    pub(super) switch: &'t str,
    /// The command; empty if none was given.
    pub(super) command: &'t str,
}

/// The maximum length of a host name (RFC 1123); names of users are shorter.
const MAX_NAME: usize = 255;

/// Reads the prompt of a shell on SONiC, a Debian system: `user@switch:directory$ command`, with `#` for root.
pub(super) fn prompt(line: &str) -> Option<Prompt<'_>> {
    let (user, rest) = line.trim_start().split_once('@')?;
    let (switch, rest) = rest.split_once(':')?;
    let is_name = |text: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        (1..=MAX_NAME).contains(&text.len()) && text.chars().all(is_part)
    };
    if !is_name(user) || !is_name(switch) {
        return None;
    }
    let end = rest.find(['$', '#'])?;
    let command = &rest[end + 1..];
    // Other text with `a@b:c#d` has no blank there.
    (command.is_empty() || command.starts_with(' ')).then(|| Prompt { switch, command: command.trim() })
}

/// Returns the line without the control sequences of terminals (ECMA-48: `ESC [`, parameters, a final character from
/// `@` to `~`) and without carriage returns.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut in_sequence = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            _ if in_sequence => in_sequence = !('@'..='~').contains(&character),
            '\u{1b}' if characters.peek() == Some(&'[') => {
                characters.next();
                in_sequence = true;
            }
            '\r' => {}
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_name_the_switch() {
        let check = |line: &str, expected: Option<(&str, &str)>| {
            let found = prompt(line).map(|prompt| (prompt.switch, prompt.command));
            assert_eq!(found, expected, "{line}");
        };
        check("admin@leaf1:~$ show pfc counters", Some(("leaf1", "show pfc counters")));
        check("root@str-7060-acs-1:/home/admin# ", Some(("str-7060-acs-1", "")));
        check("admin@leaf1:~$", Some(("leaf1", "")));
        check("mail a@b:c#d", None);
        check("Ethernet0:3  operational", None);
    }

    #[test]
    fn control_sequences_are_removed() {
        assert_eq!(plain("\u{1b}[01;32madmin@leaf1\u{1b}[00m:~$ date\r"), "admin@leaf1:~$ date");
        assert_eq!(plain("\u{1b}[12"), "");
    }
}
