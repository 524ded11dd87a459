//! A server under load, for `scripts/bench-rest.sh`: fills a store with diagnoses, serves REST on it, and writes further
//! diagnoses at a steady rate until it is killed.
//!
//! `cargo run --example load -- FOLDER DIAGNOSES PER_SECOND`
//!
//! Diagnoses are those of `tests/web/fixture.rs` with other root ports and victims: 500 culprits recur in turn. Prints the
//! address and the ids to request as `NAME=VALUE` once the store is full, and the rate at which it wrote every 5 s.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a load generator has a clock and a socket"
)]
#![allow(clippy::print_stdout, reason = "the script reads the output")]
#![allow(missing_docs, reason = "an example")]

#[path = "../tests/web/fixture.rs"]
mod fixture;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use harrier_web::{AppState, LiveState, serve};
use model::{Diagnosis, FlowKey, PortRef, ProvenanceGraph};
use store::{NewDiagnosis, Store, StoreError};
use tokio::net::TcpListener;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Culprits that recur in turn.
const CULPRITS: u64 = 500;
/// Switch time between two diagnoses, in nanoseconds.
const STEP_NS: u64 = 1_000_000;
/// Interval of lines about the rate.
const REPORT: Duration = Duration::from_secs(5);
/// Diagnoses of one burst are written together, a hundred bursts a second.
const BURSTS_PER_S: u64 = 100;
/// Diagnoses that are written together before the measurement.
const BURST: u64 = 50;

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, diagnoses, per_second] = arguments.as_slice() else {
        return Err("usage: load FOLDER DIAGNOSES PER_SECOND".into());
    };
    let (stored, per_second): (u64, u64) = (diagnoses.parse()?, per_second.parse()?);
    let store = Store::open(&format!("sqlite:{folder}/load.db")).await?;
    let live = LiveState::new(store).await?;
    live.set_topology(fixture::topology()).await?;
    let graph = fixture::incast_graph();
    let begin = Instant::now();
    for first in (0..stored).step_by(BURST as usize) {
        push(&live, &graph, first..stored.min(first + BURST)).await?;
    }
    println!("fill_per_s={:.0}", stored as f64 / begin.elapsed().as_secs_f64());

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("address={}", listener.local_addr()?);
    // In the middle of the store: neither just written nor about to be removed.
    println!("diagnosis={}", diagnosis(stored / 2).id);
    println!("incident=i-{}", diagnosis(0).id);
    tokio::spawn(write(live.clone(), stored, per_second));
    serve(listener, AppState::new(live), std::future::pending()).await?;
    Ok(())
}

/// Returns a diagnosis of the poster's incast, at another port and with another victim.
fn diagnosis(number: u64) -> Diagnosis {
    let victim = fixture::flow((number % 200) as u8, (number / 200 % 200) as u8);
    let time_ns = fixture::START_NS + number * STEP_NS;
    let mut diagnosis = fixture::incast(&format!("load-{number}"), time_ns, victim);
    let culprit = number % CULPRITS;
    let port = PortRef { switch: format!("sw{}", culprit / 32), port: (culprit % 32) as u16 };
    diagnosis.root_cause.port = Some(port.clone());
    diagnosis.pause_path = vec![port];
    // Flows that congest several ports are one incident.
    diagnosis.root_cause.flows = (0..4).map(|sender| culprit_flow(culprit, sender)).collect();
    diagnosis
}

fn culprit_flow(culprit: u64, sender: u64) -> FlowKey {
    let address = |last: u64| [12, (culprit / 256) as u8, (culprit % 256) as u8, last as u8].into();
    FlowKey::udp(address(sender + 1), 10_000, address(200), 4_791)
}

/// Writes diagnoses together, as the analyzer does with the verdicts of the snapshots that wait for it.
async fn push(live: &LiveState, graph: &ProvenanceGraph, numbers: Range<u64>) -> Result<(), StoreError> {
    let diagnoses: Vec<Diagnosis> = numbers.map(diagnosis).collect();
    let new: Vec<NewDiagnosis<'_>> =
        diagnoses.iter().map(|diagnosis| NewDiagnosis { diagnosis, graph, snapshot: None }).collect();
    for stored in live.push_diagnoses(&new).await? {
        stored?;
    }
    Ok(())
}

/// Writes diagnoses at a rate, and reports the rate that was reached.
async fn write(live: Arc<LiveState>, first: u64, per_second: u64) {
    let graph = fixture::incast_graph();
    let mut bursts = interval(Duration::from_millis(1_000 / BURSTS_PER_S));
    bursts.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let (mut number, mut reported, mut since) = (first, first, Instant::now());
    loop {
        bursts.tick().await;
        let next = number + per_second / BURSTS_PER_S;
        if let Err(error) = push(&live, &graph, number..next).await {
            println!("error={error}");
        }
        number = next;
        if since.elapsed() >= REPORT {
            println!("written_per_s={:.0}", (number - reported) as f64 / since.elapsed().as_secs_f64());
            (reported, since) = (number, Instant::now());
        }
    }
}
