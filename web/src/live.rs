//! The live state: what the driver pushes in, and what REST and the live stream show of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use model::{Diagnosis, PortRef, ProvenanceGraph, Snapshot, Topology};
use serde_json::json;
use store::{Incident, Store, StoreError, Stored};

use crate::events::{EventHub, EventKind};
use crate::metrics::Metrics;
use crate::series::{PortPoint, PortSample, Series};

/// Everything that changes while the program runs. Shared by the driver and the server through an [`Arc`].
#[derive(Debug)]
pub struct LiveState {
    store: Store,
    topology: RwLock<Option<Arc<Topology>>>,
    series: Mutex<Series>,
    pub(crate) events: EventHub,
    pub(crate) metrics: Metrics,
}

impl LiveState {
    /// A live state over `store`. The topology that the store holds is taken over.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn new(store: Store) -> Result<Arc<LiveState>, StoreError> {
        let topology = store.topology().await?.map(Arc::new);
        Ok(Arc::new(LiveState {
            store,
            topology: RwLock::new(topology),
            series: Mutex::default(),
            events: EventHub::new(),
            metrics: Metrics::new(),
        }))
    }

    /// The store behind it.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Replaces the topology, stores it, forgets the port samples of the one before, and tells clients.
    ///
    /// # Errors
    /// The store fails; then the topology before stays.
    pub async fn set_topology(&self, topology: Topology) -> Result<(), StoreError> {
        self.store.put_topology(&topology).await?;
        let before = self.topology();
        let changed = before.as_deref() != Some(&topology);
        *self.topology.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(topology));
        if changed {
            self.series().clear();
            self.events.publish(EventKind::Topology, &json!({}));
        }
        Ok(())
    }

    /// The topology; absent before the first was set.
    pub fn topology(&self) -> Option<Arc<Topology>> {
        self.topology.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes samples of any number of ports: keeps them, updates metrics, tells clients of the batch and of
    /// every port that became paused or is no longer. Each call is one event for every client, so push all
    /// ports together, some ten times a second of wall-clock time; `paused_ns` keeps what happened in between.
    pub fn push_ports(&self, samples: &[PortSample]) {
        if samples.is_empty() {
            return;
        }
        let mut turned = Vec::new();
        {
            let mut series = self.series();
            for sample in samples {
                let Ok(before) = series.push(sample) else {
                    self.metrics.ports_refused.inc();
                    continue;
                };
                self.metrics.sampled(sample, before);
                if before.is_some_and(|b| b.paused) != sample.point.paused {
                    turned.push(sample);
                }
            }
        }
        for sample in turned {
            let (port, point) = (&sample.port, sample.point);
            let event = json!({ "port": port, "paused": point.paused, "time_ns": point.time_ns });
            self.events.publish(EventKind::Pause, &event);
        }
        self.events.publish(EventKind::Ports, &json!({ "samples": samples }));
    }

    /// Stores a diagnosis with its graph and the telemetry it rests on, assigns it to its incident, updates
    /// metrics and tells clients. A diagnosis that is stored already changes nothing and is not told again.
    ///
    /// # Errors
    /// The store fails; then nobody was told.
    pub async fn push_diagnosis(
        &self,
        diagnosis: &Diagnosis,
        graph: &ProvenanceGraph,
        snapshot: Option<&Snapshot>,
    ) -> Result<Stored, StoreError> {
        if let Some(snapshot) = snapshot {
            self.store.put_snapshot(&diagnosis.id, diagnosis.time_ns, snapshot).await?;
        }
        let stored = self.store.put_diagnosis(diagnosis, graph).await?;
        if stored.new {
            self.metrics.diagnosed(diagnosis, stored.first);
            let event = json!({
                "id": diagnosis.id, "incident": stored.incident.id, "time_ns": diagnosis.time_ns,
                "victim": diagnosis.victim, "anomaly": diagnosis.anomaly, "cause": diagnosis.cause,
                "summary": diagnosis.summary, "confidence": diagnosis.confidence,
            });
            self.events.publish(EventKind::Diagnosis, &event);
            self.tell_incident(if stored.first { "start" } else { "update" }, &stored.incident);
        }
        Ok(stored)
    }

    /// Tells the fabric's time, so that incidents that went quiet end. Call it now and then.
    ///
    /// # Errors
    /// The store fails.
    pub async fn advance(&self, now_ns: u64) -> Result<(), StoreError> {
        for incident in self.store.end_quiet_incidents(now_ns).await? {
            self.tell_incident("end", &incident);
        }
        Ok(())
    }

    /// The samples of `port` since a time, oldest first. `None` when it has none and the topology has no such
    /// port.
    pub fn port_series(&self, port: &PortRef, since_ns: u64) -> Option<Vec<PortPoint>> {
        let sampled = self.series().of(port, since_ns);
        sampled.or_else(|| self.topology()?.link_of(port).map(|_| Vec::new()))
    }

    /// The latest sample of every port, by port.
    pub fn ports(&self) -> Vec<PortSample> {
        self.series().latest()
    }

    fn tell_incident(&self, change: &str, incident: &Incident) {
        self.events.publish(EventKind::Incident, &json!({ "change": change, "incident": incident }));
    }

    fn series(&self) -> MutexGuard<'_, Series> {
        // Nothing inside the lock can panic half-way, so what it guards is whole.
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
