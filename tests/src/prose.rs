//! Extracts from a file the words that people read.
//!
//! Each language has a small scanner: it finds comments, string literals and markup text and skips code. The scanners
//! need not be exact parsers; they must find the text and give each word its position.

/// A word of the text, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word; empty where a sentence, a cell or a literal ends, so that no phrase matches across it.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The words of a file; empty for a file type that holds no text.
#[must_use]
pub fn words(path: &str, text: &str) -> Vec<Word> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut scanner = Scanner::new(text);
    match name.rsplit_once('.').map_or(name, |(_, extension)| extension) {
        "md" => scanner.markdown(),
        "rs" => scanner.code(Quotes::Rust),
        "p4" => scanner.code(Quotes::Plain),
        "ts" | "mjs" | "js" => scanner.code(Quotes::Script),
        "svelte" => scanner.svelte(),
        "toml" => scanner.hash_comments(true),
        "sh" | "py" | "yml" | "yaml" | "Makefile" | "run" => scanner.hash_comments(false),
        _ => {}
    }
    scanner.found
}

/// How a language writes string literals.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Rust,
    Plain,
    Script,
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    line: usize,
    column: usize,
    found: Vec<Word>,
    /// Whether the text is inside backticks.
    in_code: bool,
}

impl Scanner {
    fn new(text: &str) -> Self {
        Self {
            characters: text.chars().collect(),
            at: 0,
            line: 1,
            column: 1,
            found: Vec::new(),
            in_code: false,
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        prefix.chars().enumerate().all(|(index, c)| self.peek(index) == Some(c))
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    /// Ends the phrase.
    fn stop(&mut self) {
        self.in_code = false;
        if self.found.last().is_some_and(|word| !word.text.is_empty()) {
            self.found.push(Word { text: String::new(), line: self.line, column: self.column });
        }
    }

    /// Reads one character of text, or one word.
    fn read_text(&mut self) {
        let Some(c) = self.peek(0) else { return };
        if c == '`' {
            self.in_code = !self.in_code;
            self.next();
        } else if c.is_alphanumeric() {
            let (line, column) = (self.line, self.column);
            let mut text = String::new();
            while let Some(c) = self.peek(0).filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '\''))
            {
                text.extend(c.to_lowercase());
                self.next();
            }
            if !self.in_code {
                let text = text.trim_end_matches("'s").trim_end_matches('\'').to_string();
                self.found.push(Word { text, line, column });
            }
        } else {
            self.next();
            if !c.is_whitespace() && !matches!(c, '*' | '_' | '"' | '\'' | '[') && !self.in_code {
                self.stop();
            }
        }
    }

    fn read_text_to(&mut self, end: usize) {
        while self.at < end.min(self.characters.len()) {
            self.read_text();
        }
    }

    fn end_of_line(&self) -> usize {
        let rest = &self.characters[self.at..];
        self.at + rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
    }

    /// The position of `text` from here on, or the end of the file.
    fn find(&self, text: &str) -> usize {
        let wanted: Vec<char> = text.chars().collect();
        let rest = &self.characters[self.at..];
        self.at + rest.windows(wanted.len()).position(|window| window == wanted).unwrap_or(rest.len())
    }

    fn skip_to(&mut self, end: usize) {
        while self.at < end && self.next().is_some() {}
    }

    fn line_text(&self) -> String {
        self.characters[self.at..self.end_of_line()].iter().collect()
    }

