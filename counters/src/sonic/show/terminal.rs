//! What a terminal shows of a recorded line: cursor movements (ECMA-48) are applied, titles and pagers are left out.

/// The maximum number of characters of a line; what is beyond is no output of a command.
const MAX_LINE: usize = 65_536;

/// Whether every line that is not blank is quoted with `>`, as in the answer to a message.
pub(super) fn is_quoted(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with('>'))
}

/// A line without its mark of a quotation.
pub(super) fn unquoted(line: &str) -> &str {
    let rest = line.strip_prefix('>').unwrap_or(line);
    rest.strip_prefix(' ').unwrap_or(rest)
}

/// Returns what a terminal shows of a line, or nothing if only a pager's prompt is in it.
pub(super) fn shown(line: &str) -> Option<String> {
    let mut screen = Screen::default();
    let mut characters = line.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => screen.escape(&mut characters),
            '\r' => screen.column = 0,
            '\u{8}' => screen.column = screen.column.saturating_sub(1),
            '\u{7}' | '\0' => {}
            other => screen.put(other),
        }
    }
    let text: String = screen.cells.into_iter().collect();
    let rest = without_pager(&text);
    let has_pager = rest.len() < text.len();
    (!has_pager || !rest.trim().is_empty()).then(|| rest.to_string())
}

/// The line without a pager's prompt at its beginning, which a recording keeps where the pager overwrote it.
fn without_pager(text: &str) -> &str {
    const PROMPTS: [&str; 4] = ["--More--", "-- More --", "--more--", "(END)"];
    let Some(prompt) = PROMPTS.into_iter().find(|prompt| text.trim_start().starts_with(prompt)) else {
        return text;
    };
    let rest = &text.trim_start()[prompt.len()..];
    // `more` shows how much of a file was read.
    rest.strip_prefix('(').and_then(|rest| Some(rest.split_once("%)")?.1)).unwrap_or(rest)
}

/// A line of a terminal.
#[derive(Default)]
struct Screen {
    cells: Vec<char>,
    column: usize,
}

impl Screen {
    fn put(&mut self, character: char) {
        if self.column >= MAX_LINE {
            return;
        }
        if self.cells.len() <= self.column {
            self.cells.resize(self.column + 1, ' ');
        }
        self.cells[self.column] = character;
        self.column += 1;
    }

    /// Applies a sequence that begins with an escape.
    fn escape(&mut self, characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        match characters.next() {
            Some('[') => {
                let mut parameters = String::new();
                let end = characters.find(|character| {
                    let is_end = ('@'..='~').contains(character);
                    if !is_end {
                        parameters.push(*character);
                    }
                    is_end
                });
                if let Some(end) = end {
                    self.control(end, &parameters);
                }
            }
            // Titles and other strings end with BEL or with `ESC \`.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(character) = characters.next() {
                    if character == '\u{7}' || character == '\u{1b}' && characters.next_if_eq(&'\\').is_some()
                    {
                        break;
                    }
                }
            }
            // Character sets have one more character.
            Some('(' | ')' | '#' | '%') => drop(characters.next()),
            _ => {}
        }
    }

    /// Applies a control sequence by its last character.
    fn control(&mut self, end: char, parameters: &str) {
        let number = parameters.parse::<usize>().ok();
        let steps = number.unwrap_or(1).clamp(1, MAX_LINE);
        match (end, number.unwrap_or(0)) {
            ('K', 0) => {
                let is_pager = matches!(self.cells.get(..self.column), Some([':']));
                self.cells.truncate(self.column);
                // `less` writes its prompt where the next line begins.
                if is_pager {
                    *self = Screen::default();
                }
            }
            ('K', 1) => self.cells.iter_mut().take(self.column).for_each(|cell| *cell = ' '),
            ('K', 2) => self.cells.clear(),
            ('C', _) => self.column = (self.column + steps).min(MAX_LINE),
            ('D', _) => self.column = self.column.saturating_sub(steps),
            ('G', _) => self.column = steps - 1,
            ('P', _) => {
                let to = (self.column + steps).min(self.cells.len());
                self.cells.drain(self.column.min(to)..to);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_lines_are_what_the_terminal_showed() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(shown(line).as_deref(), expected, "{line:?}");
        };
        check("\u{1b}[01;32madmin@leaf1\u{1b}[00m:~$ date\r", Some("admin@leaf1:~$ date"));
        check("\u{1b}]0;admin@leaf1: ~\u{7}admin@leaf1:~$ date\r", Some("admin@leaf1:~$ date"));
        check("\u{1b}]2;leaf1\u{1b}\\leaf1# date", Some("leaf1# date"));
        check("\u{feff}\u{1b}[?2004hleaf1# date", Some("leaf1# date"));
        check("leaf1# shx\u{8}ow", Some("leaf1# show"));
        check("leaf1# dtae\u{8}\u{8}\u{8}\u{1b}[Kate", Some("leaf1# date"));
        check(
            "--More--\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}        \u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}x 1",
            Some("x 1     "),
        );
        check("--More--", None);
        check("--More--(12%)", None);
        check("--More--Ethernet0  5", Some("Ethernet0  5"));
        check("\r:\u{1b}[KEthernet0  5", Some("Ethernet0  5"));
        check(":\r\u{1b}[KEthernet0  5", Some("Ethernet0  5"));
        check("\r:\u{1b}[K", Some(""));
        check("\u{1b}[12", Some(""));
        check("a\u{1b}[999999999999999999999Cb\u{1b}[99999999C", Some("a b"));
    }
}
