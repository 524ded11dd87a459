//! The keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// One incident or line up.
    Up,
    /// One incident or line down.
    Down,
    /// To the first incident or line.
    First,
    /// To the last incident or line.
    Last,
    /// Shows all of the selected incident.
    Open,
    /// Back to the list.
    Back,
    /// Shows or hides the keys.
    Help,
    /// Ends the program.
    Quit,
}

/// The keys as the help shows them.
pub(crate) const HELP: [(&str, &str); 6] = [
    ("j k, arrows", "select an incident; scroll its page"),
    ("g G, Home End", "first, last"),
    ("Enter", "show all of the selected incident"),
    ("Esc, Backspace", "back to the list"),
    ("?", "show or hide this help"),
    ("q, Ctrl-C", "end"),
];

/// Returns what a key does; `None` if it does nothing.
pub(crate) fn key_of(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let is_control = event.modifiers.contains(KeyModifiers::CONTROL);
    match event.code {
        KeyCode::Char('c') if is_control => Some(Key::Quit),
        _ if is_control => None,
        KeyCode::Char('k') | KeyCode::Up => Some(Key::Up),
        KeyCode::Char('j') | KeyCode::Down => Some(Key::Down),
        KeyCode::Char('g') | KeyCode::Home => Some(Key::First),
        KeyCode::Char('G') | KeyCode::End => Some(Key::Last),
        KeyCode::Enter => Some(Key::Open),
        KeyCode::Esc | KeyCode::Backspace => Some(Key::Back),
        KeyCode::Char('?') => Some(Key::Help),
        KeyCode::Char('q') => Some(Key::Quit),
        _ => None,
    }
}
