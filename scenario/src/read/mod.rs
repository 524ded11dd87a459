//! Reads a scenario from TOML. The keys are documented in `docs/scenarios.md`.

mod check;
mod devices;
mod draw;
mod expect;
mod jobs;
mod network;
mod routing;
mod sonic_file;
mod table;
mod tenants;
mod traffic;
mod units;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use model::{Rate, Time, Topology};
use p4_switch::tm::{Ecn, PauseEnd, Threshold};
use toml::de::DeTable;

use self::check::{DeviceCheck, SettingPlaces};
use self::draw::{Draws, read_picks};
use self::expect::read_expectation;
use self::network::read_network;
use self::routing::read_routing;
use self::table::{Load, Placed, Reader, Section};
use self::traffic::read_traffic;
use self::units::{A_RATE, A_SIZE, A_TIME};
use crate::nic::{ControlConfig, Cut, DctcpConfig, TimelyConfig};
use crate::problem::{Problem, Problems};
use crate::settings::{Headroom, HostSettings, Notification, SwitchSettings};
use crate::{AgentSettings, Scenario, ScenarioText};

pub use expect::Expectation;
pub use routing::{Failure, Outage, Routing, TimedRoute};
pub use units::{parse_bytes, parse_length, parse_rate, parse_time};

/// The seed of the instance that is read first, whose problems are reported for the text.
const FIRST_SEED: u64 = 1;

/// The newest version of the format. Keys of a later version than a text states are problems, so that an older reader
/// is not blamed for them; every text of an older version keeps its meaning.
const NEWEST_VERSION: u32 = 2;

/// Reads a scenario that refers to no other files. `file` is the name of the text in problems.
///
/// # Errors
/// All problems of the text, with their positions.
pub fn parse(file: &str, text: &str) -> Result<Scenario, Problems> {
    parse_with(file, text, |_| Err("other files cannot be read here".to_string()))
}

/// Reads a scenario. `load` returns the path and the text of a file that it refers to, or an error.
///
/// # Errors
/// All problems of the text and of the files, with their positions.
pub fn parse_with(
    file: &str,
    text: &str,
    mut load: impl FnMut(&str) -> Result<(String, String), String>,
) -> Result<Scenario, Problems> {
    read(file, text, FIRST_SEED, &mut load)
}

/// Reads the settings of one switch from a text whose `[switch]` section has the keys of a scenario's; `base` is what
/// it leaves out. Returns the settings, and how pauses end. `load` is that of [`parse_with`].
///
/// # Errors
/// All problems of the text, with their positions.
pub fn parse_switch(
    file: &str,
    text: &str,
    base: SwitchSettings,
    mut load: impl FnMut(&str) -> Result<(String, String), String>,
) -> Result<(SwitchSettings, PauseEnd), Problems> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut reader =
        Reader { file, text, problems: Vec::new(), draws: Draws::new(FIRST_SEED), version: NEWEST_VERSION };
    for error in errors {
        reader.problem(&error.span().unwrap_or(0..0), error.message());
    }
    let mut root = Section::new("", document.get_ref(), 0..0);
    let mut pause_end = PauseEnd::Quanta;
    let mut settings = base;
    match root.section(&mut reader, "switch") {
        Some(section) => {
            (settings, _) = read_switch(&mut reader, section, settings, Some(&mut pause_end), &mut load);
        }
        None => root.missing(&mut reader, "switch"),
    }
    root.finish(&mut reader);
    reader.problems.sort();
    reader.problems.dedup();
    Problems(reader.problems).or((settings, pause_end))
}

/// Reads the instance of a seed.
pub(crate) fn read(file: &str, text: &str, seed: u64, load: Load<'_>) -> Result<Scenario, Problems> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { file, text, problems: Vec::new(), draws: Draws::new(seed), version: 1 };
    for error in errors {
        reader.problem(&error.span().unwrap_or(0..0), error.message());
    }
    // What a broken text lacks follows from its errors, so they come first.
    let mut syntax = std::mem::take(&mut reader.problems);
    let mut files = BTreeMap::new();
    let mut keep = |name: &str| {
        let found = load(name)?;
        files.insert(name.to_string(), found.clone());
        Ok(found)
    };
    let mut root = Section::new("", document.get_ref(), 0..0);
    let mut scenario = read_scenario(&mut reader, &mut root, seed, &mut keep);
    root.finish(&mut reader);
    if reader.draws.used {
        let source = ScenarioText { seed, file: file.to_string(), text: text.to_string(), files };
        scenario.source = Some(Arc::new(source));
    }
    for problems in [&mut syntax, &mut reader.problems] {
        problems.sort();
        problems.dedup();
    }
    syntax.append(&mut reader.problems);
    Problems(syntax).or(scenario)
}

