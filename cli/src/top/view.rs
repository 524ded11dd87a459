//! A frame of the state. Text from the server is drawn cell by cell: control characters in it have no effect.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Row, Table, TableState};

use super::answers::Incident;
use super::detail::{self, LABEL};
use super::keys::HELP;
use super::state::{Link, Screen, State};
use super::words::{cut, duration, wrap};

/// Rows of the panel below the list, its border included.
const PANEL: u16 = 10;
/// Rows below which the panel is left out.
const ROWS_FOR_PANEL: u16 = 18;

/// Returns how many lines the page of an incident has, in a terminal of these columns and rows.
pub(crate) fn page_rows(size: (u16, u16)) -> usize {
    // Header, border, daemons, keys.
    usize::from(size.1.saturating_sub(4))
}

/// Draws the state.
pub(crate) fn draw(state: &State, frame: &mut Frame<'_>) {
    let rows = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1), Constraint::Length(1)];
    let [header, body, daemons, keys] = Layout::vertical(rows).areas(frame.area());
    draw_header(state, frame, header);
    match state.screen {
        Screen::List => draw_list(state, frame, body),
        Screen::Incident => draw_page(state, frame, body),
    }
    frame.render_widget(daemon_line(state), daemons);
    let text = match state.screen {
        Screen::List => " j/k select   Enter details   ? help   q quit",
        Screen::Incident => " j/k scroll   Esc back   ? help   q quit",
    };
    frame.render_widget(Line::styled(text, dim()), keys);
    if state.shows_help {
        draw_help(frame, body);
    }
}

fn draw_header(state: &State, frame: &mut Frame<'_>, area: Rect) {
    let (text, style) = match state.link() {
        Link::Connecting => ("connecting".to_owned(), warning()),
        Link::Live => ("live".to_owned(), Style::new().fg(Color::Green)),
        Link::Silent(seconds) => (format!("silent for {}", duration(seconds)), warning()),
        Link::Lost(_) => (lost_age(state), alarm()),
    };
    let left = format!(" {}  {}", state.server, counts(state));
    let width = usize::from(area.width).saturating_sub(text.chars().count() + 3);
    let gap = width.saturating_sub(left.chars().count());
    let spans =
        [Span::styled(cut(&left, width), bold()), Span::raw(" ".repeat(gap + 2)), Span::styled(text, style)];
    frame.render_widget(Line::from_iter(spans), area);
}

/// Says that what is shown is not the present.
fn lost_age(state: &State) -> String {
    match state.age_s() {
        Some(age_s) => format!("not connected, {} old", duration(age_s)),
        None => "not connected".to_owned(),
    }
}

/// How many incidents are open, e.g. `3 open incidents, 1 critical`; nothing before the server has answered.
fn counts(state: &State) -> String {
    if state.age_s().is_none() {
        return String::new();
    }
    let open = state.incidents.len() as u64 + state.unlisted;
    let critical = state.incidents.iter().filter(|incident| incident.severity == "critical").count();
    let known = crate::units::count(open, "open incident");
    if critical == 0 { known } else { format!("{known}, {critical} critical") }
}

fn draw_list(state: &State, frame: &mut Frame<'_>, area: Rect) {
    let with_panel = frame.area().height >= ROWS_FOR_PANEL && state.selected().is_some();
    let panel = if with_panel { PANEL } else { 0 };
    let error_lines = error_lines(state);
    let error = error_lines.len() as u16;
    let rows = [Constraint::Length(error), Constraint::Min(0), Constraint::Length(panel)];
    let [error, list, panel] = Layout::vertical(rows).areas(area);
    frame.render_widget(Paragraph::new(error_lines), error);
    if state.incidents.is_empty() {
        draw_ended(state, frame, list);
        return;
    }
    let rows = state.incidents.iter().map(|incident| list_row(incident, state.now_s));
    let widths = [Constraint::Length(9), Constraint::Length(7), Constraint::Length(5), Constraint::Min(0)];
    let table = Table::new(rows, widths)
        .header(Row::new([" SEVERITY", "FOR", "FLOWS", "INCIDENT"]).style(dim()))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut selection = TableState::default().with_selected(state.selected_index());
    frame.render_stateful_widget(table, list, &mut selection);
    if with_panel {
        draw_rows(frame, panel, "selected", &detail::summary(state));
    }
}

/// Why there is no connection, in as many lines as it needs.
fn error_lines(state: &State) -> Vec<Line<'static>> {
    let Link::Lost(error) = state.link() else { return Vec::new() };
    let lines = wrap(&error, usize::from(state.size.0).saturating_sub(2));
    lines.into_iter().map(|line| Line::styled(format!(" {line}"), alarm())).collect()
}

