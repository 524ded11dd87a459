//! Reports for people: with source line, caret, reason and fix, or one line per finding.

use std::fmt::Write;

use model::plain::{is_unprintable, plain_line};

use super::{Catalogue, Unread};
use crate::finding::{Finding, Severity};
use crate::secrets::Secrets;
use crate::source::{Position, line_at};

/// The longest line that is shown completely; longer lines are cut around the position.
const MAX_LINE: usize = 120;
/// The number of command lines of a fix that are shown.
const SHOWN_COMMANDS: usize = 12;

/// A finding with its source line, and an empty line.
pub(super) fn one(
    out: &mut String,
    finding: &Finding,
    catalogue: &Catalogue,
    is_coloured: bool,
    text: Option<(&str, &Secrets<'_>)>,
) {
    let paint = |code: &str, text: &str| {
        if is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    };
    let colour = match finding.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Info => "1;36",
    };
    let head = format!("{}[{}]", finding.severity.name(), finding.code);
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{}: {}", paint(colour, &head), paint("1", &plain_line(&finding.message)));
    let (file, pointer) = (plain_line(&finding.file), plain_line(&finding.pointer));
    // Without a source, a position at the beginning stands for the whole.
    let is_whole = text.is_none() && finding.position == Position { line: 1, column: 1 };
    let place = if is_whole {
        format!("{file}  {pointer}")
    } else {
        format!("{file}:{}  {pointer}", finding.position)
    };
    let _ = writeln!(out, "  {} {}", paint("34", "-->"), place.trim_end());
    if let Some((text, secrets)) = text.filter(|(t, _)| !t.is_empty()) {
        excerpt(out, finding, text, secrets, &|t| paint(colour, t));
    }
    let (why, fix) = catalogue.advice(finding.code);
    for (label, body) in [("why", why), ("fix", fix)] {
        if !body.is_empty() {
            let _ = writeln!(out, "  {} {body}", paint("34", &format!("= {label}:")));
        }
    }
    commands(out, finding, &|text| paint("34", text));
    if let Some(reason) = finding.patch.iter().find_map(|op| op.refused_live.as_ref()) {
        let _ = writeln!(out, "  {} the fix requires a reload: {reason}", paint("34", "= live:"));
    }
    out.push('\n');
}

/// The fix as commands, at most [`SHOWN_COMMANDS`].
fn commands(out: &mut String, finding: &Finding, paint: &dyn Fn(&str) -> String) {
    for (index, command) in finding.commands.iter().take(SHOWN_COMMANDS).enumerate() {
        let label = if index == 0 { paint("= commands:") } else { " ".repeat("= commands:".len()) };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {label} {}", plain_line(command));
    }
    if let Some(more) = finding.commands.len().checked_sub(SHOWN_COMMANDS).filter(|more| *more > 0) {
        let _ = writeln!(
            out,
            "  {} {more} more lines (`--format json` has all)",
            " ".repeat("= commands:".len())
        );
    }
}

/// A character of a source line: one column, and no control of the terminal.
fn shown_as(character: char) -> char {
    match character {
        '\t' => ' ',
        character if is_unprintable(character) => char::REPLACEMENT_CHARACTER,
        character => character,
    }
}

fn excerpt(
    out: &mut String,
    finding: &Finding,
    text: &str,
    secrets: &Secrets<'_>,
    paint: &dyn Fn(&str) -> String,
) {
    let (line, start) = line_at(text, finding.span.start);
    let line = secrets.hidden(line, start as usize);
    let column = (finding.position.column as usize).saturating_sub(1);
    let in_line = (finding.span.end.saturating_sub(finding.span.start) as usize).max(1);
    let room = line.len().saturating_sub((finding.span.start - start) as usize).max(1);
    let chars: Vec<char> = line.chars().map(shown_as).collect();
    let from = if chars.len() > MAX_LINE { column.saturating_sub(30) } else { 0 };
    let shown: String = chars.iter().skip(from).take(MAX_LINE).collect();
    let number = finding.position.line.to_string();
    let pad = " ".repeat(number.len());
    let carets = "^".repeat(in_line.min(room).min(MAX_LINE.saturating_sub(column - from).max(1)));
    let _ = writeln!(
        out,
        " {pad} |\n {number} | {shown}\n {pad} | {}{}",
        " ".repeat(column - from),
        paint(&carets)
    );
}

/// An input that could not be read.
pub(super) fn unread(out: &mut String, is_coloured: bool, unread: &Unread) {
    let head = if is_coloured { "\x1b[1;31merror\x1b[0m" } else { "error" };
    // Writing to a String cannot fail.
    let _ =
        writeln!(out, "{}: {head}: not checked: {}", plain_line(&unread.file), plain_line(&unread.reason));
}

/// One line: `file:line:column: severity[CODE] message`.
pub(super) fn line(out: &mut String, f: &Finding) {
    // Writing to a String cannot fail.
    let (file, message) = (plain_line(&f.file), plain_line(&f.message));
    let _ = writeln!(out, "{file}:{}: {}[{}] {message}", f.position, f.severity.name(), f.code);
}
