//! Metrics of this process by the names that Prometheus' client libraries use, from `/proc` (proc(5)).

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Clock ticks of a second in `/proc`: the kernel shows them in this unit on all platforms (`USER_HZ`).
const TICKS_PER_S: f64 = 100.0;

/// The texts that the metrics are read from.
#[derive(Clone, Debug, Default)]
struct Texts {
    /// `/proc/self/stat`.
    stat: String,
    /// `/proc/self/status`.
    status: String,
    /// `/proc/self/limits`.
    limits: String,
    /// `/proc/stat`.
    system: String,
    /// Number of entries of `/proc/self/fd`.
    open_fds: Option<usize>,
}

/// What this process uses. A value that cannot be read is absent.
#[derive(Clone, Debug, Default, PartialEq)]
struct Usage {
    cpu_s: Option<f64>,
    resident_bytes: Option<f64>,
    virtual_bytes: Option<f64>,
    threads: Option<f64>,
    open_fds: Option<f64>,
    max_fds: Option<f64>,
    start_s: Option<f64>,
}

/// Returns a registry with the metrics of this process at the time of the call; without prefix.
pub(crate) fn registry() -> Registry {
    let usage = Usage::parse(&read());
    let mut registry = Registry::default();
    if let Some(cpu_s) = usage.cpu_s {
        let counter = Counter::<f64, AtomicU64>::default();
        counter.inc_by(cpu_s);
        registry.register("process_cpu_seconds", "Total user and system CPU time spent in seconds", counter);
    }
    for (name, help, value) in [
        ("process_resident_memory_bytes", "Resident memory size in bytes", usage.resident_bytes),
        ("process_virtual_memory_bytes", "Virtual memory size in bytes", usage.virtual_bytes),
        ("process_threads", "Number of OS threads in the process", usage.threads),
        ("process_open_fds", "Number of open file descriptors", usage.open_fds),
        ("process_max_fds", "Maximum number of open file descriptors", usage.max_fds),
        (
            "process_start_time_seconds",
            "Start time of the process since unix epoch in seconds",
            usage.start_s,
        ),
    ] {
        if let Some(value) = value {
            let gauge = Gauge::<f64, AtomicU64>::default();
            gauge.set(value);
            registry.register(name, help, gauge);
        }
    }
    registry
}

#[expect(clippy::disallowed_methods, reason = "this crate is at the edge: it reports its process")]
fn read() -> Texts {
    // Where a file is missing, as on another system, its metrics are absent.
    let text = |path| std::fs::read_to_string(path).unwrap_or_default();
    Texts {
        stat: text("/proc/self/stat"),
        status: text("/proc/self/status"),
        limits: text("/proc/self/limits"),
        system: text("/proc/stat"),
        open_fds: std::fs::read_dir("/proc/self/fd").ok().map(Iterator::count),
    }
}

impl Usage {
    fn parse(texts: &Texts) -> Usage {
        // The command is in parentheses and may contain spaces; after it follow the fields from the third one on.
        let fields: Vec<&str> = texts
            .stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.split_whitespace().collect())
            .unwrap_or_default();
        let field = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
        let of_status = |name| number_after(&texts.status, name);
        let boot_s = number_after(&texts.system, "btime");
        Usage {
            cpu_s: field(14).zip(field(15)).map(|(user, system)| (user + system) / TICKS_PER_S),
            resident_bytes: of_status("VmRSS:").map(|kib| kib * 1024.0),
            virtual_bytes: of_status("VmSize:").map(|kib| kib * 1024.0),
            threads: of_status("Threads:"),
            open_fds: texts.open_fds.map(|count| count as f64),
            max_fds: number_after(&texts.limits, "Max open files"),
            start_s: boot_s.zip(field(22)).map(|(boot, ticks)| boot + ticks / TICKS_PER_S),
        }
    }
}

/// Returns the number that follows a name at the start of a line.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_the_kernel_are_read() {
        let texts = Texts {
            stat: "7 (a (b) c) S 1 7 7 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 3 0 200 10000 5 18446744073709551615".into(),
            status: "Name:\ta\nVmSize:\t   2048 kB\nVmRSS:\t     10 kB\nThreads:\t3\n".into(),
            limits: "Limit                     Soft Limit           Hard Limit           Units\n\
                     Max open files            1024                 4096                 files\n"
                .into(),
            system: "cpu 1 2 3\nbtime 1700000000\n".into(),
            open_fds: Some(9),
        };
        let expected = Usage {
            cpu_s: Some(2.0),
            resident_bytes: Some(10_240.0),
            virtual_bytes: Some(2_097_152.0),
            threads: Some(3.0),
            open_fds: Some(9.0),
            max_fds: Some(1_024.0),
            start_s: Some(1_700_000_002.0),
        };
        assert_eq!(Usage::parse(&texts), expected);
        assert_eq!(Usage::parse(&Texts::default()), Usage::default());
        assert_eq!(
            Usage::parse(&Texts { limits: "Max open files unlimited".into(), ..Texts::default() }),
            Usage::default()
        );
    }
}