/// What an empty list means: no incident is not the same as no answer. The incidents that have ended last are below it.
fn draw_ended(state: &State, frame: &mut Frame<'_>, area: Rect) {
    let text = match (state.age_s(), state.ended.is_empty()) {
        (None, _) => "\n No answer from the server yet.",
        (Some(_), true) => "\n No open incidents.",
        (Some(_), false) => "\n No open incidents. The latest that have ended:",
    };
    let [above, below] = Layout::vertical([Constraint::Length(3), Constraint::Min(0)]).areas(area);
    frame.render_widget(Paragraph::new(text).style(dim()), above);
    if state.ended.is_empty() {
        return;
    }
    let row = |incident: &Incident| {
        let ago = detail::ended_s(incident, state.now_s)
            .map_or_else(String::new, |s| format!("{} ago", duration(s)));
        let severity = format!(" {}", incident.severity);
        Row::new([severity, ago, format!("{:>5}", incident.victim_count), incident.line()]).style(dim())
    };
    let widths = [Constraint::Length(9), Constraint::Length(11), Constraint::Length(5), Constraint::Min(0)];
    let head = Row::new([" SEVERITY", "ENDED", "FLOWS", "INCIDENT"]).style(dim());
    frame.render_widget(Table::new(state.ended.iter().map(row), widths).header(head), below);
}

fn list_row(incident: &Incident, now_s: u64) -> Row<'static> {
    let age = detail::age_s(incident, now_s).map_or_else(String::new, duration);
    let cells = [
        Span::styled(format!(" {}", incident.severity), severity_style(&incident.severity)),
        Span::raw(age),
        Span::raw(format!("{:>5}", incident.victim_count)),
        Span::raw(incident.line()),
    ];
    Row::new(cells)
}

fn draw_page(state: &State, frame: &mut Frame<'_>, area: Rect) {
    let lines = detail::lines(state);
    draw_rows(frame, area, "incident", lines.get(state.scroll..).unwrap_or_default());
}

/// Draws lines below a border with a title.
fn draw_rows(frame: &mut Frame<'_>, area: Rect, title: &'static str, rows: &[detail::Row]) {
    let lines = rows.iter().map(|(label, text)| {
        let label = Span::styled(format!(" {label:<LABEL$}"), dim());
        Line::from_iter([label, Span::raw(text.clone())])
    });
    let block =
        Block::new().borders(ratatui::widgets::Borders::TOP).title(format!(" {title} ")).border_style(dim());
    frame.render_widget(Paragraph::new(lines.collect::<Vec<Line<'_>>>()).block(block), area);
}

fn daemon_line(state: &State) -> Line<'static> {
    let daemons = &state.daemons.daemons;
    let of = |wanted: &str| daemons.iter().filter(|daemon| daemon.state == wanted).count();
    let mut text = match daemons.len() {
        0 if state.age_s().is_none() => String::new(),
        0 => " no agents or controllers".to_owned(),
        _ => format!(" daemons: {} connected", of("connected")),
    };
    for state in ["silent", "disconnected"] {
        let names: Vec<String> = daemons
            .iter()
            .filter(|daemon| daemon.state == state)
            .map(|daemon| format!("{} {}", daemon.kind, daemon.name))
            .collect();
        if let Some(first) = names.first() {
            let more = if names.len() > 1 { ", ..." } else { "" };
            text.push_str(&format!(", {} {state} ({first}{more})", names.len()));
        }
    }
    if let Some(problem) = state.daemons.problems.first() {
        text.push_str(&format!("; {}: {}", problem.subject, problem.reason));
    }
    let is_fine = of("connected") == daemons.len() && state.daemons.problems.is_empty();
    Line::styled(text, if is_fine { dim() } else { warning() })
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let lines: Vec<Line<'_>> =
        HELP.iter().map(|(keys, effect)| Line::raw(format!(" {keys:<15} {effect}"))).collect();
    let [area] = Layout::vertical([Constraint::Length(lines.len() as u16 + 2)])
        .flex(ratatui::layout::Flex::Center)
        .areas(area);
    let [area] = Layout::horizontal([Constraint::Length(56)]).flex(ratatui::layout::Flex::Center).areas(area);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Keys ")), area);
}

fn severity_style(severity: &str) -> Style {
    match severity {
        "critical" => alarm(),
        "major" => warning(),
        _ => Style::new(),
    }
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

fn warning() -> Style {
    Style::new().fg(Color::Yellow)
}

fn alarm() -> Style {
    Style::new().fg(Color::Red).add_modifier(Modifier::BOLD)
}

#[cfg(test)]
mod tests;
