//! `[routing]`, `[[route]]` and `[[failure]]`: routes, and outages of links.

use std::collections::BTreeSet;

use controller::plan::{PlanSettings, StaticRoute};
use model::topology::{Node, NodeKind};
use model::{PortRef, Time, Topology};
use p4_switch::tm::PauseEnd;
use serde::{Deserialize, Serialize};

use super::check::check_start;
use super::network::read_port;
use super::table::{Placed, Reader, Section};
use super::units::{A_TIME, parse_time};
use crate::Scenario;

/// A link that was down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Its two ends.
    pub between: [PortRef; 2],
    /// When it went down, in nanoseconds.
    pub down_ns: u64,
    /// When it came up again, in nanoseconds; absent when it did not.
    pub up_ns: Option<u64>,
}

/// Routes and outages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// Whether all switches use the same ECMP seed.
    pub alike: bool,
    /// The ECMP seed; absent: it depends on the run's seed.
    pub ecmp_seed: Option<u32>,
    /// Static routes.
    pub routes: Vec<TimedRoute>,
    /// Outages of links.
    pub failures: Vec<Failure>,
}

/// A static route, and when it is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedRoute {
    /// The route.
    pub route: StaticRoute,
    /// Start.
    pub start: Time,
    /// End; [`Time::MAX`]: never.
    pub end: Time,
}

/// One outage of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The link, by its index in the topology.
    pub link: usize,
    /// When it goes down.
    pub down: Time,
    /// When it comes up again; [`Time::MAX`]: never.
    pub up: Time,
    /// How long routing takes to react to either.
    pub reconverge: Time,
}

impl Failure {
    /// Whether routing avoids the link at `now`.
    fn is_avoided(&self, now: Time) -> bool {
        let after = |time: Time| Time(time.0.saturating_add(self.reconverge.0));
        // A link that is down at the start is avoided from the start.
        (self.down == Time::ZERO || after(self.down) <= now) && now < after(self.up)
    }
}

impl Scenario {
    /// The settings for programming the switches at `now` in a run with `seed`.
    pub fn plan_settings(&self, seed: u64, now: Time) -> PlanSettings {
        let usual = PlanSettings::default();
        let unused: Vec<PortRef> = self
            .routing
            .failures
            .iter()
            .filter(|failure| failure.is_avoided(now))
            .filter_map(|failure| Some(self.topology.links.get(failure.link)?.a.clone()))
            .collect();
        let routes = self.routing.routes.iter().filter(|route| route.start <= now && now < route.end);
        let switches = self.topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
        let priorities = |node: &Node| {
            let settings = self.switch_settings(&node.name);
            let configured = settings.sonic.as_deref().and_then(crate::sonic::dscp_classes);
            let mut table = configured.unwrap_or_else(|| usual.dscp_priorities.clone());
            for (dscp, class) in &settings.dscp {
                table[usize::from(*dscp & 63)] = *class;
            }
            (table != usual.dscp_priorities).then(|| (node.name.clone(), table))
        };
        PlanSettings {
            roce_ports: self.roce_ports(),
            pause_timer: self.pause_end == PauseEnd::Quanta,
            ecmp_seed: self.routing.ecmp_seed.unwrap_or((seed ^ seed >> 32) as u32),
            ecmp_alike: self.routing.alike,
            switch_priorities: switches.filter_map(priorities).collect(),
            unused_links: unused,
            static_routes: routes.map(|route| route.route.clone()).collect(),
            ..usual
        }
    }

    /// The outages of links in a run that ended at `end`, in order of time.
    pub fn outages(&self, end: Time) -> Vec<Outage> {
        let outage = |failure: &Failure| {
            let link = self.topology.links.get(failure.link)?;
            let up_ns = (failure.up <= end).then(|| failure.up.as_ns());
            Some(Outage { between: [link.a.clone(), link.b.clone()], down_ns: failure.down.as_ns(), up_ns })
        };
        let mut outages: Vec<Outage> =
            self.routing.failures.iter().filter(|failure| failure.down <= end).filter_map(outage).collect();
        outages.sort_by(|a, b| (a.down_ns, &a.between).cmp(&(b.down_ns, &b.between)));
        outages
    }

