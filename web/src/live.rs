//! The live state: the driver pushes data into it, REST and the live stream publish it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use model::{Diagnosis, FlowKey, PortRef, ProvenanceGraph, Snapshot, Topology};
use serde_json::json;
use store::{
    Incident, IncidentFilter, MAX_PAGE_ROWS, NewDiagnosis, NewNote, Resolution, Store, StoreError, Stored,
};
use tokio::sync::broadcast;

use crate::durations::Stage;
use crate::events::{EventHub, StreamEventKind};
use crate::flow_series::{FlowEpoch, FlowInterval, FlowRoundTrip, FlowSeries};
use crate::headline::{Headline, HostNames};
use crate::limits::{SERIES_INTERVALS, SERIES_WRITE_NS};
use crate::metrics::Metrics;
use crate::priority_series::{PortPriorities, PrioritySample, PrioritySeries};
use crate::rollups::{PendingPorts, PortInterval};
use crate::routes::TimedIncident;
use crate::series::{Kept, PortSample, Series};
use crate::wall_clock::{WallClock, rfc3339, system_wall_ns};
use crate::webhooks::Alert;

/// Maximum changes of incidents that a webhook has not taken yet; then it reads the open incidents again.
const ALERT_BACKLOG: usize = 1024;

/// The changes of incidents.
pub type Alerts = broadcast::Receiver<Alert>;

/// All data that changes while the program runs, shared by the driver and the server through an [`Arc`].
#[derive(Debug)]
pub struct LiveState {
    store: Store,
    topology: RwLock<Option<Arc<Topology>>>,
    /// The hosts of the topology, for headlines.
    host_names: RwLock<Arc<HostNames>>,
    /// Serialises replacements of the topology in the store and in memory.
    topology_writer: tokio::sync::Mutex<()>,
    series: Mutex<Series>,
    priorities: Mutex<PrioritySeries>,
    /// Samples by the second and the minute that are not stored yet.
    rollups: Mutex<PendingPorts>,
    /// Records of flows in snapshots.
    flows: Mutex<FlowSeries>,
    /// The wall clock at the latest write of series.
    rolled_up_ns: AtomicU64,
    /// Converts switch time, if the network has a clock that goes on.
    wall_clock: OnceLock<WallClock>,
    /// Returns the present wall clock, in nanoseconds since 1970.
    clock: fn() -> u64,
    pub(crate) events: EventHub,
    pub(crate) metrics: Metrics,
    alerts: broadcast::Sender<Alert>,
}

