//! The victims that an incident shows: the first of them and their number are stored with it, so that a list of incidents
//! does not read the members of each.

use model::FlowKey;

use super::database::Link;
use super::statement::{scalar, sql};
use crate::limits::INCIDENT_VICTIMS;

/// Stores the first [`INCIDENT_VICTIMS`] victims of an incident in the order of their text, and the number of all. A flow
/// that the representative diagnosis names as a culprit is none.
pub(super) async fn list(tx: &mut Link, incident: &str) -> Result<(), sqlx::Error> {
    let first: Vec<String> = scalar(
        "SELECT flow FROM incident_flows WHERE incident = $1 AND is_victim = 1 AND is_culprit = 0 \
         ORDER BY flow LIMIT $2",
    )
    .bind(incident)
    .bind(i64::from(INCIDENT_VICTIMS))
    .fetch_all(&mut *tx)
    .await?;
    sql("UPDATE incidents SET victims = $2, victim_count = (SELECT COUNT(*) FROM incident_flows \
         WHERE incident = $1 AND is_victim = 1 AND is_culprit = 0) WHERE id = $1")
    .bind(incident)
    .bind(first.join(" "))
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the flows of a column that [`list`] has written.
pub(super) fn listed(column: Option<&str>) -> Vec<FlowKey> {
    // The column is written from flow keys; a value that was edited by hand and is none is left out.
    column.unwrap_or_default().split_whitespace().filter_map(|flow| flow.parse().ok()).collect()
}