    /// The times after the start at which the switches are reprogrammed, ascending.
    pub fn reroute_times(&self) -> Vec<Time> {
        let mut times: Vec<Time> = self.routing.routes.iter().flat_map(|r| [r.start, r.end]).collect();
        for failure in &self.routing.failures {
            let after = |time: Time| Time(time.0.saturating_add(failure.reconverge.0));
            times.extend([after(failure.down), after(failure.up)]);
        }
        times.retain(|time| Time::ZERO < *time && *time <= self.stop);
        times.sort_unstable();
        times.dedup();
        times
    }
}

pub(super) fn read_routing(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    topology: &Topology,
    stop: Option<Time>,
) -> Routing {
    let mut routing = Routing::default();
    if let Some(mut section) = root.section(reader, "routing") {
        routing.alike = section.flag(reader, "alike").unwrap_or(false);
        routing.ecmp_seed = section.integer::<u32>(reader, "ecmp_seed", 0..=u32::MAX);
        section.finish(reader);
    }
    for (index, section) in root.sections(reader, "route").into_iter().enumerate() {
        read_route(reader, section, index, (topology, stop), &mut routing.routes);
    }
    for (index, section) in root.sections(reader, "failure").into_iter().enumerate() {
        read_failure(reader, section, index, (topology, stop), &mut routing.failures);
    }
    routing
}

fn time(reader: &mut Reader<'_>, section: &mut Section<'_>, key: &'static str) -> Option<Time> {
    section.quantity(reader, key, A_TIME, parse_time)
}

