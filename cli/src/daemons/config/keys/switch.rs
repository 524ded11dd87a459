//! Keys of `harrier switch`.

use super::common::{HEALTH, OPERATION};
use super::files;
use crate::commands::{p4, switch};
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};
use crate::switch_ports::{self, Attachments, Cable, PortArgument};

/// The switch's table.
pub(crate) static SWITCH: Daemon = Daemon {
    name: "switch",
    about: "Runs a P4 switch with a P4Runtime server.",
    groups: &[PORTS, TLS, HEALTH, OPERATION],
    contradictions,
    files,
};

/// Marks the settings of the switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Switch;

impl Described for Switch {
    const DAEMON: &'static Daemon = &SWITCH;
}

const PORT: Kind =
    Kind::Other("PORT=INTERFACE[@RATE]|udp:LOCAL,REMOTE", |text| text.parse::<PortArgument>().map(drop));
const CABLE: Kind = Kind::Other("PORT:PORT", |text| text.parse::<Cable>().map(drop));
const MAC: Kind = Kind::Other("XX:XX:XX:XX:XX:XX", |text| switch_ports::mac(text).map(drop));

const PORTS: &[Key] = &[
    Key::new(
        "program",
        Kind::Path,
        "",
        "Program to run until a controller sets another one, as the argument PROGRAM; without it the switch waits for one",
    ),
    Key::new("listen", Kind::Listen, "127.0.0.1:9559", "Address of the P4Runtime server"),
    Key::new("device_id", Kind::Number(1, u64::MAX), "1", "P4Runtime device id"),
    Key::new("ports", Kind::Number(1, 511), "8", "Number of ports; they are numbered from 1"),
    Key::new(
        "port",
        Kind::List(&PORT),
        "",
        "Connects ports to interfaces, each with its rate, or to UDP tunnels",
    ),
    Key::new("cable", Kind::List(&CABLE), "", "Connects ports of the switch with each other"),
    Key::new(
        "tm",
        Kind::Path,
        "",
        "Queues, buffers, PFC and ECN of ports on interfaces: a TOML file with the section `switch` of a scenario",
    ),
    Key::new(
        "mac",
        MAC,
        "02:00:00:00:00:00",
        "MAC address of the switch, the source of its PFC frames; the port number is XORed into it",
    ),
];

/// The switch checks certificates of clients only if it has their authority.
const TLS: &[Key] = &[
    Key::new("tls_cert", Kind::Path, "", "Certificate chain of the P4Runtime server (PEM)"),
    Key::new("tls_key", Kind::Path, "", "Private key of the certificate (PEM)"),
    Key::new("client_ca", Kind::Path, "", "Accept only clients with a certificate of this authority (PEM)"),
    Key::new(
        "client_name",
        Kind::List(&Kind::Text),
        "*.controller.harrier",
        "DNS names of which a client's certificate must have one; `*.NAME` for all names one label longer, `any` for \
         every certificate of the authority",
    ),
    Key::new(
        "reader_name",
        Kind::List(&Kind::Text),
        "*.watcher.harrier",
        "DNS names, as of `client_name`, of clients that may read and change nothing",
    ),
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = Vec::new();
    if settings.has("tls_cert") != settings.has("tls_key") {
        let given = if settings.has("tls_cert") { "tls_cert" } else { "tls_key" };
        problems.push(settings.problem(given, "certificate and key are needed together"));
    }
    if settings.has("client_ca") && !settings.has("tls_cert") {
        problems.push(settings.problem("client_ca", "also needs tls_cert and tls_key"));
    }
    if !settings.has("tls_cert")
        && let Some(address) = settings.listen("listen").filter(|address| !address.ip().is_loopback())
    {
        let message =
            format!("other machines can reach {address}, which needs certificates (tls_cert, tls_key)");
        problems.push(settings.problem("listen", message));
    }
    if settings.has("tls_cert")
        && !settings.has("client_ca")
        && let Some(address) = settings.listen("listen").filter(|address| !address.ip().is_loopback())
    {
        let message =
            format!("other machines can reach {address} and could program the switch: client_ca is needed");
        problems.push(settings.problem("listen", message));
    }
    problems.extend(loopback_health(settings));
    let attached = attachments(settings).problems();
    problems.extend(attached.into_iter().map(|(key, message)| settings.problem(key, message)));
    problems
}

/// Without certificates the switch serves health on loopback addresses only.
fn loopback_health(settings: &Settings) -> Option<Problem> {
    let address = settings.listen("health_listen").filter(|address| !address.ip().is_loopback())?;
    let message = format!("other machines can reach {address}, which needs certificates (tls_cert, tls_key)");
    (!settings.has("tls_cert")).then(|| settings.problem("health_listen", message))
}

/// Returns what the keys attach the ports to.
fn attachments(settings: &Settings) -> Attachments {
    Attachments {
        ports: settings.texts("port").into_iter().filter_map(|text| text.parse().ok()).collect(),
        cables: settings.texts("cable").into_iter().filter_map(|text| text.parse().ok()).collect(),
        count: match settings.is_wrong("ports") {
            true => u16::MAX,
            false => u16::try_from(settings.number("ports")).unwrap_or(u16::MAX),
        },
        // Ports that are mistakes may be on interfaces.
        has_tm: settings.has("tm") && !settings.is_wrong("port"),
    }
}

fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::certificates(settings, ["client_ca", "tls_cert", "tls_key"]);
    problems.extend(files::read(settings, "program", |path| p4::device_config(path, None)));
    problems.extend(files::read(settings, "tm", |path| {
        switch::parse_manager(path, scenario::SwitchSettings::software(&[]))
    }));
    problems
}
