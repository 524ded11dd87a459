//! What jobs and their computers contribute to slow transfers: rate control, overhead of host control, demand.
//!
//! What happens inside GPUs (kernels, memory, interception of calls) is out of scope: Harrier reads rates, placement and
//! timestamps, and never controls a GPU.

pub mod demand;
pub mod overhead;
pub mod rate_limit;