fn duration(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<Time> {
    let above_zero = |text: &str| parse_time(text).filter(|time| *time > Time::ZERO);
    section.quantity(reader, "duration", "a time above zero, e.g. \"10us\"", above_zero)
}

fn read_start(reader: &mut Reader<'_>, section: &mut Section<'_>, stream: &str, stop: Option<Time>) -> Time {
    let start = time(reader, section, "start").unwrap_or(Time::ZERO);
    check_start(reader, section, start, stop.unwrap_or(Time::MAX));
    let jitter = time(reader, section, "jitter").unwrap_or(Time::ZERO);
    reader.draws.later(stream, start, jitter)
}

fn read_route(
    reader: &mut Reader<'_>,
    mut section: Section<'_>,
    index: usize,
    (topology, stop): (&Topology, Option<Time>),
    routes: &mut Vec<TimedRoute>,
) {
    let switch = section.text(reader, "switch").and_then(|text| reader.name(&text));
    let hosts = section.texts_or_text(reader, "to");
    let via = section.texts_or_text(reader, "via");
    for (key, missing) in
        [("switch", !section.has("switch")), ("to", hosts.is_none()), ("via", via.is_none())]
    {
        if missing {
            section.missing(reader, key);
        }
    }
    let start = read_start(reader, &mut section, &format!("route {index}"), stop);
    let end = match duration(reader, &mut section) {
        Some(duration) => Time(start.0.saturating_add(duration.0)),
        None => Time::MAX,
    };
    section.finish(reader);
    let (Some(switch), Some(hosts), Some(via)) = (switch, hosts, via) else { return };
    if topology.node(&switch.value).is_none() || topology.is_host(&switch.value) {
        reader.problem(&switch.span, format!("`{}` is not a switch", switch.value));
        return;
    }
    let mut to: BTreeSet<String> = BTreeSet::new();
    for text in &hosts {
        for host in reader.names(text) {
            if topology.is_host(&host.value) {
                to.insert(host.value);
            } else {
                reader.problem(&host.span, format!("`{}` is not a host", host.value));
            }
        }
    }
    let mut ports: Vec<u16> = Vec::new();
    for text in &via {
        for name in reader.names(text) {
            ports.extend(ports_to(reader, &switch.value, &name, &to, topology));
        }
    }
    ports.sort_unstable();
    ports.dedup();
    for host in to {
        let route = StaticRoute { switch: switch.value.clone(), host, ports: ports.clone() };
        routes.push(TimedRoute { route, start, end });
    }
}

/// The ports of `switch` to a neighbour, or the port itself.
///
/// A host can be the next hop to itself only.
fn ports_to(
    reader: &mut Reader<'_>,
    switch: &str,
    via: &Placed<String>,
    hosts: &BTreeSet<String>,
    topology: &Topology,
) -> Vec<u16> {
    if via.value.contains(':') {
        let Some(port) = read_port(reader, via, topology) else { return Vec::new() };
        let peer = topology.peer(&port).filter(|_| port.switch == switch);
        if let Some(host) =
            peer.filter(|peer| topology.is_host(&peer.switch) && !hosts.contains(&peer.switch))
        {
            let message = format!("`{}` is a host and does not forward packets of others", host.switch);
            reader.problem(&via.span, message);
            return Vec::new();
        }
        if peer.is_some() {
            return vec![port.port];
        }
        reader.problem(&via.span, format!("`{port}` is not a port of switch `{switch}` with a link"));
        return Vec::new();
    }
    if topology.is_host(&via.value) && !hosts.contains(&via.value) {
        let message = format!("`{}` is a host and does not forward packets of others", via.value);
        reader.problem(&via.span, message);
        return Vec::new();
    }
    let own = topology.ports_of(switch);
    let ports: Vec<u16> =
        own.into_iter().filter(|(_, peer)| peer.switch == via.value).map(|(port, _)| port).collect();
    if ports.is_empty() {
        reader.problem(&via.span, format!("`{}` is not linked to switch `{switch}`", via.value));
    }
    ports
}

/// Most outages of one `[[failure]]`.
const MAX_FLAPS: u32 = 10_000;

fn read_failure(
    reader: &mut Reader<'_>,
    mut section: Section<'_>,
    index: usize,
    (topology, stop): (&Topology, Option<Time>),
    failures: &mut Vec<Failure>,
) {
    let links = read_failing(reader, &mut section, topology);
    let start = read_start(reader, &mut section, &format!("failure {index}"), stop);
    let duration = duration(reader, &mut section);
    let times = section.integer::<u32>(reader, "times", 1..=MAX_FLAPS).unwrap_or(1);
    let period = time(reader, &mut section, "period");
    let reconverge = section
        .quantity(reader, "reconverge", "a time or \"never\"", |text| match text {
            "never" => Some(Time::MAX),
            text => parse_time(text),
        })
        .unwrap_or(Time::from_us(50));
    if times > 1 && (duration.is_none() || period.is_none_or(|period| duration.is_some_and(|d| period <= d)))
    {
        let message = "a link that flaps needs `duration` and a longer `period`";
        reader.problem(&section.span, message);
    }
    section.finish(reader);
    for time in 0..u64::from(times) {
        let down = Time(start.0.saturating_add(time.saturating_mul(period.unwrap_or(Time::ZERO).0)));
        let up = duration.map_or(Time::MAX, |duration| Time(down.0.saturating_add(duration.0)));
        failures.extend(links.iter().map(|link| Failure { link: *link, down, up, reconverge }));
    }
}

/// The links of `link = "node:port"` or `between = ["node", "node"]`.
fn read_failing(reader: &mut Reader<'_>, section: &mut Section<'_>, topology: &Topology) -> Vec<usize> {
    let at = |port: &PortRef| topology.links.iter().position(|link| link.a == *port || link.b == *port);
    if let Some(text) = section.text(reader, "link") {
        let Some(port) = read_port(reader, &text, topology) else { return Vec::new() };
        let found = at(&port);
        if found.is_none() {
            reader.problem(&text.span, format!("port `{port}` has no link"));
        }
        return found.into_iter().collect();
    }
    let Some(texts) = section.texts(reader, "between") else {
        section.missing(reader, "link");
        return Vec::new();
    };
    let nodes: Vec<String> =
        texts.iter().flat_map(|text| reader.names(text)).map(|name| name.value).collect();
    let [a, b] = nodes.as_slice() else {
        reader.problem(&section.span, format!("`between` must name two nodes, and names {}", nodes.len()));
        return Vec::new();
    };
    let joins = |link: &model::topology::Link| {
        link.a.switch == *a && link.b.switch == *b || link.a.switch == *b && link.b.switch == *a
    };
    let found: Vec<usize> =
        (0..topology.links.len()).filter(|index| joins(&topology.links[*index])).collect();
    if found.is_empty() {
        reader.problem(&section.span, format!("no link joins `{a}` and `{b}`"));
    }
    found
}
