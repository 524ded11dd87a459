//! Errors of program loading and of the control plane.

use thiserror::Error;

/// Why a program cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// A part of the program refers to an object that does not exist or has another kind.
    #[error("{place}: {what}")]
    Malformed {
        /// The part of the program.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// A resource limit is exceeded.
    #[error("{place}: needs {wanted} {unit}, but the limit `{limit}` is {allowed}")]
    Limit {
        /// The object that exceeds it.
        place: String,
        /// Name of the limit.
        limit: &'static str,
        /// The amount that the program needs.
        wanted: u64,
        /// The amount that is allowed.
        allowed: u64,
        /// The unit of both amounts.
        unit: &'static str,
    },
    /// A constant entry or default action of the source is invalid.
    #[error("table {table}: entry {entry}: {error}")]
    Entry {
        /// The table.
        table: String,
        /// Number of the entry in the source, starting at 1.
        entry: usize,
        /// What is wrong with it.
        error: ControlError,
    },
}

/// Why a request of the control plane is rejected. The switch is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// No program is loaded.
    #[error("no program is loaded")]
    NoProgram,
    /// The object or entry does not exist.
    #[error("{what} does not exist")]
    NotFound {
        /// The object or entry.
        what: String,
    },
    /// A name matches several objects.
    #[error("{name} is ambiguous: {}; use a longer suffix", candidates.join(" or "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The full names that it matches.
        candidates: Vec<String>,
    },
    /// The entry already exists.
    #[error("{what} already exists")]
    AlreadyExists {
        /// The object or entry.
        what: String,
    },
    /// A table, profile or set is full.
    #[error("{what} is full ({limit} entries)")]
    Full {
        /// The table, profile or set.
        what: String,
        /// Its capacity.
        limit: u64,
    },
    /// A value is invalid.
    #[error("{field}: {reason}")]
    InvalidArgument {
        /// The field of the request, e.g. `match hdr.ipv4.dst`.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The object is constant.
    #[error("{what} is constant")]
    Constant {
        /// The object.
        what: String,
    },
    /// The object is still in use.
    #[error("{what} is in use by {user}")]
    InUse {
        /// The object.
        what: String,
        /// The object that uses it.
        user: String,
    },
}

impl ControlError {
    pub(crate) fn invalid(field: impl Into<String>, reason: impl Into<String>) -> ControlError {
        ControlError::InvalidArgument { field: field.into(), reason: reason.into() }
    }

    pub(crate) fn not_found(what: impl Into<String>) -> ControlError {
        ControlError::NotFound { what: what.into() }
    }
}
