//! Tables as tabulate's format `simple` prints them: a line of column names, a line of dashes, rows.

/// A word or phrase of a line and the column at which it begins, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell<'t> {
    pub(super) text: &'t str,
    pub(super) column: usize,
}

/// The columns of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// Names, e.g. `Port Rx`.
    pub(super) names: Vec<String>,
    /// Byte ranges of the dashes.
    ranges: Vec<(usize, usize)>,
}

/// Whether a line is the rule below the column names: groups of dashes and nothing else.
pub(super) fn is_rule(line: &str) -> bool {
    let text = line.trim();
    text.len() >= 3 && text.bytes().all(|byte| byte == b'-' || byte == b' ')
}

impl Columns {
    /// The columns of a line of names and the rule below it. `None` if they do not belong together.
    pub(super) fn new(header: &str, rule: &str) -> Option<Columns> {
        let ranges: Vec<(usize, usize)> =
            words(rule, is_single_space).map(|(at, word)| (at, at + word.len())).collect();
        let names: Vec<String> = phrases(header).map(|cell| cell.text.to_string()).collect();
        let names = if names.len() == ranges.len() {
            names
        } else {
            aligned(header, &ranges)?.iter().map(|cell| cell.text.to_string()).collect()
        };
        Some(Columns { names, ranges })
    }

    /// The cells of a row, one for each column; `None` if the row has another shape. Rows whose blanks were changed on
    /// the way, as when a paste loses the blanks at its beginning, are split at blanks.
    pub(super) fn row<'t>(&self, line: &'t str) -> Option<Vec<Cell<'t>>> {
        let cells: Vec<Cell<'t>> = phrases(line).collect();
        if cells.len() == self.ranges.len() {
            return Some(cells);
        }
        if let Some(cells) = aligned(line, &self.ranges).filter(|cells| !cells[0].text.is_empty()) {
            return Some(cells);
        }
        let cells: Vec<Cell<'t>> =
            words(line, is_single_space).map(|(at, text)| Cell { text, column: at + 1 }).collect();
        (cells.len() == self.ranges.len()).then_some(cells)
    }
}

fn is_single_space(line: &str, at: usize) -> bool {
    matches!(line.as_bytes()[at], b' ' | b'\t')
}

/// Whether the byte separates phrases: a tab, or a blank next to another blank.
fn is_gap(line: &str, at: usize) -> bool {
    let bytes = line.as_bytes();
    let blank = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t'));
    bytes[at] == b'\t' || bytes[at] == b' ' && (at == 0 || blank(at - 1) || blank(at + 1))
}

/// The phrases of a line: what two blanks, a tab or the ends of the line separate.
fn phrases(line: &str) -> impl Iterator<Item = Cell<'_>> {
    words(line, is_gap).map(|(at, text)| Cell { text, column: at + 1 })
}

/// The parts of a line between separators, each with its byte offset.
fn words(line: &str, is_separator: fn(&str, usize) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        // Separators are ASCII, so every slice ends at a character boundary.
        while at < line.len() && is_separator(line, at) {
            at += 1;
        }
        let from = at;
        while at < line.len() && !is_separator(line, at) {
            at += 1;
        }
        (from < at).then(|| (from, &line[from..at]))
    })
}

/// The cells below the dashes; `None` if text crosses the gap between two columns.
fn aligned<'t>(line: &'t str, ranges: &[(usize, usize)]) -> Option<Vec<Cell<'t>>> {
    let mut cells = Vec::with_capacity(ranges.len());
    let mut before = 0;
    for (number, (from, to)) in ranges.iter().enumerate() {
        let is_last = number + 1 == ranges.len();
        let to = if is_last { line.len() } else { (*to).min(line.len()) };
        let from = (*from).min(line.len());
        if !line.get(before.min(from)..from)?.trim().is_empty() {
            return None;
        }
        let text = line.get(from..to.max(from))?;
        let column = from + (text.len() - text.trim_start().len()) + 1;
        cells.push(Cell { text: text.trim(), column });
        before = to;
    }
    (!cells.is_empty()).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, rule: &str, line: &str, expected: &[&str]) {
        let columns = Columns::new(header, rule).expect("a table");
        let row = columns.row(line).expect("a row");
        assert_eq!(row.iter().map(|cell| cell.text).collect::<Vec<_>>(), expected, "{line}");
    }

    #[test]
    fn rows_are_split_by_their_columns() {
        let header = "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr";
        let rule = "-----------  --------------  --------------  ------------  -----------------";
        check(
            header,
            rule,
            "Ethernet0    spine1          etp1            BR            Ethernet0",
            &["Ethernet0", "spine1", "etp1", "BR", "Ethernet0"],
        );
        check(
            header,
            rule,
            "Ethernet4                    00:11           R             to host 4",
            &["Ethernet4", "", "00:11", "R", "to host 4"],
        );
    }

    #[test]
    fn a_paste_that_lost_its_blanks_is_understood() {
        let header = "Port Rx    PFC0    PFC1";
        let rule = "---------  ------  ------";
        check(header, rule, "Ethernet0   1,200     201", &["Ethernet0", "1,200", "201"]);
        check(header, rule, "Ethernet0 1,200 201", &["Ethernet0", "1,200", "201"]);
    }
}
