//! Keys that several daemons have, and the contradictions between them.

use crate::daemons::config::key::Key;
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};

/// The levels of the log.
pub(crate) const LOG_LEVELS: &[&str] = &["error", "warn", "info", "debug", "trace"];

/// Logs and health, of every daemon.
pub(crate) const OPERATION: &[Key] = &[
    Key::new("log_level", Kind::Choice(LOG_LEVELS), "info", "Least severe messages in the log").reloaded(),
    Key::new("log_format", Kind::Choice(&["text", "json"]), "text", "Format of the log on stderr"),
];

/// Health and metrics of daemons without REST.
pub(crate) const HEALTH: &[Key] = &[Key::new(
    "health_listen",
    Kind::Listen,
    "",
    "Address of /healthz, /readyz and /metrics (HTTPS if there are certificates); without it there are none",
)];

/// The pace of network time.
pub(crate) const TIME: &[Key] = &[Key::new(
    "time_scale",
    Kind::Number(1, 1_000_000),
    "1",
    "Nanoseconds of wall-clock time for one nanosecond of network time; above 1 only in labs with slowed-down networks",
)];

/// Certificates of daemons that talk to other daemons.
pub(crate) const TLS: &[Key] = &[
    Key::new(
        "tls_ca",
        Kind::Path,
        "",
        "Certificates of the authorities that peers are checked against (PEM)",
    ),
    Key::new("tls_certificate", Kind::Path, "", "Own certificate, followed by intermediate ones (PEM)"),
    Key::new("tls_key", Kind::Path, "", "Private key of the own certificate (PEM)"),
];

const SERVER_NAME: Key = Key::new(
    "server_name",
    Kind::Text,
    "server.server.harrier",
    "DNS name that the server's certificate must have",
);
const SPOOL_BYTES: Key = Key::new(
    "spool_bytes",
    Kind::Number(1 << 20, 1 << 40),
    "268435456",
    "Maximum size of the spool; beyond it the oldest records are dropped and counted",
);

/// The connection to the server, and the spool of records for it.
pub(crate) const UPLOAD: &[Key] = &[
    Key::new("server", Kind::Peer, "127.0.0.1:9560", "Address of the server's uploads"),
    SERVER_NAME,
    Key::new(
        "spool",
        Kind::Path,
        "",
        "Folder for records that the server has not acknowledged yet; required",
    )
    .with_example("spool")
    .written(),
    SPOOL_BYTES,
];

/// As [`UPLOAD`], for a command that also works without a server.
pub(crate) const OPTIONAL_UPLOAD: &[Key] = &[
    Key::new(
        "server",
        Kind::Peer,
        "",
        "Address of the server's uploads, which stores and shows the verdicts; without it they are only printed",
    )
    .with_example("127.0.0.1:9560"),
    SERVER_NAME,
    Key::new(
        "spool",
        Kind::Path,
        "",
        "Folder for verdicts that the server has not acknowledged yet; required with a server",
    )
    .with_example("spool")
    .written(),
    SPOOL_BYTES,
];

/// Certificates come together or not at all.
pub(crate) fn tls(settings: &Settings) -> Vec<Problem> {
    let names = ["tls_ca", "tls_certificate", "tls_key"];
    let given: Vec<&str> = names.into_iter().filter(|name| settings.has(name)).collect();
    let missing: Vec<&str> = names.into_iter().filter(|name| !settings.has(name)).collect();
    match (given.first(), missing.is_empty()) {
        (Some(first), false) => {
            vec![settings.problem(first, format!("also needs {}", missing.join(" and ")))]
        }
        _ => Vec::new(),
    }
}

/// Returns two numbers to compare, unless one of them is a mistake.
pub(crate) fn numbers(settings: &Settings, first: &str, second: &str) -> Option<(u64, u64)> {
    let are_valid = !settings.is_wrong(first) && !settings.is_wrong(second);
    are_valid.then(|| (settings.number(first), settings.number(second)))
}

/// Without certificates a daemon listens on loopback addresses only.
pub(crate) fn loopback(settings: &Settings, listen: &str) -> Vec<Problem> {
    match settings.listen(listen) {
        Some(address) if !settings.has("tls_certificate") && !address.ip().is_loopback() => vec![settings.problem(
            listen,
            format!(
                "other machines can reach {address}, which needs certificates (tls_ca, tls_certificate, tls_key); \
                 without them use a loopback address, e.g. 127.0.0.1:{}",
                address.port()
            ),
        )],
        _ => Vec::new(),
    }
}

/// Without certificates a daemon connects to loopback addresses only. `peer` is `HOST:PORT`.
pub(crate) fn loopback_peer(settings: &Settings, name: &str, peer: &str) -> Vec<Problem> {
    if settings.has("tls_certificate") || is_loopback(peer) {
        return Vec::new();
    }
    let message = format!(
        "{peer} is not a loopback address, which needs certificates (tls_ca, tls_certificate, tls_key)"
    );
    vec![settings.problem(name, message)]
}

fn is_loopback(peer: &str) -> bool {
    let host = peer.rsplit_once(':').map_or(peer, |(host, _)| host).trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Contradictions of a daemon that sends records to the server.
pub(crate) fn upload(settings: &Settings) -> Vec<Problem> {
    let mut problems = tls(settings);
    problems.extend(loopback_peer(settings, "server", settings.text("server").unwrap_or_default()));
    if !settings.has("spool") {
        problems
            .push(settings.problem("spool", "missing: the folder for records that are not acknowledged yet"));
    }
    problems.extend(loopback(settings, "health_listen"));
    problems
}
