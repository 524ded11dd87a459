//! Passwords that a configuration contains next to what the rules check.

use std::borrow::Cow;

/// Names of fields with secrets contain one of these words: `passkey` of TACACS+ and RADIUS servers, `password`, the
/// `secret` of users, keys of SNMPv3, BGP and MACsec.
const WORDS: [&str; 6] = ["passkey", "password", "passwd", "secret", "auth_key", "primary_cak"];

/// A line of a configuration with `*` instead of the characters of its secrets. Positions stay the same.
pub(super) fn hidden(line: &str) -> Cow<'_, str> {
    let lower = line.to_ascii_lowercase();
    if !WORDS.iter().any(|word| lower.contains(word)) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut is_secret = false;
    let mut rest = line;
    while let Some((before, text, after)) = next_string(rest) {
        out.push_str(before);
        let is_value = before.trim() == ":";
        if is_value && is_secret {
            out.push('"');
            out.extend(text.chars().map(|_| '*'));
            out.push('"');
        } else {
            out.push_str(&format!("\"{text}\""));
        }
        let name = text.to_ascii_lowercase();
        is_secret = !is_value && WORDS.iter().any(|word| name.contains(word));
        rest = after;
    }
    // A string that ends on another line.
    let is_open = is_secret && rest.contains('"');
    out.extend(rest.chars().map(|c| if is_open && c != '"' && c != ':' && c != ' ' { '*' } else { c }));
    Cow::Owned(out)
}

/// The text before the first string, the string without quotes, and the text behind it.
fn next_string(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('"')?;
    let mut is_escaped = false;
    let end = rest.char_indices().find(|(_, c)| {
        let is_end = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    })?;
    Some((before, rest.get(..end.0)?, rest.get(end.0 + 1..)?))
}
