//! What is on the screen, as a function of the inputs so far.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::answers::{Daemons, Incident, Page, Verdict};
use super::detail;
use super::keys::Key;
use super::view::page_rows;

/// Seconds without a word from the server after which the screen says so: the server sends a comment every 15 s.
const SILENT_S: u64 = 20;
/// Maximum incidents that have ended and are shown.
pub(crate) const MOST_ENDED: usize = 20;

/// What changes the state.
#[derive(Debug)]
pub(crate) enum Input {
    /// A key.
    Key(Key),
    /// The terminal has another size: columns, rows.
    Size(u16, u16),
    /// Time has passed.
    Tick,
    /// The server, or the connection to it.
    Feed(Feed),
}

/// What comes from the server.
#[derive(Debug)]
pub(crate) enum Feed {
    /// A sign of life.
    Alive,
    /// The open incidents, as they are now.
    Listed(Page),
    /// The latest incidents, open or not.
    Latest(Page),
    /// An incident began, changed or ended.
    Changed(Box<Incident>),
    /// The daemons, as they are now.
    Daemons(Daemons),
    /// The hosts by address.
    Hosts(BTreeMap<IpAddr, String>),
    /// A diagnosis that was wanted, by its id.
    Verdict(String, Verdict),
    /// There is no connection: why, and the milliseconds until the next attempt.
    Lost(String, u64),
}

/// The connection to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// Not connected yet.
    Connecting,
    /// Connected.
    Live,
    /// Connected, and the server has sent nothing for these seconds.
    Silent(u64),
    /// Not connected: why.
    Lost(String),
}

/// What the screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    /// The incidents.
    List,
    /// All of the selected incident.
    Incident,
}

/// The state.
#[derive(Debug)]
pub(crate) struct State {
    /// Host and port of the server.
    pub(crate) server: String,
    /// Seconds since 1970.
    pub(crate) now_s: u64,
    /// Columns and rows of the terminal.
    pub(crate) size: (u16, u16),
    pub(crate) screen: Screen,
    pub(crate) shows_help: bool,
    /// The first line that the page of an incident shows.
    pub(crate) scroll: usize,
    /// Open incidents, most severe first.
    pub(crate) incidents: Vec<Incident>,
    /// The incidents that have ended, the latest end first, at most [`MOST_ENDED`].
    pub(crate) ended: Vec<Incident>,
    /// Open incidents that the server has beyond those, because its list has a limit.
    pub(crate) unlisted: u64,
    pub(crate) daemons: Daemons,
    pub(crate) hosts: BTreeMap<IpAddr, String>,
    /// The latest diagnosis that arrived, with its id.
    pub(crate) verdict: Option<(String, Verdict)>,
    /// Whether to end.
    pub(crate) has_quit: bool,
    /// Id of the selected incident.
    selected: Option<String>,
    /// When the server was heard last, in seconds since 1970.
    heard_s: Option<u64>,
    lost: Option<String>,
}

impl State {
    /// The state at the start.
    pub(crate) fn new(server: &str, size: (u16, u16), now_s: u64) -> State {
        State {
            server: server.to_owned(),
            now_s,
            size,
            screen: Screen::List,
            shows_help: false,
            scroll: 0,
            incidents: Vec::new(),
            ended: Vec::new(),
            unlisted: 0,
            daemons: Daemons::default(),
            hosts: BTreeMap::new(),
            verdict: None,
            has_quit: false,
            selected: None,
            heard_s: None,
            lost: None,
        }
    }

    /// Applies an input at a time, in seconds since 1970.
    pub(crate) fn apply(&mut self, input: Input, now_s: u64) {
        self.now_s = now_s;
        match input {
            Input::Key(key) => self.press(key),
            Input::Size(columns, rows) => self.size = (columns, rows),
            Input::Tick => {}
            Input::Feed(feed) => self.receive(feed),
        }
        self.scroll = self.scroll.min(self.last_scroll());
    }

    /// Returns the connection to the server.
    pub(crate) fn link(&self) -> Link {
        match (&self.lost, self.heard_s) {
            (Some(error), _) => Link::Lost(error.clone()),
            (None, None) => Link::Connecting,
            (None, Some(heard_s)) => match self.now_s.saturating_sub(heard_s) {
                0..=SILENT_S => Link::Live,
                silent_s => Link::Silent(silent_s),
            },
        }
    }

    /// Returns the seconds since the server was heard; `None` if it never was.
    pub(crate) fn age_s(&self) -> Option<u64> {
        self.heard_s.map(|heard_s| self.now_s.saturating_sub(heard_s))
    }

