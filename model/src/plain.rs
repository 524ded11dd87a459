//! Text of devices for terminals.
//!
//! A switch or a neighbour chooses its names and descriptions (LLDP, hostname, error messages). Control characters in them
//! could move the cursor, set the title of the window or hide lines (ECMA-48), and characters that change the direction
//! of text could reorder a line (Unicode Standard Annex 9).

use std::borrow::Cow;

/// Whether a terminal does something else with a character than to show it.
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text of any number of lines with other control characters as `\u{1b}`.
pub fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_unprintable(character) && !matches!(character, '\n' | '\t'))
}

/// A name, or other text that is part of a line: line ends and tabs are replaced as well.
pub fn plain_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_unprintable)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_escaped(character) {
            true => out.extend(character.escape_unicode()),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_their_numbers() {
        let check = |text: &str, lines: &str, line: &str| {
            assert_eq!((&*plain(text), &*plain_line(text)), (lines, line));
        };
        check("leaf1 é 日本", "leaf1 é 日本", "leaf1 é 日本");
        check("\u{1b}[2J\u{7}x", "\\u{1b}[2J\\u{7}x", "\\u{1b}[2J\\u{7}x");
        check("a\nb\tc\r", "a\nb\tc\\u{d}", "a\\u{a}b\\u{9}c\\u{d}");
        check("\u{9b}31m\u{202e}", "\\u{9b}31m\\u{202e}", "\\u{9b}31m\\u{202e}");
    }
}
