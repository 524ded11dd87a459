//! Rolled-up samples of ports: added and read. Those of ports and of flows are removed when they are old.

use std::collections::BTreeMap;

use model::PortRef;

use super::database::Link;
use super::statement::{Value, sql};
use super::{Store, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::limits::Limits;
use crate::rollup::{Resolution, Rollup, RollupKey};

/// Rows of one statement: eleven parameters each, or fourteen.
pub(super) const GROUP: usize = 500;

/// Samples of an interval to which no further ones are added: 8,738 a second for a minute. With [`MAX_PART`] it keeps sums
/// within 2^62, whatever the sender of a sample claims.
pub(super) const MAX_SAMPLES: u64 = 1 << 19;
/// The largest number that is added to a sum: 8.8 TB or 2.4 h. A minute of 800 Gb/s is 6 TB.
const MAX_PART: u64 = 1 << 43;

/// The columns of [`Rollup`] and the start of its interval.
type Row = (i64, i64, i64, i64, i64, i64, i64, i64, i64);

impl Store {
    /// Adds sums of samples to those that are stored, in one transaction.
    ///
    /// # Errors
    /// The database fails. Nothing is added then.
    pub async fn add_rollups(&self, rollups: &BTreeMap<RollupKey, Rollup>) -> Result<(), StoreError> {
        let action = "store port series";
        if rollups.is_empty() {
            return Ok(());
        }
        let mut tx = self.write(action).await?;
        let rows: Vec<_> = rollups.iter().map(|(key, rollup)| row(key, rollup)).collect();
        for group in rows.chunks(GROUP) {
            add(&mut tx, group).await.during(action)?;
        }
        tx.commit().await.during(action)
    }

    /// Returns the sums of `port` whose interval starts at or after `since_wall_ns` and before `until_wall_ns`, the
    /// oldest first, each with the start of its interval; of more than `limit` the newest.
    ///
    /// # Errors
    /// The database fails.
    pub async fn rollups(
        &self,
        port: &PortRef,
        resolution: Resolution,
        since_wall_ns: u64,
        until_wall_ns: u64,
        limit: u32,
    ) -> Result<BTreeMap<u64, Rollup>, StoreError> {
        let rows: Vec<Row> = sql(
            "SELECT wall_ns, time_ns, samples, interval_ns, paused_ns, priorities, tx_bytes, queue_max_bytes, \
             queue_sum_bytes FROM port_series WHERE resolution_ns = $1 AND port = $2 AND wall_ns >= $3 AND wall_ns < $4 \
             ORDER BY wall_ns DESC LIMIT $5",
        )
        .bind(sql_ns(resolution.interval_ns()))
        .bind(port.to_string())
        .bind(sql_ns(since_wall_ns))
        .bind(sql_ns(until_wall_ns))
        .bind(i64::from(limit))
        .fetch_all(&self.database)
        .await
        .during("read port series")?;
        Ok(rows.into_iter().map(rollup).collect())
    }
}

fn row(key: &RollupKey, rollup: &Rollup) -> [Value; 11] {
    [
        sql_ns(key.resolution.interval_ns()).into(),
        sql_ns(key.wall_ns).into(),
        key.port.to_string().into(),
        sql_ns(rollup.time_ns).into(),
        sql_ns(rollup.samples.min(MAX_SAMPLES)).into(),
        part(rollup.interval_ns),
        part(rollup.paused_ns),
        i64::from(rollup.priorities).into(),
        part(rollup.tx_bytes),
        sql_ns(rollup.queue_max_bytes).into(),
        part(rollup.queue_sum_bytes),
    ]
}

/// A part of a sum, at most [`MAX_PART`].
pub(super) fn part(number: u64) -> Value {
    sql_ns(number.min(MAX_PART)).into()
}

fn rollup(row: Row) -> (u64, Rollup) {
    let rollup = Rollup {
        time_ns: from_sql(row.1),
        samples: from_sql(row.2),
        interval_ns: from_sql(row.3),
        paused_ns: from_sql(row.4),
        priorities: u8::try_from(row.5).unwrap_or(0),
        tx_bytes: from_sql(row.6),
        queue_max_bytes: from_sql(row.7),
        queue_sum_bytes: from_sql(row.8),
    };
    (from_sql(row.0), rollup)
}

/// Adds rows of different intervals. Nothing is added to an interval that has [`MAX_SAMPLES`].
async fn add(tx: &mut Link, rows: &[[Value; 11]]) -> Result<(), sqlx::Error> {
    let mut query = sql(
        "INSERT INTO port_series (resolution_ns, wall_ns, port, time_ns, samples, interval_ns, paused_ns, priorities, \
         tx_bytes, queue_max_bytes, queue_sum_bytes)",
    );
    query.push_rows(rows.iter().cloned());
    query.push(
        " ON CONFLICT (resolution_ns, port, wall_ns) DO UPDATE SET \
         time_ns = CASE WHEN excluded.time_ns > port_series.time_ns THEN excluded.time_ns ELSE port_series.time_ns END, \
         samples = port_series.samples + excluded.samples, \
         interval_ns = port_series.interval_ns + excluded.interval_ns, \
         paused_ns = port_series.paused_ns + excluded.paused_ns, \
         priorities = port_series.priorities | excluded.priorities, \
         tx_bytes = port_series.tx_bytes + excluded.tx_bytes, \
         queue_max_bytes = CASE WHEN excluded.queue_max_bytes > port_series.queue_max_bytes \
         THEN excluded.queue_max_bytes ELSE port_series.queue_max_bytes END, \
         queue_sum_bytes = port_series.queue_sum_bytes + excluded.queue_sum_bytes \
         WHERE port_series.samples < ",
    );
    query.push_bind(sql_ns(MAX_SAMPLES));
    query.execute(tx).await.map(drop)
}

/// A table with rows of intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Series {
    Ports,
    Flows,
}

