//! The tokens of REST, as the server around this crate keeps them.

use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Role;

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TokenInfo {
    /// Whose it is.
    pub name: String,
    /// What its owner may do.
    pub role: Role,
    /// When it was created (RFC 3339).
    pub created: String,
}

/// Why the tokens were not read or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The name has a token already.
    #[error("`{0}` has a token already; revoke it or choose another name")]
    Exists(String),
    /// The name has no token.
    #[error("`{0}` has no token")]
    Unknown(String),
    /// The last token with the role admin: without it REST could not create another one.
    #[error("`{0}` has the last token of an admin; create another one first")]
    LastAdmin(String),
    /// The tokens cannot be read or written.
    #[error("{0}")]
    Failed(String),
}

/// Keeps the tokens. A change is accepted by the server at once, and survives a restart.
pub trait TokenBackend: Send + Sync {
    /// Lists the tokens in the order of their creation.
    ///
    /// # Errors
    /// They cannot be read.
    fn list(&self) -> Result<Vec<TokenInfo>, TokenError>;

    /// Creates a token and returns its secret, which is not kept.
    ///
    /// # Errors
    /// The name is taken, or the tokens cannot be read or written.
    fn create(&self, name: &str, role: Role) -> Result<(TokenInfo, String), TokenError>;

    /// Removes a token.
    ///
    /// # Errors
    /// There is none of this name, it is the last of an admin, or the tokens cannot be read or written.
    fn revoke(&self, name: &str) -> Result<(), TokenError>;
}
