//! Where an agent's measurements come from. A source runs in a task or thread of its own and passes on what it measured; the core
//! is the same for all.

use std::sync::Arc;

use host_agent::Measured;

use super::detection::Detection;
use crate::daemons::operations::wall_ns;

/// A source measures what happens when it happens.
pub(crate) const AT_ONCE: u64 = u64::MAX;

/// Takes measurements; clones share the same core.
#[derive(Clone)]
pub(crate) struct Measurements(Arc<Detection>);

impl Measurements {
    pub(crate) fn new(detection: Arc<Detection>) -> Measurements {
        Measurements(detection)
    }

    /// Takes measurements, in order.
    pub(crate) fn take(&self, measured: &[Measured]) {
        self.0.measured(measured, None, wall_ns());
    }

    /// As [`Measurements::take`], also without measurements, for a source that measures now and then: it has measured everything
    /// until this wall clock, and what happened later may follow. [`AT_ONCE`] if it measures at once.
    pub(crate) fn take_until(&self, measured: &[Measured], complete_until_ns: u64) {
        self.0.measured(measured, Some(complete_until_ns), wall_ns());
    }
}

/// A source of measurements.
pub(crate) trait Source: Send {
    /// Starts to measure. Must be called within the runtime; the source ends with the process.
    ///
    /// # Errors
    /// It cannot measure: what is wrong, and what to do.
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()>;
}
