//! What the server says: the open incidents, then each change from the live stream, and the daemons now and then.

use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, watch};
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

use super::answers::{Change, Network, Verdict};
use super::state::Feed;
use crate::client::Client;
use crate::server_sent::Received;

const STREAM: &str = "/api/v1/events?kinds=incident,topology";
const OPEN: &str = "/api/v1/incidents?open=true&limit=500";
/// The latest incidents, for a screen without an open one.
const LATEST: &str = "/api/v1/incidents?limit=50";
/// Interval of reading the daemons, of which the stream has no events.
const DAEMONS: Duration = Duration::from_secs(5);

/// Sends what the server says until the receiver is gone, over connection after connection. `wanted` has the id of the
/// diagnosis to read; `seed` is random, for the delays between attempts.
pub(crate) async fn run(
    client: Client,
    seed: u64,
    wanted: watch::Receiver<Option<String>>,
    to: mpsc::Sender<Feed>,
) {
    let mut failed = 0;
    loop {
        let mut session = Session { client: &client, wanted: wanted.clone(), to: &to, was_live: false };
        let error = match session.run().await {
            Ok(()) => "the server has ended the stream".to_owned(),
            Err(error) => format!("{error:#}"),
        };
        failed = if session.was_live { 1 } else { failed + 1 };
        let delay_ms = proto::backoff::delay_ms(failed, seed);
        if to.send(Feed::Lost(error, delay_ms)).await.is_err() {
            return;
        }
        sleep(Duration::from_millis(delay_ms)).await;
    }
}

/// One connection.
struct Session<'c> {
    client: &'c Client,
    wanted: watch::Receiver<Option<String>>,
    to: &'c mpsc::Sender<Feed>,
    was_live: bool,
}

impl Session<'_> {
    async fn run(&mut self) -> anyhow::Result<()> {
        let mut events = self.client.events(STREAM).await?;
        self.wanted.mark_changed();
        let mut daemons = daemon_interval();
        loop {
            let feed = tokio::select! {
                received = events.next() => match received? {
                    Some(Received::Event { name, data }) => self.event(&name, &data).await?,
                    Some(Received::Comment) => Some(Feed::Alive),
                    None => return Ok(()),
                },
                _ = daemons.tick() => Some(Feed::Daemons(self.client.get("/api/v1/daemons").await?)),
                changed = self.wanted.changed() => {
                    changed?;
                    self.verdict().await
                }
            };
            if let Some(feed) = feed {
                self.to.send(feed).await?;
            }
        }
    }

    async fn event(&mut self, name: &str, data: &str) -> anyhow::Result<Option<Feed>> {
        match name {
            "incident" => {
                let change: Change = serde_json::from_str(data)?;
                Ok(Some(Feed::Changed(Box::new(change.incident))))
            }
            "topology" => Ok(self.hosts().await),
            // The stream begins, or lacks events: what is open now is read after the stream has begun, so that no change
            // between the two is missed.
            "hello" | "gap" | "dropped" => {
                self.was_live = true;
                if let Some(hosts) = self.hosts().await {
                    self.to.send(hosts).await?;
                }
                self.to.send(Feed::Latest(self.client.get(LATEST).await?)).await?;
                Ok(Some(Feed::Listed(self.client.get(OPEN).await?)))
            }
            _ => Ok(None),
        }
    }

    /// Reads the hosts; `None` if the server has no topology yet.
    async fn hosts(&self) -> Option<Feed> {
        let network: Network = self.optional("/api/v1/topology").await?;
        Some(Feed::Hosts(network.hosts()))
    }

    /// Reads the wanted diagnosis; `None` if it was removed meanwhile.
    async fn verdict(&mut self) -> Option<Feed> {
        let id = self.wanted.borrow_and_update().clone()?;
        let verdict: Verdict = self.optional(&format!("/api/v1/diagnoses/{id}")).await?;
        Some(Feed::Verdict(id, verdict))
    }

    async fn optional<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        self.client.get(path).await.ok()
    }
}

fn daemon_interval() -> Interval {
    let mut interval = interval(DAEMONS);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