    fn markdown(&mut self) {
        let mut fence = None;
        while self.at < self.characters.len() {
            let line = self.line_text();
            let trimmed = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (Some(_), _) => {}
                (None, None) if trimmed.is_empty() => self.stop(),
                (None, None) => self.markdown_line(),
            }
            self.skip_to(self.end_of_line());
            self.next();
        }
    }

    fn markdown_line(&mut self) {
        let end = self.end_of_line();
        while self.at < end {
            if self.starts_with("](") && !self.in_code {
                let address_end = self.find(")");
                self.skip_to(address_end.min(end));
            } else if self.starts_with("<!--") {
                let comment_end = self.find("-->");
                self.skip_to(comment_end.min(end));
            } else {
                self.read_text();
            }
        }
    }

    fn hash_comments(&mut self, with_strings: bool) {
        while let Some(c) = self.peek(0) {
            if c == '#' && (self.at == 0 || self.characters[self.at - 1].is_whitespace()) {
                let end = self.end_of_line();
                self.next();
                self.read_text_to(end);
            } else if with_strings && matches!(c, '"' | '\'') {
                self.string(c);
            } else if with_strings {
                self.next();
                if !c.is_whitespace() {
                    self.stop();
                }
            } else if c.is_whitespace() {
                self.next();
            } else {
                self.stop();
                self.skip_to(self.end_of_line());
            }
        }
    }

    fn svelte(&mut self) {
        while self.at < self.characters.len() {
            if self.starts_with("<script") || self.starts_with("<style") {
                let is_script = self.starts_with("<script");
                self.skip_to(self.find(">"));
                let end = self.find(if is_script { "</script" } else { "</style" });
                if is_script {
                    self.code_to(Quotes::Script, end);
                }
                self.skip_to(end);
                self.skip_to(self.find(">"));
                self.stop();
            } else if self.starts_with("<!--") {
                let end = self.find("-->");
                self.skip(4);
                self.read_text_to(end);
            } else if self.peek(0) == Some('<') {
                // Attribute values may be text: titles and labels.
                let end = self.find(">");
                self.code_to(Quotes::Plain, end);
            } else if self.peek(0) == Some('{') {
                let end = self.find("}");
                self.code_to(Quotes::Script, end);
                self.next();
            } else {
                self.read_text();
            }
        }
    }

    fn code(&mut self, quotes: Quotes) {
        self.code_to(quotes, self.characters.len());
    }

    fn code_to(&mut self, quotes: Quotes, end: usize) {
        let mut after_fn = false;
        while self.at < end {
            let Some(c) = self.peek(0) else { return };
            if self.starts_with("//") {
                let line_end = self.end_of_line();
                while matches!(self.peek(0), Some('/' | '!')) {
                    self.next();
                }
                self.read_text_to(line_end);
            } else if self.starts_with("/*") {
                let comment_end = self.find("*/");
                self.skip(2);
                self.read_text_to(comment_end);
                self.skip(2);
            } else if c.is_alphabetic() || c == '_' {
                self.stop();
                after_fn = self.identifier(quotes, after_fn);
            } else if c == '"' || (matches!(c, '`' | '\'') && quotes == Quotes::Script) {
                self.string(c);
            } else if c == '\'' && quotes == Quotes::Rust {
                self.stop();
                self.character_or_lifetime();
            } else {
                if !c.is_whitespace() {
                    self.stop();
                }
                self.next();
            }
        }
        self.stop();
    }

    /// Skips an identifier, a number's suffix or a raw string; reads the name of a function. Returns whether it was
    /// the keyword `fn`.
    fn identifier(&mut self, quotes: Quotes, after_fn: bool) -> bool {
        let (line, column) = (self.line, self.column);
        let mut name = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_alphanumeric() || *c == '_') {
            name.push(c);
            self.next();
        }
        if quotes == Quotes::Rust && matches!(name.as_str(), "r" | "br") {
            let hashes = (0..).take_while(|index| self.peek(*index) == Some('#')).count();
            if self.peek(hashes) == Some('"') {
                self.skip(hashes + 1);
                let close = format!("\"{}", "#".repeat(hashes));
                self.literal(self.find(&close), false);
                self.skip(hashes + 1);
            }
        }
        if after_fn {
            let words = name.split('_').filter(|word| !word.is_empty());
            self.found.extend(words.map(|word| Word { text: word.to_lowercase(), line, column }));
            self.stop();
        }
        name == "fn"
    }

    fn character_or_lifetime(&mut self) {
        match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => {
                self.skip(3);
                while self.next().is_some_and(|c| c != '\'') {}
            }
            (Some(_), Some('\'')) => self.skip(3),
            _ => self.skip(1),
        }
    }

    /// Reads a string literal that starts here; `'` and `"` also end with the line where a language forbids that.
    fn string(&mut self, quote: char) {
        let triple = quote.to_string().repeat(3);
        let long = self.starts_with(&triple);
        self.skip(if long { 3 } else { 1 });
        let end = if long {
            self.find(&triple)
        } else {
            let mut end = self.at;
            while let Some(c) = self.characters.get(end).filter(|c| **c != quote) {
                end += if *c == '\\' { 2 } else { 1 };
            }
            end.min(self.characters.len())
        };
        self.literal(end, true);
        self.skip(if long { 3 } else { 1 });
    }

    /// Reads the text of a literal up to `end`. A literal of one word is a key or a name, not text.
    fn literal(&mut self, end: usize, escapes: bool) {
        let end = end.min(self.characters.len());
        self.stop();
        if !self.characters[self.at..end].iter().any(|c| c.is_whitespace()) {
            self.skip_to(end);
            return;
        }
        while self.at < end {
            match self.peek(0) {
                Some('\\') if escapes => {
                    if matches!(self.peek(1), Some('n' | 't' | 'r')) {
                        self.stop();
                    }
                    self.skip(2);
                }
                Some('{') => {
                    self.skip_to(self.find("}").min(end));
                    self.stop();
                }
                _ => self.read_text(),
            }
        }
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let joined = words(path, text).iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let phrases: Vec<&str> =
            joined.split("  ").map(str::trim).filter(|phrase| !phrase.is_empty()).collect();
        assert_eq!(phrases, expected, "{path}: {text}");
    }

    #[test]
    fn rust_comments_strings_and_function_names_are_text() {
        check("a.rs", "/// One\n/// two `three` four.\nfn five_six() {}", &["one two four", "five six"]);
        check("a.rs", "x(\"one two: {three}\", 'a', \"key\"); // four", &["one two", "four"]);
        check("a.rs", "let a: &'a str = r#\"one \"two\"\"#;", &["one two"]);
        check("a.rs", "f('\"'); f('\\''); g(\"one \\\n    two\")", &["one two"]);
    }

    #[test]
    fn markdown_code_and_addresses_are_not_text() {
        check(
            "a.md",
            "One `two` [three](four).\n\n```\nfive\n```\nsix | seven",
            &["one three", "six", "seven"],
        );
    }

    #[test]
    fn comments_of_configuration_files_are_text() {
        check("a.toml", "# one\n# two\nkey = \"three four\" # five", &["one two", "three four", "five"]);
        check("a.sh", "one # two\n  # three's\n", &["three"]);
    }

    #[test]
    fn markup_of_the_dashboard_is_text() {
        let page =
            "<script>\n// one\nlet a = 'two three';\n</script>\n<p title=\"four five\">six {seven}</p>";
        check("a.svelte", page, &["one", "two three", "four five", "six"]);
    }

    #[test]
    fn words_have_their_position() {
        let found = words("a.rs", "fn f() {}\n    // the word");
        let last = found.iter().rfind(|word| word.text == "word").expect("the comment is text");
        assert_eq!((last.line, last.column), (2, 12));
    }
}
