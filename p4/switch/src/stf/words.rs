//! Words of STF commands. Text in quotation marks belongs together: names of P4 objects may contain blanks, `#`,
//! colons and parentheses.

pub(super) type Parsed<T> = Result<T, String>;

/// Returns the characters outside of quotation marks, with their positions.
fn unquoted_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quoted = false;
    text.char_indices().filter(move |(_, c)| {
        quoted ^= *c == '"';
        !quoted && *c != '"'
    })
}

/// Returns the position of the first character outside of quotation marks that `accept` accepts.
pub(super) fn find(text: &str, accept: impl Fn(char) -> bool) -> Option<usize> {
    unquoted_chars(text).find(|(_, c)| accept(*c)).map(|(at, _)| at)
}

/// Returns the position of the last such character.
pub(super) fn rfind(text: &str, accept: impl Fn(char) -> bool) -> Option<usize> {
    unquoted_chars(text).filter(|(_, c)| accept(*c)).last().map(|(at, _)| at)
}

/// Returns a line without its comment.
pub(super) fn without_comment(line: &str) -> &str {
    &line[..find(line, |c| c == '#').unwrap_or(line.len())]
}

/// Returns whether every quotation mark is closed.
pub(super) fn is_closed(text: &str) -> bool {
    text.matches('"').count().is_multiple_of(2)
}

/// Returns the position of the parenthesis that matches the last one.
pub(super) fn matching_parenthesis(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut found = None;
    for (at, c) in unquoted_chars(text) {
        match c {
            '(' => open.push(at),
            ')' => found = open.pop(),
            _ => {}
        }
    }
    found
}

/// Splits text after the first word.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let end = find(text, char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// Words that are consumed one by one.
pub(super) struct Words<'t>(pub(super) &'t str);

impl<'t> Words<'t> {
    pub(super) fn word(&mut self, what: &str) -> Parsed<&'t str> {
        let (word, rest) = split_word(self.0);
        self.0 = rest;
        if word.is_empty() { Err(format!("{what} is missing")) } else { Ok(word) }
    }

    /// Returns the remaining words.
    pub(super) fn all(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0).split_whitespace().map(str::to_owned).collect()
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<String> {
        Ok(unquoted(self.word(what)?).to_owned())
    }

    pub(super) fn number<T: TryFrom<u128>>(&mut self, what: &str) -> Parsed<T> {
        let word = self.word(what)?;
        let value = number(word).ok_or_else(|| format!("{what}: {word} is not a number"))?;
        T::try_from(value).map_err(|_| format!("{what}: {word} is too large"))
    }
}

/// Removes quotation marks around a name.
pub(super) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text)
}

/// Parses a number without wildcard digits: decimal, `0x`, `0b` or `0o`.
pub(super) fn number(text: &str) -> Option<u128> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        Some("0o") => (&lower[2..], 8),
        _ => (lower.as_str(), 10),
    };
    u128::from_str_radix(digits, radix).ok()
}
