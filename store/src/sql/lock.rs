//! The lock that keeps a second process from a store: two processes would prune, end and number each other's rows.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::StoreError;

/// An exclusive lock on `FILE.lock`, until it is dropped or the process ends. The empty file stays: its removal could
/// remove the file that another process has just locked.
#[derive(Debug)]
pub(super) struct Lock {
    #[expect(dead_code, reason = "held only until it is dropped")]
    file: File,
}

impl Lock {
    /// Locks the database in `database`.
    pub(super) fn of(database: &Path) -> Result<Lock, StoreError> {
        let name = format!("{}.lock", database.display());
        let failed = |source| StoreError::Lock { file: name.clone(), source };
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse { file: database.display().to_string() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}
