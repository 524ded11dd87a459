//! A copy of a store while a server writes to it.

#![allow(clippy::disallowed_methods, reason = "the store is an edge: it opens files")]

use std::fs::File;
use std::path::{Path, PathBuf};

use sqlx::Connection as _;

use super::schema::{Presence, connect_to_read, examine};
use crate::error::{During, StoreError};

/// A backup that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The number of its schema.
    pub schema: i64,
    /// The size of its file.
    pub bytes: u64,
}

/// Writes the store in `file` to the new file `to`: the state at one moment, without free pages, as one file without a
/// write-ahead log. A process that uses the store goes on. The copy is checked, and has its name only when it is
/// complete and on the medium.
///
/// # Errors
/// `file` is not a store or is the URL of a PostgreSQL database, `to` exists, or the copy cannot be written. No file is left behind then.
pub async fn backup(file: &Path, to: &Path) -> Result<Backup, StoreError> {
    if let Some(url) = super::postgres::server_url(file) {
        return Err(StoreError::NoBackup { url: super::postgres::without_secrets(url) });
    }
    let schema = match examine(file, Presence::Required).await {
        // Its tables are copied as they are.
        Err(StoreError::Newer { found, .. }) => found,
        other => other?,
    };
    if to.symlink_metadata().is_ok() {
        return Err(StoreError::Exists { file: to.display().to_string() });
    }
    let partial = PathBuf::from(format!("{}.partial", to.display()));
    let written = write(file, &partial, to).await;
    if written.is_err() {
        // Best effort; the error to report is the first one.
        let _ = std::fs::remove_file(&partial);
    }
    Ok(Backup { schema, bytes: written? })
}

async fn write(file: &Path, partial: &Path, to: &Path) -> Result<u64, StoreError> {
    let failed = |source| StoreError::File { action: "write", file: to.display().to_string(), source };
    // What a backup that was killed has left.
    match std::fs::remove_file(partial) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let mut connection = connect_to_read(file).await?;
    let copied = sqlx::query("VACUUM INTO $1")
        .bind(partial.display().to_string())
        .execute(&mut connection)
        .await
        .during("write the backup");
    let _ = connection.close().await;
    copied?;
    check(partial).await?;
    let copy = File::open(partial).map_err(failed)?;
    copy.sync_all().map_err(failed)?;
    std::fs::rename(partial, to).map_err(failed)?;
    sync_folder(to).map_err(failed)?;
    Ok(copy.metadata().map_err(failed)?.len())
}

/// Reads the whole copy: a damaged page is found now, and not when the backup is needed.
async fn check(copy: &Path) -> Result<(), StoreError> {
    let mut connection = connect_to_read(copy).await?;
    let found = sqlx::query_scalar::<_, String>("PRAGMA quick_check(1)").fetch_one(&mut connection).await;
    let _ = connection.close().await;
    match found.during("check the backup")?.as_str() {
        "ok" => Ok(()),
        damage => Err(StoreError::Damaged { file: copy.display().to_string(), damage: damage.to_string() }),
    }
}

/// Brings the new name to the medium.
fn sync_folder(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