    /// Returns the position of the selected incident: the first one without a selection.
    pub(crate) fn selected_index(&self) -> usize {
        let is_selected = |incident: &Incident| Some(&incident.id) == self.selected.as_ref();
        self.incidents.iter().position(is_selected).unwrap_or(0)
    }

    /// Returns the selected incident.
    pub(crate) fn selected(&self) -> Option<&Incident> {
        self.incidents.get(self.selected_index())
    }

    /// Returns the diagnosis of the selected incident, if it has arrived.
    pub(crate) fn selected_verdict(&self) -> Option<&Verdict> {
        let wanted = &self.selected()?.diagnosis;
        self.verdict.as_ref().filter(|(id, _)| id == wanted).map(|(_, verdict)| verdict)
    }

    /// Returns the id of the diagnosis that the screen needs.
    pub(crate) fn wanted(&self) -> Option<String> {
        self.selected().map(|incident| incident.diagnosis.clone())
    }

    fn press(&mut self, key: Key) {
        match key {
            Key::Quit => self.has_quit = true,
            Key::Help => self.shows_help = !self.shows_help,
            _ if self.shows_help => self.shows_help = false,
            Key::Open => self.open(),
            Key::Back => self.screen = Screen::List,
            _ if self.screen == Screen::Incident => {
                self.scroll = moved(key, self.scroll, self.last_scroll());
            }
            _ => {
                let index = moved(key, self.selected_index(), self.incidents.len().saturating_sub(1));
                self.selected = self.incidents.get(index).map(|incident| incident.id.clone());
            }
        }
    }

    /// Shows the page of the selected incident; it stays selected when a more severe one begins.
    fn open(&mut self) {
        if let Some(id) = self.selected().map(|incident| incident.id.clone()) {
            (self.selected, self.screen, self.scroll) = (Some(id), Screen::Incident, 0);
        }
    }

    fn receive(&mut self, feed: Feed) {
        if let Feed::Lost(error, retry_ms) = feed {
            self.lost = Some(format!("{error}; next attempt in {:.1} s", retry_ms as f64 / 1e3));
            return;
        }
        (self.lost, self.heard_s) = (None, Some(self.now_s));
        match feed {
            Feed::Listed(page) => {
                self.unlisted = page.open_total.saturating_sub(page.incidents.len() as u64);
                self.incidents = page.incidents;
            }
            Feed::Latest(page) => {
                let has_ended = |incident: &Incident| incident.end_ns.is_some();
                self.ended = page.incidents.into_iter().filter(has_ended).collect();
            }
            Feed::Changed(incident) => {
                self.incidents.retain(|known| known.id != incident.id);
                self.ended.retain(|known| known.id != incident.id);
                match incident.end_ns {
                    None => self.incidents.push(*incident),
                    Some(_) => self.ended.push(*incident),
                }
            }
            Feed::Daemons(daemons) => self.daemons = daemons,
            Feed::Hosts(hosts) => self.hosts = hosts,
            Feed::Verdict(id, verdict) => self.verdict = Some((id, verdict)),
            Feed::Alive | Feed::Lost(..) => {}
        }
        self.sort();
    }

    /// Sorts the incidents. A selection stays: new incidents do not move it.
    fn sort(&mut self) {
        let was_at = self.selected_index();
        self.incidents.sort_by(|a, b| {
            let key = |incident: &Incident| (rank(&incident.severity), u64::MAX - incident.start_ns);
            key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
        });
        // RFC 3339 in UTC sorts by time. A change of an incident that ended long ago does not move it.
        self.ended.sort_by(|a, b| (&b.end_time, &a.id).cmp(&(&a.end_time, &b.id)));
        self.ended.truncate(MOST_ENDED);
        let is_gone = self
            .selected
            .as_ref()
            .is_some_and(|id| !self.incidents.iter().any(|incident| incident.id == *id));
        if is_gone {
            let next = was_at.min(self.incidents.len().saturating_sub(1));
            self.selected = self.incidents.get(next).map(|incident| incident.id.clone());
            self.screen = Screen::List;
        }
    }

    /// Returns the greatest useful value of `scroll`.
    fn last_scroll(&self) -> usize {
        detail::lines(self).len().saturating_sub(page_rows(self.size))
    }
}

/// Returns where a key moves from a position, of positions up to `last`.
fn moved(key: Key, from: usize, last: usize) -> usize {
    match key {
        Key::Up => from.saturating_sub(1),
        Key::Down => (from + 1).min(last),
        Key::First => 0,
        Key::Last => last,
        _ => from,
    }
}

/// Orders severities: the most severe first, unknown ones last.
fn rank(severity: &str) -> usize {
    let order = ["critical", "major", "minor", "info"];
    order.iter().position(|name| *name == severity).unwrap_or(order.len())
}
