//! The pipeline that is loaded into every switch.

use std::sync::Arc;

use p4runtime::client::Schema;
use p4runtime::proto::p4::config::v1::P4Info;

use crate::layout::{DigestInfo, LayoutError, PipelineInfo, RegisterInfo, TelemetryLayout};

/// A pipeline whose registers this controller can decode.
#[derive(Debug)]
pub struct Pipeline {
    device_config: Vec<u8>,
    schema: Schema,
    layout: Arc<TelemetryLayout>,
}

/// Why a pipeline cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// Its registers or digests are not those of the switch program.
    #[error("the pipeline's telemetry cannot be decoded: {0}")]
    Layout(#[from] LayoutError),
}

impl Pipeline {
    /// A pipeline from its P4Info and what the switch needs to run it.
    ///
    /// # Errors
    /// Everything that the pipeline lacks or contradicts.
    pub fn new(p4info: P4Info, device_config: Vec<u8>) -> Result<Pipeline, PipelineError> {
        let schema = Schema::new(p4info);
        let registers = schema
            .registers()
            .into_iter()
            .map(|register| RegisterInfo {
                width: register.components.iter().map(|(_, width)| width).sum(),
                name: register.name,
                size: register.size,
                annotations: register.annotations,
            })
            .collect();
        let digests = schema.digests().into_iter();
        let digests = digests.map(|digest| DigestInfo { name: digest.name, fields: digest.fields }).collect();
        let layout = Arc::new(TelemetryLayout::new(&PipelineInfo { registers, digests })?);
        Ok(Pipeline { device_config, schema, layout })
    }

    /// Where everything stands in its registers.
    pub fn layout(&self) -> &Arc<TelemetryLayout> {
        &self.layout
    }

    /// Names and ids of its objects.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What the switch needs to run it.
    pub(super) fn device_config(&self) -> &[u8] {
        &self.device_config
    }
}
