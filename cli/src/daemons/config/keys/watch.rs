//! Keys of `harrier watch`.

use super::common::{HEALTH, OPERATION, OPTIONAL_UPLOAD, TLS, loopback, tls, upload};
use super::counters::{self, INTERVAL, SAMPLES, SOURCES};
use super::files;
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
    groups: &[SWITCHES, SOURCES, SAMPLES, OPTIONAL_UPLOAD, TLS, HEALTH, OPERATION],
    contradictions,
    files,
};

/// Marks the flags of the watcher.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch;

impl Described for Watch {
    const DAEMON: &'static Daemon = &WATCH;
}

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
];

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = match settings.has("server") {
        true => upload(settings),
        false => {
            let mut problems = tls(settings);
            problems.extend(loopback(settings, "health_listen"));
            problems
        }
    };
    problems.extend(counters::addresses(settings, "switches"));
    problems
}

fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::certificates(settings, certificates::KEYS);
    problems.extend(files::read(settings, "topology", topology::read));
    problems.extend(counters::files(settings));
    problems
}
