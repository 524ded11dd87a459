//! Keys of `harrier controller`.

use std::path::Path;

use anyhow::{Context as _, bail};
use controller::plan::PlanSettings;

use super::common::{HEALTH, OPERATION, TIME, TLS, UPLOAD, loopback_peer, numbers, upload};
use super::counters::{self, INTERVAL, SAMPLES, SOURCES};
use super::files;
use crate::commands::p4;
use crate::counter_sources::Address;
use crate::daemons::config::arguments::Described;
use crate::daemons::config::key::{Daemon, Key};
use crate::daemons::config::kind::Kind;
use crate::daemons::config::settings::{Problem, Settings};
use crate::daemons::{tls, topology};

/// The controller's table.
pub(crate) static CONTROLLER: Daemon = Daemon {
    name: "controller",
    about: "Programs switches over P4Runtime, collects the telemetry of slow flows from them, and uploads it.",
    groups: &[
        NETWORK, DISCOVERY, COLLECTION, COUNTERS, SOURCES, SAMPLES, TIME, UPLOAD, TLS, HEALTH, OPERATION,
    ],
    contradictions,
    files,
};

/// Marks the flags of the controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Controller;

impl Described for Controller {
    const DAEMON: &'static Daemon = &CONTROLLER;
}

const SWITCH: Kind = Kind::Other("NAME=HOST:PORT/DEVICE_ID", |text| SwitchAddress::parse(text).map(|_| ()));
const DEFINE: Kind = Kind::Other("NAME=NUMBER", |text| parse_define(text).map(|_| ()));

const NETWORK: &[Key] = &[
    Key::new("name", Kind::Text, "", "Name of this controller [default: the host's name]"),
    Key::new(
        "topology",
        Kind::Path,
        "",
        "Network: JSON as in docs/snapshot.schema.json, or an ns-3 topology file [default: what the server learns from LLDP and agents]",
    )
    .with_example("topology.json"),
    Key::new(
        "switches",
        Kind::List(&SWITCH),
        "",
        "P4Runtime servers of switches of the topology, e.g. sw1=10.0.0.1:9559/1; required",
    )
    .with_example("sw1=127.0.0.1:9559/1,sw2=127.0.0.1:9561/2"),
    Key::new(
        "switch_certificates",
        Kind::Choice(&["name", "address"]),
        "name",
        "What a switch's certificate must contain: the DNS name NAME.switch.harrier, or the host of its address",
    ),
    Key::new(
        "plan",
        Kind::Path,
        "",
        "Settings of routing, priorities and pauses (JSON) [default: shortest paths]",
    ),
    Key::new(
        "defines",
        Kind::List(&DEFINE),
        "",
        "Sizes and durations that replace defaults of the switch program (p4/hawkeye/config.p4)",
    ),
    Key::new(
        "device_config",
        Kind::Path,
        "",
        "The switch program as the compiler of the switches' target wrote it (P4Runtime's p4_device_config) [default: its sources, which harrier switch compiles]",
    ),
    Key::new("p4info", Kind::Path, "", "P4Info of `device_config`, as text or binary"),
    Key::new(
        "switch_clocks",
        Kind::Choice(&["synchronised", "free"]),
        "free",
        "Whether all switches count time from the same moment (PTP), or each from its own",
    ),
];

const DISCOVERY: &[Key] = &[
    Key::new(
        "discovery",
        Kind::Choice(&["off", "check", "learn"]),
        "check",
        "Whether to send and receive LLDP, report cables that differ from the topology, and route around failed links; learn: through all ports, for a topology that lacks links",
    ),
    Key::new(
        "lldp_interval_s",
        Kind::Number(1, 3_600),
        "30",
        "Interval of LLDP announcements, in wall-clock time; a neighbour is forgotten after four of them and a second",
    ),
];

const COLLECTION: &[Key] = &[
    Key::new(
        "quiet_us",
        Kind::Number(1, 60_000_000),
        "5000",
        "Polling is complete when no switch reports for this long",
    ),
    Key::new(
        "poll_retry_us",
        Kind::Number(1, 60_000_000),
        "1000",
        "Time without a report after which a poll is sent again",
    ),
    Key::new("read_timeout_ms", Kind::Number(1, 600_000), "1000", "Timeout of the read of a switch"),
    Key::new(
        "event_timeout_ms",
        Kind::Number(1, 600_000),
        "2000",
        "Time after which a snapshot is uploaded, complete or not",
    ),
    Key::new(
        "records_interval_ms",
        Kind::Number(0, 600_000),
        "1000",
        "Interval at which lost packets, links and ports of the switches are read, in wall-clock time, and once for every event; 0: never, and verdicts say that losses and outages are not known",
    ),
];

/// Ordinary switches beside the P4 switches.
const COUNTERS: &[Key] = &[
    Key::new(
        "counter_switches",
        Kind::List(&Kind::Text),
        "",
        "Ordinary switches whose counters are read as by `harrier watch`, e.g. sonic://spine1,gnmis://admin@spine2; the \
         ports of `switches` are then read with them, and pauses are followed through both. The controller's certificate \
         also needs the name NAME.watcher.harrier",
    ),
    Key::new("counter_interval", INTERVAL, "1s", "Polling interval of counters, from 100ms to 10min"),
];

