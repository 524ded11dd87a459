//! The cables of the switches that a controller manages: what their neighbours announce, which cables differ from the
//! plan, and which links have failed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::topology::Link;
use model::wire::lldp::{Lldp, LldpError};
use model::{PortRef, Time, Topology};

use super::findings::{CableFinding, cable_findings, is_planned};
use super::neighbours::{Change, Neighbour, Neighbours};

/// What a controller knows about the cables of its switches. Times are those of any clock that only advances.
#[derive(Clone, Debug)]
pub struct Cables {
    plan: Arc<Topology>,
    interval: Time,
    /// Time after which an announcement that was lost has been repeated: until then, a silent port is no finding.
    settle: Time,
    neighbours: Neighbours,
    /// The switches that this controller manages, and since when their sessions are up.
    up_since: BTreeMap<String, Option<Time>>,
    /// Ports that have had their planned neighbour since the session of their switch is up.
    confirmed: BTreeSet<PortRef>,
    /// When the neighbour of a port was lost: when its next announcement was due, or when its end was noticed.
    lost: BTreeMap<PortRef, Time>,
    /// When the last announcement arrived at any port.
    heard: Time,
    /// The last call of [`Cables::wake`].
    woken: Time,
    /// Number of the ports of a switch, if it announces itself through all of them: there is no plan yet.
    learned_ports: Option<u16>,
}

impl Cables {
    /// Returns the state for a plan and the switches of a controller, before any session is up. Announcements are repeated
    /// after `interval`.
    pub fn new(plan: Arc<Topology>, switches: impl IntoIterator<Item = String>, interval: Time) -> Cables {
        Cables {
            plan,
            interval,
            settle: Time(interval.0.saturating_mul(2)),
            neighbours: Neighbours::default(),
            up_since: switches.into_iter().map(|switch| (switch, None)).collect(),
            confirmed: BTreeSet::new(),
            lost: BTreeMap::new(),
            heard: Time::ZERO,
            woken: Time::ZERO,
            learned_ports: None,
        }
    }

    /// The same for a plan that lacks links: switches announce themselves through the ports 1 to `ports`, and cables beyond
    /// the plan are no findings.
    pub fn learning(mut self, ports: u16) -> Cables {
        self.learned_ports = Some(ports);
        self
    }

    /// Replaces the plan. Neighbours that it has at their ports are as good as planned ones that have appeared.
    pub fn set_plan(&mut self, plan: Arc<Topology>) {
        self.plan = plan;
        let planned = self.neighbours.iter().filter(|(at, known)| {
            self.plan.peer(at).is_some_and(|planned| is_planned(&self.plan, planned, &known.lldp))
        });
        self.confirmed = planned.map(|(at, _)| at.clone()).chain(self.lost_of_plan()).collect();
    }

    /// Ports that have lost a neighbour and still have a link in the plan.
    fn lost_of_plan(&self) -> Vec<PortRef> {
        self.lost.keys().filter(|port| self.plan.peer(port).is_some()).cloned().collect()
    }

    /// The session of a switch is up.
    pub fn up(&mut self, now: Time, switch: &str) {
        self.down(switch);
        self.up_since.insert(switch.to_owned(), Some(now));
    }

    /// The session of a switch has ended: nothing is known about its ports, so that they have no findings.
    pub fn down(&mut self, switch: &str) {
        if let Some(since) = self.up_since.get_mut(switch) {
            *since = None;
        }
        self.neighbours.forget(switch);
        self.confirmed.retain(|port| port.switch != switch);
        self.lost.retain(|port, _| port.switch != switch);
    }

    /// Returns the ports through which a switch announces itself: those of the plan, and those with a neighbour.
    pub fn ports_of(&self, switch: &str) -> Vec<u16> {
        let planned = self.plan.ports_of(switch).into_iter().map(|(port, _)| port);
        let heard = self.neighbours.iter().filter(|(at, _)| at.switch == switch).map(|(at, _)| at.port);
        let all = 1..=self.learned_ports.unwrap_or(0);
        planned.chain(heard).chain(all).collect::<BTreeSet<u16>>().into_iter().collect()
    }

