//! Keys of `harrier watch`.

use std::time::Duration;

use model::Time;

use super::common::{HEALTH, OPERATION, OPTIONAL_UPLOAD, TLS, loopback, tls, upload};
use super::files;
use crate::client::trusting;
use crate::configurations::parse_config_of;
use crate::counter_sources::{Address, parse_exporter};
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};
use crate::daemons::{tls as certificates, topology};

/// The watcher's table.
pub(crate) static WATCH: Daemon = Daemon {
    name: "watch",
    about: "Reads the counters of ordinary switches over Redis or gNMI, reports who sends the pauses, and uploads the \
            verdicts to a server.",
    groups: &[SWITCHES, SAMPLES, OPTIONAL_UPLOAD, TLS, HEALTH, OPERATION],
    contradictions,
    files,
};

/// Marks the flags of the watcher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch;

impl Described for Watch {
    const DAEMON: &'static Daemon = &WATCH;
}

const INTERVAL: Kind = Kind::Other("TIME", |text| parse_interval(text).map(|_| ()));
const CONFIG: Kind = Kind::Other("SWITCH=PATH", |text| parse_config_of(text).map(|_| ()));
const EXPORTER: Kind = Kind::Other("SWITCH=ADDRESS", |text| parse_exporter(text).map(|_| ()));

const SWITCHES: &[Key] = &[
    Key::new("name", Kind::Text, "", "Name of this watcher at the server [default: the host's name]"),
    Key::new(
        "switches",
        Kind::List(&Kind::Text),
        "",
        "Switches, as the arguments: [NAME=]ADDRESS; arguments take precedence",
    )
    .with_example("leaf1=sonic://127.0.0.1:6380,spine1=gnmis://admin@10.0.0.2:8080"),
    Key::new("interval", INTERVAL, "1s", "Polling interval, from 100ms to 10min"),
    Key::new(
        "topology",
        Kind::Path,
        "",
        "Topology of the network [default: the neighbours that LLDP and the switches' configuration name]",
    ),
    Key::new(
        "check_configuration",
        Kind::Choice(&["yes", "no"]),
        "yes",
        "Read the configuration of SONiC switches once a minute; verdicts cite the findings of `harrier check` in it",
    ),
    Key::new(
        "desired",
        Kind::List(&CONFIG),
        "",
        "Configurations that switches should run; differences are reported, e.g. leaf1=leaf1/config_db.json",
    ),
    Key::new(
        "redis_ca",
        Kind::Path,
        "",
        "Certificates of the authorities that the switches' certificates are checked against (PEM), for sonics:// \
         [default: those that the system trusts]",
    ),
    Key::new(
        "gnmi_ca",
        Kind::Path,
        "",
        "Certificates of the authorities that the switches' certificates are checked against (PEM), for gnmis:// \
         [default: those that the system trusts]",
    ),
];

const SAMPLES: &[Key] = &[
    Key::new(
        "collect",
        Kind::List(&Kind::Listen),
        "",
        "Receive sFlow version 5, IPFIX and NetFlow version 9 at this address, e.g. 0.0.0.0:6343; may be repeated. Verdicts \
         then name the likely flows. Datagrams of other exporters than those of the switches are left out",
    ),
    Key::new(
        "exporter",
        Kind::List(&EXPORTER),
        "",
        "Address of a switch as sFlow agent, IPFIX or NetFlow exporter, e.g. leaf1=10.0.0.9 [default: the addresses in the \
         topology and in the switch's configuration, and that by which it is reached]",
    ),
];

/// Reads an interval such as `1s`.
///
/// # Errors
/// It is none, or out of range.
pub(crate) fn parse_interval(text: &str) -> Result<Duration, String> {
    let limits = Time::from_ms(100)..=Time::from_ms(600_000);
    let time = scenario::parse_time(text).filter(|time| limits.contains(time));
    time.map(|time| Duration::from_nanos(time.as_ns()))
        .ok_or("expected a time from 100ms to 10min".to_string())
}

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = match settings.has("server") {
        true => upload(settings),
        false => {
            let mut problems = tls(settings);
            problems.extend(loopback(settings, "health_listen"));
            problems
        }
    };
    // An address is named by its place only: even a malformed one may have a password.
    for (number, text) in settings.texts("switches").into_iter().enumerate() {
        if let Err(error) = text.parse::<Address>() {
            problems.push(settings.problem("switches", format!("address {}: {error}", number + 1)));
        }
    }
    problems
}

fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::certificates(settings, certificates::KEYS);
    problems.extend(files::read(settings, "topology", topology::read));
    problems.extend(files::configurations(settings, "desired"));
    problems.extend(files::read(settings, "redis_ca", trusting));
    problems.extend(files::read(settings, "gnmi_ca", trusting));
    problems
}
