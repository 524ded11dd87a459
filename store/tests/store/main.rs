//! Tests of the store, one binary for all of them: each binary would be linked with both databases.
//! `cargo test -p harrier-store --test store incidents::` runs those of one file.

mod batches;
mod contents;
mod failures;
mod flow_series;
mod handling;
mod import;
mod incident_filters;
mod incidents;
mod maintenance;
mod postgres;
mod retention;
mod runs;
mod schemas;
mod series;
mod support;
mod webhooks;
