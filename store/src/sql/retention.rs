//! What is kept, and for how long: [`crate::Limits`] states the limits.
//!
//! The oldest rows are removed first, in the order of their arrival. A removal never touches the representative diagnosis
//! of an incident with a note, those that its notes are about, their graphs and their snapshots: feedback and handling are
//! notes. Nor does it touch the inbox: what is acknowledged is processed first.

use super::database::{At, Database, Link};
use super::records::CURRENT;
use super::series::Series;
use super::statement::{scalar, sql};
use super::stats::Pages;
use super::{Store, from_sql, series, sql_ns};
use crate::error::{During, StoreError};
use crate::limits::STARTS;
use crate::rollup::Resolution;

/// The rows of `diagnoses` and `snapshots` that stay whatever the limits are, without the last bracket.
const IS_KEPT: &str = "id IN (SELECT diagnosis FROM notes WHERE diagnosis IS NOT NULL UNION \
                       SELECT diagnosis FROM incidents i WHERE i.feedback IS NOT NULL \
                       OR EXISTS (SELECT 1 FROM notes n WHERE n.incident = i.id)";
/// The part of each table that one step removes while the store is larger than its limit.
const STEP: u64 = 16;

/// The rows that a removal has removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Diagnoses, each with its graph.
    pub diagnoses: u64,
    /// Incidents, whose last diagnosis was removed.
    pub incidents: u64,
    /// Snapshots, those of removed diagnoses included.
    pub snapshots: u64,
    /// Reports of hosts and controllers.
    pub reports: u64,
    /// Seconds and minutes of port and flow series.
    pub series: u64,
}

impl Removed {
    /// Whether there was nothing to remove.
    pub fn is_nothing(&self) -> bool {
        *self == Removed::default()
    }

    fn add(&mut self, other: Removed) {
        self.diagnoses += other.diagnoses;
        self.incidents += other.incidents;
        self.snapshots += other.snapshots;
        self.reports += other.reports;
        self.series += other.series;
    }
}

impl Store {
    /// Removes what [`crate::Limits`] no longer keep at `wall_ns`: the oldest rows above their number, rows above their
    /// age, and the oldest rows while the store is too large; then incidents without a diagnosis. [`Store::record`] calls
    /// it once every [`crate::PRUNE_EVERY`] new diagnoses. Returns what was removed.
    ///
    /// # Errors
    /// The database fails. What an earlier step has removed stays removed.
    pub async fn prune(&self, wall_ns: u64) -> Result<Removed, StoreError> {
        let action = "remove old rows";
        let mut tx = self.write(action).await?;
        let mut removed = self.prune_by_number(&mut tx).await.during(action)?;
        if let Some(max_age_ns) = self.limits.max_age_ns {
            let before = sql_ns(wall_ns.saturating_sub(max_age_ns));
            removed.add(prune_by_age(&mut tx, before).await.during(action)?);
        }
        removed.series = series::prune(&mut tx, &self.limits, wall_ns).await.during(action)?;
        if removed.diagnoses > 0 {
            removed.incidents += super::assign::repair_after_removal(&mut tx).await.during(action)?;
            removed.snapshots += remove_unused_snapshots(&mut tx).await.during(action)?;
        }
        remove_unused_topologies(&mut tx).await.during(action)?;
        tx.commit().await.during(action)?;
        if removed.diagnoses > 0 {
            self.outlines.clear();
        }
        if let Some(max_bytes) = self.limits.max_bytes {
            removed.add(self.prune_by_bytes(max_bytes).await?);
        }
        Ok(removed)
    }

    async fn prune_by_number(&self, tx: &mut Link) -> Result<Removed, sqlx::Error> {
        Ok(Removed {
            diagnoses: remove_but(tx, Table::Diagnoses, self.limits.diagnoses.into()).await?,
            incidents: 0,
            snapshots: remove_but(tx, Table::Snapshots, self.limits.snapshots.into()).await?,
            reports: remove_reports_but(tx, self.limits.reports.into()).await?,
            series: 0,
        })
    }

    /// Removes the oldest part of each table, one transaction a step, until the store fits or nothing is left to remove.
    async fn prune_by_bytes(&self, max_bytes: u64) -> Result<Removed, StoreError> {
        let action = "remove rows of a store that is too large";
        let mut removed = Removed::default();
        loop {
            let mut tx = self.write(action).await?;
            if Pages::read(&mut tx).await.during(action)?.used_bytes() <= max_bytes {
                return Ok(removed);
            }
            let step = remove_step(&mut tx).await.during(action)?;
            tx.commit().await.during(action)?;
            self.outlines.clear();
            if step.is_nothing() {
                tracing::warn!(max_bytes, "the store is larger than its limit, and all of it is kept");
                return Ok(removed);
            }
            removed.add(step);
        }
    }

    /// Removes the reports above their limits, and all but the latest starts of each sender.
    pub(super) async fn prune_uploads(&self) -> Result<(), StoreError> {
        let action = "remove old reports";
        let mut tx = self.write(action).await?;
        remove_reports_but(&mut tx, self.limits.reports.into()).await.during(action)?;
        sql(
            "DELETE FROM sources WHERE EXISTS (SELECT 1 FROM (SELECT sender AS of, boot AS start, ROW_NUMBER() OVER \
             (PARTITION BY sender ORDER BY updated_ns DESC, boot) AS place FROM sources) AS ranked \
             WHERE ranked.of = sources.sender AND ranked.start = sources.boot AND ranked.place > $1)",
        )
        .bind(i64::from(STARTS))
        .execute(&mut tx)
        .await
        .during(action)?;
        tx.commit().await.during(action)
    }

