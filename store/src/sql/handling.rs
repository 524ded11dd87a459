//! The handling of incidents and their notes.

use super::database::Link;
use super::outlines::Keep;
use super::records::CURRENT;
use super::statement::{scalar, sql};
use super::{Store, decode, from_sql, sql_ns};
use crate::error::{During, StoreError};
use crate::handling::{Judgement, NewNote, Note};
use crate::incident::Incident;
use crate::limits::NOTES;
use crate::names::{name, parse};

/// A row of `notes`: number, wall clock, diagnosis, author, handling, feedback, text.
type Row = (i64, i64, Option<String>, String, Option<String>, Option<String>, String);

/// A judgement: feedback, diagnosis, name and body of the topology.
type JudgementRow = (String, Option<String>, Option<String>, Option<String>);

impl Store {
    /// Adds a note to an incident at `wall_ns`, and applies what it sets. The diagnosis that it is about, its snapshot and the
    /// topology are kept with it. Returns the incident; `None` if there is no such incident, or if the diagnosis is none of its. At
    /// [`NOTES`] notes the oldest one is removed.
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
        let Some(diagnosis) = subject(&mut tx, incident, note.diagnosis.as_deref()).await.during(action)?
        else {
            return Ok(None);
        };
        let topology = keep_topology(&mut tx, wall_ns).await.during(action)?;
        let handling = note.handling.as_ref().map(name);
        let feedback = note.feedback.as_ref().map(name);
        sql(
            "UPDATE incidents SET handling = COALESCE($2, handling), feedback = COALESCE($3, feedback) WHERE id = $1",
        )
        .bind(incident)
        .bind(&handling)
        .bind(&feedback)
        .execute(&mut tx)
        .await
        .during(action)?;
        sql("INSERT INTO notes (incident, number, wall_ns, author, handling, feedback, text, diagnosis, topology) \
             SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, $4, $5, $6, $7, $8 FROM notes WHERE incident = $1")
        .bind(incident)
        .bind(sql_ns(wall_ns))
        .bind(&note.author)
        .bind(&handling)
        .bind(&feedback)
        .bind(&note.text)
        .bind(&diagnosis)
        .bind(&topology)
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
            "SELECT number, wall_ns, diagnosis, author, handling, feedback, text FROM notes WHERE incident = $1 ORDER BY number",
        )
        .bind(incident)
        .fetch_all(&self.database)
        .await
        .during("read the notes of an incident")?;
        let note = |(number, wall_ns, diagnosis, author, handling, feedback, text): Row| Note {
            number: from_sql(number),
            wall_ns: from_sql(wall_ns),
            note: NewNote {
                diagnosis,
                author,
                handling: handling.as_deref().and_then(parse),
                feedback: feedback.as_deref().and_then(parse),
                text,
            },
        };
        Ok(rows.into_iter().map(note).collect())
    }

    /// Returns the latest answer to whether the verdict of an incident was right, with the diagnosis and the network that it is
    /// about; `None` without an answer.
    ///
    /// # Errors
    /// The database fails, or a stored topology cannot be read.
    pub async fn judgement(&self, incident: &str) -> Result<Option<Judgement>, StoreError> {
        let action = "read what was said about a verdict";
        let row: Option<JudgementRow> = sql(
            "SELECT n.feedback, n.diagnosis, n.topology, t.body FROM notes n LEFT JOIN topologies t ON t.name = n.topology \
             WHERE n.incident = $1 AND n.feedback IS NOT NULL ORDER BY n.number DESC LIMIT 1",
        )
        .bind(incident)
        .fetch_optional(&self.database)
        .await
        .during(action)?;
        let Some((feedback, Some(diagnosis), name, body)) = row else { return Ok(None) };
        let Some(feedback) = parse(&feedback) else { return Ok(None) };
        let name = name.unwrap_or_default();
        let topology = body.map(|body| decode("topology", &name, &body)).transpose()?;
        Ok(Some(Judgement { feedback, diagnosis, topology }))
    }
}

/// The diagnosis that a note is about: the given one if it is of the incident, else the one that represents it.
async fn subject(
    tx: &mut Link,
    incident: &str,
    diagnosis: Option<&str>,
) -> Result<Option<String>, sqlx::Error> {
    match diagnosis {
        Some(id) => {
            scalar("SELECT id FROM diagnoses WHERE id = $1 AND incident = $2")
                .bind(id)
                .bind(incident)
                .fetch_optional(tx)
                .await
        }
        None => {
            scalar("SELECT diagnosis FROM incidents WHERE id = $1").bind(incident).fetch_optional(tx).await
        }
    }
}

/// Keeps the current topology under a name of its own, unless it is kept already. Returns the name; `None` without a topology.
async fn keep_topology(tx: &mut Link, wall_ns: u64) -> Result<Option<String>, sqlx::Error> {
    let kept: Option<String> = scalar(
        "SELECT kept.name FROM topologies kept JOIN topologies present ON present.body = kept.body \
         WHERE present.name = $1 AND kept.name <> $1 LIMIT 1",
    )
    .bind(CURRENT)
    .fetch_optional(&mut *tx)
    .await?;
    if kept.is_some() {
        return Ok(kept);
    }
    let name = format!("at {wall_ns}");
    let added = sql("INSERT INTO topologies (name, body) SELECT $2, body FROM topologies WHERE name = $1 \
                     ON CONFLICT (name) DO UPDATE SET body = excluded.body")
    .bind(CURRENT)
    .bind(&name)
    .execute(tx)
    .await?;
    Ok((added > 0).then_some(name))
}
