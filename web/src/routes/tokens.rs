//! The tokens of REST, for admins: list, create, revoke. The guard lets only admins through.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::{Json, extract::rejection::JsonRejection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::{Author, Role};
use crate::limits::TOKEN_NAME_BYTES;
use crate::problem::Problem;
use crate::state::AppState;
use crate::tokens::{TokenBackend, TokenError, TokenInfo};

/// The tokens.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tokens {
    /// In the order of their creation, without their secrets.
    tokens: Vec<TokenInfo>,
}

/// A token to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// Whose it is: letters, digits, `.`, `_`, `-` and `@`.
    #[schema(min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9._@-]+$")]
    name: String,
    /// What its owner may do.
    role: Role,
}

/// A new token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    /// The token.
    #[serde(flatten)]
    token: TokenInfo,
    /// The secret, for `Authorization: Bearer`. It is not stored, and no other answer has it.
    secret: String,
}

/// List the tokens, without their secrets
#[utoipa::path(get, path = "/tokens", operation_id = "list_tokens", tag = "access", responses(
    (status = 200, description = "The tokens", body = Tokens),
    (status = 403, description = "The role is not `admin`", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "This server has no tokens", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list(State(state): State<AppState>) -> Result<impl IntoResponse, Problem> {
    let tokens = with(&state, |tokens| tokens.list()).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(Tokens { tokens })))
}

/// Create a token; its secret is in this answer only
#[utoipa::path(post, path = "/tokens", operation_id = "create_token", tag = "access", request_body = NewToken, responses(
    (status = 201, description = "The token with its secret", body = CreatedToken),
    (status = 400, description = "The body is not JSON", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "The role is not `admin`", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "This server has no tokens", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "The name has a token already", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "The content type is not `application/json`", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "The name or the role is malformed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn create(
    State(state): State<AppState>,
    author: Option<Extension<Author>>,
    request: Result<Json<NewToken>, JsonRejection>,
) -> Result<impl IntoResponse, axum::response::Response> {
    let Json(NewToken { name, role }) = request.map_err(IntoResponse::into_response)?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
    if name.is_empty() || name.len() > TOKEN_NAME_BYTES || !name.bytes().all(is_name) {
        let detail = format!("a name has 1 to {TOKEN_NAME_BYTES} letters, digits and `.`, `_`, `-`, `@`");
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Err(Problem::new(status, "bad-body", "The token cannot be created", detail).into_response());
    }
    let created = with(&state, move |tokens| tokens.create(&name, role)).await;
    let (token, secret) = created.map_err(IntoResponse::into_response)?;
    log("created", author, &token.name, Some(role));
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(CreatedToken { token, secret })))
}

/// Revoke a token: the server no longer accepts it
#[utoipa::path(delete, path = "/tokens/{name}", operation_id = "revoke_token", tag = "access",
    params(("name" = String, Path, description = "Whose token it is")), responses(
    (status = 204, description = "It is revoked"),
    (status = 403, description = "The role is not `admin`", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "There is no such token, or this server has none", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "It is the last token of an admin", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn revoke(
    State(state): State<AppState>,
    Path(name): Path<String>,
    author: Option<Extension<Author>>,
) -> Result<StatusCode, Problem> {
    let revoked = name.clone();
    with(&state, move |tokens| tokens.revoke(&revoked)).await?;
    log("revoked", author, &name, None);
    Ok(StatusCode::NO_CONTENT)
}

/// The line of the request has no body: this one says whose token was changed.
fn log(change: &str, author: Option<Extension<Author>>, token: &str, role: Option<Role>) {
    let name = author.map_or_else(|| "anonymous".to_string(), |Extension(Author(name))| name);
    let token_role = role.map(Role::name);
    tracing::info!(target: "audit", name, token, token_role, "token {change}");
}

/// Calls the backend, which reads and writes a file, outside of the threads that answer requests.
async fn with<T: Send + 'static>(
    state: &AppState,
    call: impl FnOnce(&dyn TokenBackend) -> Result<T, TokenError> + Send + 'static,
) -> Result<T, Problem> {
    let Some(backend) = state.tokens.clone() else {
        let detail = "this server has no tokens; `tokens` of harrier serve names their file";
        return Err(Problem::new(StatusCode::NOT_FOUND, "no-tokens", "No tokens", detail));
    };
    let called = tokio::task::spawn_blocking(move || call(Arc::as_ref(&backend))).await;
    match called {
        Ok(result) => result.map_err(Problem::from),
        Err(error) => Err(TokenError::Failed(error.to_string()).into()),
    }
}

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Problem {
        let detail = error.to_string();
        match error {
            TokenError::Unknown(_) => Problem::not_found(detail),
            TokenError::Exists(_) => {
                Problem::new(StatusCode::CONFLICT, "token-exists", "The name is taken", detail)
            }
            TokenError::LastAdmin(_) => {
                Problem::new(StatusCode::CONFLICT, "last-admin", "The last admin", detail)
            }
            TokenError::Failed(_) => {
                tracing::error!(%detail, "the tokens cannot be read or written");
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Problem::new(status, "tokens", "The tokens cannot be read or written", detail)
            }
        }
    }
}
