//! A statement for SQLite or PostgreSQL: one text with numbered parameters, `$1` to `$n`, which both accept.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Encode, FromRow, Type};

use super::database::{At, Link};

/// A value of a parameter.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(Option<i64>),
    Real(f64),
    Text(Option<String>),
    Bytes(Vec<u8>),
}

/// Converts the types of Rust to values.
macro_rules! values {
    ($($from:ty: $value:ident => $to:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Value {
                $to
            }
        })*
    };
}

values! {
    i64: number => Value::Number(Some(number));
    Option<i64>: number => Value::Number(number);
    f64: number => Value::Real(number);
    &str: text => Value::Text(Some(text.to_string()));
    &String: text => Value::Text(Some(text.clone()));
    String: text => Value::Text(Some(text));
    Option<&str>: text => Value::Text(text.map(ToString::to_string));
    Option<String>: text => Value::Text(text);
    &Option<String>: text => Value::Text(text.clone());
    &Vec<u8>: bytes => Value::Bytes(bytes.clone());
    Vec<u8>: bytes => Value::Bytes(bytes);
}

/// A row of either database.
pub(super) trait Row:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

impl<T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin> Row for T {}

/// A statement with the values of its parameters.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    text: String,
    values: Vec<Value>,
}

/// A statement with this text; its first parameter is `$1`.
pub(super) fn sql(text: &'static str) -> Statement {
    Statement { text: text.to_string(), values: Vec::new() }
}

/// A statement that returns rows of one column.
pub(super) fn scalar(text: &'static str) -> Scalar {
    Scalar(sql(text))
}

impl Statement {
    /// Sets the value of the next parameter that the text names.
    pub(super) fn bind(mut self, value: impl Into<Value>) -> Statement {
        self.values.push(value.into());
        self
    }

    /// Adds text. It is part of the program: values are added with [`Statement::push_bind`].
    pub(super) fn push(&mut self, text: &'static str) -> &mut Statement {
        self.text.push_str(text);
        self
    }

    /// Adds a parameter with this value. Not to be mixed with [`Statement::bind`].
    pub(super) fn push_bind(&mut self, value: impl Into<Value>) -> &mut Statement {
        self.values.push(value.into());
        self.text.push_str(&format!("${}", self.values.len()));
        self
    }

    /// Adds a parenthesised list of values.
    pub(super) fn push_list(&mut self, values: impl IntoIterator<Item = impl Into<Value>>) -> &mut Statement {
        self.push("(");
        for (place, value) in values.into_iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.push_bind(value);
        }
        self.push(")")
    }

    /// Adds `VALUES` and the rows.
    pub(super) fn push_rows<const N: usize>(
        &mut self,
        rows: impl IntoIterator<Item = [Value; N]>,
    ) -> &mut Statement {
        self.push(" VALUES ");
        for (place, row) in rows.into_iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.push_list(row);
        }
        self
    }

    /// Reads the column as one value a row.
    pub(super) fn scalar(self) -> Scalar {
        Scalar(self)
    }

    /// Runs the statement. Returns the number of rows that it has changed.
    pub(super) async fn execute(self, at: impl Into<At<'_>>) -> Result<u64, sqlx::Error> {
        let mut held = at.into().hold().await?;
        let text = AssertSqlSafe(self.text);
        match held.link() {
            Link::Sqlite(connection) => {
                let done = sqlx::query_with(text, arguments::<SqliteArguments>(self.values)?)
                    .execute(&mut **connection)
                    .await?;
                Ok(done.rows_affected())
            }
            Link::Postgres(connection) => {
                let done = sqlx::query_with(text, arguments::<PgArguments>(without_nul(self.values))?)
                    .execute(&mut **connection)
                    .await?;
                Ok(done.rows_affected())
            }
        }
    }

    /// Runs the statement and returns its rows.
    pub(super) async fn fetch_all<T: Row>(self, at: impl Into<At<'_>>) -> Result<Vec<T>, sqlx::Error> {
        let mut held = at.into().hold().await?;
        let text = AssertSqlSafe(self.text);
        match held.link() {
            Link::Sqlite(connection) => {
                sqlx::query_as_with(text, arguments::<SqliteArguments>(self.values)?)
                    .fetch_all(&mut **connection)
                    .await
            }
            Link::Postgres(connection) => {
                sqlx::query_as_with(text, arguments::<PgArguments>(without_nul(self.values))?)
                    .fetch_all(&mut **connection)
                    .await
            }
        }
    }

    /// Runs the statement and returns its only row, if there is one.
    pub(super) async fn fetch_optional<T: Row>(
        self,
        at: impl Into<At<'_>>,
    ) -> Result<Option<T>, sqlx::Error> {
        // All statements that are read so return at most one row.
        Ok(self.fetch_all(at).await?.into_iter().next())
    }

    /// Runs the statement and returns its only row.
    pub(super) async fn fetch_one<T: Row>(self, at: impl Into<At<'_>>) -> Result<T, sqlx::Error> {
        self.fetch_optional(at).await?.ok_or(sqlx::Error::RowNotFound)
    }
}

/// A statement that returns rows of one column.
#[derive(Clone, Debug)]
pub(super) struct Scalar(Statement);

impl Scalar {
    /// As [`Statement::bind`].
    pub(super) fn bind(self, value: impl Into<Value>) -> Scalar {
        Scalar(self.0.bind(value))
    }

    /// As [`Statement::fetch_all`].
    pub(super) async fn fetch_all<T>(self, at: impl Into<At<'_>>) -> Result<Vec<T>, sqlx::Error>
    where
        (T,): Row,
    {
        Ok(self.0.fetch_all(at).await?.into_iter().map(|(value,)| value).collect())
    }

    /// As [`Statement::fetch_optional`].
    pub(super) async fn fetch_optional<T>(self, at: impl Into<At<'_>>) -> Result<Option<T>, sqlx::Error>
    where
        (T,): Row,
    {
        Ok(self.0.fetch_optional(at).await?.map(|(value,)| value))
    }

    /// As [`Statement::fetch_one`].
    pub(super) async fn fetch_one<T>(self, at: impl Into<At<'_>>) -> Result<T, sqlx::Error>
    where
        (T,): Row,
    {
        self.0.fetch_one(at).await.map(|(value,)| value)
    }
}

/// Replaces the character NUL, which PostgreSQL does not store, by U+FFFD.
fn without_nul(mut values: Vec<Value>) -> Vec<Value> {
    for value in &mut values {
        if let Value::Text(Some(text)) = value
            && text.contains('\0')
        {
            *text = text.replace('\0', "\u{fffd}");
        }
    }
    values
}

/// Returns the values as the arguments of a database.
fn arguments<A: Arguments>(values: Vec<Value>) -> Result<A, sqlx::Error>
where
    for<'v> Option<i64>: Encode<'v, A::Database> + Type<A::Database>,
    for<'v> f64: Encode<'v, A::Database> + Type<A::Database>,
    for<'v> Option<String>: Encode<'v, A::Database> + Type<A::Database>,
    for<'v> Vec<u8>: Encode<'v, A::Database> + Type<A::Database>,
{
    let mut arguments = A::default();
    for value in values {
        match value {
            Value::Number(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Text(text) => arguments.add(text),
            Value::Bytes(bytes) => arguments.add(bytes),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}
