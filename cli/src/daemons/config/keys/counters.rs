//! Keys of the daemons that read the counters of ordinary switches: `harrier watch`, and `harrier controller` beside its P4 switches.

use std::time::Duration;

use model::Time;

use super::files;
use crate::client::trusting;
use crate::configurations::parse_config_of;
use crate::counter_sources::{Address, parse_exporter};
use crate::daemons::config::key::Key;
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};

/// The type of polling intervals.
pub(crate) const INTERVAL: Kind = Kind::Other("TIME", |text| parse_interval(text).map(|_| ()));
const CONFIG: Kind = Kind::Other("SWITCH=PATH", |text| parse_config_of(text).map(|_| ()));
const EXPORTER: Kind = Kind::Other("SWITCH=ADDRESS", |text| parse_exporter(text).map(|_| ()));

/// What is read of switches besides their counters, and whom to trust.
pub(crate) const SOURCES: &[Key] = &[
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

/// Flow samples.
pub(crate) const SAMPLES: &[Key] = &[
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

/// What is wrong with the addresses of switches in the key `name`. An address is named by its place only: even a malformed one may
/// have a password.
pub(crate) fn addresses(settings: &Settings, name: &str) -> Vec<Problem> {
    let parsed = settings.texts(name).into_iter().map(str::parse::<Address>).enumerate();
    let wrong = parsed.filter_map(|(number, parsed)| Some((number + 1, parsed.err()?)));
    wrong.map(|(number, error)| settings.problem(name, format!("address {number}: {error}"))).collect()
}

/// What is wrong with the files of these keys.
pub(crate) fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::configurations(settings, "desired");
    problems.extend(files::read(settings, "redis_ca", trusting));
    problems.extend(files::read(settings, "gnmi_ca", trusting));
    problems
}
