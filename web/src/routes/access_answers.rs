//! The answers of the guard in the OpenAPI document: it stands before every operation, so they are described once, here.

use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Response, ResponseBuilder};

use super::operations_of;

/// A status, the name of its answer among the components, and when it is given.
const ANSWERS: [(&str, &str, &str); 3] = [
    ("401", "NoToken", "Other machines reach the server, and the request has no valid token"),
    (
        "403",
        "NotAllowed",
        "The role does not suffice, the request comes from a page of another site, or a proxy names an unknown user",
    ),
    ("421", "UnknownHost", "The request names another host than this server"),
];

/// The operation of which only a few requests a minute are accepted.
const LIMITED: &str = "ask_about_flow";
const LIMIT: (&str, &str, &str) =
    ("429", "TooManyQuestions", "There were too many questions; `Retry-After` has the seconds to wait");

/// Adds the answers to every operation.
pub(super) fn describe(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        for operation in operations_of(item) {
            let is_limited = operation.operation_id.as_deref() == Some(LIMITED);
            for (status, name, _) in ANSWERS.into_iter().chain(is_limited.then_some(LIMIT)) {
                let reference = RefOr::Ref(Ref::from_response_name(name));
                operation.responses.responses.entry(status.to_string()).or_insert(reference);
            }
        }
    }
    let components = document.components.get_or_insert_default();
    for (_, name, description) in ANSWERS.into_iter().chain([LIMIT]) {
        components.responses.insert(name.to_string(), RefOr::T(problem(description)));
    }
}

fn problem(description: &str) -> Response {
    let body = Content::new(Some(Ref::from_schema_name("Problem")));
    ResponseBuilder::new().description(description).content("application/problem+json", body).build()
}
