//! The analyzer's tests, one binary: most of the time goes into compiling what they share.

mod anomalies;
mod beside_host;
mod beside_pauses;
mod both_ways;
mod classes;
mod configuration;
mod coverage;
mod deadlock_dump;
mod doubtful;
mod explanations;
mod extremes;
mod feeding_links;
mod import;
mod long_path;
mod network;
mod paper_dump;
mod poster;
mod properties;
mod slow_operation;
mod support;
mod timing;
mod upstream;
