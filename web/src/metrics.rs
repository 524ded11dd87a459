//! Prometheus metrics, in a registry for each [`LiveState`](crate::LiveState) so that tests do not share counters.
//!
//! Labels have bounded values: ports, names of anomalies and causes, routes, status codes; never flows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use model::Diagnosis;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use store::{OpenIncidents, Size, anomaly_name, cause_name};

use crate::durations::Durations;
use crate::probe::{Collected, Probe};
use crate::series::{PortPoint, PortSample};

type Seconds = Counter<f64, AtomicU64>;

/// Labels of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DiagnosisLabels {
    anomaly: String,
    cause: String,
}

/// Labels of open incidents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct IncidentLabels {
    anomaly: String,
    cause: String,
    severity: String,
}

/// Labels of a port.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PortLabels {
    switch: String,
    port: u16,
}

/// Labels of a response.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    route: String,
    status: u16,
}

/// All metrics of this crate.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    diagnoses: Family<DiagnosisLabels, Counter>,
    incidents: Counter,
    switches_read: Counter,
    telemetry_bytes: Counter,
    polling_packets: Counter,
    missing: Counter,
    queue_bytes: Family<PortLabels, Gauge>,
    paused: Family<PortLabels, Gauge>,
    paused_seconds: Family<PortLabels, Seconds>,
    pauses: Family<PortLabels, Counter>,
    pub(crate) ports_refused: Counter,
    pub(crate) intervals_lost: Counter,
    pub(crate) event_clients: Gauge,
    pub(crate) events_dropped: Counter,
    responses: Family<ResponseLabels, Counter>,
    pub(crate) durations: Durations,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut r = Registry::with_prefix("harrier");
        let version = ("version", env!("CARGO_PKG_VERSION"));
        r.register("build", "Version of this build", Info::new(vec![version]));
        let diagnoses = Family::default();
        r.register("diagnoses", "Diagnoses stored", diagnoses.clone());
        let [incidents, switches_read, telemetry_bytes, polling_packets, missing] =
            std::array::from_fn(|_| Counter::default());
        r.register("incidents", "Incidents started", incidents.clone());
        r.register(
            "switches_read",
            "Switches whose telemetry was collected for diagnoses",
            switches_read.clone(),
        );
        r.register("telemetry_read_bytes", "Telemetry collected for diagnoses", telemetry_bytes.clone());
        r.register("polling_packets", "Polling packets that switches received", polling_packets.clone());
        r.register("telemetry_missing", "Missing data that diagnoses report", missing.clone());
        let (queue_bytes, paused) = (Family::default(), Family::default());
        r.register("port_queue_bytes", "Queued bytes at the latest sample", queue_bytes.clone());
        r.register("port_paused", "1 while PFC pauses a priority of the port", paused.clone());
        let (paused_seconds, pauses) = (Family::default(), Family::default());
        r.register("port_paused_seconds", "Time during which a priority was paused", paused_seconds.clone());
        r.register("port_pauses", "Number of samples at which the port became paused", pauses.clone());
        let (ports_refused, events_dropped) = (Counter::default(), Counter::default());
        r.register(
            "port_samples_refused",
            "Port samples rejected because of the limit of ports",
            ports_refused.clone(),
        );
        let intervals_lost = Counter::default();
        r.register(
            "port_samples_not_stored",
            "Port samples that are in no stored series because the store fails",
            intervals_lost.clone(),
        );
        r.register(
            "events_dropped",
            "Events dropped for slow clients of the live stream",
            events_dropped.clone(),
        );
        let event_clients = Gauge::default();
        r.register("event_clients", "Clients of the live stream", event_clients.clone());
        let responses = Family::default();
        r.register("http_responses", "Responses by route and status", responses.clone());
        let durations = Durations::new(&mut r);
        Metrics {
            durations,
            registry: r,
            diagnoses,
            incidents,
            switches_read,
            telemetry_bytes,
            polling_packets,
            missing,
            queue_bytes,
            paused,
            paused_seconds,
            pauses,
            ports_refused,
            intervals_lost,
            event_clients,
            events_dropped,
            responses,
        }
    }

    pub(crate) fn diagnosed(&self, diagnosis: &Diagnosis, first_of_incident: bool) {
        let anomaly = anomaly_name(diagnosis.anomaly);
        let labels = DiagnosisLabels { anomaly, cause: cause_name(diagnosis.cause) };
        self.diagnoses.get_or_create(&labels).inc();
        self.incidents.inc_by(u64::from(first_of_incident));
        self.switches_read.inc_by(diagnosis.collected.switches);
        self.telemetry_bytes.inc_by(diagnosis.collected.bytes);
        self.polling_packets.inc_by(diagnosis.collected.polls);
        self.missing.inc_by(diagnosis.missing.len() as u64);
    }

    pub(crate) fn sampled(&self, sample: &PortSample, before: Option<PortPoint>) {
        let labels = PortLabels { switch: sample.port.switch.clone(), port: sample.port.port };
        let point = sample.point;
        let queued = i64::try_from(point.queue_bytes).unwrap_or(i64::MAX);
        self.queue_bytes.get_or_create(&labels).set(queued);
        self.paused.get_or_create(&labels).set(i64::from(point.paused));
        self.paused_seconds.get_or_create(&labels).inc_by(point.paused_ns as f64 / 1e9);
        let began = point.paused && !before.is_some_and(|b| b.paused);
        self.pauses.get_or_create(&labels).inc_by(u64::from(began));
    }

    pub(crate) fn responded(&self, route: &str, status: u16) {
        self.responses.get_or_create(&ResponseLabels { route: route.to_string(), status }).inc();
    }

    /// Returns all metrics, those of the program around the server and of the process included, as OpenMetrics text.
    /// `open` and `size` are absent if the store has failed.
    pub(crate) fn text(
        &self,
        probe: Option<&Arc<dyn Probe>>,
        open: Option<&OpenIncidents>,
        size: Option<&Size>,
    ) -> String {
        let mut text = String::new();
        let mut written = encode_registry(&mut text, &self.registry);
        if let Some(open) = open {
            written = written.and_then(|()| encode_registry(&mut text, &incidents(open)));
        }
        if let Some(size) = size {
            written = written.and_then(|()| encode_registry(&mut text, &store_size(size)));
        }
        written = written.and_then(|()| encode_registry(&mut text, &crate::process::registry()));
        if let Some(probe) = probe {
            let mut registry = Registry::with_prefix("harrier");
            registry.register_collector(Box::new(Collected(probe.clone())));
            written = written.and_then(|()| encode_registry(&mut text, &registry));
        }
        if let Err(error) = written.and_then(|()| encode_eof(&mut text)) {
            // Writing to a `String` cannot fail; only a metric type of this crate could return an error.
            tracing::error!(%error, "metrics cannot be written");
        }
        text
    }
}