/// A switch and its P4Runtime server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwitchAddress {
    /// Its name in the topology.
    pub(crate) name: String,
    /// `HOST:PORT`.
    pub(crate) address: String,
    /// P4Runtime's device id.
    pub(crate) device_id: u64,
}

impl SwitchAddress {
    /// Reads `NAME=HOST:PORT/DEVICE_ID`.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn parse(text: &str) -> Result<SwitchAddress, String> {
        let (name, rest) = text.split_once('=').ok_or("there is no `=`")?;
        let (address, device_id) = rest.rsplit_once('/').ok_or("there is no `/DEVICE_ID`")?;
        if name.is_empty() {
            return Err("the name is empty".into());
        }
        Kind::Peer.parse_one(address)?;
        match device_id.parse() {
            Ok(device_id) if device_id > 0 => {
                Ok(SwitchAddress { name: name.into(), address: address.into(), device_id })
            }
            _ => Err(format!("the device id `{device_id}` is not a whole number of at least 1")),
        }
    }
}

/// Reads `NAME=NUMBER`.
///
/// # Errors
/// What is wrong.
pub(crate) fn parse_define(text: &str) -> Result<(String, u32), String> {
    let (name, number) = text.split_once('=').ok_or("there is no `=`")?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(format!("`{name}` is not a name"));
    }
    number.parse().map(|number| (name.to_string(), number)).map_err(|_| format!("`{number}` is not a number"))
}

fn contradictions(settings: &Settings) -> Vec<Problem> {
    let mut problems = upload(settings);
    if !settings.has("topology") && settings.text("discovery") == Some("off") {
        problems.push(
            settings.problem("discovery", "off, but without a topology the network must be discovered"),
        );
    }
    let switches: Vec<SwitchAddress> =
        settings.texts("switches").into_iter().filter_map(|text| SwitchAddress::parse(text).ok()).collect();
    if switches.is_empty() {
        problems.push(settings.problem("switches", "there are none; expected at least one"));
    }
    for (index, switch) in switches.iter().enumerate() {
        if switches.iter().take(index).any(|other| other.name == switch.name) {
            problems.push(settings.problem("switches", format!("`{}` is listed twice", switch.name)));
        }
        problems.extend(loopback_peer(settings, "switches", &switch.address));
    }
    problems.extend(of_program(settings));
    problems.extend(of_counters(settings, &switches));
    if let Some((quiet_us, timeout_ms)) = numbers(settings, "quiet_us", "event_timeout_ms")
        && quiet_us >= timeout_ms * 1_000
    {
        problems.push(settings.problem("quiet_us", "not shorter than event_timeout_ms"));
    }
    problems
}

/// What contradicts itself in the keys of ordinary switches.
fn of_counters(settings: &Settings, switches: &[SwitchAddress]) -> Vec<Problem> {
    let mut problems = counters::addresses(settings, "counter_switches");
    let named =
        settings.texts("counter_switches").into_iter().filter_map(|text| text.parse::<Address>().ok());
    for name in named.filter_map(|address| address.name) {
        if switches.iter().any(|switch| switch.name == name) {
            let message = format!("`{name}` is one of `switches`, whose ports are read anyway");
            problems.push(settings.problem("counter_switches", message));
        }
    }
    if !settings.has("counter_switches") {
        let without_effect =
            ["desired", "collect", "exporter"].into_iter().filter(|name| settings.is_given(name));
        problems.extend(
            without_effect
                .map(|name| settings.problem(name, "without effect: there are no counter_switches")),
        );
    }
    problems
}

/// What contradicts itself in the keys of the program.
fn of_program(settings: &Settings) -> Option<Problem> {
    match (settings.has("device_config"), settings.has("p4info")) {
        (true, false) => Some(settings.problem("device_config", "also needs p4info")),
        (false, true) => Some(settings.problem("p4info", "also needs device_config")),
        (true, true) if !settings.texts("defines").is_empty() => Some(
            settings.problem("defines", "without effect: the program of device_config is compiled already"),
        ),
        _ => None,
    }
}

fn files(settings: &Settings) -> Vec<Problem> {
    let mut problems = files::certificates(settings, tls::KEYS);
    problems.extend(files::read(settings, "topology", topology::read));
    problems.extend(counters::files(settings));
    problems.extend(files::read(settings, "plan", read_plan));
    problems.extend(files::read(settings, "device_config", read_device_config));
    problems.extend(files::read(settings, "p4info", p4::read_info));
    problems
}

/// Reads a compiled program.
///
/// # Errors
/// The file cannot be read, or is empty.
pub(crate) fn read_device_config(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.is_empty() {
        bail!("{} is empty", path.display());
    }
    Ok(bytes)
}

/// Reads the settings of routing, priorities and pauses.
///
/// # Errors
/// The file cannot be read, or is something else.
pub(crate) fn read_plan(path: &Path) -> anyhow::Result<PlanSettings> {
    files::json(path, "the settings of a plan")
}
