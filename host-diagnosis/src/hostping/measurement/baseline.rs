//! What each path reaches on the idle, healthy host: results of an earlier run.

use std::collections::BTreeMap;

use model::host::HostLoopback;
use model::host::loopback::LoopbackPath;
use serde::{Deserialize, Serialize};

use crate::median::median;

/// Version of the file.
const VERSION: u32 = 1;

/// Baselines of the paths of a host, as a file has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baselines {
    /// Version of the file, 1.
    version: u32,
    /// The host that was measured. Hosts of the same type have the same baselines.
    pub host: String,
    /// The paths.
    pub paths: Vec<BaselinePath>,
}

/// The baseline of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselinePath {
    /// The RNIC.
    pub nic: String,
    /// The GPU or memory.
    pub endpoint: String,
    /// Bandwidth in bits per second.
    pub bandwidth_bps: u64,
    /// Latency in nanoseconds; absent for GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<u64>,
}

/// Why a file has no baselines.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is no such file.
    #[error(
        "{line}:{column}: not a file of baselines, as `harrier host loopback --save-baseline` writes it: {reason}"
    )]
    Format {
        /// Where, from 1.
        line: usize,
        /// Where in the line, from 1.
        column: usize,
        /// What is wrong.
        reason: serde_json::Error,
    },
    /// It is of another version of Harrier.
    #[error("/version: version {0} is not supported; this version of Harrier reads {VERSION}")]
    Version(u32),
    /// A path has no bandwidth.
    #[error("/paths/{0}/bandwidth_bps: must be at least 1")]
    Bandwidth(usize),
    /// Tests ran next to service traffic.
    #[error(
        "{0} had service traffic during the tests; baselines are those of an idle host: measure again without it"
    )]
    Busy(String),
}

impl Baselines {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is no file of baselines, or of another version.
    pub fn read(text: &str) -> Result<Baselines, BaselineError> {
        let found: Baselines = serde_json::from_str(text).map_err(|reason| {
            let (line, column) = (reason.line(), reason.column());
            BaselineError::Format { line, column, reason }
        })?;
        if found.version != VERSION {
            return Err(BaselineError::Version(found.version));
        }
        match found.paths.iter().position(|path| path.bandwidth_bps == 0) {
            Some(row) => Err(BaselineError::Bandwidth(row)),
            None => Ok(found),
        }
    }

    /// Returns the medians of all rounds of tests as baselines.
    ///
    /// # Errors
    /// An RNIC was busy.
    pub fn of(host: &str, measured: &HostLoopback) -> Result<Baselines, BaselineError> {
        if let Some(nic) = measured.tests.iter().flat_map(|test| &test.busy).next() {
            return Err(BaselineError::Busy(nic.clone()));
        }
        let mut by_path: BTreeMap<(&str, &str), Vec<&LoopbackPath>> = BTreeMap::new();
        for path in measured.tests.iter().flat_map(|test| &test.paths).filter(|path| path.bandwidth_bps > 0) {
            by_path.entry((&path.nic, &path.endpoint)).or_default().push(path);
        }
        let paths = by_path.into_iter().map(|((nic, endpoint), results)| BaselinePath {
            nic: nic.to_string(),
            endpoint: endpoint.to_string(),
            bandwidth_bps: median(results.iter().map(|path| path.bandwidth_bps)).unwrap_or(1),
            latency_ns: median(results.iter().filter_map(|path| path.latency_ns)),
        });
        Ok(Baselines { version: VERSION, host: host.to_string(), paths: paths.collect() })
    }

    /// The baseline of a path.
    pub(super) fn path(&self, nic: &str, endpoint: &str) -> Option<&BaselinePath> {
        self.paths.iter().find(|path| path.nic == nic && path.endpoint == endpoint)
    }
}

#[cfg(test)]
mod tests {
    use model::host::loopback::LoopbackTest;

    use super::*;

    fn round(bandwidth_bps: u64, latency_ns: u64) -> LoopbackTest {
        let path = LoopbackPath {
            nic: "mlx5_0".into(),
            endpoint: "memory0".into(),
            bandwidth_bps,
            latency_ns: Some(latency_ns),
            ..LoopbackPath::default()
        };
        LoopbackTest { paths: vec![path], ..LoopbackTest::default() }
    }

    #[test]
    fn a_baseline_is_the_median_of_the_rounds_and_is_read_again() {
        let tests = vec![round(97, 900), round(40, 950), round(98, 2_000)];
        let measured = HostLoopback { tests, ..HostLoopback::default() };
        let found = Baselines::of("h3", &measured).expect("the host was idle");
        let expected = BaselinePath {
            nic: "mlx5_0".into(),
            endpoint: "memory0".into(),
            bandwidth_bps: 97,
            latency_ns: Some(950),
        };
        assert_eq!(found.path("mlx5_0", "memory0"), Some(&expected));
        assert_eq!(found.path("mlx5_0", "memory1"), None);
        let text = serde_json::to_string(&found).expect("JSON");
        assert_eq!(Baselines::read(&text).expect("the same file"), found);
    }

    #[test]
    fn a_busy_host_and_other_files_have_no_baselines() {
        let busy = LoopbackTest { busy: vec!["mlx5_0".into()], ..round(97, 900) };
        let error = Baselines::of("h3", &HostLoopback { tests: vec![busy], ..HostLoopback::default() });
        assert!(error.expect_err("it is busy").to_string().starts_with("mlx5_0 had service traffic"));
        let check = |text: &str, expected: &str| {
            let error = Baselines::read(text).expect_err("no baselines").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("{\n}", "2:1: not a file of baselines");
        check(r#"{"version": 2, "host": "h3", "paths": []}"#, "/version: version 2 is not supported");
        let row = r#"{"nic": "mlx5_0", "endpoint": "memory0", "bandwidth_bps": 0}"#;
        check(
            &format!(r#"{{"version": 1, "host": "h3", "paths": [{row}]}}"#),
            "/paths/0/bandwidth_bps: must be",
        );
    }
}
