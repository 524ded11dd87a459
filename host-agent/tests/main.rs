//! The agent's tests, one binary: most of the time goes into compiling what they share.

mod counters;
mod eviction;
mod rules;
mod tcp_info;
