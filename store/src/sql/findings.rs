//! Replacement of the findings as a whole: they describe the present configuration, and what was corrected goes.

use super::statement::sql;
use super::{Finding, Store, check_id, encode};
use crate::error::{During, StoreError};

impl Store {
    /// Replaces all findings by these. Of several with the same id the last stays.
    ///
    /// # Errors
    /// An id is empty or too long, or the database fails. Nothing is changed then.
    pub async fn replace_findings(&self, findings: &[Finding]) -> Result<(), StoreError> {
        let action = "replace the findings";
        let rows: Result<Vec<_>, StoreError> = findings
            .iter()
            .map(|finding| {
                check_id(&finding.id)?;
                Ok((finding, encode("finding", &finding.id, &finding.body)?))
            })
            .collect();
        let rows = rows?;
        let mut tx = self.write(action).await?;
        sql("DELETE FROM findings").execute(&mut tx).await.during(action)?;
        for (finding, body) in rows {
            sql("INSERT INTO findings (id, code, severity, body) VALUES ($1, $2, $3, $4) ON CONFLICT (id) \
                 DO UPDATE SET code = excluded.code, severity = excluded.severity, body = excluded.body")
            .bind(&finding.id)
            .bind(&finding.code)
            .bind(&finding.severity)
            .bind(body)
            .execute(&mut tx)
            .await
            .during(action)?;
        }
        tx.commit().await.during(action)?;
        Ok(())
    }
}
