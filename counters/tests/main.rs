//! The tests of counters, one binary: most of the time goes into compiling what they share.

mod diagnose;
mod dump;
mod gnmi;
mod netflow;
mod polled_groups;
mod releases;
mod sampling;
mod sfcapd;
mod show;
mod support;
mod terminal_logs;
mod unseen;
