//! Errors of the store.

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL names a database that this build does not support.
    #[error(
        "`{0}` is not a store; expected `sqlite:FILE`, `sqlite::memory:` or `postgres://USER@HOST/DATABASE`"
    )]
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
    /// There is no file.
    #[error("there is no store `{file}`")]
    NoFile {
        /// The file that was given.
        file: String,
    },
    /// The file has other contents.
    #[error("`{file}` is not a store of Harrier: {found}")]
    NotAStore {
        /// The file that was given.
        file: String,
        /// What it is.
        found: &'static str,
    },
    /// A newer version has written the file.
    #[error(
        "the store `{file}` has schema {found}, this version knows schemas up to {known}; use the version that wrote it"
    )]
    Newer {
        /// The file that was given.
        file: String,
        /// The number of its schema.
        found: i64,
        /// The number of the newest schema of this build.
        known: i64,
    },
    /// An older version has written the file, and it is opened to be read.
    #[error(
        "the store `{file}` has schema {found}, this version reads schema {known}; `harrier store migrate` changes it"
    )]
    Older {
        /// The file that was given.
        file: String,
        /// The number of its schema.
        found: i64,
        /// The number of the schema of this build.
        known: i64,
    },
    /// The size of a PostgreSQL store cannot be limited: removed rows leave room whose size the server does not report.
    #[error(
        "`{url}`: the size of a PostgreSQL store cannot be limited; limit the number or the age of diagnoses instead"
    )]
    NoSizeLimit {
        /// The URL that was given, without its password.
        url: String,
    },
    /// A PostgreSQL store is copied with the tools of PostgreSQL.
    #[error("`{url}` is a PostgreSQL database; copy it with `pg_dump`")]
    NoBackup {
        /// The URL that was given, without its password.
        url: String,
    },
    /// A file that would be written exists.
    #[error("`{file}` exists; name a new file")]
    Exists {
        /// The file that was given.
        file: String,
    },
    /// A copy has damaged pages.
    #[error("the copy `{file}` is damaged: {damage}")]
    Damaged {
        /// The copy.
        file: String,
        /// What the database has found.
        damage: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} `{file}`: {source}")]
    File {
        /// The operation, as an infinitive.
        action: &'static str,
        /// The file.
        file: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// An export could not be written.
    #[error("cannot write the export: {source}")]
    Export {
        /// The system's error.
        source: std::io::Error,
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
