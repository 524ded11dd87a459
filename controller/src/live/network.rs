//! The network as it is: the cables that LLDP discovers, and the links that have failed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::wire::Frame;
use model::{NetworkChange, PortRef, Time, Topology};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::discovery::{CableFinding, Cables, Change as Neighbourhood, announcement, name, ttl_s};
use crate::plan::SwitchPlan;

use super::entities::fingerprint;
use super::plans::Plans;

/// Time for which changes are collected before they are evaluated: after a start, many neighbours appear at once.
const EVALUATE_AFTER: Duration = Duration::from_millis(200);
/// First byte of the source address of announcements: a locally administered address (IEEE 802, clause 8).
const LOCALLY_ADMINISTERED: u8 = 0x02;

/// What is known about the cables of a controller's switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// What announces itself at each port: system and port, and the description of the port.
    pub neighbours: BTreeMap<PortRef, (String, Option<String>)>,
    /// The rate of ports with a neighbour, in bits per second, as far as switches report it.
    pub rates: BTreeMap<PortRef, u64>,
    /// The cables that differ from the plan.
    pub findings: Vec<CableFinding>,
    /// The links between switches that have failed and that routes avoid, by the port at one end.
    pub failed: Vec<PortRef>,
}

/// An announcement to be sent through a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    pub(super) port: u16,
    /// The whole Ethernet frame.
    pub(super) frame: Vec<u8>,
}

/// What sessions are to do.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) announce: BTreeMap<String, Vec<Announcement>>,
    pub(super) plans: BTreeMap<String, SwitchPlan>,
    /// What has changed: links that LLDP has noticed, and routes.
    pub(super) changes: Vec<Change>,
}

/// A change of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The switch.
    pub(super) switch: String,
    /// How long ago it happened.
    pub(super) ago: Duration,
    pub(super) change: NetworkChange,
}

pub(super) struct Network {
    cables: Cables,
    interval: Duration,
    started: Instant,
    announce_at: Instant,
    evaluate_at: Option<Instant>,
    /// Rates of ports, as far as switches report them.
    rates: BTreeMap<PortRef, u64>,
    /// Switches with a session.
    up: Vec<String>,
    published: watch::Sender<Discovered>,
}

impl Network {
    pub(super) fn new(
        topology: Arc<Topology>,
        switches: impl Iterator<Item = String>,
        interval: Duration,
        published: watch::Sender<Discovered>,
    ) -> Network {
        let started = Instant::now();
        let cables = Cables::new(topology, switches, network_time(interval));
        Network {
            cables,
            interval,
            started,
            announce_at: started + interval,
            evaluate_at: None,
            rates: BTreeMap::new(),
            up: Vec::new(),
            published,
        }
    }

    /// The same; with a number of ports, switches announce themselves through all of them.
    pub(super) fn learning(mut self, ports: Option<u16>) -> Network {
        if let Some(ports) = ports {
            self.cables = self.cables.learning(ports);
        }
        self
    }

    fn now(&self) -> Time {
        network_time(self.started.elapsed())
    }

    /// The session of a switch is up: it announces itself at once.
    pub(super) fn up(&mut self, switch: &str) -> Work {
        self.cables.up(self.now(), switch);
        self.up.retain(|known| known != switch);
        self.up.push(switch.to_owned());
        self.evaluate_soon();
        let ports = self.cables.ports_of(switch);
        Work { announce: BTreeMap::from([self.announcements(switch, &ports)]), ..Work::default() }
    }

    /// The session of a switch has ended.
    pub(super) fn down(&mut self, switch: &str) {
        self.cables.down(switch);
        self.up.retain(|known| known != switch);
        self.evaluate_soon();
    }

    /// A frame has arrived at a port. A new neighbour gets an announcement at once: a link has come up.
    pub(super) fn receive(&mut self, at: &PortRef, frame: &[u8]) -> Work {
        match self.cables.receive(self.now(), at, frame) {
            Ok(Neighbourhood::Appeared | Neighbourhood::Replaced) => {
                self.evaluate_soon();
                let announce = BTreeMap::from([self.announcements(&at.switch, &[at.port])]);
                Work { announce, ..Work::default() }
            }
            Ok(Neighbourhood::Gone) => {
                self.evaluate_soon();
                Work::default()
            }
            Ok(Neighbourhood::Refreshed | Neighbourhood::Ignored) => Work::default(),
            Err(error) => {
                tracing::debug!(%at, %error, "an LLDP frame is malformed");
                Work::default()
            }
        }
    }

    /// A switch reports the rates of its ports.
    pub(super) fn set_rates(&mut self, rates: Vec<(PortRef, u64)>) {
        for (port, rate_bps) in rates {
            if self.rates.insert(port, rate_bps) != Some(rate_bps) {
                self.evaluate_soon();
            }
        }
    }

    /// The plan of the network is another one.
    pub(super) fn set_plan(&mut self, plan: Arc<Topology>) {
        self.cables.set_plan(plan);
        self.evaluate_soon();
    }

    /// The switch itself reports that the link of a port went down or came up. A link that has come up gets an announcement at
    /// once, so that it is used again soon.
    pub(super) fn link_changed(&mut self, at: &PortRef, is_up: bool) -> Work {
        if is_up {
            let announce = BTreeMap::from([self.announcements(&at.switch, &[at.port])]);
            return Work { announce, ..Work::default() };
        }
        if self.cables.link_down(self.now(), at) {
            self.evaluate_at = Some(Instant::now());
        }
        Work::default()
    }

