//! Whether a P4Runtime target can be controlled: its version, its pipeline, and that registers can be read.
//!
//! Nothing is written to the tables of a target that cannot; the error names what it lacks.

use p4runtime::client::{Client, ClientError, Schema};
use p4runtime::proto::p4::v1::get_forwarding_pipeline_config_request::ResponseType;

use super::LiveError;

/// The P4Runtime version that a target must have at least: major and minor. Another major version is another protocol.
const MIN_VERSION: (u32, u32) = (1, 4);
/// gRPC status codes of a switch without a pipeline: NOT_FOUND, FAILED_PRECONDITION, UNIMPLEMENTED.
const NO_PIPELINE: [i32; 3] = [5, 9, 12];
/// gRPC status codes with which a target rejects a pipeline for what it is: UNKNOWN, INVALID_ARGUMENT,
/// FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL. Others concern the call, e.g. a timeout or a lost role.
const REJECTED: [i32; 6] = [2, 3, 9, 11, 12, 13];
/// gRPC status code UNIMPLEMENTED.
const UNIMPLEMENTED: i32 = 12;

/// What a target lacks; it is retried like one that cannot be reached, because it may be replaced or updated.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Its version of P4Runtime is too old, of another major version, or not a version.
    #[error("the target has P4Runtime `{0}`; the controller needs 1.4 or a later 1.x")]
    Version(String),
    /// It does not implement `Capabilities`, which P4Runtime has since 1.1.
    #[error(
        "the target does not report its P4Runtime version ({0}); the controller needs 1.4 or a later 1.x"
    )]
    NoVersion(ClientError),
    /// It does not take the controller's program.
    #[error("the target {} and rejects that of the controller ({source}); see \"Switches of others\" in docs/switch.md", match .runs_another {
        true => "runs another program",
        false => "has no program",
    })]
    Pipeline {
        /// Whether it runs another program.
        runs_another: bool,
        /// Its message.
        source: ClientError,
    },
    /// It cannot read registers, so that there is no telemetry.
    #[error(
        "the target cannot read registers ({0}); the controller needs a target that implements Read of RegisterEntry"
    )]
    NoRegisters(ClientError),
}

/// Checks the target's version of P4Runtime.
pub(super) async fn check_version(client: &mut Client) -> Result<(), LiveError> {
    match client.api_version().await {
        Ok(version) if is_supported(&version) => Ok(()),
        Ok(version) => Err(TargetError::Version(version).into()),
        Err(error) if has_code(&error, &[UNIMPLEMENTED]) => Err(TargetError::NoVersion(error).into()),
        Err(error) => Err(error.into()),
    }
}

/// Sets the pipeline unless the target runs the one with this cookie already, so that a restarted controller keeps the
/// telemetry.
pub(super) async fn ensure_pipeline(
    client: &mut Client,
    schema: &Schema,
    device_config: &[u8],
    cookie: u64,
) -> Result<(), LiveError> {
    // A switch without a pipeline may return an error instead of an empty response.
    let running = match client.pipeline(ResponseType::CookieOnly).await {
        Ok(running) => running,
        Err(error) if has_code(&error, &NO_PIPELINE) => None,
        // E.g. a timeout: setting the pipeline would erase the telemetry of a switch that runs it.
        Err(error) => return Err(error.into()),
    };
    let runs_another = running.is_some();
    if running.and_then(|config| config.cookie).is_some_and(|running| running.cookie == cookie) {
        return Ok(());
    }
    match client.set_pipeline(schema.p4info().clone(), device_config.to_vec(), cookie).await {
        Err(source) if has_code(&source, &REJECTED) => {
            Err(TargetError::Pipeline { runs_another, source }.into())
        }
        set => Ok(set?),
    }
}

/// Reads one row of every register of the program: a target that cannot is found before an event needs it.
pub(super) async fn check_registers(client: &mut Client, schema: &Schema) -> Result<(), LiveError> {
    let registers = schema.registers();
    let rows: Vec<_> =
        registers.iter().map(|register| (register, (0..register.size.min(1)).into())).collect();
    match client.read_registers(&rows).await {
        Err(error) if has_code(&error, &[UNIMPLEMENTED]) => Err(TargetError::NoRegisters(error).into()),
        read => read.map(|_| ()).map_err(LiveError::from),
    }
}

fn has_code(error: &ClientError, codes: &[i32]) -> bool {
    error.code().is_some_and(|code| codes.contains(&(code as i32)))
}

/// Whether a version as in `Capabilities`, e.g. `1.5.0` or `1.4.0-rc.5`, is one that the controller can use.
fn is_supported(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => major == MIN_VERSION.0 && minor >= MIN_VERSION.1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_1_4_on_are_supported() {
        for version in ["1.4.0", "1.4.0-rc.5", "1.5.0", "1.10.2", "1.4"] {
            assert!(is_supported(version), "{version}");
        }
        for version in ["1.3.0", "1.0.0-rc3", "0.9", "2.0.0", "2.5.0", "1", "", "v1.4", "1.x", "-1.5"] {
            assert!(!is_supported(version), "{version}");
        }
    }
}
