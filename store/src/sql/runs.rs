//! Runs of simulated networks, whose clocks start at 0 again.

use std::sync::atomic::Ordering;

use super::database::Link;
use super::statement::{scalar, sql};
use super::{Store, from_sql, sql_ns};
use crate::error::{During, StoreError};

/// Name of the fact that counts the runs.
pub(super) const RUNS: &str = "runs";

impl Store {
    /// Begins a run of a simulated network: its clock starts at 0, and with the same seed it makes the same diagnoses.
    /// Ids of later diagnoses and incidents end in the number of the run, they join incidents of this run only, and
    /// incidents of earlier runs end. A network with a clock that goes on has no runs. Returns the number of the run.
    ///
    /// # Errors
    /// The database fails.
    pub async fn begin_run(&self) -> Result<u64, StoreError> {
        let action = "begin a run";
        let mut tx = self.write(action).await?;
        let run: i64 = scalar(
            "INSERT INTO facts (name, value) VALUES ($1, 1) \
             ON CONFLICT (name) DO UPDATE SET value = facts.value + 1 RETURNING value",
        )
        .bind(RUNS)
        .fetch_one(&mut tx)
        .await
        .during(action)?;
        end_others(&mut tx, run).await.during(action)?;
        tx.commit().await.during(action)?;
        self.run.store(from_sql(run), Ordering::Relaxed);
        Ok(from_sql(run))
    }

    /// Ends the incidents of other runs than the present one: no diagnosis will follow. A network with a clock that goes on may
    /// be given the store of a simulated one.
    ///
    /// # Errors
    /// The database fails.
    pub async fn end_other_runs(&self) -> Result<(), StoreError> {
        let action = "end the incidents of other runs";
        let mut tx = self.write(action).await?;
        end_others(&mut tx, self.run()).await.during(action)?;
        tx.commit().await.during(action)
    }

    /// Returns the number of the present run; 0 for a network with a clock that goes on.
    pub fn present_run(&self) -> u64 {
        self.run.load(Ordering::Relaxed)
    }

    /// Returns the number of the run, for a column.
    pub(super) fn run(&self) -> i64 {
        sql_ns(self.run.load(Ordering::Relaxed))
    }

    /// Returns the id under which a diagnosis of this run is stored.
    pub(super) fn id_in_run(&self, id: &str) -> String {
        match self.run.load(Ordering::Relaxed) {
            0 => id.to_string(),
            run => format!("{id}-{run}"),
        }
    }
}

async fn end_others(tx: &mut Link, run: i64) -> Result<(), sqlx::Error> {
    let ended = sql("UPDATE incidents SET end_ns = update_ns WHERE end_ns IS NULL AND run <> $1");
    ended.bind(run).execute(tx).await?;
    Ok(())
}