fn read_scenario(reader: &mut Reader<'_>, root: &mut Section<'_>, seed: u64, load: Load<'_>) -> Scenario {
    reader.version = root.integer(reader, "version", 1..=NEWEST_VERSION).unwrap_or(1);
    let name = root.text(reader, "name");
    if name.is_none() {
        root.missing(reader, "name");
    }
    let title = root.text(reader, "title").map_or(String::new(), |text| text.value);
    let description = root.text(reader, "description").map_or(String::new(), |text| text.value);
    let stop = root.quantity(reader, "stop", "a time above zero, e.g. `6ms`", |text| {
        parse_time(text).filter(|stop| *stop > Time::ZERO)
    });
    if stop.is_none() {
        root.missing(reader, "stop");
    }
    let read = read_network(reader, root, &mut *load);
    read_picks(reader, root, &read.network);
    let (topology, places) = (read.network.topology, read.network.places);
    let mut pause_end = PauseEnd::Quanta;
    let (switch, places_of_switch) = match root.section(reader, "switch") {
        Some(section) => {
            read_switch(reader, section, SwitchSettings::default(), Some(&mut pause_end), &mut *load)
        }
        None => (SwitchSettings::default(), SettingPlaces::default()),
    };
    let mut check = DeviceCheck::new(places_of_switch);
    let switches = read_switches(reader, root, &switch, &topology, &mut check, load);
    let routing = read_routing(reader, root, &topology, stop);
    let host = match root.section(reader, "host") {
        Some(section) => {
            let (host, min_rate) = read_host(reader, section, HostSettings::default());
            check.min_rate = min_rate;
            host
        }
        None => HostSettings::default(),
    };
    let hosts = read_hosts(reader, root, &host, &topology, &mut check);
    let agents = read_agents(reader, root, &topology);
    let mut scenario = Scenario {
        name: name.map_or(String::new(), |text| text.value),
        title,
        description,
        topology,
        stop: stop.unwrap_or(Time::MAX),
        grain: Time(1),
        pause_end,
        switch,
        switches,
        places,
        routing,
        host,
        hosts,
        loss_ppt: read.loss_ppt,
        flows: Vec::new(),
        jobs: Vec::new(),
        faults: Vec::new(),
        tenants: Vec::new(),
        host_jobs: Vec::new(),
        agents,
        expect: None,
        source: None,
    };
    check.report(reader, &scenario);
    scenario.faults = devices::read_faults(reader, root, &scenario);
    let plan = scenario.plan_settings(seed, Time::ZERO);
    (scenario.flows, scenario.jobs) = read_traffic(reader, root, &scenario, &plan);
    scenario.tenants = tenants::read_tenants(reader, root, &scenario);
    scenario.host_jobs = jobs::read_jobs(reader, root, &scenario);
    scenario.expect = read_expectation(reader, root, &scenario);
    scenario
}

/// `[switches.NAME]`: settings of single switches.
fn read_switches(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    base: &SwitchSettings,
    topology: &Topology,
    check: &mut DeviceCheck,
    load: Load<'_>,
) -> BTreeMap<String, SwitchSettings> {
    let mut switches = BTreeMap::new();
    let Some(section) = root.section(reader, "switches") else {
        return switches;
    };
    for (name, section) in section.named_sections(reader) {
        let (settings, places) = read_switch(reader, section, base.clone(), None, &mut *load);
        for name in reader.names(&name) {
            if topology.node(&name.value).is_none() || topology.is_host(&name.value) {
                reader.problem(&name.span, format!("`{}` is not a switch", name.value));
            }
            check.switches.insert(name.value.clone(), places.clone());
            switches.insert(name.value, settings.clone());
        }
    }
    switches
}

