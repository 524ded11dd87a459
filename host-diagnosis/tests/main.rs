//! The tests of host diagnosis, one binary: most of the time goes into compiling what they share.

mod azure;
mod collie;
mod examples;
mod hostping;
mod husky;
mod hwloc;
mod inspection;
mod jobs;
mod lookalikes;
mod pages;
mod pauses;
mod pingmesh;
mod report;
mod srnic;
mod support;
mod unite;
mod workload_examples;
mod xrdma;
