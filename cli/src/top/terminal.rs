//! The terminal: keys in, frames out, and its restoration at every end.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use tokio::sync::{mpsc, watch};
use tokio::time::interval;

use super::feed;
use super::keys::key_of;
use super::state::{Input, State};
use super::view::draw;
use crate::client::Client;
use crate::daemons::operations::random;
use crate::daemons::operations::signals::Signals;

/// Interval of frames without any change: durations grow.
const TICK: Duration = Duration::from_secs(1);
/// How often the keyboard's thread looks whether the program has ended.
const KEYBOARD: Duration = Duration::from_millis(100);

/// Shows the server until a key or a signal ends it.
///
/// # Errors
/// The terminal cannot be used.
pub(crate) async fn run(client: Client) -> anyhow::Result<()> {
    let mut signals = Signals::install()?;
    let mut terminal = Restored(ratatui::try_init().context("the terminal cannot be used")?);
    let size = terminal.0.size().context("the terminal has no size")?;
    let mut state = State::new(client.authority(), (size.width, size.height), now_s());

    let (key_sender, mut keys) = mpsc::channel(16);
    thread::spawn(move || read_keyboard(&key_sender));
    let (wanted, wanted_receiver) = watch::channel(None);
    let (feed_sender, mut feeds) = mpsc::channel(64);
    tokio::spawn(feed::run(client, random()?, wanted_receiver, feed_sender));
    let mut ticks = interval(TICK);

    while !state.has_quit {
        let input = tokio::select! {
            input = keys.recv() => match input {
                Some(input) => input,
                None => bail!("the terminal has gone"),
            },
            Some(feed) = feeds.recv() => Input::Feed(feed),
            _ = ticks.tick() => Input::Tick,
            _ = signals.next() => break,
        };
        state.apply(input, now_s());
        // What has arrived meanwhile is drawn in the same frame.
        while let Ok(feed) = feeds.try_recv() {
            state.apply(Input::Feed(feed), now_s());
        }
        wanted.send_if_modified(|known| {
            let next = state.wanted();
            let is_other = *known != next;
            *known = next;
            is_other
        });
        terminal.0.draw(|frame| draw(&state, frame)).context("cannot draw")?;
    }
    Ok(())
}

/// A terminal that is restored when it is dropped; a panic restores it before its message (`ratatui::try_init`).
struct Restored(DefaultTerminal);

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Sends keys and sizes until the receiver is gone or the terminal is.
fn read_keyboard(to: &mpsc::Sender<Input>) {
    while !to.is_closed() {
        let event = match event::poll(KEYBOARD) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        let input = match event {
            Ok(Event::Key(event)) => key_of(event).map(Input::Key),
            Ok(Event::Resize(columns, rows)) => Some(Input::Size(columns, rows)),
            Ok(_) => None,
            Err(_) => return,
        };
        if input.is_some_and(|input| to.blocking_send(input).is_err()) {
            return;
        }
    }
}

/// Returns the seconds since 1970.
fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
