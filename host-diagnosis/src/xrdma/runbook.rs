//! Which tool tracks which kind of problem: Table II of X-RDMA, with what Harrier has for it.

/// A row of the runbook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunbookRow {
    /// The kind of problem, as in the table.
    pub problem: &'static str,
    /// How the source tracks it.
    pub methods: &'static [&'static str],
    /// The same with Harrier.
    pub harrier: &'static str,
}

/// The rows, in the order of the table.
pub const RUNBOOK: &[RunbookRow] = &[
    RunbookRow {
        problem: "heavy incast",
        methods: &["tracing", "XR-Stat"],
        harrier: "the verdict `incast` names the flows; NIC counters of the agents show pauses and CNPs",
    },
    RunbookRow {
        problem: "broken network",
        methods: &["keepAlive", "XR-Ping"],
        harrier: "probes between agents; `harrier host probes` tells a dead pair from a dead host",
    },
    RunbookRow {
        problem: "jitter",
        methods: &["tracing", "XR-Perf"],
        harrier: "incidents of the fabric, and poll gaps in the reports of hosts",
    },
    RunbookRow {
        problem: "long tail",
        methods: &["tracing", "XR-Perf"],
        harrier: "percentiles of probes by scope; poll gaps and request times in the reports of hosts",
    },
    RunbookRow {
        problem: "bugs hard to reproduce",
        methods: &["filter"],
        harrier: "faults of a scenario (`harrier run`), or of a laboratory (`harrier lab fault`)",
    },
    RunbookRow {
        problem: "memory leak or crash",
        methods: &["isolated memory cache"],
        harrier: "none: Harrier does not see the memory of applications",
    },
];

/// Returns the row of a problem, in any case.
pub fn runbook(problem: &str) -> Option<&'static RunbookRow> {
    RUNBOOK.iter().find(|row| row.problem.eq_ignore_ascii_case(problem.trim()))
}
