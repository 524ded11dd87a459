//! Latency of the lists of incidents that REST returns: 500 open incidents, each with as many victims as the first
//! argument says.
//!
//! `cargo bench -p harrier-store --bench lists [-- VICTIMS]` prints the median and the 99th percentile of 400 reads of
//! each list. `HARRIER_POSTGRES=postgres://…` measures a PostgreSQL database, which must be empty, instead of a file.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and reports"
)]
#![allow(missing_docs, reason = "a benchmark")]

#[path = "../tests/store/support.rs"]
mod support;

use std::time::{Duration, Instant};

use harrier_store::{IncidentFilter, Store};
use model::{Diagnosis, FlowKey};
use support::{StoreFile, VICTIM, diagnosis, flow, put};

/// Culprits, each with an incident.
const INCIDENTS: usize = 500;
/// Victims of one diagnosis.
const VICTIMS_EACH: usize = 20;
/// Reads of each list.
const READS: usize = 400;

#[tokio::main]
async fn main() {
    // `cargo bench` adds `--bench`.
    let number = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let victims: usize = number.unwrap_or(80);
    let file = StoreFile::new("lists");
    let url = std::env::var("HARRIER_POSTGRES").unwrap_or_else(|_| file.url());
    let store = Store::open(&url).await.expect("an empty store");
    fill(&store, victims).await;
    println!("{INCIDENTS} open incidents of {victims} victims");
    println!("{:<28} {:>9} {:>9}", "list", "p50 ms", "p99 ms");
    let all = IncidentFilter::default;
    for (name, filter) in [
        ("limit=50", IncidentFilter { limit: Some(50), ..all() }),
        ("open=true&limit=50", IncidentFilter { limit: Some(50), open: true, ..all() }),
        ("limit=200", IncidentFilter { limit: Some(200), ..all() }),
        ("open=true&limit=200", IncidentFilter { limit: Some(200), open: true, ..all() }),
    ] {
        let times = read(&store, &filter).await;
        let ms = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
        println!("{name:<28} {:>9.2} {:>9.2}", ms(50), ms(99));
    }
    store.close().await;
}

/// Reads a list, and its totals as REST does. Returns the sorted times.
async fn read(store: &Store, filter: &IncidentFilter) -> Vec<Duration> {
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let begin = Instant::now();
        let (page, _) = store.incidents_with_totals(filter).await.expect("a page");
        times.push(begin.elapsed());
        assert_eq!(Some(page.rows.len() as u32), filter.limit);
    }
    times.sort_unstable();
    times
}

/// Stores diagnoses of [`INCIDENTS`] culprits in turn until each has this many victims.
async fn fill(store: &Store, victims: usize) {
    for round in 0..victims.div_ceil(VICTIMS_EACH) {
        for culprit in 0..INCIDENTS {
            let number = round * INCIDENTS + culprit;
            let port = format!("sw{}:{}", culprit / 32, culprit % 32);
            let new = diagnosis(&format!("d{number:06}"), number as u64, VICTIM, &port);
            let slowed: Vec<FlowKey> = (0..VICTIMS_EACH).map(|n| victim(round * VICTIMS_EACH + n)).collect();
            put(store, &Diagnosis { victim: Some(slowed[0]), victims: slowed, ..new }).await;
        }
    }
}

fn victim(number: usize) -> FlowKey {
    flow(&format!("10.1.{}.{}:{}>10.2.0.1:4791/udp", number / 250, number % 250 + 1, 10_000 + number))
}
