//! Cost of a run: the time and memory that Linux accounts to this process.

use std::fs;
use std::time::Instant;

use fabric::RunOutcome;

use crate::report::RunFigures;

/// Measures the cost since its start.
pub(crate) struct Meter {
    start: Instant,
    cpu: Option<f64>,
}

impl Meter {
    pub(crate) fn start() -> Meter {
        Meter { start: Instant::now(), cpu: cpu_seconds() }
    }

    /// Returns the cost since the start, with the counters of the run.
    pub(crate) fn read(&self, outcome: &RunOutcome) -> RunFigures {
        RunFigures {
            packet_hops: outcome.counters.packet_hops,
            events: outcome.counters.events,
            simulated_ns: outcome.end.as_ns(),
            cpu_seconds: self.cpu.zip(cpu_seconds()).map(|(before, after)| after - before),
            wall_seconds: self.start.elapsed().as_secs_f64(),
            peak_rss: peak_rss(),
        }
    }
}

/// Returns the CPU time of this process in seconds (`/proc/self/schedstat`, in nanoseconds).
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let ns: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(ns / 1e9)
}

/// Returns the peak resident memory in bytes (`VmHWM`, proc_pid_status(5)).
fn peak_rss() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
