//! The tests of scenarios, one binary: most of the time goes into compiling what they share.

mod bad_input;
mod bad_ns3;
mod generate;
mod ns3_routes;
mod schema;