/// The settings of switches. How pauses end is the same for all of them, so only `[switch]` has it.
fn read_switch(
    reader: &mut Reader<'_>,
    mut section: Section<'_>,
    mut settings: SwitchSettings,
    pause_end: Option<&mut PauseEnd>,
    load: Load<'_>,
) -> (SwitchSettings, SettingPlaces) {
    let size = |section: &mut Section<'_>, reader: &mut Reader<'_>, key| {
        section.quantity(reader, key, A_SIZE, parse_bytes)
    };
    let memory = section.quantity(reader, "memory", "a size above zero, e.g. \"16MB\"", |text| {
        parse_bytes(text).filter(|bytes| *bytes > 0)
    });
    set(&mut settings.memory_bytes, memory);
    set(&mut settings.lossless, section.priorities(reader, "lossless"));
    set(&mut settings.reserved_bytes, size(&mut section, reader, "reserved"));
    let threshold = size(&mut section, reader, "threshold").map(Threshold::Static);
    let alpha = section.integer::<i8>(reader, "alpha_exponent", -16..=16);
    let alpha = alpha.map(|alpha_exponent| Threshold::Dynamic { alpha_exponent });
    if threshold.is_some() && alpha.is_some() {
        reader.problem(&section.span, "`threshold` and `alpha_exponent` exclude each other");
    }
    set(&mut settings.threshold, threshold.or(alpha));
    set(&mut settings.xon_offset_bytes, size(&mut section, reader, "xon_offset"));
    let headroom = size(&mut section, reader, "headroom").map(Headroom::Bytes);
    let links = section.integer::<u64>(reader, "headroom_links", 0..=1000).map(Headroom::LinkCapacities);
    if headroom.is_some() && links.is_some() {
        reader.problem(&section.span, "`headroom` and `headroom_links` exclude each other");
    }
    set(&mut settings.headroom, headroom.or(links));
    set(&mut settings.pause_quanta, section.integer::<u16>(reader, "pause_quanta", 1..=u16::MAX));
    if let Some(pause_end) = pause_end
        && let Some(text) = section.text(reader, "pause_end")
    {
        match text.value.as_str() {
            "quanta" => *pause_end = PauseEnd::Quanta,
            "resume" => *pause_end = PauseEnd::ResumeOnly,
            _ => reader.problem(&text.span, "`pause_end` must be \"quanta\" or \"resume\""),
        }
    }
    if section.flag(reader, "mark_congestion") == Some(false) {
        settings.ecn.clear();
    }
    let marking: Vec<(Rate, Ecn)> =
        section.sections(reader, "ecn").into_iter().filter_map(|s| read_ecn(reader, s)).collect();
    if !marking.is_empty() {
        settings.ecn = marking;
    }
    if let Some(dscp) = section.section(reader, "dscp") {
        settings.dscp.extend(read_dscp(reader, &dscp));
    }
    if let Some(weights) = section.section(reader, "weights") {
        reader.needs_version(2, "`weights`", &weights.span);
        settings.weights = read_weights(reader, &weights);
    }
    devices::read_switch(reader, &mut section, &mut settings, load);
    let places = SettingPlaces::of(&section);
    if settings.sonic.is_some() {
        places.report_overridden(reader, &section);
    }
    section.finish(reader);
    (settings, places)
}

/// Priorities by code point, e.g. `{ 24 = 0 }`.
fn read_dscp(reader: &mut Reader<'_>, section: &Section<'_>) -> BTreeMap<u8, u8> {
    let mut table = BTreeMap::new();
    for (key, value) in section.entries() {
        let dscp = key.value.parse::<u8>().ok().filter(|dscp| *dscp < 64);
        let class =
            value.value.as_deref().and_then(|text| text.parse::<u8>().ok()).filter(|class| *class < 8);
        match (dscp, class) {
            (Some(dscp), Some(class)) => {
                table.insert(dscp, class);
            }
            (None, _) => reader.problem(&key.span, format!("`{}` is not a DSCP from 0 to 63", key.value)),
            (_, None) => reader.problem(&value.span, "a priority from 0 to 7 is expected"),
        }
    }
    table
}

/// Quanta of deficit round robin by priority, e.g. `{ 3 = "8kB", 4 = "2kB" }`.
fn read_weights(reader: &mut Reader<'_>, section: &Section<'_>) -> BTreeMap<u8, u32> {
    let mut table = BTreeMap::new();
    for (key, value) in section.entries() {
        let priority = key.value.parse::<u8>().ok().filter(|priority| *priority < 8);
        let quantum = value.value.as_deref().and_then(parse_bytes).and_then(|n| u32::try_from(n).ok());
        match (priority, quantum.filter(|bytes| *bytes >= 64)) {
            (Some(priority), Some(quantum)) => {
                table.insert(priority, quantum);
            }
            (None, _) => reader.problem(&key.span, format!("`{}` is not a priority from 0 to 7", key.value)),
            (_, None) => reader.problem(&value.span, "a quantum of at least 64B is expected, e.g. \"8kB\""),
        }
    }
    table
}

