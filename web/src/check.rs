//! Checks of switch configurations over REST: the interface that the program with the rules implements.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConfigurationFile)]
pub struct ConfigurationFile {
    /// Its name in findings, e.g. `leaf1/config_db.json`. A file `pg_profile_lookup.ini` is no configuration: it is the table of the
    /// configurations in the same folder.
    #[schema(max_length = 1024)]
    pub name: String,
    /// Its text, in any format that `harrier check` reads.
    pub text: String,
}

/// What the rules found.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CheckReport {
    /// Whether there was a configuration, every one was checked, and none has a finding of severity `error` or `warning` or cannot be verified.
    pub passed: bool,
    /// Findings that are left out of the report, because it has 10,000 already.
    pub left_out: u64,
    /// The report of `harrier check --format json` (docs/check.schema.json): `findings`, `unread` files with the reason, and `summary`.
    #[schema(value_type = Object)]
    pub report: Value,
}

/// Checks configurations. Without an implementation `POST /checks` returns status 501.
pub trait Checker: Send + Sync + 'static {
    /// Checks all files, and the switches together. Called on a thread that may block.
    fn check(&self, files: &[ConfigurationFile]) -> CheckReport;
}
