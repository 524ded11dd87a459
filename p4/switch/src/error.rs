//! Errors of loading a program and of the control plane.

use thiserror::Error;

/// Why a program cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// A part of the program refers to something that is not there, or is of another kind.
    #[error("{place}: {what}")]
    Malformed {
        /// Where in the program.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// A named limit is exceeded.
    #[error("{place}: needs {wanted} {unit}, the limit `{limit}` is {allowed}")]
    Limit {
        /// Which object wants it.
        place: String,
        /// Name of the limit.
        limit: &'static str,
        /// What is wanted.
        wanted: u64,
        /// What is allowed.
        allowed: u64,
        /// What is counted.
        unit: &'static str,
    },
    /// A constant entry or default action of the source is not acceptable.
    #[error("table {table}: entry {entry}: {error}")]
    Entry {
        /// The table.
        table: String,
        /// Number of the entry in the source, from 1.
        entry: usize,
        /// What is wrong with it.
        error: ControlError,
    },
}

/// Why the control plane's request is refused. The switch is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// No program is loaded.
    #[error("no program is loaded")]
    NoProgram,
    /// The object or entry does not exist.
    #[error("{what} does not exist")]
    NotFound {
        /// What was looked for.
        what: String,
    },
    /// A name fits several objects.
    #[error("{name} may be {}; write more of the name", candidates.join(" or "))]
    Ambiguous {
        /// The name.
        name: String,
        /// The full names it fits.
        candidates: Vec<String>,
    },
    /// The entry is there already.
    #[error("{what} exists already")]
    AlreadyExists {
        /// What was to be added.
        what: String,
    },
    /// No room.
    #[error("{what} is full: {limit} entries")]
    Full {
        /// What is full.
        what: String,
        /// How many fit.
        limit: u64,
    },
    /// A value is not acceptable.
    #[error("{field}: {reason}")]
    InvalidArgument {
        /// The field of the request, e.g. `match hdr.ipv4.dst`.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The object may not be changed at run time.
    #[error("{what} is constant")]
    Constant {
        /// What was to be changed.
        what: String,
    },
    /// Something else still uses the object.
    #[error("{what} is in use by {user}")]
    InUse {
        /// What was to be removed.
        what: String,
        /// Who uses it.
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
