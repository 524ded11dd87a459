//! Notifications to systemd (sd_notify(3)). Without systemd they do nothing.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::task::JoinHandle;

/// The daemon is ready.
pub(crate) fn ready(status: &str) {
    send(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// The daemon reloads its configuration; [`ready`] ends it.
pub(crate) fn reloading() {
    let mut states = vec![NotifyState::Reloading];
    if let Ok(now) = NotifyState::monotonic_usec_now() {
        states.push(now);
    }
    send(&states);
}

/// The daemon stops.
pub(crate) fn stopping() {
    send(&[NotifyState::Stopping]);
}

/// Notifies the watchdog, if systemd has one for this process, at half of its interval. It runs on the daemon's runtime,
/// so that a runtime that hangs is restarted.
pub(crate) fn watchdog() -> Option<JoinHandle<()>> {
    let mut interval_us = 0;
    if !sd_notify::watchdog_enabled(false, &mut interval_us) {
        return None;
    }
    let mut ticks = tokio::time::interval(Duration::from_micros((interval_us / 2).max(1)));
    Some(tokio::spawn(async move {
        loop {
            ticks.tick().await;
            send(&[NotifyState::Watchdog]);
        }
    }))
}

fn send(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(false, states) {
        tracing::warn!(%error, "cannot notify systemd");
    }
}
