//! The victims that an incident shows: the first of them and their number are stored with it, so that a list of incidents
//! does not read the members of each.

use std::collections::BTreeMap;

use model::FlowKey;

use super::MAX_LISTED;
use super::database::Link;
use super::statement::sql;
use crate::limits::INCIDENT_VICTIMS;

/// Stores the first [`INCIDENT_VICTIMS`] victims of incidents in the order of their text, and the number of all. A flow
/// that the representative diagnosis names as a culprit is none, and neither is one that it does not name as affected and more
/// diagnoses name as a culprit than as affected (`Member::is_victim`).
pub(super) async fn list(tx: &mut Link, incidents: &[&str]) -> Result<(), sqlx::Error> {
    for incidents in incidents.chunks(MAX_LISTED) {
        let mut query = sql(
            "SELECT incident, flow, number FROM (SELECT incident, flow, COUNT(*) OVER (PARTITION BY incident) AS number, \
             ROW_NUMBER() OVER (PARTITION BY incident ORDER BY flow) AS place FROM incident_flows \
             WHERE is_culprit = 0 AND is_victim = 1 AND (balance >= 0 OR is_represented = 1) AND incident IN ",
        );
        query.push_list(incidents.iter().copied());
        query.push(") AS victims WHERE place <= ").push_bind(i64::from(INCIDENT_VICTIMS));
        query.push(" ORDER BY incident, place");
        let rows: Vec<(String, String, i64)> = query.fetch_all(&mut *tx).await?;
        let mut first: BTreeMap<&str, (Vec<&str>, i64)> = BTreeMap::new();
        for (incident, flow, number) in &rows {
            let (flows, count) = first.entry(incident).or_default();
            flows.push(flow);
            *count = *number;
        }
        let mut query = sql("WITH listed (id, victims, number) AS (");
        query.push_rows(incidents.iter().map(|incident| {
            let (flows, number) = first.remove(incident).unwrap_or_default();
            [(*incident).into(), flows.join(" ").into(), number.into()]
        }));
        query.push(
            ") UPDATE incidents SET victims = listed.victims, victim_count = listed.number FROM listed \
             WHERE incidents.id = listed.id",
        );
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// Returns the flows of a column that [`list`] has written.
pub(super) fn listed(column: Option<&str>) -> Vec<FlowKey> {
    // The column is written from flow keys; a value that was edited by hand and is none is left out.
    column.unwrap_or_default().split_whitespace().filter_map(|flow| flow.parse().ok()).collect()
}
