//! What can go wrong in the store.

/// Why the store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL names a database that this build does not speak.
    #[error("`{0}` is not a store; expected `sqlite:FILE` or `sqlite::memory:`")]
    UnsupportedUrl(String),
    /// The database could not be opened.
    #[error("cannot open the store `{url}`: {source}")]
    Open {
        /// The URL that was given.
        url: String,
        /// What the database said.
        source: sqlx::Error,
    },
    /// The tables could not be brought to this build's version.
    #[error("cannot bring the store `{url}` to this version: {source}")]
    Migrate {
        /// The URL that was given.
        url: String,
        /// What the migration said.
        source: sqlx::migrate::MigrateError,
    },
    /// A query failed.
    #[error("the store failed while it {action}: {source}")]
    Query {
        /// What was being done.
        action: &'static str,
        /// What the database said.
        source: sqlx::Error,
    },
    /// A stored body is not what this build writes.
    #[error("the stored {what} `{id}` cannot be read: {source}")]
    Corrupt {
        /// Kind of the row.
        what: &'static str,
        /// Its id.
        id: String,
        /// Where the JSON went wrong.
        source: serde_json::Error,
    },
    /// A value cannot be written as JSON and read again.
    #[error("the {what} `{id}` cannot be kept as JSON: {source}")]
    Encode {
        /// Kind of the row.
        what: &'static str,
        /// Its id.
        id: String,
        /// What JSON cannot express.
        source: serde_json::Error,
    },
    /// An id is empty or too long.
    #[error("an id has 1 to {max} bytes, this one has {length}", max = crate::TEXT_ID_BYTES)]
    BadId {
        /// Its length in bytes.
        length: usize,
    },
}

/// Names what was being done when a query failed.
pub(crate) trait During<T> {
    fn during(self, action: &'static str) -> Result<T, StoreError>;
}

impl<T> During<T> for Result<T, sqlx::Error> {
    fn during(self, action: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Query { action, source })
    }
}
