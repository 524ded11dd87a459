//! The outlines of the diagnoses that represent incidents, in memory: a list of incidents reads only those that it has not shown
//! before.
//!
//! A stored diagnosis does not change, so an outline stays true until its diagnosis is removed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::DiagnosisOutline;

use super::database::Link;
use super::statement::sql;
use super::{MAX_LISTED, corrupt};
use crate::error::{During, StoreError};

/// Outlines that are kept: those of two of the largest pages.
const KEPT: usize = 1_000;

/// Outlines by the id of their diagnosis, without the victims.
pub(super) type ById = HashMap<String, Arc<DiagnosisOutline>>;

/// Whether outlines that are read may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// They are of a transaction that only reads.
    Yes,
    /// They are of a transaction that may be rolled back.
    No,
}

/// Outlines that were read before; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Outlines(Arc<Mutex<ById>>);

impl Outlines {
    /// Forgets all outlines: diagnoses were removed.
    pub(super) fn clear(&self) {
        self.kept().clear();
    }

    /// Returns the outlines of these diagnoses, all of which are stored.
    pub(super) async fn of(
        &self,
        connection: &mut Link,
        ids: &[&str],
        keep: Keep,
    ) -> Result<ById, StoreError> {
        let mut found = ById::with_capacity(ids.len());
        {
            let kept = self.kept();
            let known = ids.iter().filter_map(|id| kept.get_key_value(*id));
            found.extend(known.map(|(id, outline)| (id.clone(), outline.clone())));
        }
        let unknown: Vec<&str> = ids.iter().copied().filter(|id| !found.contains_key(*id)).collect();
        for ids in unknown.chunks(MAX_LISTED) {
            let read = read(connection, ids).await?;
            if keep == Keep::Yes {
                self.keep(&read);
            }
            found.extend(read);
        }
        Ok(found)
    }

    fn keep(&self, read: &ById) {
        let mut kept = self.kept();
        if kept.len() + read.len() > KEPT {
            kept.clear();
        }
        kept.extend(read.iter().map(|(id, outline)| (id.clone(), outline.clone())));
    }

    fn kept(&self) -> MutexGuard<'_, ById> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read(connection: &mut Link, ids: &[&str]) -> Result<ById, StoreError> {
    let mut query = sql("SELECT id, body FROM diagnoses WHERE id IN ");
    query.push_list(ids.iter().copied());
    let rows: Vec<(String, String)> = query.fetch_all(connection).await.during("read incidents")?;
    let outlines = rows.into_iter().map(|(id, body)| {
        let outline = DiagnosisOutline::from_json(&body).map_err(corrupt("diagnosis", &id))?;
        Ok((id, Arc::new(DiagnosisOutline { victims: Vec::new(), ..outline })))
    });
    outlines.collect()
}
