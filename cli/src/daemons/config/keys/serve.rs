//! Keys of `harrier serve`.

use hyper::header::HeaderName;

use super::common::{OPERATION, TIME, TLS, loopback, tls};
use super::files;
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};
use crate::daemons::serve::webhooks;
use crate::daemons::{tls as certificates, topology};
use crate::{client, tokens};

/// The server's table.
pub(crate) static SERVE: Daemon = Daemon {
    name: "serve",
    about: "Receives what agents and controllers collect, diagnoses it, stores the diagnoses, and serves REST and the \
            dashboard.",
    groups: &[SERVER, TIME, TLS, OPERATION],
    contradictions,
    files,
};

/// Marks the flags of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serve;

impl Described for Serve {
    const DAEMON: &'static Daemon = &SERVE;
}

const CONFIG: Kind =
    Kind::Other("SWITCH=PATH", |text| crate::configurations::parse_config_of(text).map(|_| ()));

const WEBHOOK: Kind = Kind::Other("FORMAT=URL", |text| webhooks::parse(text).map(|_| ()));

const URL: Kind = Kind::Other("URL", |text| webhooks::parse_url(text).map(drop));

const PROXY: Kind =
    Kind::Other("ADDRESS[/BITS]", |text| text.parse::<web::Network>().map(drop).map_err(|e| e.to_string()));

const HEADER: Kind = Kind::Other("HEADER", |text| header_name(text).map(drop));

const GROUP_ROLE: Kind =
    Kind::Other("GROUP=ROLE", |text| text.parse::<web::GroupRole>().map(drop).map_err(|e| e.to_string()));

/// Reads the name of a header.
pub(crate) fn header_name(text: &str) -> Result<HeaderName, String> {
    text.parse().map_err(|_| format!("`{text}` is not the name of a header"))
}

