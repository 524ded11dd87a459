//! All routes. A route and its description in the OpenAPI document are one registration.

#![allow(unused_qualifications, reason = "what `utoipa::path` expands to for query types")]

mod diagnoses;
mod events;
mod incidents;
mod network;
mod operations;
mod queries;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use tower_http::compression::CompressionLayer;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::limits::BODY_BYTES;
use crate::state::AppState;
use crate::{assets, headers, problem};

const API: &str = "/api/v1";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Harrier",
        description = "Who is really slowing this flow down? Diagnoses of a lossless RDMA network, with their evidence.\n\n\
                       Times are nanoseconds of the fabric's clock. Lists are pages: a request with `cursor` set to the \
                       `next` of a page continues it. Every error is a problem (RFC 9457).",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "diagnoses", description = "Verdicts about victim flows, with graph and telemetry"),
        (name = "incidents", description = "Everything that one culprit did in one stretch of time"),
        (name = "network", description = "Topology, ports, configuration findings"),
        (name = "live", description = "What happens now")
    )
)]
struct Description;

fn api() -> OpenApiRouter<AppState> {
    let v1 = OpenApiRouter::new()
        .routes(routes!(diagnoses::list))
        .routes(routes!(diagnoses::one))
        .routes(routes!(diagnoses::graph))
        .routes(routes!(diagnoses::snapshot))
        .routes(routes!(incidents::list))
        .routes(routes!(incidents::one))
        .routes(routes!(queries::ask))
        .routes(routes!(network::topology))
        .routes(routes!(network::ports))
        .routes(routes!(network::series))
        .routes(routes!(network::findings))
        .routes(routes!(events::stream));
    OpenApiRouter::with_openapi(Description::openapi()).nest(API, v1)
}

/// The OpenAPI 3.1 description of `/api/v1`.
pub fn openapi() -> OpenApi {
    api().into_openapi()
}

/// The whole server as a service: REST, live stream, metrics, health and the dashboard.
pub fn router(state: AppState) -> Router {
    let (documented, _) = api().split_for_parts();
    let router = documented
        .route(&format!("{API}/openapi.json"), get(operations::openapi))
        .route(&format!("{API}/checks"), post(operations::checks))
        .route("/metrics", get(operations::metrics))
        .route("/healthz", get(operations::healthy))
        .route("/readyz", get(operations::ready))
        .fallback(assets::serve)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn(problem::fill))
        .layer(from_fn_with_state(state.clone(), count))
        .layer(CompressionLayer::new())
        .with_state(state);
    headers::secure(router)
}

/// Counts responses by route (never by path, which has no bound) and status.
async fn count(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let route =
        request.extensions().get::<MatchedPath>().map_or("dashboard".into(), |p| p.as_str().to_string());
    let response = next.run(request).await;
    state.live.metrics.responded(&route, response.status().as_u16());
    response
}