    /// When [`Network::wake`] is to be called.
    pub(super) fn next_wake(&self) -> Instant {
        let from_cables = self.cables.next_wake().map(|at| {
            // Rounded up: the time must have come when the timer fires.
            self.started + Duration::from_nanos(at.as_ns()) + Duration::from_micros(1)
        });
        let others = [self.evaluate_at, from_cables].into_iter().flatten();
        others.fold(self.announce_at, Instant::min)
    }

    /// Does what is due.
    pub(super) fn wake(&mut self, plans: &mut Plans) -> Work {
        let (now, mut work) = (Instant::now(), Work::default());
        let is_due = self.cables.next_wake().is_some_and(|at| at <= self.now());
        let has_expired = self.cables.wake(self.now());
        if now >= self.announce_at {
            self.announce_at = now + self.interval;
            work.announce = self
                .up
                .iter()
                .map(|switch| self.announcements(switch, &self.cables.ports_of(switch)))
                .collect();
        }
        if is_due || has_expired || self.evaluate_at.is_some_and(|at| at <= now) {
            self.evaluate_at = None;
            (work.plans, work.changes) = self.evaluate(plans);
        }
        work
    }

    fn evaluate_soon(&mut self) {
        let at = Instant::now() + EVALUATE_AFTER;
        self.evaluate_at = Some(self.evaluate_at.map_or(at, |known| known.min(at)));
    }

    /// Publishes what has changed and returns the plans that the failed links change, with all changes of links and routes.
    fn evaluate(&mut self, plans: &mut Plans) -> (BTreeMap<String, SwitchPlan>, Vec<Change>) {
        let now = self.now();
        let neighbours = self.cables.neighbours().map(|(port, neighbour)| {
            (port.clone(), (name(&neighbour.lldp), neighbour.lldp.port_description.clone()))
        });
        let neighbours: BTreeMap<PortRef, (String, Option<String>)> = neighbours.collect();
        let rate = |port: &PortRef| Some((port.clone(), *self.rates.get(port)?));
        let found = Discovered {
            rates: neighbours.keys().filter_map(rate).collect(),
            neighbours,
            findings: self.cables.findings(now),
            failed: self.cables.failed_links(now).into_iter().map(|link| link.a.clone()).collect(),
        };
        let before = self.published.send_replace(found.clone());
        let new = found.findings.iter().filter(|finding| !before.findings.contains(finding));
        new.for_each(|finding| tracing::warn!(%finding, "a cable differs from the plan"));
        if before.failed == found.failed {
            return Default::default();
        }
        let mut changes = self.changes_of_links(&before.failed, &found.failed);
        let replanned = Network::replan(plans, &found.failed);
        changes.extend(plans.take_changes());
        (replanned, changes)
    }

    /// The links that have failed or work again, at both ends.
    fn changes_of_links(&self, before: &[PortRef], now: &[PortRef]) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |port: &PortRef, ago: Duration, is_up: bool| {
            let number = port.port;
            let change = match is_up {
                true => NetworkChange::LinkUp { port: number },
                false => NetworkChange::LinkDown { port: number },
            };
            changes.push(Change { switch: port.switch.clone(), ago, change });
        };
        for port in now.iter().filter(|port| !before.contains(port)) {
            let ends = [Some(port.clone()), self.cables.peer(port)];
            let lost = ends.iter().flatten().filter_map(|end| self.cables.lost_at(end)).min();
            let ago = lost
                .map_or(Duration::ZERO, |lost| Duration::from_nanos(self.now().saturating_sub(lost).as_ns()));
            ends.iter().flatten().for_each(|end| add(end, ago, false));
        }
        for port in before.iter().filter(|port| !now.contains(port)) {
            let ends = [Some(port.clone()), self.cables.peer(port)];
            ends.iter().flatten().for_each(|end| add(end, Duration::ZERO, true));
        }
        changes
    }

    /// Returns the plans that the failed links change.
    fn replan(plans: &mut Plans, failed: &[PortRef]) -> BTreeMap<String, SwitchPlan> {
        let changed = match plans.avoid(failed) {
            Ok(changed) => changed,
            Err(error) => {
                tracing::error!(%error, "the network without its failed links cannot be planned; routes stay");
                return BTreeMap::new();
            }
        };
        let (links, switches) = (failed.iter().map(ToString::to_string).collect::<Vec<_>>(), changed.len());
        match links.as_slice() {
            [] => {
                tracing::info!(switches, "no link has failed any more; the routes are those of the topology")
            }
            links => {
                tracing::warn!(failed = links.join(", "), switches, "links have failed; routes avoid them")
            }
        }
        changed
    }

    fn announcements(&self, switch: &str, ports: &[u16]) -> (String, Vec<Announcement>) {
        let ttl_s = ttl_s(network_time(self.interval));
        let [.., a, b, c] = fingerprint(switch.as_bytes(), 0).to_be_bytes();
        let announcements = ports.iter().map(|port| {
            let [high, low] = port.to_be_bytes();
            let source = [LOCALLY_ADMINISTERED, a, b, c, high, low];
            let lldp = model::wire::lldp::Lldp { ttl_s, ..announcement(&PortRef::new(switch, *port)) };
            Announcement { port: *port, frame: bytes(&lldp.to_frame(source)) }
        });
        (switch.to_owned(), announcements.collect())
    }
}

fn network_time(duration: Duration) -> Time {
    Time::from_ns(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 1_000))
}

fn bytes(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}