const SERVER: &[Key] = &[
    Key::new(
        "listen",
        Kind::Listen,
        "127.0.0.1:8080",
        "Address of REST, dashboard, metrics and health (HTTPS if there are certificates)",
    ),
    Key::new(
        "rest_tls",
        Kind::Choice(&["auto", "off"]),
        "auto",
        "Whether REST uses the certificates; `off` only on loopback addresses",
    ),
    Key::new(
        "tokens",
        Kind::Path,
        "",
        "Tokens that REST and the dashboard accept (`harrier token create`); without it everyone who reaches the server \
         may do everything, on loopback addresses only",
    )
    .reloaded(),
    Key::new(
        "proxies",
        Kind::List(&PROXY),
        "",
        "Addresses of reverse proxies that have authenticated the user and name it in headers; headers of all other clients \
         are ignored",
    ),
    Key::new(
        "proxy_user_header",
        HEADER,
        "X-Forwarded-User",
        "Header of `proxies` with the name of the user; the proxy must replace one that its client sends",
    ),
    Key::new(
        "proxy_groups_header",
        HEADER,
        "X-Forwarded-Groups",
        "Header of `proxies` with the groups of the user, separated by commas; the proxy must replace one that its client \
         sends",
    ),
    Key::new(
        "proxy_roles",
        Kind::List(&GROUP_ROLE),
        "",
        "What the users of `proxies` may do, by group: `noc=viewer`; `*` is every user. The highest role counts, and a user \
         without one is rejected",
    ),
    Key::new(
        "hosts",
        Kind::List(&Kind::Text),
        "",
        "Names under which browsers may address a server without tokens or with `proxies`, besides localhost and IP \
         addresses, e.g. the name of a reverse proxy",
    ),
    Key::new(
        "upload_listen",
        Kind::Listen,
        "127.0.0.1:9560",
        "Address of the uploads of agents and controllers (gRPC)",
    ),
    Key::new("store", Kind::Path, "harrier.db", "Database file, or URL of a PostgreSQL database").written(),
    Key::new(
        "topology",
        Kind::Path,
        "",
        "Network: JSON as in docs/snapshot.schema.json, or an ns-3 topology file [default: learned from what controllers and agents report]",
    )
    .reloaded()
    .with_example("topology.json"),
    Key::new(
        "discovered_rate_gbps",
        Kind::Number(0, 10_000),
        "0",
        "Rate of links of a learned network that neither their switches nor an agent report; 0: such links are left out",
    ),
    Key::new(
        "configs",
        Kind::List(&CONFIG),
        "",
        "SONiC configurations of switches, whose findings diagnoses can name as root cause",
    )
    .reloaded(),
    Key::new(
        "findings",
        Kind::Path,
        "",
        "Further configuration findings: a JSON list in the form of snapshots",
    )
    .reloaded(),
    Key::new(
        "max_connections",
        Kind::Number(1, 100_000),
        "4096",
        "Maximum agents and controllers at the same time; further ones are rejected",
    ),
    Key::new(
        "max_diagnoses",
        Kind::Number(1, 100_000_000),
        "100000",
        "Diagnoses to keep; the oldest are removed first",
    ),
    Key::new(
        "max_snapshots",
        Kind::Number(1, 1_000_000),
        "2000",
        "Snapshots to keep; the oldest are removed first",
    ),
    Key::new(
        "max_age_days",
        Kind::Number(0, 36_500),
        "0",
        "Days after which diagnoses, snapshots and reports are removed; 0: no limit. Incidents with a note keep their \
         verdict and its snapshot, whatever the limits are",
    ),
    Key::new(
        "max_store_bytes",
        Kind::Number(0, 1 << 50),
        "0",
        "Size of the store at which the oldest diagnoses, snapshots and reports are removed; 0: no limit",
    ),
    Key::new(
        "series_second_hours",
        Kind::Number(1, 168),
        "1",
        "Hours for which series of ports and flows are kept by the second; at most 2,000,000 rows of each",
    ),
    Key::new(
        "series_minute_days",
        Kind::Number(1, 3_650),
        "7",
        "Days for which series of ports and flows are kept by the minute; at most 2,000,000 rows of each",
    ),
    Key::new(
        "incident_quiet_s",
        Kind::Number(1, 86_400),
        "60",
        "Time without a new diagnosis after which an incident has ended",
    ),
    Key::new(
        "webhooks",
        Kind::List(&WEBHOOK),
        "",
        "Receivers of notifications about incidents: `alertmanager=` or `slack=` and the URL",
    ),
    Key::new(
        "webhook_secret",
        Kind::Path,
        "",
        "File with the secret that signs the bodies of webhooks (header X-Hub-Signature-256, HMAC-SHA256)",
    ),
    Key::new(
        "webhook_severity",
        Kind::Choice(&["minor", "major", "critical"]),
        "major",
        "Incidents below this severity are not sent to webhooks",
    ),
    Key::new(
        "webhook_link",
        URL,
        "",
        "Address of the dashboard for links in webhooks, e.g. https://harrier.example:8080",
    ),
    Key::new(
        "webhook_ca",
        Kind::Path,
        "/etc/ssl/certs/ca-certificates.crt",
        "Certificates of the authorities that the receivers of webhooks are checked against (PEM), for https",
    ),
    Key::new(
        "follow_up_wait_ms",
        Kind::Number(0, 60_000),
        "3000",
        "How long the first diagnosis of an event waits for the snapshot of the follow-up poll",
    ),
    Key::new(
        "silent_after_s",
        Kind::Number(2, 86_400),
        "30",
        "Time without a message after which an agent or controller counts as silent",
    ),
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = tls(settings);
    problems.extend(loopback(settings, "listen"));
    let is_open = settings.listen("listen").is_some_and(|address| !address.ip().is_loopback());
    if is_open && settings.text("rest_tls") == Some("off") {
        problems.push(settings.problem("rest_tls", "`off` needs a loopback address in `listen`"));
    }
    if is_open && settings.has("tls_certificate") && !settings.has("tokens") && !settings.has("proxies") {
        let text = "needs `tokens` (`harrier token create`) or `proxies`, because everyone in the network reaches it";
        problems.push(settings.problem("listen", text));
    }
    problems.extend(of_proxies(settings));
    if let Some(path) = settings.path("store")
        && let Err(error) = store::check_url(path)
    {
        problems.push(settings.problem("store", error.to_string()));
    }
    problems.extend(loopback(settings, "upload_listen"));
    let (listen, upload) = (settings.listen("listen"), settings.listen("upload_listen"));
    if listen == upload && listen.is_some_and(|address| address.port() != 0) {
        problems
            .push(settings.problem("upload_listen", "the same address as `listen`; expected another port"));
    }
    problems
}

/// What contradicts itself in the keys of reverse proxies.
fn of_proxies(settings: &Settings) -> Option<Problem> {
    match (settings.has("proxies"), settings.has("proxy_roles")) {
        (true, false) => Some(settings.problem("proxies", "needs `proxy_roles`: no user has a role")),
        (false, true) => Some(settings.problem("proxy_roles", "needs `proxies`: no proxy names a user")),
        _ if settings.text("proxy_user_header") == settings.text("proxy_groups_header") => {
            Some(settings.problem("proxy_groups_header", "the same header as `proxy_user_header`"))
        }
        _ => None,
    }
}

fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::certificates(settings, certificates::KEYS);
    problems.extend(files::read(settings, "tokens", tokens::credentials));
    problems.extend(files::read(settings, "topology", topology::read));
    problems.extend(files::configurations(settings, "configs"));
    problems.extend(files::read(settings, "findings", files::findings));
    problems.extend(files::read(settings, "webhook_secret", webhooks::read_secret));
    if settings.texts("webhooks").iter().any(|webhook| webhook.contains("=https:")) {
        problems.extend(files::read(settings, "webhook_ca", client::trusting));
    }
    problems
}
