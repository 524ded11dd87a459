//! Connections to SQLite or PostgreSQL, and transactions on them.

use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Sqlite, SqlitePool, Transaction};

/// The connections of a store.
#[derive(Clone, Debug)]
pub(super) enum Database {
    /// A file, or a database in memory.
    Sqlite(SqlitePool),
    /// A server.
    Postgres {
        /// For statements that only read.
        readers: PgPool,
        /// One connection, which has the lock of the store while it lives; none of a store that is only read.
        writer: Option<PgPool>,
    },
}

/// A connection, or the one of a transaction.
#[derive(Debug)]
pub(super) enum Link {
    /// SQLite.
    Sqlite(Held<Sqlite>),
    /// PostgreSQL.
    Postgres(Held<Postgres>),
}

/// A connection of a pool, with or without a transaction.
#[derive(Debug)]
pub(super) enum Held<D: sqlx::Database> {
    /// Each statement is a transaction of its own.
    Alone(PoolConnection<D>),
    /// All statements are one transaction, which is rolled back if it is dropped.
    Transaction(Transaction<'static, D>),
}

impl<D: sqlx::Database> std::ops::Deref for Held<D> {
    type Target = D::Connection;

    fn deref(&self) -> &D::Connection {
        match self {
            Held::Alone(connection) => connection,
            Held::Transaction(transaction) => transaction,
        }
    }
}

impl<D: sqlx::Database> std::ops::DerefMut for Held<D> {
    fn deref_mut(&mut self) -> &mut D::Connection {
        match self {
            Held::Alone(connection) => connection,
            Held::Transaction(transaction) => transaction,
        }
    }
}

impl<D: sqlx::Database> Held<D> {
    async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Held::Alone(_) => Ok(()),
            Held::Transaction(transaction) => transaction.commit().await,
        }
    }
}

/// Where a statement runs.
pub(super) enum At<'c> {
    /// On a connection that only reads.
    Readers(&'c Database),
    /// On the connection that writes, as a transaction of its own.
    Writer(&'c Database),
    /// In a transaction.
    Link(&'c mut Link),
}

impl<'c> From<&'c Database> for At<'c> {
    fn from(database: &'c Database) -> At<'c> {
        At::Readers(database)
    }
}

impl<'c> From<&'c mut Link> for At<'c> {
    fn from(link: &'c mut Link) -> At<'c> {
        At::Link(link)
    }
}

/// A connection for one statement.
pub(super) enum OneLink<'c> {
    Own(Link),
    Borrowed(&'c mut Link),
}

impl OneLink<'_> {
    pub(super) fn link(&mut self) -> &mut Link {
        match self {
            OneLink::Own(link) => link,
            OneLink::Borrowed(link) => link,
        }
    }
}

impl<'c> At<'c> {
    /// Takes a connection.
    pub(super) async fn hold(self) -> Result<OneLink<'c>, sqlx::Error> {
        match self {
            At::Link(link) => Ok(OneLink::Borrowed(link)),
            At::Readers(database) => database.reader().await.map(OneLink::Own),
            At::Writer(database) => match database {
                Database::Sqlite(pool) => Ok(OneLink::Own(Link::Sqlite(Held::Alone(pool.acquire().await?)))),
                Database::Postgres { .. } => {
                    let connection = database.postgres_writer()?.acquire().await?;
                    Ok(OneLink::Own(Link::Postgres(Held::Alone(connection))))
                }
            },
        }
    }
}

impl Database {
    /// Takes a connection for statements that only read.
    pub(super) async fn reader(&self) -> Result<Link, sqlx::Error> {
        Ok(match self {
            Database::Sqlite(pool) => Link::Sqlite(Held::Alone(pool.acquire().await?)),
            Database::Postgres { readers, .. } => Link::Postgres(Held::Alone(readers.acquire().await?)),
        })
    }

    /// Begins a transaction whose statements all read one state.
    pub(super) async fn read(&self) -> Result<Link, sqlx::Error> {
        Ok(match self {
            Database::Sqlite(pool) => Link::Sqlite(Held::Transaction(pool.begin().await?)),
            Database::Postgres { readers, .. } => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                Link::Postgres(Held::Transaction(readers.begin_with(begin).await?))
            }
        })
    }

    /// Begins a transaction that writes. It takes the write lock at once, so that it cannot fail on the lock later; with
    /// PostgreSQL that is the only connection that writes.
    pub(super) async fn write(&self) -> Result<Link, sqlx::Error> {
        Ok(match self {
            Database::Sqlite(pool) => {
                Link::Sqlite(Held::Transaction(pool.begin_with("BEGIN IMMEDIATE").await?))
            }
            Database::Postgres { .. } => {
                Link::Postgres(Held::Transaction(self.postgres_writer()?.begin().await?))
            }
        })
    }

    /// Closes all connections. Those that are in use are closed when they are returned.
    pub(super) async fn close(&self) {
        match self {
            Database::Sqlite(pool) => pool.close().await,
            Database::Postgres { readers, writer } => {
                readers.close().await;
                if let Some(writer) = writer {
                    writer.close().await;
                }
            }
        }
    }

    /// The connection that writes to PostgreSQL.
    pub(super) fn postgres_writer(&self) -> Result<&PgPool, sqlx::Error> {
        let Database::Postgres { writer: Some(writer), .. } = self else {
            let error = "the store is open to be read only";
            return Err(sqlx::Error::Configuration(error.into()));
        };
        Ok(writer)
    }
}

impl Link {
    /// Ends the transaction: what it has changed is stored.
    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Link::Sqlite(held) => held.commit().await,
            Link::Postgres(held) => held.commit().await,
        }
    }
}