impl Series {
    pub(super) const ALL: [Series; 2] = [Series::Ports, Series::Flows];

    fn table(self) -> &'static str {
        match self {
            Series::Ports => "port_series",
            Series::Flows => "flow_series",
        }
    }
}

/// Removes the rows of each resolution that are older than its limit at `wall_ns`, and the oldest above the number of rows.
/// Returns how many.
pub(super) async fn prune(tx: &mut Link, limits: &Limits, wall_ns: u64) -> Result<u64, sqlx::Error> {
    let mut removed = 0;
    for series in Series::ALL {
        for resolution in Resolution::ALL {
            let before = sql_ns(wall_ns.saturating_sub(limits.series_age_ns(resolution)));
            removed += remove_before(tx, series, resolution, before).await?;
            removed += remove_but(tx, series, resolution, limits.series_rows.into()).await?;
        }
    }
    Ok(removed)
}

/// Removes the oldest rows of a resolution until at most `keep` are left.
pub(super) async fn remove_but(
    tx: &mut Link,
    series: Series,
    resolution: Resolution,
    keep: i64,
) -> Result<u64, sqlx::Error> {
    // The rows of one interval go together, so that no port or flow has a gap that others do not have.
    let mut query = sql("SELECT wall_ns FROM ");
    query.push(series.table()).push(" WHERE resolution_ns = ").push_bind(sql_ns(resolution.interval_ns()));
    query.push(" ORDER BY wall_ns DESC LIMIT 1 OFFSET ").push_bind(keep);
    let last: Option<i64> = query.scalar().fetch_optional(&mut *tx).await?;
    match last {
        Some(last) => remove_before(tx, series, resolution, last.saturating_add(1)).await,
        None => Ok(0),
    }
}

/// Returns the number of rows of a resolution.
pub(super) async fn rows(tx: &mut Link, series: Series, resolution: Resolution) -> Result<i64, sqlx::Error> {
    let mut query = sql("SELECT COUNT(*) FROM ");
    query.push(series.table()).push(" WHERE resolution_ns = ").push_bind(sql_ns(resolution.interval_ns()));
    query.scalar().fetch_one(tx).await
}

async fn remove_before(
    tx: &mut Link,
    series: Series,
    resolution: Resolution,
    before: i64,
) -> Result<u64, sqlx::Error> {
    let mut query = sql("DELETE FROM ");
    query.push(series.table()).push(" WHERE resolution_ns = ").push_bind(sql_ns(resolution.interval_ns()));
    query.push(" AND wall_ns < ").push_bind(before);
    query.execute(tx).await
}
