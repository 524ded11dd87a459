//! What SONiC's `show` commands print, as a paste or a file with any number of commands of any number of switches.
//!
//! Tables are recognised by their column names, so that releases with more or fewer columns are read alike, and so that
//! the commands need not be in the paste. Formats follow sonic-utilities, releases 201811 to 202511: `pfcstat`,
//! `queuestat`, `watermarkstat`, `pg-drop`, `pfcwd`, `portstat`, `intfutil`, `lldpshow` and lldpd's `lldpctl`.

mod columns;
mod command;
mod date;
mod lldp_details;
mod prompt;
mod section;
mod table;
mod terminal;

pub(super) use columns::MAX_PORTS;
pub use date::parse_date;

use std::collections::BTreeSet;

use crate::problem::Problem;
use crate::reading::{LocalNeighbour, Reading};
use columns::{Groups, Kind};
use lldp_details::Details;
use section::Sections;
use table::{Columns, is_rule};

/// How many problems of one input are listed one by one.
const MAX_LISTED: usize = 50;

/// Reads what `show` commands printed. `switch` is the switch's name where no prompt names it. `time_ns` is the time of
/// the output where no `date` in it does, and the reading's time is then marked as assumed.
///
/// A table that a command prints again for the same switch begins a new reading, so that a paste may hold the counters
/// before and after. A switch whose tables contradict each other is left out: they are of several switches.
pub fn parse_show(text: &str, switch: Option<&str>, time_ns: u64) -> (Vec<Reading>, Vec<Problem>) {
    let mut paste = Paste {
        sections: Sections::new(switch, time_ns),
        problems: Vec::new(),
        omitted: 0,
        state: State::Text,
        groups: None,
        is_part: false,
        is_persistent: false,
        watermarks: Default::default(),
        neighbours: Vec::new(),
        is_after_blank: false,
        rule_line: None,
        previous: None,
        expects_date: false,
        tables: 0,
    };
    let is_quoted = terminal::is_quoted(text);
    for (number, line) in text.lines().enumerate() {
        let line = if is_quoted { terminal::unquoted(line) } else { line };
        if let Some(line) = terminal::shown(line) {
            paste.line(number + 1, &line);
        }
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
    /// Whether the title of the next table says that it is about one ASIC of several.
    is_part: bool,
    /// Whether the command prints watermarks that only `sonic-clear queue persistent-watermark` clears.
    is_persistent: bool,
    /// Tables of watermarks, and those of persistent ones.
    watermarks: [BTreeSet<Kind>; 2],
    /// Neighbours of the current table.
    neighbours: Vec<LocalNeighbour>,
    is_after_blank: bool,
    /// The number of the last line that was a rule: two rules in a row are a wrapped one.
    rule_line: Option<usize>,
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
            if let Some(switch) = found.switch {
                self.sections.enter(switch);
            }
            self.command(found.command);
            return;
        }
        if line.trim().is_empty() {
            // `show pfc counters --history` separates the rows of ports by blank lines.
            let is_history = matches!(self.state, State::Rows(Kind::PauseHistory, _));
            if matches!(self.state, State::Rows(..) | State::OtherRows) && !is_history {
                self.end();
            }
            self.previous = None;
            self.is_after_blank = true;
            return;
        }
        let is_after_blank = std::mem::take(&mut self.is_after_blank);
        let time_ns = if self.expects_date { parse_date(line) } else { None };
        if let Some(time_ns) = time_ns.or_else(|| date::date_line(line)) {
            self.end();
            self.expects_date = false;
            self.sections.time(time_ns);
            return;
        }
        self.expects_date = false;
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
        if columns::is_title(line) {
            self.end();
            self.is_part = line.contains("(Namespace ");
        }
        self.groups = columns::groups_of(line).or(self.groups);
        if let State::Rows(kind, columns) = &self.state {
            let (kind, columns) = (*kind, columns.clone());
            match is_after_blank && columns.row(line).is_none() {
                true => self.end(),
                false => self.row(number, line, kind, &columns),
            }
        }
        self.previous = Some(line.to_string());
    }

    /// A command without its output.
    fn command(&mut self, command: &str) {
        self.expects_date = command.split_whitespace().next() == Some("date");
        self.groups = columns::groups_of(command);
        self.is_part = false;
        self.is_persistent = command.contains("persistent-watermark");
        self.sections.command(command);
    }

    /// The rule of a table: the line before it holds the names of the columns.
    fn rule(&mut self, number: usize, line: &str) {
        let after_rule = self.rule_line.replace(number).is_some_and(|line| line + 1 == number);
        let header = self.previous.take();
        if after_rule {
            self.wrapped(number);
            return;
        }
        let Some(header) = header else { return };
        let Some(columns) = Columns::new(&header, line) else {
            // A rule without columns is below the details of LLDP.
            if line.trim().contains(' ') {
                self.wrapped(number);
            }
            return;
        };
        self.end();
        self.state = match columns::kind_of(&columns.names, self.groups) {
            Ok(Some(kind)) => {
                self.tables += 1;
                if kind.is_watermark() {
                    self.watermarks[usize::from(self.is_persistent)].insert(kind);
                }
                if kind.is_watermark() && self.is_persistent {
                    self.state = State::OtherRows;
                    return;
                }
                self.sections.begin_table(kind, self.is_part);
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

    /// Leaves out a table whose columns are unknown.
    fn wrapped(&mut self, number: usize) {
        self.end();
        self.state = State::OtherRows;
        self.problem(Problem::at(
            number,
            1,
            "the columns of this table do not fit the line above; it is left out; if the terminal wrapped its lines, make \
             it wider, or redirect the output to a file",
        ));
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
        if kind == Kind::Neighbours {
            let is_full = self.neighbours.len() >= MAX_PORTS;
            self.neighbours.extend(columns::neighbour(&cells).filter(|_| !is_full));
            return;
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
            self.neighbours = details.finish();
        }
        let neighbours = std::mem::take(&mut self.neighbours);
        if !neighbours.is_empty() {
            self.sections.add_neighbours(neighbours);
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
        let [read, persistent] = &self.watermarks;
        if !persistent.is_subset(read) {
            self.problems.push(Problem::new(
                "persistent watermarks are not read: they hold peaks of long ago; expected those of `show queue watermark` \
                 and `show priority-group watermark`",
            ));
        }
        let (readings, mut problems) = self.sections.finish();
        self.problems.append(&mut problems);
        (readings, self.problems)
    }
}