    /// Gives the room of removed rows back to the file system. It writes the whole file anew, or each table on a
    /// PostgreSQL server, needs as much free room meanwhile, and lets no other write happen.
    ///
    /// # Errors
    /// The database fails. The rows are as they were then.
    pub async fn compact(&self) -> Result<(), StoreError> {
        if matches!(self.database, Database::Postgres { .. }) {
            return super::postgres::compact(&self.database).await.during("compact its tables");
        }
        for statement in ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"] {
            sql(statement).execute(At::Writer(&self.database)).await.during("compact its file")?;
        }
        Ok(())
    }
}

/// A table with arrivals and rows that are kept.
#[derive(Clone, Copy)]
enum Table {
    Diagnoses,
    Snapshots,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Table::Diagnoses => "diagnoses",
            Table::Snapshots => "snapshots",
        }
    }
}

/// Removes all but the newest `keep` rows.
async fn remove_but(tx: &mut Link, table: Table, keep: i64) -> Result<u64, sqlx::Error> {
    let mut query = sql("SELECT wall_ns, time_ns, id FROM ");
    query.push(table.name()).push(" ORDER BY wall_ns DESC, time_ns DESC, id DESC LIMIT 1 OFFSET ");
    query.push_bind(keep);
    let last: Option<(i64, i64, String)> = query.fetch_optional(&mut *tx).await?;
    let Some((wall_ns, time_ns, id)) = last else { return Ok(0) };
    let mut query = sql("DELETE FROM ");
    query.push(table.name()).push(" WHERE (wall_ns, time_ns, id) <= (").push_bind(wall_ns);
    query.push(", ").push_bind(time_ns).push(", ").push_bind(id);
    query.push(") AND NOT ").push(IS_KEPT).push(")");
    query.execute(tx).await
}

async fn remove_reports_but(tx: &mut Link, keep: i64) -> Result<u64, sqlx::Error> {
    let last: Option<i64> =
        scalar("SELECT received_ns FROM reports ORDER BY received_ns DESC LIMIT 1 OFFSET $1")
            .bind(keep)
            .fetch_optional(&mut *tx)
            .await?;
    let Some(last) = last else { return Ok(0) };
    let removed = sql("DELETE FROM reports WHERE received_ns <= $1").bind(last).execute(tx).await?;
    Ok(removed)
}

/// Removes what has arrived before `before`. The representative diagnosis of an incident that lasts stays. A row that an
/// older version has stored without its arrival has no age.
async fn prune_by_age(tx: &mut Link, before: i64) -> Result<Removed, sqlx::Error> {
    let mut removed = Removed::default();
    for (table, count) in
        [(Table::Diagnoses, &mut removed.diagnoses), (Table::Snapshots, &mut removed.snapshots)]
    {
        let mut query = sql("DELETE FROM ");
        query.push(table.name()).push(" WHERE wall_ns > 0 AND wall_ns < ").push_bind(before);
        query.push(" AND NOT ").push(IS_KEPT).push(" OR i.end_ns IS NULL)");
        *count = query.execute(&mut *tx).await?;
    }
    let reports = sql("DELETE FROM reports WHERE received_ns < $1").bind(before).execute(tx).await?;
    removed.reports = reports;
    Ok(removed)
}

/// Removes the snapshots of diagnoses that are gone.
async fn remove_unused_snapshots(tx: &mut Link) -> Result<u64, sqlx::Error> {
    sql("DELETE FROM snapshots WHERE NOT EXISTS (SELECT 1 FROM diagnoses d WHERE d.id = snapshots.id)")
        .execute(tx)
        .await
}

/// Removes the topologies of notes that are gone.
async fn remove_unused_topologies(tx: &mut Link) -> Result<u64, sqlx::Error> {
    sql("DELETE FROM topologies WHERE name <> $1 \
         AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.topology = topologies.name)")
    .bind(CURRENT)
    .execute(tx)
    .await
}

/// Removes the oldest part of each table.
async fn remove_step(tx: &mut Link) -> Result<Removed, sqlx::Error> {
    let mut removed = Removed::default();
    for (table, count) in
        [(Table::Diagnoses, &mut removed.diagnoses), (Table::Snapshots, &mut removed.snapshots)]
    {
        let mut query = sql("SELECT COUNT(*) FROM ");
        query.push(table.name()).push(" WHERE NOT ").push(IS_KEPT).push(")");
        let rows: i64 = query.scalar().fetch_one(&mut *tx).await?;
        let mut query = sql("DELETE FROM ");
        query.push(table.name()).push(" WHERE id IN (SELECT id FROM ").push(table.name());
        query.push(" WHERE NOT ").push(IS_KEPT).push(") ORDER BY wall_ns, time_ns, id LIMIT ");
        query.push_bind(part(rows)).push(")");
        *count = query.execute(&mut *tx).await?;
    }
    let reports: i64 = scalar("SELECT COUNT(*) FROM reports").fetch_one(&mut *tx).await?;
    removed.reports = remove_reports_but(tx, reports - part(reports)).await?;
    for (series, resolution) in
        Series::ALL.into_iter().flat_map(|series| Resolution::ALL.map(|resolution| (series, resolution)))
    {
        let rows = series::rows(tx, series, resolution).await?;
        removed.series += series::remove_but(tx, series, resolution, rows - part(rows)).await?;
    }
    if removed.diagnoses > 0 {
        removed.incidents = super::assign::repair_after_removal(tx).await?;
        removed.snapshots += remove_unused_snapshots(tx).await?;
    }
    Ok(removed)
}

/// The rows of a table that one step removes: a part, rounded up.
fn part(rows: i64) -> i64 {
    sql_ns(from_sql(rows).div_ceil(STEP))
}