impl LiveState {
    /// Creates a live state on top of `store`, with the stored topology if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn new(store: Store) -> Result<Arc<LiveState>, StoreError> {
        LiveState::with_clock(store, system_wall_ns).await
    }

    /// As [`LiveState::new`], with another source of the wall clock, in nanoseconds since 1970.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn with_clock(store: Store, clock: fn() -> u64) -> Result<Arc<LiveState>, StoreError> {
        let topology = store.topology().await?.map(Arc::new);
        let host_names = topology.as_deref().map(HostNames::new).unwrap_or_default();
        Ok(Arc::new(LiveState {
            store,
            topology: RwLock::new(topology),
            host_names: RwLock::new(Arc::new(host_names)),
            topology_writer: tokio::sync::Mutex::default(),
            series: Mutex::default(),
            priorities: Mutex::default(),
            rollups: Mutex::default(),
            flows: Mutex::default(),
            rolled_up_ns: AtomicU64::new(0),
            wall_clock: OnceLock::new(),
            clock,
            events: EventHub::new(clock()),
            metrics: Metrics::new(),
            alerts: broadcast::Sender::new(ALERT_BACKLOG),
        }))
    }

    /// Sets the wall clock of switch time, once: REST and the live stream show it beside switch time. The clock of a
    /// simulated network is stretched and may lag; without a call they show when a diagnosis arrived.
    pub fn set_wall_clock(&self, clock: WallClock) {
        // A second call would mix two clocks; the first one stays.
        let _ = self.wall_clock.set(clock);
    }

    /// Returns the wall clock of switch time, if the network has a clock that goes on.
    pub(crate) fn wall_clock(&self) -> Option<WallClock> {
        self.wall_clock.get().copied()
    }

    /// Returns a switch time of a run as RFC 3339 text: from the wall clock of switch time, or else from `wall_ns`, the wall
    /// clock that is stored with it. Absent if there is neither. Each run of a simulated network has a clock of its own, which
    /// the wall clock of this network says nothing about.
    pub(crate) fn time(&self, run: u64, time_ns: u64, wall_ns: u64) -> Option<String> {
        let is_present = run == self.store.present_run();
        match self.wall_clock.get().filter(|_| is_present) {
            Some(clock) => Some(clock.text(time_ns)),
            None => (wall_ns > 0).then(|| rfc3339(wall_ns)),
        }
    }

    /// Returns the present wall clock, in nanoseconds since 1970.
    pub(crate) fn wall_ns(&self) -> u64 {
        (self.clock)()
    }

    /// Returns the underlying store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Stores the topology and replaces the current one. If it differs, port samples are removed and clients are
    /// notified.
    ///
    /// # Errors
    /// The store fails. The previous topology stays then.
    pub async fn set_topology(&self, topology: Topology) -> Result<(), StoreError> {
        // Held until both are replaced: of two concurrent calls the same one comes last in the store and in memory.
        let _writing = self.topology_writer.lock().await;
        self.store.put_topology(&topology).await?;
        let previous = self.topology();
        let changed = previous.as_deref() != Some(&topology);
        *self.host_names.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(HostNames::new(&topology));
        *self.topology.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(topology));
        if changed {
            self.series().clear();
            self.priorities().clear();
            self.events.publish(StreamEventKind::Topology, &json!({ "time": rfc3339(self.wall_ns()) }));
        }
        Ok(())
    }

    /// Returns the current topology; `None` until one is set.
    pub fn topology(&self) -> Option<Arc<Topology>> {
        self.topology.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the names of the current topology's hosts; empty until a topology is set.
    pub(crate) fn host_names(&self) -> Arc<HostNames> {
        self.host_names.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds a batch of port samples, updates metrics, and notifies clients of the batch and of every port that became
    /// paused or was resumed. Each call sends one `ports` event to every client, so push the samples of all ports
    /// together, about ten times a second of wall-clock time; `paused_ns` covers the time in between. The event leaves out
    /// ports that are idle as in their sample before: in a large network most are.
    pub fn push_ports(&self, samples: &[PortSample]) {
        if samples.is_empty() {
            return;
        }
        let (clock, now_ns) = (self.wall_clock(), self.wall_ns());
        let wall_ns = |sample: &PortSample| clock.map_or(now_ns, |clock| clock.wall_ns(sample.point.time_ns));
        let mut changed = Vec::new();
        let mut accepted = Vec::with_capacity(samples.len());
        let mut news = Vec::new();
        {
            let mut series = self.series();
            for sample in samples {
                let wall_ns = wall_ns(sample);
                let Ok(before) = series.push(sample, wall_ns) else {
                    self.metrics.ports_refused.inc();
                    continue;
                };
                self.metrics.sampled(sample, before);
                accepted.push((sample, wall_ns));
                if !sample.point.is_idle() || !before.is_some_and(|before| before.is_idle()) {
                    news.push(sample);
                }
                if before.is_some_and(|b| b.paused) != sample.point.paused {
                    changed.push((sample, wall_ns));
                }
            }
        }
        self.roll_up(&accepted);
        for (sample, wall_ns) in changed {
            let (port, point) = (&sample.port, sample.point);
            let time = rfc3339(wall_ns);
            let event =
                json!({ "port": port, "paused": point.paused, "time_ns": point.time_ns, "time": time });
            self.events.publish(StreamEventKind::Pause, &event);
        }
        let latest_ns = samples.iter().map(wall_ns).max().unwrap_or(now_ns);
        let time_ns = samples.iter().map(|sample| sample.point.time_ns).max();
        let event = json!({ "time": rfc3339(latest_ns), "time_ns": time_ns, "samples": news });
        self.events.publish(StreamEventKind::Ports, &event);
    }

    /// Adds what the priorities of ports did since their last samples.
    pub fn push_priorities(&self, samples: &[(PortRef, Vec<PrioritySample>)]) {
        let wall_ns = self.wall_ns();
        let mut priorities = self.priorities();
        for (port, samples) in samples {
            priorities.add(port, samples, wall_ns);
        }
    }

    /// Stores a diagnosis with its graph and the snapshot it was made from, in one transaction, assigns it to its
    /// incident, updates metrics and notifies clients. A diagnosis that is already stored changes nothing and sends no
    /// event.
    ///
    /// # Errors
    /// The store fails. Nothing is stored and no client is notified then.
    pub async fn push_diagnosis(
        &self,
        diagnosis: &Diagnosis,
        graph: &ProvenanceGraph,
        snapshot: Option<&Snapshot>,
    ) -> Result<Stored, StoreError> {
        let stored = self.store.record(diagnosis, graph, snapshot, self.wall_ns()).await?;
        self.announce(&NewDiagnosis { diagnosis, graph, snapshot }, &stored);
        Ok(stored)
    }

    /// As [`LiveState::push_diagnosis`] for several diagnoses in one transaction, which is much cheaper than one for each.
    /// Returns for each how it is stored, or why it cannot be stored; the others are stored then.
    ///
    /// # Errors
    /// The database fails. Nothing is stored and no client is notified then.
    pub async fn push_diagnoses(
        &self,
        new: &[NewDiagnosis<'_>],
    ) -> Result<Vec<Result<Stored, StoreError>>, StoreError> {
        let all = self.store.record_all(new, self.wall_ns()).await?;
        for (new, stored) in new.iter().zip(&all) {
            if let Ok(stored) = stored {
                self.announce(new, stored);
            }
        }
        Ok(all)
    }

    /// Updates metrics and notifies clients of a diagnosis, if it is new.
    fn announce(&self, NewDiagnosis { diagnosis, snapshot, .. }: &NewDiagnosis<'_>, stored: &Stored) {
        if !stored.new {
            return;
        }
        if let Some(snapshot) = snapshot {
            self.record_flows(snapshot);
        }
        self.metrics.diagnosed(diagnosis, stored.first);
        let event = json!({
            "id": stored.id, "incident": stored.incident.id, "time_ns": diagnosis.time_ns,
            "victim": diagnosis.victim, "anomaly": diagnosis.anomaly, "cause": diagnosis.cause,
            "summary": diagnosis.summary, "confidence": diagnosis.confidence,
            "severity": diagnosis.severity, "counters": diagnosis.counters,
            "headline": Headline::of_diagnosis(diagnosis, &self.host_names()),
            "time": self.time(stored.incident.run, diagnosis.time_ns, stored.wall_ns),
        });
        self.events.publish(StreamEventKind::Diagnosis, &event);
        self.publish_incident(if stored.first { "start" } else { "update" }, &stored.incident);
    }

    /// Adds a note to an incident and notifies clients. Returns the incident; `None` if there is no such incident.
    ///
    /// # Errors
    /// The store fails. Nothing is changed then.
    pub(crate) async fn add_note(
        &self,
        incident: &str,
        note: &NewNote,
    ) -> Result<Option<Incident>, StoreError> {
        let incident = self.store.add_note(incident, note, self.wall_ns()).await?;
        if let Some(incident) = &incident {
            self.publish_incident("update", incident);
        }
        Ok(incident)
    }

    /// Advances switch time to `now_ns`, which ends incidents whose quiet time has passed and whose ports are not paused.
    /// Call it periodically.
    ///
    /// # Errors
    /// The store fails.
    pub async fn advance(&self, now_ns: u64) -> Result<(), StoreError> {
        self.advance_while(now_ns, BTreeSet::new()).await
    }

    /// As [`LiveState::advance`], with ports whose incidents last although no sample of theirs is paused.
    ///
    /// # Errors
    /// The store fails.
    pub async fn advance_while(&self, now_ns: u64, lasting: BTreeSet<PortRef>) -> Result<(), StoreError> {
        // The last sample of a switch that is no longer sampled must not keep an incident open.
        let since_ns = now_ns.saturating_sub(self.store.limits().incident_quiet_ns);
        let mut paused: BTreeSet<PortRef> = self.series().paused(since_ns);
        paused.extend(lasting);
        for incident in self.store.advance(now_ns, self.wall_ns(), &paused).await? {
            self.publish_incident("end", &incident);
        }
        let wall_ns = self.wall_ns();
        if wall_ns.saturating_sub(self.rolled_up_ns.load(Ordering::Relaxed)) >= SERIES_WRITE_NS {
            self.rolled_up_ns.store(wall_ns, Ordering::Relaxed);
            self.store_series().await?;
        }
        Ok(())
    }

    /// Stores the series of ports and flows so far. [`LiveState::advance`] does it every five seconds; call it before the
    /// store is closed.
    ///
    /// # Errors
    /// The store fails. The series are stored with the next call then.
    pub async fn store_series(&self) -> Result<(), StoreError> {
        let taken = self.rollups().take();
        let stored = self.store.add_rollups(&taken).await;
        if stored.is_err() {
            self.rollups().restore(taken);
        }
        let taken = self.flows().take();
        let flows_stored = self.store.add_flow_rollups(&taken).await;
        if flows_stored.is_err() {
            self.flows().restore(taken);
        }
        stored.and(flows_stored)
    }

    /// Adds the records of a snapshot to the series of its flows: to the seconds and minutes of the wall clock of their
    /// epochs; without a wall clock of switch time, to those of now.
    fn record_flows(&self, snapshot: &Snapshot) {
        let (clock, now_ns) = (self.wall_clock.get(), self.wall_ns());
        let lost = self.flows().add(snapshot, |time_ns| clock.map_or(now_ns, |clock| clock.wall_ns(time_ns)));
        self.metrics.intervals_lost.inc_by(lost);
    }

    /// Returns the recent epochs and round trips of a flow, the oldest first.
    pub(crate) fn flow_records(&self, flow: &FlowKey) -> (Vec<FlowEpoch>, Vec<FlowRoundTrip>) {
        self.flows().recent(flow)
    }

    /// Returns what `flow` did in the intervals that start at or after `since_wall_ns`, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) async fn flow_intervals(
        &self,
        flow: FlowKey,
        resolution: Resolution,
        since_wall_ns: u64,
    ) -> Result<Vec<FlowInterval>, StoreError> {
        let range = (resolution.start_ns(since_wall_ns), u64::MAX);
        let stored = self.store.flow_rollups(&flow, resolution, range.0, range.1, SERIES_INTERVALS).await?;
        Ok(self.flows().complete(flow, resolution, range, stored))
    }

    /// Returns what `port` did in the intervals that start at or after `since_wall_ns`, oldest first; `None` if there are
    /// none and the topology has no such port.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) async fn port_intervals(
        &self,
        port: &PortRef,
        resolution: Resolution,
        since_wall_ns: u64,
    ) -> Result<Option<Vec<PortInterval>>, StoreError> {
        let range = (resolution.start_ns(since_wall_ns), u64::MAX);
        let mut found = self.store.rollups(port, resolution, range.0, range.1, SERIES_INTERVALS).await?;
        self.rollups().complete(port, resolution, range, &mut found);
        if found.is_empty() && self.port_series(port).is_none() {
            return Ok(None);
        }
        Ok(Some(found.iter().map(|(wall_ns, rollup)| PortInterval::new(*wall_ns, rollup)).collect()))
    }

    /// Adds samples to the seconds and minutes of their time on the wall clock.
    fn roll_up(&self, samples: &[(&PortSample, u64)]) {
        let mut rollups = self.rollups();
        for (sample, wall_ns) in samples {
            if !rollups.add(sample, *wall_ns) {
                self.metrics.intervals_lost.inc();
            }
        }
    }

    fn flows(&self) -> MutexGuard<'_, FlowSeries> {
        self.flows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rollups(&self) -> MutexGuard<'_, PendingPorts> {
        self.rollups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the duration of a stage from a trigger to a verdict to the metrics.
    pub fn observe(&self, stage: Stage, duration: Duration) {
        self.metrics.durations.observe(stage, duration);
    }

    /// Returns the recent samples of `port`, oldest first; `None` if there are none and the topology has no such port.
    pub(crate) fn port_series(&self, port: &PortRef) -> Option<Vec<Kept>> {
        let sampled = self.series().of(port);
        sampled.or_else(|| self.topology()?.link_of(port).map(|_| Vec::new()))
    }

    /// Returns what the priorities of `port` did; `None` if the topology has no such port and no source has named it.
    pub(crate) fn port_priorities(&self, port: &PortRef) -> Option<PortPriorities> {
        let counted = self.priorities().of(port);
        counted.or_else(|| self.port_series(port).map(|_| PortPriorities::default()))
    }

    /// Returns the latest sample of every port, ordered by port.
    pub(crate) fn ports(&self) -> Vec<(PortRef, Kept)> {
        self.series().latest()
    }

    /// Returns the changes of incidents from now on, for webhooks.
    pub fn alerts(&self) -> Alerts {
        self.alerts.subscribe()
    }

    /// Returns the incidents that last.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open_alerts(&self) -> Result<Vec<Alert>, StoreError> {
        let mut filter =
            IncidentFilter { open: true, limit: Some(MAX_PAGE_ROWS), ..IncidentFilter::default() };
        let mut alerts = Vec::new();
        loop {
            let page = self.store.incidents(&filter).await?;
            alerts.extend(page.rows.iter().map(|incident| self.alert(incident)));
            if page.next.is_none() {
                return Ok(alerts);
            }
            filter.after = page.next;
        }
    }

    /// Returns the state of an incident, for webhooks; `None` if there is no such incident.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn alert_of(&self, incident: &str) -> Result<Option<Alert>, StoreError> {
        Ok(self.store.incident(incident).await?.map(|incident| self.alert(&incident)))
    }

    fn alert(&self, incident: &Incident) -> Alert {
        let latest = incident.occurrences.last();
        let (start_ns, start_wall_ns) = latest
            .map_or((incident.start_ns, incident.start_wall_ns), |latest| {
                (latest.start_ns, latest.start_wall_ns)
            });
        let ended =
            incident.end_ns.and_then(|end_ns| self.time(incident.run, end_ns, incident.update_wall_ns));
        let headline = Headline::of_incident(incident, &self.host_names());
        Alert::new(incident, headline, self.time(incident.run, start_ns, start_wall_ns), ended)
    }

    fn publish_incident(&self, change: &str, incident: &Incident) {
        // Without a webhook there is no receiver.
        let _ = self.alerts.send(self.alert(incident));
        let incident = TimedIncident::new(self, incident.clone());
        let event = json!({ "change": change, "incident": incident, "time": rfc3339(self.wall_ns()) });
        self.events.publish(StreamEventKind::Incident, &event);
    }

    fn priorities(&self) -> MutexGuard<'_, PrioritySeries> {
        self.priorities.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn series(&self) -> MutexGuard<'_, Series> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
