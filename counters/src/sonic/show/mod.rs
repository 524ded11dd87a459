//! What SONiC's `show` commands print, as a paste or a file with any number of commands of any number of switches.
//!
//! Tables are recognised by their column names, so that releases with more or fewer columns are read alike, and so that
//! the commands need not be in the paste. Formats follow sonic-utilities, releases 201811 to 202511: `pfcstat`,
//! `queuestat`, `watermarkstat`, `pg-drop`, `pfcwd`, `portstat`, `intfutil`, `lldpshow` and lldpd's `lldpctl`.

mod columns;
mod date;
mod lldp_details;
mod prompt;
mod section;
mod table;

pub use date::parse_date;

use crate::problem::Problem;
use crate::reading::Reading;
use columns::{Groups, Kind};
use lldp_details::Details;
use section::Sections;
use table::{Columns, is_rule};

/// How many problems of one input are listed one by one.
const MAX_LISTED: usize = 50;

/// Reads what `show` commands printed. `switch` is the switch's name where no prompt names it. `time_ns` is the time of
/// the output where no `date` in it does, and the reading's time is then marked as assumed.
///
/// A table that appears again for the same switch begins a new reading, so that a paste may hold the counters before
/// and after.
pub fn parse_show(text: &str, switch: Option<&str>, time_ns: u64) -> (Vec<Reading>, Vec<Problem>) {
    let mut paste = Paste {
        sections: Sections::new(switch, time_ns),
        problems: Vec::new(),
        omitted: 0,
        state: State::Text,
        groups: None,
        previous: None,
        expects_date: false,
        tables: 0,
    };
    for (number, line) in text.lines().enumerate() {
        let line = prompt::plain(line);
        paste.line(number + 1, &line);
    }
    paste.finish()
}

/// What the lines that follow are.
enum State {
    /// Neither rows nor details.
    Text,
    /// Rows of a table.
    Rows(Kind, Columns),
    /// Rows of a table that no reading uses.
    OtherRows,
    /// Details of LLDP neighbours.
    Details(Details),
}

/// A paste that is being read.
struct Paste<'p> {
    sections: Sections<'p>,
    problems: Vec<Problem>,
    omitted: usize,
    state: State,
    /// What a table of priority groups is about, by the line or the command before it.
    groups: Option<Groups>,
    /// The line before, which holds the names of a table's columns if a rule follows.
    previous: Option<String>,
    /// Whether the next line may be the output of `date`.
    expects_date: bool,
    tables: usize,
}

impl Paste<'_> {
    fn line(&mut self, number: usize, line: &str) {
        if let Some(found) = prompt::prompt(line) {
            self.end();
            self.sections.enter(found.switch);
            self.command(found.command);
            return;
        }
        if line.trim().is_empty() {
            if matches!(self.state, State::Rows(..) | State::OtherRows) {
                self.end();
            }
            self.previous = None;
            return;
        }
        if std::mem::take(&mut self.expects_date)
            && let Some(time_ns) = parse_date(line)
        {
            self.sections.time(time_ns);
            return;
        }
        if let State::Details(details) = &mut self.state {
            match details.line(line) {
                true => return,
                false => self.end(),
            }
        }
        if is_rule(line) {
            self.rule(number, line);
            return;
        }
        if let Some(details) = Details::begin(line) {
            self.end();
            self.tables += 1;
            self.state = State::Details(details);
            return;
        }
        if columns::is_header(line) {
            self.end();
        }
        self.groups = columns::groups_of(line).or(self.groups);
        match &self.state {
            State::Rows(kind, columns) => {
                let (kind, columns) = (*kind, columns.clone());
                self.row(number, line, kind, &columns);
            }
            State::OtherRows => {}
            _ => {
                if columns::is_command(line) {
                    self.command(line.trim());
                }
            }
        }
        self.previous = Some(line.to_string());
    }

    /// A command without its output.
    fn command(&mut self, command: &str) {
        self.expects_date = command.split_whitespace().next() == Some("date");
        self.groups = columns::groups_of(command);
    }

    /// The rule of a table: the line before it holds the names of the columns.
    fn rule(&mut self, number: usize, line: &str) {
        let Some(header) = self.previous.take() else { return };
        let Some(columns) = Columns::new(&header, line) else {
            // A rule without columns, as below the details of LLDP.
            return;
        };
        self.end();
        self.state = match columns::kind_of(&columns.names, self.groups) {
            Ok(Some(kind)) => {
                self.tables += 1;
                self.sections.begin_table(kind);
                State::Rows(kind, columns)
            }
            Ok(None) => State::OtherRows,
            Err(message) => {
                self.tables += 1;
                self.problem(Problem::at(number.saturating_sub(1), 1, message));
                State::OtherRows
            }
        };
    }

    fn row(&mut self, number: usize, line: &str, kind: Kind, columns: &Columns) {
        let Some(cells) = columns.row(line) else {
            // The summary below the LLDP table and messages end a table without a blank line.
            if line.split_whitespace().count() < columns.names.len() && kind == Kind::Neighbours {
                return;
            }
            let expected = columns.names.len();
            self.problem(Problem::at(
                number,
                1,
                format!("not a row of the table: expected {expected} columns"),
            ));
            return;
        };
        if kind.is_split_by_port()
            && let Some(port) = cells.first()
        {
            self.sections.port(kind, port.text);
        }
        let Some(reading) = self.sections.current() else {
            self.problem(Problem::at(number, 1, "more switches than a paste may have; the row is left out"));
            return;
        };
        let mut wrong = Vec::new();
        columns::apply(kind, &columns.names, &cells, reading, &mut wrong);
        for (column, message) in wrong {
            self.problem(Problem::at(number, column, message));
        }
    }

    /// Ends a table or details.
    fn end(&mut self) {
        if let State::Details(details) = std::mem::replace(&mut self.state, State::Text) {
            let neighbours = details.finish();
            if let Some(reading) = self.sections.current() {
                reading.neighbours.extend(neighbours);
            }
        }
        self.previous = None;
    }

    fn problem(&mut self, problem: Problem) {
        match self.problems.len() < MAX_LISTED {
            true => self.problems.push(problem),
            false => self.omitted += 1,
        }
    }

    fn finish(mut self) -> (Vec<Reading>, Vec<Problem>) {
        self.end();
        if self.omitted > 0 {
            self.problems.push(Problem::new(format!("{} more lines have problems like these", self.omitted)));
        }
        if self.tables == 0 {
            self.problems.push(Problem::new(
                "no counters found: expected the output of `show pfc counters`, `show queue watermark unicast`, \
                 `show queue counters`, `show priority-group watermark shared`, `show priority-group drop counters`, \
                 `show pfcwd stats`, `show interfaces counters`, `show interfaces status` or `show lldp table`",
            ));
        }
        let (readings, mut problems) = self.sections.finish();
        self.problems.append(&mut problems);
        (readings, self.problems)
    }
}
