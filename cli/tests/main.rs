//! Commands that end by themselves, one test binary: most of the time goes into linking.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

mod bad_input;
mod cases;
mod check;
mod check_examples;
mod check_linter;
mod closed_stdout;
mod collie;
mod completion;
mod counters;
mod dumps;
mod evaluation;
mod evidence;
mod flow_paths;
mod flow_samples;
mod host;
mod host_loopback;
mod host_verdicts;
mod hostile;
mod incidents;
mod jobs;
mod kinds_agent;
mod kinds_artifact;
mod kinds_causes;
mod kinds_events;
mod kinds_loops;
mod kinds_severity;
mod kinds_victim;
mod lsp;
mod offline;
mod outputs;
mod p4;
mod p4_run;
mod p4_stf;
mod packages;
mod rates;
mod rdma_at_scale;
mod resume;
#[path = "../../buffer-config/tests/support/schema.rs"]
mod schema;
mod store;
mod support;
mod verdicts;
mod verification;
