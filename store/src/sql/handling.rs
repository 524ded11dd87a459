//! The handling of incidents and their notes.

use super::outlines::Keep;
use super::statement::sql;
use super::{Store, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::handling::{NewNote, Note};
use crate::incident::Incident;
use crate::limits::NOTES;
use crate::names::{name, parse};

/// A row of `notes`: number, wall clock, author, handling, feedback, text.
type Row = (i64, i64, String, Option<String>, Option<String>, String);

impl Store {
    /// Adds a note to an incident at `wall_ns`, and applies what it sets. Returns the incident; `None` if there is no such
    /// incident. At [`NOTES`] notes the oldest one is removed.
    ///
    /// # Errors
    /// The database fails. Nothing is changed then.
    pub async fn add_note(
        &self,
        incident: &str,
        note: &NewNote,
        wall_ns: u64,
    ) -> Result<Option<Incident>, StoreError> {
        let action = "add a note to an incident";
        let mut tx = self.write(action).await?;
        let handling = note.handling.as_ref().map(name);
        let feedback = note.feedback.as_ref().map(name);
        let changed = sql(
            "UPDATE incidents SET handling = COALESCE($2, handling), feedback = COALESCE($3, feedback) WHERE id = $1",
        )
        .bind(incident)
        .bind(&handling)
        .bind(&feedback)
        .execute(&mut tx)
        .await
        .during(action)?;
        if changed == 0 {
            return Ok(None);
        }
        sql("INSERT INTO notes (incident, number, wall_ns, author, handling, feedback, text) \
             SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, $4, $5, $6 FROM notes WHERE incident = $1")
        .bind(incident)
        .bind(sql_ns(wall_ns))
        .bind(&note.author)
        .bind(&handling)
        .bind(&feedback)
        .bind(&note.text)
        .execute(&mut tx)
        .await
        .during(action)?;
        sql(
            "DELETE FROM notes WHERE incident = $1 AND number <= (SELECT MAX(number) FROM notes WHERE incident = $1) - $2",
        )
        .bind(incident)
        .bind(i64::from(NOTES))
        .execute(&mut tx)
        .await
        .during(action)?;
        let incident = self.read_incidents(&mut tx, &[incident.to_string()], Keep::No).await?.pop();
        tx.commit().await.during(action)?;
        Ok(incident)
    }

    /// Returns the notes of an incident, oldest first; none if there is no such incident.
    ///
    /// # Errors
    /// The database fails.
    pub async fn notes(&self, incident: &str) -> Result<Vec<Note>, StoreError> {
        let rows: Vec<Row> = sql(
            "SELECT number, wall_ns, author, handling, feedback, text FROM notes WHERE incident = $1 ORDER BY number",
        )
        .bind(incident)
        .fetch_all(&self.database)
        .await
        .during("read the notes of an incident")?;
        let note = |(number, wall_ns, author, handling, feedback, text): Row| Note {
            number: from_sql(number),
            wall_ns: from_sql(wall_ns),
            note: NewNote {
                author,
                handling: handling.as_deref().and_then(parse),
                feedback: feedback.as_deref().and_then(parse),
                text,
            },
        };
        Ok(rows.into_iter().map(note).collect())
    }
}
