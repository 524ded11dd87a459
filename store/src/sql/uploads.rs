//! Storage of what daemons upload: each record once, whatever its sender repeats.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::database::{At, Database, Link};
use super::statement::{scalar, sql};
use super::{Store, check_id, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::limits::{MAX_PAGE_ROWS, PRUNE_EVERY};

/// Name of the fact that counts the records of the inbox.
const ARRIVALS: &str = "arrivals";

/// A record that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The daemon that sent it: `agent/h1`, `controller/c1`, `watcher/w1`.
    pub sender: String,
    /// The start of the daemon that made the record.
    pub boot_id: String,
    /// The record's number in that start, from 1.
    pub sequence: u64,
    /// Number of records before this one that the sender dropped.
    pub lost_before: u64,
    /// The sender's wall clock when it made the record.
    pub time_ns: u64,
    /// What to add to the sender's clock to get that of the server, if known.
    pub offset_ns: Option<i64>,
    /// Maximum error of the offset.
    pub error_ns: u64,
    /// The server's wall clock.
    pub received_ns: u64,
    /// The content.
    pub content: Content,
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// To be processed later: see [`Store::inbox`].
    Inbox(Vec<u8>),
    /// To be kept: kind and JSON.
    Report(&'static str, String),
    /// To be kept until the next one of this sender and kind: kind and JSON.
    Latest(&'static str, String),
    /// Only its number is stored.
    Nothing,
}

/// A record of the inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRow {
    /// Its number in order of arrival.
    pub arrival: u64,
    /// The daemon that sent it.
    pub sender: String,
    /// The start of that daemon.
    pub boot_id: String,
    /// The sender's wall clock when it made the record.
    pub time_ns: u64,
    /// What to add to the sender's clock to get that of the server, if known.
    pub offset_ns: Option<i64>,
    /// Maximum error of the offset.
    pub error_ns: u64,
    /// The server's wall clock when it arrived.
    pub received_ns: u64,
    /// The content.
    pub body: Vec<u8>,
}

/// A report of a host or controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The daemon that sent it.
    pub sender: String,
    /// The start of that daemon.
    pub boot_id: String,
    /// The record's number in that start.
    pub sequence: u64,
    /// `trigger`, `rounds`, `counters`, `notice` or `host-report`.
    pub kind: String,
    /// The sender's wall clock when it made the record.
    pub time_ns: u64,
    /// What to add to the sender's clock to get that of the server, if known.
    pub offset_ns: Option<i64>,
    /// Maximum error of the offset.
    pub error_ns: u64,
    /// The content.
    pub body: serde_json::Value,
}

impl Content {
    /// Bytes that it takes in the inbox.
    fn inbox_bytes(&self) -> u64 {
        match self {
            Content::Inbox(body) => body.len() as u64,
            Content::Report(..) | Content::Latest(..) | Content::Nothing => 0,
        }
    }
}

impl Store {
    /// Stores records in one transaction. Returns for each whether it is new; one that is stored already, or is older
    /// than a stored one of the same start of its sender, changes nothing.
    ///
    /// # Errors
    /// The database fails, or there are records for the inbox and it is full. Nothing is stored then.
    pub async fn accept(&self, arrivals: &[Arrival]) -> Result<Vec<bool>, StoreError> {
        let action = "store an upload";
        if self.inbox_is_full() && arrivals.iter().any(|arrival| arrival.content.inbox_bytes() > 0) {
            return Err(StoreError::InboxFull { bytes: self.inbox_bytes() });
        }
        let accepted = self.accept_all(arrivals, action).await;
        let new = self.note_write(accepted)?;
        let stored = arrivals.iter().zip(&new).filter(|(_, is_new)| **is_new);
        let bytes: u64 = stored.map(|(arrival, _)| arrival.content.inbox_bytes()).sum();
        self.inbox_bytes.fetch_add(bytes, Ordering::Relaxed);
        let count = new.iter().filter(|is_new| **is_new).count() as u64;
        let before = self.arrivals.fetch_add(count, Ordering::Relaxed);
        if before / PRUNE_EVERY != (before + count) / PRUNE_EVERY {
            // The records are stored whether or not this succeeds.
            if let Err(error) = self.prune_uploads().await {
                tracing::warn!(%error, "old reports are not removed");
            }
        }
        Ok(new)
    }

