//! Errors of the store.

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL names a database that this build does not support.
    #[error("`{0}` is not a store; expected `sqlite:FILE` or `sqlite::memory:`")]
    UnsupportedUrl(String),
    /// The database could not be opened.
    #[error("cannot open the store `{url}`: {source}")]
    Open {
        /// The URL that was given.
        url: String,
        /// The database's error.
        source: sqlx::Error,
    },
    /// Another process has the file open.
    #[error("another process uses the store `{file}`; stop it or use another file")]
    InUse {
        /// The file of the database.
        file: String,
    },
    /// The file that keeps other processes away could not be locked.
    #[error("cannot lock `{file}`: {source}")]
    Lock {
        /// The file of the lock.
        file: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The tables could not be migrated to this build's version.
    #[error("cannot migrate the store `{url}` to this version: {source}")]
    Migrate {
        /// The URL that was given.
        url: String,
        /// The migration's error.
        source: sqlx::migrate::MigrateError,
    },
    /// A query failed.
    #[error("the store failed to {action}: {source}")]
    Query {
        /// The operation, as an infinitive: `read a diagnosis`.
        action: &'static str,
        /// The database's error.
        source: sqlx::Error,
    },
    /// Uploads that wait to be processed have reached [`crate::Limits::inbox_bytes`].
    #[error("{bytes} bytes of uploads wait to be processed; no further ones are stored")]
    InboxFull {
        /// The bytes that wait.
        bytes: u64,
    },
    /// A stored body does not have the form that this build writes.
    #[error("the stored {what} `{id}` cannot be read: {source}")]
    Corrupt {
        /// Kind of the row.
        what: &'static str,
        /// Its id.
        id: String,
        /// The position and kind of the JSON error.
        source: serde_json::Error,
    },
    /// A value cannot be written as JSON and read back, e.g. because a number in it is not finite.
    #[error("the {what} `{id}` cannot be stored as JSON: {source}")]
    Encode {
        /// Kind of the row.
        what: &'static str,
        /// Its id.
        id: String,
        /// The value that JSON cannot express.
        source: serde_json::Error,
    },
    /// An id is empty or too long.
    #[error("an id must have 1 to {max} bytes, this one has {length}", max = crate::TEXT_ID_BYTES)]
    BadId {
        /// Its length in bytes.
        length: usize,
    },
}

/// Adds the operation to a failed query.
pub(crate) trait During<T> {
    fn during(self, action: &'static str) -> Result<T, StoreError>;
}

impl<T> During<T> for Result<T, sqlx::Error> {
    fn during(self, action: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Query { action, source })
    }
}
