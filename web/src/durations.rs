//! Histograms of how long things take: the stages from a trigger to a verdict, and requests over HTTP.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the stages, in seconds: a switch freezes within a round trip, a read takes milliseconds, and a
/// controller that retries waits for seconds.
const STAGE_BOUNDS_S: [f64; 15] =
    [1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Upper bounds of requests, in seconds: reads take less than 10 ms, and 10 s is the time limit of a request.
const REQUEST_BOUNDS_S: [f64; 11] = [5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.5, 2.5, 10.0];

/// A stage from a trigger to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// From the trigger at a host to the freeze of a switch.
    Freeze,
    /// From the first freeze of an event to its complete snapshot.
    Collection,
    /// From a snapshot to its diagnoses.
    Analysis,
}

/// Labels of a request: a route as it is registered, or `dashboard`, and the class of the status, so that their number
/// is bounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    status: &'static str,
}

/// Makes the histogram of a route.
#[derive(Clone, Copy, Debug)]
struct OfRequests;

impl MetricConstructor<Histogram> for OfRequests {
    fn new_metric(&self) -> Histogram {
        Histogram::new(REQUEST_BOUNDS_S)
    }
}

/// All histograms.
#[derive(Debug)]
pub(crate) struct Durations {
    freeze: Histogram,
    collection: Histogram,
    analysis: Histogram,
    requests: Family<RequestLabels, Histogram, OfRequests>,
}

impl Durations {
    /// Creates the histograms and registers them.
    pub(crate) fn new(registry: &mut Registry) -> Durations {
        let [freeze, collection, analysis] = std::array::from_fn(|_| Histogram::new(STAGE_BOUNDS_S));
        let requests = Family::new_with_constructor(OfRequests);
        registry.register(
            "freeze_seconds",
            "Time from the trigger at a host to the freeze of a switch",
            freeze.clone(),
        );
        registry.register(
            "collection_seconds",
            "Time from the first freeze of an event to its complete snapshot",
            collection.clone(),
        );
        registry.register("analysis_seconds", "Time that the analysis of a snapshot takes", analysis.clone());
        registry.register(
            "http_request_duration_seconds",
            "Time from a request to the start of its response, by route and class of the status",
            requests.clone(),
        );
        Durations { freeze, collection, analysis, requests }
    }

    /// Adds the duration of a stage.
    pub(crate) fn observe(&self, stage: Stage, duration: Duration) {
        let histogram = match stage {
            Stage::Freeze => &self.freeze,
            Stage::Collection => &self.collection,
            Stage::Analysis => &self.analysis,
        };
        histogram.observe(duration.as_secs_f64());
    }

    /// Adds the duration of a request.
    pub(crate) fn requested(&self, route: &str, status: u16, duration: Duration) {
        let labels = RequestLabels { route: route.to_string(), status: status_class(status) };
        self.requests.get_or_create(&labels).observe(duration.as_secs_f64());
    }
}

fn status_class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