    async fn accept_all(&self, arrivals: &[Arrival], action: &'static str) -> Result<Vec<bool>, StoreError> {
        let mut tx = self.write(action).await?;
        let mut new = Vec::with_capacity(arrivals.len());
        for arrival in arrivals {
            check_id(&arrival.sender)?;
            check_id(&arrival.boot_id)?;
            let is_new = advance(&mut tx, arrival).await.during(action)?;
            if is_new {
                insert(&mut tx, arrival).await.during(action)?;
            }
            new.push(is_new);
        }
        tx.commit().await.during(action)?;
        Ok(new)
    }

    /// Lists the oldest records of the inbox after the record `after`, of senders of a kind: `controller`, `watcher`.
    ///
    /// # Errors
    /// The database fails.
    pub async fn inbox(&self, kind: &str, after: u64, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        type Row = (i64, String, String, i64, Option<i64>, i64, i64, Vec<u8>);
        let rows: Vec<Row> =
            sql("SELECT arrival, sender, boot, time_ns, offset_ns, error_ns, received_ns, body FROM inbox \
             WHERE arrival > $1 AND sender LIKE $3 ORDER BY arrival LIMIT $2")
            .bind(sql_ns(after))
            .bind(i64::from(limit))
            .bind(format!("{kind}/%"))
            .fetch_all(&self.database)
            .await
            .during("read uploads")?;
        let row =
            |(arrival, sender, boot_id, time_ns, offset_ns, error_ns, received_ns, body): Row| InboxRow {
                arrival: from_sql(arrival),
                sender,
                boot_id,
                time_ns: from_sql(time_ns),
                offset_ns,
                error_ns: from_sql(error_ns),
                received_ns: from_sql(received_ns),
                body,
            };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Removes a record that has been processed from the inbox.
    ///
    /// # Errors
    /// The database fails.
    pub async fn processed(&self, arrival: u64) -> Result<(), StoreError> {
        let removed: Option<i64> =
            scalar("DELETE FROM inbox WHERE arrival = $1 RETURNING CAST(LENGTH(body) AS BIGINT)")
                .bind(sql_ns(arrival))
                .fetch_optional(At::Writer(&self.database))
                .await
                .during("remove a processed upload")?;
        self.inbox_bytes.fetch_sub(removed.map_or(0, from_sql), Ordering::Relaxed);
        Ok(())
    }

    /// Returns the bytes of the records in the inbox.
    pub fn inbox_bytes(&self) -> u64 {
        self.inbox_bytes.load(Ordering::Relaxed)
    }

    /// Whether the inbox takes no further records.
    pub fn inbox_is_full(&self) -> bool {
        self.inbox_bytes() >= self.limits.inbox_bytes
    }

    /// Lists the latest reports of a kind in the order of their arrival; of all senders if `sender` is absent.
    ///
    /// # Errors
    /// The database fails, or a stored body cannot be read.
    pub async fn reports(
        &self,
        sender: Option<&str>,
        kind: &str,
        limit: u32,
    ) -> Result<Vec<Report>, StoreError> {
        type Row = (String, String, i64, i64, Option<i64>, i64, String);
        let rows: Vec<Row> = sql(
            "SELECT sender, boot, sequence, time_ns, offset_ns, error_ns, body FROM reports \
             WHERE kind = $1 AND ($2 = '' OR sender = $2) ORDER BY received_ns DESC, sender, boot, sequence DESC LIMIT $3",
        )
        .bind(kind)
        .bind(sender.unwrap_or_default())
        .bind(i64::from(limit.min(MAX_PAGE_ROWS)))
        .fetch_all(&self.database)
        .await
        .during("list reports")?;
        let report = |(sender, boot_id, sequence, time_ns, offset_ns, error_ns, body): Row| {
            let body = super::decode("report", &format!("{sender} {boot_id} {sequence}"), &body)?;
            Ok(Report {
                sender,
                boot_id,
                sequence: from_sql(sequence),
                kind: kind.to_string(),
                time_ns: from_sql(time_ns),
                offset_ns,
                error_ns: from_sql(error_ns),
                body,
            })
        };
        rows.into_iter().rev().map(report).collect()
    }

    /// Returns a fact about the store. The first call with a name sets it to `initial`; it never changes, e.g. the wall
    /// clock at which the store's switch time starts, so that the times of two runs are never mixed.
    ///
    /// # Errors
    /// The database fails.
    pub async fn fact(&self, name: &str, initial: u64) -> Result<u64, StoreError> {
        sql("INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
            .bind(name)
            .bind(sql_ns(initial))
            .execute(At::Writer(&self.database))
            .await
            .during("store a fact")?;
        let value: i64 = scalar("SELECT value FROM facts WHERE name = $1")
            .bind(name)
            .fetch_one(&self.database)
            .await
            .during("read a fact")?;
        Ok(from_sql(value))
    }
}

/// Returns the bytes of the records that an earlier process has left in the inbox.
pub(super) async fn inbox_bytes(database: &Database) -> Result<u64, StoreError> {
    let bytes: i64 = scalar("SELECT COALESCE(SUM(LENGTH(body)), 0) FROM inbox")
        .fetch_one(database)
        .await
        .during("measure the inbox")?;
    Ok(from_sql(bytes))
}

/// Moves the sender's last number on. Returns whether the record is new.
async fn advance(tx: &mut Link, arrival: &Arrival) -> Result<bool, sqlx::Error> {
    let changed = sql(
        "INSERT INTO sources (sender, boot, last_sequence, lost, updated_ns) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (sender, boot) DO UPDATE SET last_sequence = excluded.last_sequence, \
         lost = sources.lost + excluded.lost, updated_ns = excluded.updated_ns \
         WHERE sources.last_sequence < excluded.last_sequence",
    )
    .bind(&arrival.sender)
    .bind(&arrival.boot_id)
    .bind(sql_ns(arrival.sequence))
    .bind(sql_ns(arrival.lost_before))
    .bind(sql_ns(arrival.received_ns))
    .execute(&mut *tx)
    .await?;
    Ok(changed > 0)
}

async fn insert(tx: &mut Link, arrival: &Arrival) -> Result<(), sqlx::Error> {
    match &arrival.content {
        Content::Nothing => {}
        Content::Inbox(body) => {
            // Numbers are never used again, also after a row is removed: a reader continues after the last one it saw.
            let number: i64 = scalar(
                "INSERT INTO facts (name, value) VALUES ($1, 1) \
                 ON CONFLICT (name) DO UPDATE SET value = facts.value + 1 RETURNING value",
            )
            .bind(ARRIVALS)
            .fetch_one(&mut *tx)
            .await?;
            sql(
                "INSERT INTO inbox (arrival, sender, boot, sequence, time_ns, offset_ns, error_ns, received_ns, body) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(number)
            .bind(&arrival.sender)
            .bind(&arrival.boot_id)
            .bind(sql_ns(arrival.sequence))
            .bind(sql_ns(arrival.time_ns))
            .bind(arrival.offset_ns)
            .bind(sql_ns(arrival.error_ns))
            .bind(sql_ns(arrival.received_ns))
            .bind(body)
            .execute(&mut *tx)
            .await?;
        }
        Content::Report(kind, body) | Content::Latest(kind, body) => {
            if matches!(arrival.content, Content::Latest(..)) {
                sql("DELETE FROM reports WHERE sender = $1 AND kind = $2")
                    .bind(&arrival.sender)
                    .bind(*kind)
                    .execute(&mut *tx)
                    .await?;
            }
            sql(
                "INSERT INTO reports (sender, boot, sequence, kind, time_ns, offset_ns, error_ns, received_ns, body) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (sender, boot, sequence) DO NOTHING",
            )
            .bind(&arrival.sender)
            .bind(&arrival.boot_id)
            .bind(sql_ns(arrival.sequence))
            .bind(*kind)
            .bind(sql_ns(arrival.time_ns))
            .bind(arrival.offset_ns)
            .bind(sql_ns(arrival.error_ns))
            .bind(sql_ns(arrival.received_ns))
            .bind(body)
            .execute(&mut *tx)
            .await?;
        }
    }
    Ok(())
}
