//! What the receivers of webhooks are still to be sent. The bodies of alerts are texts of the caller.

use std::collections::BTreeMap;

use super::database::Link;
use super::statement::{Value, sql};
use super::{MAX_LISTED, Store, check_id, from_sql, sql_ns};
use crate::error::{During, StoreError};

/// The alerts of one receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookAlerts {
    /// Those that wait, by their number; the smallest is sent first.
    pub waiting: BTreeMap<u64, String>,
    /// Those that last, by incident.
    pub firing: BTreeMap<String, String>,
}

/// Changes of the alerts of one receiver. `None` removes an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookChanges {
    /// Whether all alerts that are stored are removed first.
    pub replaces_all: bool,
    /// Alerts that wait, by their number.
    pub waiting: BTreeMap<u64, Option<String>>,
    /// Alerts that last, by incident.
    pub firing: BTreeMap<String, Option<String>>,
}

impl Store {
    /// Returns the alerts of a receiver; `None` if it has never been used with this store.
    ///
    /// # Errors
    /// The database fails.
    pub async fn webhook(&self, id: &str) -> Result<Option<WebhookAlerts>, StoreError> {
        let action = "read the alerts of a webhook";
        let mut connection = self.database.read().await.during(action)?;
        let known: Option<(i64,)> = sql("SELECT since_wall_ns FROM webhooks WHERE id = $1")
            .bind(id)
            .fetch_optional(&mut connection)
            .await
            .during(action)?;
        if known.is_none() {
            return Ok(None);
        }
        let waiting: Vec<(i64, String)> = sql("SELECT number, body FROM webhook_waiting WHERE webhook = $1")
            .bind(id)
            .fetch_all(&mut connection)
            .await
            .during(action)?;
        let firing: Vec<(String, String)> =
            sql("SELECT incident, body FROM webhook_firing WHERE webhook = $1")
                .bind(id)
                .fetch_all(&mut connection)
                .await
                .during(action)?;
        let waiting = waiting.into_iter().map(|(number, body)| (from_sql(number), body)).collect();
        Ok(Some(WebhookAlerts { waiting, firing: firing.into_iter().collect() }))
    }

    /// Stores changes of the alerts of a receiver in one transaction. A receiver that is new is known from `wall_ns` on.
    ///
    /// # Errors
    /// The id is empty or too long, or the database fails. Nothing is changed then.
    pub async fn change_webhook(
        &self,
        id: &str,
        changes: &WebhookChanges,
        wall_ns: u64,
    ) -> Result<(), StoreError> {
        check_id(id)?;
        let mut tx = self.write("store the alerts of a webhook").await?;
        change(&mut tx, id, changes, wall_ns).await.during("store the alerts of a webhook")?;
        tx.commit().await.during("store the alerts of a webhook")
    }

    /// Removes the alerts of all receivers but these. Returns how many receivers are removed.
    ///
    /// # Errors
    /// The database fails.
    pub async fn keep_webhooks(&self, ids: &[String]) -> Result<u64, StoreError> {
        let action = "remove the alerts of webhooks";
        let mut tx = self.write(action).await?;
        let known: Vec<(String,)> = sql("SELECT id FROM webhooks").fetch_all(&mut tx).await.during(action)?;
        let unknown: Vec<String> = known.into_iter().map(|(id,)| id).filter(|id| !ids.contains(id)).collect();
        let mut removed = 0;
        for group in unknown.chunks(MAX_LISTED) {
            let mut query = sql("DELETE FROM webhooks WHERE id IN ");
            query.push_list(group.iter());
            removed += query.execute(&mut tx).await.during(action)?;
        }
        tx.commit().await.during(action)?;
        Ok(removed)
    }
}

async fn change(tx: &mut Link, id: &str, changes: &WebhookChanges, wall_ns: u64) -> Result<(), sqlx::Error> {
    sql("INSERT INTO webhooks (id, since_wall_ns) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING")
        .bind(id)
        .bind(sql_ns(wall_ns))
        .execute(&mut *tx)
        .await?;
    if changes.replaces_all {
        sql("DELETE FROM webhook_waiting WHERE webhook = $1").bind(id).execute(&mut *tx).await?;
        sql("DELETE FROM webhook_firing WHERE webhook = $1").bind(id).execute(&mut *tx).await?;
    }
    let waiting = changes.waiting.iter().map(|(number, body)| (Value::from(sql_ns(*number)), body));
    let waiting: Vec<_> = waiting.collect();
    for group in waiting.chunks(MAX_LISTED) {
        let mut query = sql("DELETE FROM webhook_waiting WHERE webhook = ");
        query.push_bind(id).push(" AND number IN ");
        query.push_list(group.iter().map(|(number, _)| number.clone()));
        query.execute(&mut *tx).await?;
        let query = sql("INSERT INTO webhook_waiting (webhook, number, body)");
        insert(tx, query, id, group).await?;
    }
    let firing = changes.firing.iter().map(|(incident, body)| (Value::from(incident), body));
    let firing: Vec<_> = firing.collect();
    for group in firing.chunks(MAX_LISTED) {
        let mut query = sql("DELETE FROM webhook_firing WHERE webhook = ");
        query.push_bind(id).push(" AND incident IN ");
        query.push_list(group.iter().map(|(incident, _)| incident.clone()));
        query.execute(&mut *tx).await?;
        let query = sql("INSERT INTO webhook_firing (webhook, incident, body)");
        insert(tx, query, id, group).await?;
    }
    Ok(())
}

/// Inserts the rows that have a body.
async fn insert(
    tx: &mut Link,
    mut query: super::statement::Statement,
    id: &str,
    group: &[(Value, &Option<String>)],
) -> Result<(), sqlx::Error> {
    let row = |(key, body): &(Value, &Option<String>)| {
        body.as_ref().map(|body| [Value::from(id), key.clone(), body.into()])
    };
    let rows: Vec<_> = group.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Ok(());
    }
    query.push_rows(rows);
    query.execute(tx).await.map(drop)
}