/// Returns a registry of the size of the store at the time of a scrape.
fn store_size(size: &Size) -> Registry {
    let mut registry = Registry::with_prefix("harrier");
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let rows: Family<[(&'static str, &'static str); 1], Gauge> = Family::default();
    for (table, count) in &size.rows {
        rows.get_or_create(&[("table", *table)]).set(number(*count));
    }
    registry.register("store_rows", "Rows of the store", rows);
    for (name, help, bytes) in [
        ("store_bytes", "Size of the database, without its write-ahead log", size.file_bytes),
        ("store_used_bytes", "Bytes of the database that rows take; new rows use the rest", size.used_bytes),
    ] {
        let gauge = Gauge::<i64>::default();
        gauge.set(number(bytes));
        registry.register(name, help, gauge);
    }
    registry
}

/// Returns a registry of what the store knows about incidents at the time of a scrape. A combination of labels without
/// an open incident has no sample.
fn incidents(open: &OpenIncidents) -> Registry {
    let mut registry = Registry::with_prefix("harrier");
    let counts: Family<IncidentLabels, Gauge> = Family::default();
    for (anomaly, cause, severity, count) in &open.counts {
        let labels =
            IncidentLabels { anomaly: anomaly.clone(), cause: cause.clone(), severity: severity.clone() };
        counts.get_or_create(&labels).set(i64::try_from(*count).unwrap_or(i64::MAX));
    }
    registry.register("incidents_open", "Incidents that have not ended", counts);
    if let Some(wall_ns) = open.last_wall_ns {
        let last = Gauge::<f64, AtomicU64>::default();
        last.set(wall_ns as f64 / 1e9);
        registry.register(
            "incident_last_timestamp_seconds",
            "Wall clock of the latest diagnosis or pause of an incident, in seconds since 1970",
            last,
        );
    }
    registry
}