    /// Stores an announcement, a whole Ethernet frame that arrived at a port.
    ///
    /// # Errors
    /// The frame is not one that the standard accepts.
    pub fn receive(&mut self, now: Time, at: &PortRef, frame: &[u8]) -> Result<Change, LldpError> {
        let lldp = Lldp::from_bytes(frame)?;
        self.heard = self.heard.max(now);
        if self.plan.peer(at).is_some_and(|planned| is_planned(&self.plan, planned, &lldp)) {
            self.confirmed.insert(at.clone());
        }
        let change = self.neighbours.receive(now, at, lldp);
        match change {
            Change::Gone => drop(self.lost.insert(at.clone(), now)),
            Change::Ignored => {}
            Change::Appeared | Change::Refreshed | Change::Replaced => drop(self.lost.remove(at)),
        }
        Ok(change)
    }

    /// The switch itself reports that the link of a port is down. Returns whether the port had a neighbour.
    pub fn link_down(&mut self, now: Time, at: &PortRef) -> bool {
        let is_gone = self.neighbours.link_down(at) == Change::Gone;
        if is_gone {
            self.lost.insert(at.clone(), now);
        }
        is_gone
    }

    /// Returns when the neighbour of a port was lost.
    pub fn lost_at(&self, port: &PortRef) -> Option<Time> {
        self.lost.get(port).copied()
    }

    /// Forgets neighbours whose time has passed. Returns whether there were any.
    pub fn wake(&mut self, now: Time) -> bool {
        self.woken = self.woken.max(now);
        let expired = self.neighbours.expire(now);
        for (port, neighbour) in &expired {
            let ttl = Time::from_ms(u64::from(neighbour.lldp.ttl_s) * 1_000);
            let due = neighbour.expires.saturating_sub(ttl) + self.interval;
            self.lost.insert(port.clone(), due.min(now));
        }
        !expired.is_empty()
    }

    /// Returns when [`Cables::wake`] is to be called: something may have changed then without an announcement.
    pub fn next_wake(&self) -> Option<Time> {
        let settled = self.up_since.values().flatten().map(|since| *since + self.settle);
        settled.filter(|at| *at > self.woken).chain(self.neighbours.next_expiry()).min()
    }

    /// Returns the cables that differ from the plan, sorted. A port is silent only after its own switch and its planned
    /// neighbour, if this controller manages it, have been up for long enough.
    pub fn findings(&self, now: Time) -> Vec<CableFinding> {
        let mut findings = cable_findings(&self.plan, &self.neighbours);
        findings.retain(|finding| match finding {
            CableFinding::Silent { port, planned } => {
                self.is_settled(now, &port.switch).unwrap_or(false)
                    && self.is_settled(now, &planned.switch).unwrap_or(true)
            }
            CableFinding::Unplanned { .. } if self.learned_ports.is_some() => false,
            other => self.up_since.contains_key(&other.port().switch),
        });
        findings
    }

    /// Whether a switch has been up for long enough; `None` if this controller does not manage it.
    fn is_settled(&self, now: Time, switch: &str) -> Option<bool> {
        let since = self.up_since.get(switch)?;
        Some(since.is_some_and(|since| since + self.settle <= now))
    }

    /// Returns the links of the plan that have failed: links between switches whose planned neighbour was there and has
    /// gone. While no announcement arrives at all, the fault may be the controller's own, and no link counts as failed.
    pub fn failed_links(&self, now: Time) -> Vec<&Link> {
        if self.heard + self.settle <= now {
            return Vec::new();
        }
        let has_lost = |port: &PortRef| self.confirmed.contains(port) && self.neighbours.at(port).is_none();
        let links = self.plan.links.iter();
        links
            .filter(|link| has_lost(&link.a) || has_lost(&link.b))
            .filter(|link| self.is_trunk(link))
            .collect()
    }

    /// Returns the planned port at the other end of a link.
    pub fn peer(&self, port: &PortRef) -> Option<PortRef> {
        self.plan.peer(port).cloned()
    }

    fn is_trunk(&self, link: &Link) -> bool {
        !self.plan.is_host(&link.a.switch) && !self.plan.is_host(&link.b.switch)
    }

    /// Returns all neighbours by port.
    pub fn neighbours(&self) -> impl Iterator<Item = (&PortRef, &Neighbour)> {
        self.neighbours.iter()
    }
}
