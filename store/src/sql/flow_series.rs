//! Rolled-up records of flows: added and read. `series` removes old ones.

use std::collections::BTreeMap;

use model::FlowKey;

use super::database::Link;
use super::series::{GROUP, MAX_SAMPLES, part};
use super::statement::{Value, sql};
use super::{Store, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::flow_rollup::{FlowRollup, FlowRollupKey};
use crate::rollup::Resolution;

/// The columns of [`FlowRollup`], after the start of the interval.
#[derive(sqlx::FromRow)]
struct Row {
    wall_ns: i64,
    time_ns: i64,
    epochs: i64,
    interval_ns: i64,
    packets: i64,
    bytes: Option<i64>,
    queued_packets: Option<i64>,
    paused_packets: i64,
    round_trips: i64,
    rtt_sum_ns: i64,
    rtt_max_ns: i64,
    base_rtt_ns: i64,
}

impl Store {
    /// Adds sums of records to those that are stored, in one transaction.
    ///
    /// # Errors
    /// The database fails. Nothing is added then.
    pub async fn add_flow_rollups(
        &self,
        rollups: &BTreeMap<FlowRollupKey, FlowRollup>,
    ) -> Result<(), StoreError> {
        let action = "store flow series";
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

    /// Returns the sums of `flow` whose interval starts at or after `since_wall_ns` and before `until_wall_ns`, the oldest
    /// first, each with the start of its interval; of more than `limit` the newest.
    ///
    /// # Errors
    /// The database fails.
    pub async fn flow_rollups(
        &self,
        flow: &FlowKey,
        resolution: Resolution,
        since_wall_ns: u64,
        until_wall_ns: u64,
        limit: u32,
    ) -> Result<BTreeMap<u64, FlowRollup>, StoreError> {
        let rows: Vec<Row> = sql(
            "SELECT wall_ns, time_ns, epochs, interval_ns, packets, bytes, queued_packets, paused_packets, round_trips, \
             rtt_sum_ns, rtt_max_ns, base_rtt_ns FROM flow_series \
             WHERE resolution_ns = $1 AND flow = $2 AND wall_ns >= $3 AND wall_ns < $4 ORDER BY wall_ns DESC LIMIT $5",
        )
        .bind(sql_ns(resolution.interval_ns()))
        .bind(flow.to_string())
        .bind(sql_ns(since_wall_ns))
        .bind(sql_ns(until_wall_ns))
        .bind(i64::from(limit))
        .fetch_all(&self.database)
        .await
        .during("read flow series")?;
        Ok(rows.into_iter().map(|row| (from_sql(row.wall_ns), rollup(&row))).collect())
    }
}

fn row(key: &FlowRollupKey, rollup: &FlowRollup) -> [Value; 14] {
    let optional = |count: Option<u64>| match count {
        Some(count) => part(count),
        None => Value::Number(None),
    };
    [
        sql_ns(key.resolution.interval_ns()).into(),
        sql_ns(key.wall_ns).into(),
        key.flow.to_string().into(),
        sql_ns(rollup.time_ns).into(),
        sql_ns(rollup.epochs.min(MAX_SAMPLES)).into(),
        part(rollup.interval_ns),
        part(rollup.packets),
        optional(rollup.bytes),
        optional(rollup.queued_packets),
        part(rollup.paused_packets),
        sql_ns(rollup.round_trips.min(MAX_SAMPLES)).into(),
        part(rollup.rtt_sum_ns),
        part(rollup.rtt_max_ns),
        part(rollup.base_rtt_ns),
    ]
}

fn rollup(row: &Row) -> FlowRollup {
    FlowRollup {
        time_ns: from_sql(row.time_ns),
        epochs: from_sql(row.epochs),
        interval_ns: from_sql(row.interval_ns),
        packets: from_sql(row.packets),
        bytes: row.bytes.map(from_sql),
        queued_packets: row.queued_packets.map(from_sql),
        paused_packets: from_sql(row.paused_packets),
        round_trips: from_sql(row.round_trips),
        rtt_sum_ns: from_sql(row.rtt_sum_ns),
        rtt_max_ns: from_sql(row.rtt_max_ns),
        base_rtt_ns: from_sql(row.base_rtt_ns),
    }
}

/// Adds rows of different intervals. Nothing is added to an interval that has [`MAX_SAMPLES`] epochs or round trips.
async fn add(tx: &mut Link, rows: &[[Value; 14]]) -> Result<(), sqlx::Error> {
    let mut query = sql(
        "INSERT INTO flow_series (resolution_ns, wall_ns, flow, time_ns, epochs, interval_ns, packets, bytes, \
         queued_packets, paused_packets, round_trips, rtt_sum_ns, rtt_max_ns, base_rtt_ns)",
    );
    query.push_rows(rows.iter().cloned());
    query.push(
        " ON CONFLICT (resolution_ns, flow, wall_ns) DO UPDATE SET \
         time_ns = CASE WHEN excluded.time_ns > flow_series.time_ns THEN excluded.time_ns ELSE flow_series.time_ns END, \
         epochs = flow_series.epochs + excluded.epochs, \
         interval_ns = flow_series.interval_ns + excluded.interval_ns, \
         packets = flow_series.packets + excluded.packets, \
         bytes = COALESCE(flow_series.bytes + excluded.bytes, flow_series.bytes, excluded.bytes), \
         queued_packets = COALESCE(flow_series.queued_packets + excluded.queued_packets, flow_series.queued_packets, \
         excluded.queued_packets), \
         paused_packets = flow_series.paused_packets + excluded.paused_packets, \
         round_trips = flow_series.round_trips + excluded.round_trips, \
         rtt_sum_ns = flow_series.rtt_sum_ns + excluded.rtt_sum_ns, \
         rtt_max_ns = CASE WHEN excluded.rtt_max_ns > flow_series.rtt_max_ns THEN excluded.rtt_max_ns \
         ELSE flow_series.rtt_max_ns END, \
         base_rtt_ns = CASE WHEN excluded.base_rtt_ns > flow_series.base_rtt_ns THEN excluded.base_rtt_ns \
         ELSE flow_series.base_rtt_ns END \
         WHERE flow_series.epochs < ",
    );
    query.push_bind(sql_ns(MAX_SAMPLES));
    query.push(" AND flow_series.round_trips < ").push_bind(sql_ns(MAX_SAMPLES));
    query.execute(tx).await.map(drop)
}
