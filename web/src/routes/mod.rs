//! All routes. One registration adds a route and its description in the OpenAPI document.

#![allow(unused_qualifications, reason = "`utoipa::path` expands to qualified names of query types")]

mod access_answers;
mod checks;
mod conditional;
mod diagnoses;
mod events;
mod examples;
mod flows;
mod hosts;
mod incidents;
mod network;
mod notes;
mod operations;
mod parameters;
mod queries;
mod report;
mod tokens;
mod what_if;

pub(crate) use incidents::TimedIncident;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use tokio::time::Instant;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi as _};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use crate::limits::{BODY_BYTES, CHECK_BYTES};
use crate::state::AppState;
use crate::{assets, headers, problem};

const API: &str = "/api/v1";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Harrier",
        description = "Diagnoses of slow flows in lossless RDMA networks, with their evidence.\n\n\
                       Fields that end in `_ns` are nanoseconds of switch time; `time`, `start_time`, `update_time` and \
                       `end_time` are wall clocks (RFC 3339). Lists are paged: set `cursor` to the `next` value of a page \
                       to get the following one. Every error is a problem (RFC 9457).\n\n\
                       A server that other machines reach needs a token, or a reverse proxy that names the user: status \
                       401 without a valid one, 403 if its role does not suffice or the request comes from a page of another site. Status 421 means that the \
                       request names another host, 429 that there are too many questions.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    // Either none, on loopback addresses, or a token.
    security((), ("token" = [])),
    modifiers(&TokenScheme),
    tags(
        (name = "diagnoses", description = "Diagnoses of victim flows, with graph and snapshot"),
        (name = "incidents", description = "Diagnoses of one culprit, with its occurrences"),
        (name = "network", description = "Topology, ports, flows, configuration findings"),
        (name = "live", description = "The live stream"),
        (name = "access", description = "Tokens, for admins")
    )
)]
struct Description;

/// Adds the scheme of tokens to the document.
struct TokenScheme;

impl Modify for TokenScheme {
    fn modify(&self, document: &mut OpenApi) {
        let mut token = Http::new(HttpAuthScheme::Bearer);
        token.description = Some("A token of `harrier token create`".into());
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
    }
}

fn api() -> OpenApiRouter<AppState> {
    let v1 = OpenApiRouter::new()
        .routes(routes!(diagnoses::list))
        .routes(routes!(diagnoses::one))
        .routes(routes!(diagnoses::graph))
        .routes(routes!(diagnoses::snapshot))
        .routes(routes!(what_if::what_if))
        .routes(routes!(incidents::list))
        .routes(routes!(incidents::one))
        .routes(routes!(incidents::related))
        .routes(routes!(report::incident_report))
        .routes(routes!(notes::list, notes::add))
        .routes(routes!(notes::case))
        .routes(routes!(queries::query))
        .routes(routes!(network::topology))
        .routes(routes!(network::ports))
        .routes(routes!(network::series))
        .routes(routes!(network::priorities))
        .routes(routes!(network::findings))
        .routes(routes!(checks::check).layer(DefaultBodyLimit::max(CHECK_BYTES)))
        .routes(routes!(flows::series))
        .routes(routes!(hosts::list))
        .routes(routes!(hosts::one))
        .routes(routes!(hosts::report))
        .routes(routes!(operations::daemons))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(events::stream));
    let mut all = OpenApiRouter::with_openapi(Description::openapi()).nest(API, v1);
    access_answers::describe(all.get_openapi_mut());
    examples::describe(all.get_openapi_mut());
    all
}

/// Returns the operations of a path in the document.
fn operations_of(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch].into_iter().flatten()
}

/// Returns the OpenAPI 3.1 document of `/api/v1`.
pub fn openapi() -> OpenApi {
    api().into_openapi()
}

/// Returns the whole server as a service: REST, live stream, metrics, health and the dashboard.
pub fn router(state: AppState) -> Router {
    let (documented, _) = api().split_for_parts();
    let router = documented
        .route(&format!("{API}/openapi.json"), get(operations::openapi))
        .route("/metrics", get(operations::metrics))
        .route("/healthz", get(operations::healthy))
        .route("/readyz", get(operations::ready))
        .fallback(assets::serve)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn(problem::fill))
        .layer(from_fn_with_state(state.clone(), count))
        .layer(CompressionLayer::new().compress_when(compresses()))
        .with_state(state);
    headers::secure(router)
}

/// Which answers are compressed for clients that accept it: all but images and short ones. The live stream too: its events
/// repeat each other, and the encoder flushes whenever no further event is ready, so compression delays none.
fn compresses() -> impl Predicate {
    SizeAbove::default().and(NotForContentType::IMAGES)
}

/// Middleware: counts and times responses by status and by route. Paths have no bound, so they are no label.
async fn count(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let route =
        request.extensions().get::<MatchedPath>().map_or("dashboard".into(), |p| p.as_str().to_string());
    let start = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    state.live.metrics.responded(&route, status);
    state.live.metrics.durations.requested(&route, status, start.elapsed());
    response
}