fn read_ecn(reader: &mut Reader<'_>, mut section: Section<'_>) -> Option<(Rate, Ecn)> {
    let rate = section.quantity(reader, "rate", A_RATE, |w| parse_rate(w).filter(|rate| rate.0 > 0));
    let kmin = section.quantity(reader, "kmin", A_SIZE, parse_bytes);
    let kmax = section.quantity(reader, "kmax", A_SIZE, parse_bytes);
    let pmax = section.fraction(reader, "pmax");
    for (key, missing) in [
        ("rate", rate.is_none()),
        ("kmin", kmin.is_none()),
        ("kmax", kmax.is_none()),
        ("pmax", pmax.is_none()),
    ] {
        if missing {
            section.missing(reader, key);
        }
    }
    let (rate, kmin_bytes, kmax_bytes, pmax) = (rate?, kmin?, kmax?, pmax?);
    if kmin_bytes > kmax_bytes {
        reader.problem(&section.span, "`kmin` is above `kmax`");
    }
    section.finish(reader);
    Some((rate, Ecn { kmin_bytes, kmax_bytes, pmax_ppm: (pmax * 1e6).round() as u32 }))
}

fn read_hosts(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    base: &HostSettings,
    topology: &Topology,
    check: &mut DeviceCheck,
) -> BTreeMap<String, HostSettings> {
    let Some(section) = root.section(reader, "hosts") else {
        return BTreeMap::new();
    };
    let mut hosts = BTreeMap::new();
    for (name, section) in section.named_sections(reader) {
        let (settings, min_rate) = read_host(reader, section, base.clone());
        for name in reader.names(&name) {
            check_host(reader, &name, topology);
            check.hosts.extend(min_rate.clone().map(|place| (name.value.clone(), place)));
            hosts.insert(name.value, settings.clone());
        }
    }
    hosts
}

/// The settings of a host, and the position of its lowest rate.
fn read_host(
    reader: &mut Reader<'_>,
    mut section: Section<'_>,
    mut host: HostSettings,
) -> (HostSettings, Option<Range<usize>>) {
    set(&mut host.payload_bytes, section.integer::<u32>(reader, "payload", 1..=9000));
    set(&mut host.header_bytes, section.integer::<u32>(reader, "headers", 0..=500));
    let window = section.quantity(reader, "window", "a size above zero or \"none\"", |w| match w {
        "none" => Some(None),
        size => parse_bytes(size).filter(|bytes| *bytes > 0).map(Some),
    });
    set(&mut host.window_bytes, window);
    set(&mut host.variable_window, section.flag(reader, "variable_window"));
    set(&mut host.ack_every, section.integer::<u64>(reader, "ack_every", 1..=1_000_000));
    if let Some(priority) = section.integer::<u8>(reader, "ack_priority", 0..=7) {
        host.ack_priority = Some(priority);
    }
    set(&mut host.cnp_priority, section.integer::<u8>(reader, "cnp_priority", 0..=7));
    let notification = section.quantity(reader, "cnp_interval", "a time or \"ack\"", |w| match w {
        "ack" => Some(Notification::Acknowledgements),
        time => parse_time(time).map(|interval| Notification::Packets { interval }),
    });
    set(&mut host.nak_interval, section.quantity(reader, "refuse_interval", A_TIME, parse_time));
    let timeout = section.quantity(reader, "retransmit_timeout", "a time or \"none\"", |w| match w {
        "none" => Some(None),
        time => parse_time(time).filter(|t| *t > Time::ZERO).map(Some),
    });
    set(&mut host.retransmit_timeout, timeout);
    read_congestion_control(reader, &mut section, &mut host);
    devices::read_host(reader, &mut section, &mut host);
    // Explicit congestion control settings override those of the generation.
    set(&mut host.notification, notification);
    let mut min_rate = None;
    if let Some(dcqcn) = section.section(reader, "dcqcn") {
        min_rate = dcqcn.given("min_rate");
        read_dcqcn(reader, dcqcn, &mut host);
    }
    section.finish(reader);
    (host, min_rate)
}

/// `congestion_control`: true or false, or, from version 2 on, the name of a congestion control.
fn read_congestion_control(reader: &mut Reader<'_>, section: &mut Section<'_>, host: &mut HostSettings) {
    const KEY: &str = "congestion_control";
    if !section.is_text(KEY) {
        if section.flag(reader, KEY) == Some(false) {
            host.dcqcn = None;
            host.instead_of_dcqcn = None;
        }
        return;
    }
    let (dcqcn, dctcp, timely) = (
        host.dcqcn.or(Some(Default::default())).map(ControlConfig::Dcqcn),
        Some(ControlConfig::Dctcp(DctcpConfig::default())),
        Some(ControlConfig::Timely(TimelyConfig::default())),
    );
    let words = [("none", None), ("dcqcn", dcqcn), ("dctcp", dctcp), ("timely", timely)];
    let place = section.place(KEY);
    reader.needs_version(2, "a name for `congestion_control`", &place);
    let Some(control) = devices::word(reader, section, KEY, &words) else { return };
    if let Some(ControlConfig::Dctcp(_)) = control {
        // Its senders need to know which bytes were marked.
        host.notification = Notification::Acknowledgements;
    }
    (host.dcqcn, host.instead_of_dcqcn) = match control {
        Some(ControlConfig::Dcqcn(config)) => (Some(config), None),
        other => (None, other),
    };
}

