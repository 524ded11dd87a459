//! Keys of `harrier switch`.

use super::common::{HEALTH, OPERATION, loopback};
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};

/// The switch's table.
pub(crate) static SWITCH: Daemon = Daemon {
    name: "switch",
    about: "Runs a P4 switch with a P4Runtime server.",
    groups: &[PORTS, TLS, HEALTH, OPERATION],
    contradictions,
};

/// Marks the settings of the switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Switch;

impl Described for Switch {
    const DAEMON: &'static Daemon = &SWITCH;
}

const PORT: Kind = Kind::Other("PORT=INTERFACE[@RATE]|udp:LOCAL,REMOTE", |text| match text.split_once('=') {
    Some((port, end))
        if port.parse::<u16>().is_ok_and(|port| (1..=511).contains(&port)) && !end.is_empty() =>
    {
        Ok(())
    }
    Some(_) => Err("the port is not a number from 1 to 511, or nothing follows the `=`".into()),
    None => Err("there is no `=`".into()),
});
const CABLE: Kind = Kind::Other("PORT:PORT", |text| {
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    match text.split_once(':') {
        Some((a, b)) if is_port(a) && is_port(b) => Ok(()),
        _ => Err("these are not two port numbers".into()),
    }
});

const PORTS: &[Key] = &[
    Key::new(
        "program",
        Kind::Path,
        "",
        "Program to run until a controller sets another one; without it the switch waits for one",
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
        Kind::Text,
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
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = Vec::new();
    if settings.has("tls_cert") != settings.has("tls_key") {
        let given = if settings.has("tls_cert") { "tls_cert" } else { "tls_key" };
        problems.push(settings.problem(given, "certificate and key are needed together"));
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
    problems.extend(loopback(settings, "health_listen"));
    problems
}
