//! Time series of a run: queue, pauses and rate of every port.

use std::collections::BTreeMap;
use std::fmt::Write;

use model::{PortRef, Time};
use p4_switch::Switch;
use p4_switch::tm::CLASSES;
use serde::Serialize;

use crate::fabric::Fabric;

/// A sample of a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// When, in nanoseconds.
    pub time_ns: u64,
    /// The port, of a switch.
    pub port: PortRef,
    /// Queued bytes.
    pub queue_bytes: u64,
    /// Paused priorities; bit n is priority n.
    pub paused: u8,
    /// Sending rate since the last sample in bits a second, headers included.
    pub rate_bps: u64,
}

/// Samples at equal intervals. Ports without a queue, traffic or pause are omitted.
#[derive(Clone, Debug)]
pub struct Series {
    interval: Time,
    next: Time,
    sent: BTreeMap<PortRef, u64>,
    samples: Vec<Sample>,
}

/// Columns of the CSV form.
pub const COLUMNS: &str = "time_ns,port,queue_bytes,paused,rate_bps";

impl Series {
    /// An empty series with a sample every `interval`, which is at least a nanosecond.
    pub fn new(interval: Time) -> Series {
        let interval = interval.max(Time::from_ns(1));
        Series { interval, next: interval, sent: BTreeMap::new(), samples: Vec::new() }
    }

    /// When the next sample is due.
    pub fn next_time(&self) -> Time {
        self.next
    }

    /// Samples every switch port.
    pub fn sample(&mut self, now: Time, fabric: &Fabric<Switch>) {
        self.next = Time(now.0.saturating_add(self.interval.0));
        for (port, sent_bytes) in fabric.sent_bytes() {
            let Some(switch) = fabric.switch(&port.switch) else { continue };
            let tm = switch.traffic_manager();
            let classes = 0..CLASSES as u8;
            let queue_bytes =
                classes.clone().filter_map(|class| Some(tm.queue(port.port, class)?.bytes)).sum();
            let is_paused = |class: &u8| tm.paused_until(port.port, *class).is_some_and(|until| until > now);
            let paused = classes.filter(is_paused).fold(0, |set, class| set | 1 << class);
            let before = self.sent.insert(port.clone(), sent_bytes).unwrap_or(0);
            let bits = u128::from(sent_bytes - before) * 8 * 1_000_000_000_000 / u128::from(self.interval.0);
            if queue_bytes > 0 || paused > 0 || bits > 0 {
                let rate_bps = u64::try_from(bits).unwrap_or(u64::MAX);
                self.samples.push(Sample { time_ns: now.as_ns(), port, queue_bytes, paused, rate_bps });
            }
        }
    }

    /// All samples, in order of time and port.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The samples as CSV with a line of column names.
    pub fn to_csv(&self) -> String {
        let mut text = format!("{COLUMNS}\n");
        for sample in &self.samples {
            let Sample { time_ns, port, queue_bytes, paused, rate_bps } = sample;
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "{time_ns},{},{queue_bytes},{paused},{rate_bps}", quoted(&port.to_string()));
        }
        text
    }
}

/// A field of CSV (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}