fn read_dcqcn(reader: &mut Reader<'_>, mut section: Section<'_>, host: &mut HostSettings) {
    let mut dcqcn = host.dcqcn.unwrap_or_default();
    // Shorter periods than those of NICs would only cost simulation time.
    const A_PERIOD: &str = "a time of at least 10ns, e.g. \"55us\"";
    let period = |w: &str| parse_time(w).filter(|t| *t >= Time::from_ns(10));
    let rate_above_zero = |w: &str| parse_rate(w).filter(|rate| rate.0 > 0);
    const A_RATE_OR_ZERO: &str = "a rate, e.g. \"40Mbps\"";
    set(&mut dcqcn.alpha_interval, section.quantity(reader, "alpha_interval", A_PERIOD, period));
    set(&mut dcqcn.decrease_interval, section.quantity(reader, "decrease_interval", A_TIME, parse_time));
    set(&mut dcqcn.increase_timer, section.quantity(reader, "increase_timer", A_PERIOD, period));
    set(&mut dcqcn.byte_counter, section.quantity(reader, "byte_counter", A_SIZE, parse_bytes));
    set(&mut dcqcn.fast_recovery_times, section.integer::<u32>(reader, "fast_recovery_times", 0..=1000));
    set(&mut dcqcn.gain, section.fraction(reader, "gain"));
    set(
        &mut dcqcn.additive_increase,
        section.quantity(reader, "additive_increase", A_RATE_OR_ZERO, parse_rate),
    );
    set(&mut dcqcn.hyper_increase, section.quantity(reader, "hyper_increase", A_RATE_OR_ZERO, parse_rate));
    set(&mut dcqcn.min_rate, section.quantity(reader, "min_rate", A_RATE, rate_above_zero));
    set(&mut dcqcn.clamp_target, section.flag(reader, "clamp_target"));
    set(&mut dcqcn.cut, devices::read_cut(reader, &mut section));
    if dcqcn.cut == Cut::Polled && dcqcn.decrease_interval == Time::ZERO {
        reader.problem(&section.span, "`decrease_interval` of 0 needs `cut = \"immediate\"`");
    }
    section.finish(reader);
    host.dcqcn = Some(dcqcn);
}

fn check_host(reader: &mut Reader<'_>, name: &Placed<String>, topology: &Topology) -> bool {
    let linked = !topology.ports_of(&name.value).is_empty();
    if topology.is_host(&name.value) && linked {
        return true;
    }
    let what = if topology.is_host(&name.value) { "has no link" } else { "is not a host" };
    reader.problem(&name.span, format!("`{}` {what}", name.value));
    false
}

fn host_name(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    topology: &Topology,
) -> Option<String> {
    let Some(name) = section.text(reader, key) else {
        section.missing(reader, key);
        return None;
    };
    let name = reader.name(&name)?;
    check_host(reader, &name, topology).then_some(name.value)
}

fn read_agents(reader: &mut Reader<'_>, root: &mut Section<'_>, topology: &Topology) -> AgentSettings {
    let mut agents = AgentSettings::default();
    let Some(mut section) = root.section(reader, "agent") else {
        return agents;
    };
    if let Some(hosts) = section.texts(reader, "hosts") {
        let names: Vec<Placed<String>> = hosts.iter().flat_map(|host| reader.names(host)).collect();
        let known = names.into_iter().filter(|host| check_host(reader, host, topology));
        agents.hosts = Some(known.map(|host| host.value).collect::<BTreeSet<String>>());
    }
    set(&mut agents.threshold_percent, section.integer::<u32>(reader, "threshold_percent", 101..=100_000));
    set(&mut agents.read_delay, section.quantity(reader, "read_delay", A_TIME, parse_time));
    set(&mut agents.read_time, section.quantity(reader, "read_time", A_TIME, parse_time));
    set(&mut agents.quiet, section.quantity(reader, "quiet", A_TIME, parse_time));
    section.finish(reader);
    agents
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

impl Problems {
    /// The first problem.
    pub fn first(&self) -> Option<&Problem> {
        self.0.first()
    }
}
