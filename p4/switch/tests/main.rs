//! The switch's tests, one binary: most of the time goes into compiling what they share.

mod allocation;
mod arithmetic;
mod bmv2;
mod common;
mod engines;
mod expressions;
mod externs;
mod files;
mod flow_control;
mod harness;
mod language;
mod limits;
mod machine_code;
mod paced;
mod programs;
mod random;
mod router;
mod stf;
mod trace;
